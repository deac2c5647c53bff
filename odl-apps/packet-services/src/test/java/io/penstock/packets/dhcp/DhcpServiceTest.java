// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.configuration.grant.Transitions;
import io.penstock.dhcp.DhcpMessage;
import io.penstock.dhcp.OptionCode;
import io.penstock.dhcp.OptionSet;
import io.penstock.events.DhcpPoolEvent;
import io.penstock.frames.Arp;
import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.PseudoHeader;
import io.penstock.frames.Udp;
import io.penstock.packets.link.Fate;
import io.penstock.packets.link.Place;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.testkit.ManualClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which order leases are stored and hosts hear of them. */
@Tag("safety")
class DhcpServiceTest {
    private static final int VRF = 2;
    /** Message type (RFC 2132, section 9.6). */
    private static final int DISCOVER = 1;
    private static final int REQUEST = 3;
    private static final int DECLINE = 4;
    private static final int RELEASE = 7;
    private static final Mac HOST = new Mac(0x020000000005L);
    private static final Mac OTHER_HOST = new Mac(0x020000000006L);
    private static final Ipv4 NONE = Ipv4.UNSPECIFIED;
    private static final Ipv4 FIRST = Ipv4.parse("10.0.0.100");
    private static final Ipv4 GATEWAY = Ipv4.parse("10.0.0.1");
    private static final SwitchId NODE = new SwitchId(Constants.datapathId(1, ""));
    private static final SwitchId OTHER = new SwitchId(Constants.datapathId(2, ""));
    private static final Snapshot NETWORK = Snapshot.empty().withTenants(List.of(new Tenant("t",
        List.of(new Tenant.Attachment("lan", "edge1", "acc0", 100)),
        List.of(new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"), GATEWAY, List.of())), List.of(),
        Optional.empty(), Optional.empty(), Optional.empty()).with(new Services(Optional.of(new Dhcp(0,
            List.of(new Dhcp.Subnet(Prefix.parse("10.0.0.0/24"), List.of(new Range(FIRST, FIRST.plus(9))), List.of(),
                List.of(), 3600, Dhcp.Options.NONE)))), Optional.empty()))));
    private static final Tenant TWO_PLACES = new Tenant("t",
        List.of(new Tenant.Attachment("lan", "edge1", "acc0", 100), new Tenant.Attachment("lab", "edge1", "acc0", 200)),
        List.of(new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"), GATEWAY, List.of())), List.of(),
        Optional.empty(), Optional.empty(), Optional.empty()).with(new Services(Optional.of(new Dhcp(0,
            List.of(new Dhcp.Subnet(Prefix.parse("10.0.0.0/24"), List.of(new Range(FIRST, FIRST.plus(9))), List.of(),
                List.of(), 3600, Dhcp.Options.NONE)))), Optional.empty()));
    private static final Allocations NO_LEASE = new Allocations(VRF, new TreeMap<>(Map.of("edge1", 1, "edge2", 2)),
        new TreeMap<>(Map.of("edge1", new TreeMap<>(Map.of("acc0", 5)))),
        Map.of("t", new TenantAllocation(VRF, Optional.empty())));

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T10:00:00Z"));
    private final List<byte[]> sent = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private final List<DhcpPoolEvent> told = new ArrayList<>();
    private boolean failing;
    private boolean flowsAreThere = true;
    private final DhcpService service = new DhcpService(clock, () -> { }, millis -> { },
        (node, revision, task) -> {
            waiting.add(task);
            if (flowsAreThere) {
                task.run();
            }
        }, (place, frame) -> {
            if (failing) {
                throw new IllegalStateException("on purpose");
            }
            sent.add(frame);
            places.add(place);
        }, event -> {
            if (failing) {
                throw new IllegalStateException("on purpose");
            }
            told.add(event);
        });

    @Test
    void nobodyHearsOfALeaseBeforeItIsStored() {
        service.onPacketIn(request());
        final Allocations after = service.propose(NETWORK, NO_LEASE);
        assertThat(leases(after)).singleElement()
            .satisfies(lease -> assertThat(lease.address()).isEqualTo(FIRST))
            .satisfies(lease -> assertThat(lease.attachment()).isEqualTo("lan"));
        assertThat(sent).isEmpty();
        service.stored(Transitions.none());
        assertThat(sent).hasSize(1);
    }

    @Test
    void anAcknowledgementWaitsForTheFlows() {
        service.onPacketIn(request());
        service.propose(NETWORK, NO_LEASE);
        flowsAreThere = false;
        service.stored(Transitions.none());
        assertThat(sent).isEmpty();
        waiting.forEach(Runnable::run);
        assertThat(sent).hasSize(1);
    }

    @Test
    void whatWasNotStoredIsForgotten() {
        service.onPacketIn(request());
        service.propose(NETWORK, NO_LEASE);
        assertThat(service.propose(NETWORK, NO_LEASE)).isSameAs(NO_LEASE);
        service.stored(Transitions.none());
        assertThat(sent).isEmpty();
        // The host asks again.
        service.onPacketIn(request());
        assertThat(leases(service.propose(NETWORK, NO_LEASE))).hasSize(1);
    }

    @Test
    void aLeaseIsReleasedWhenThatIsStoredEvenAtTheSecondTry() {
        service.onPacketIn(request());
        final Allocations bound = service.propose(NETWORK, NO_LEASE);
        service.stored(Transitions.none());
        final CompletableFuture<Lease> released = service.release("t", FIRST);
        service.propose(NETWORK, bound);
        assertThat(released).isNotDone();
        // That was not stored.
        final Allocations after = service.propose(NETWORK, bound);
        assertThat(leases(after)).singleElement()
            .satisfies(lease -> assertThat(lease.state()).isEqualTo(Lease.State.FREE));
        assertThat(released).isNotDone();
        service.stored(Transitions.none());
        assertThat(released).isCompletedWithValueMatching(Lease::isBound);
    }

    @Test
    void whatWasDeclinedMayBeGivenAgain() {
        final Lease declined = new Lease(FIRST, Lease.State.DECLINED, "01020000000005", HOST, "lan", "",
            clock.instant().getEpochSecond() + 600);
        final Allocations before = new Allocations(VRF, NO_LEASE.nodes(), NO_LEASE.ports(),
            Map.of("t", new TenantAllocation(VRF, Optional.empty()).withLeases(List.of(declined))));
        service.release("t", FIRST);
        assertThat(leases(service.propose(NETWORK, before))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {REQUEST, DECLINE, RELEASE})
    void aNodeTouchesLeasesOfItsOwnTenantsAlone(final int type) {
        service.onPacketIn(request());
        final Allocations bound = service.propose(NETWORK, NO_LEASE);
        service.stored(Transitions.none());
        sent.clear();
        clock.pass(60);
        for (final SwitchId node : List.of(OTHER, new SwitchId(1))) {
            // From nowhere, as a relayed message may come, and from where the host is at its own node.
            service.onPacketIn(packet(node, 0, type, type == RELEASE ? FIRST : NONE, FIRST));
            service.onPacketIn(packet(node, 5L << 12 | 100, type, type == RELEASE ? FIRST : NONE, FIRST));
        }
        assertThat(service.propose(NETWORK, bound)).isSameAs(bound);
        service.stored(Transitions.none());
        assertThat(sent).isEmpty();
        // The same from its own node is heard.
        service.onPacketIn(packet(NODE, 5L << 12 | 100, type, type == RELEASE ? FIRST : NONE, FIRST));
        assertThat(service.propose(NETWORK, bound)).isNotSameAs(bound);
    }

    @Test
    void onlyTheHolderOfALeaseKeepsItAndItIsAskedThreeTimes() {
        final Snapshot network = Snapshot.empty().withTenants(List.of(TWO_PLACES));
        final Place lan = new Place(NODE, 5, 100);
        final Place lab = new Place(NODE, 5, 200);
        service.onPacketIn(request());
        Allocations now = service.propose(network, NO_LEASE);
        service.stored(Transitions.none());
        final Lease held = leases(now).get(0);
        sent.clear();
        places.clear();
        for (final boolean there : new boolean[] {true, false}) {
            service.onPacketIn(packet(NODE, 5L << 12 | 200, REQUEST, NONE, FIRST));
            assertThat(service.propose(network, now)).isSameAs(now);
            // From elsewhere, and from another host there.
            service.onConflict(arp(lab, HOST));
            service.onConflict(arp(lan, OTHER_HOST));
            service.onConflict(arp(new Place(OTHER, 5, 100), HOST));
            clock.passMillis(200);
            assertThat(service.propose(network, now)).isSameAs(now);
            clock.passMillis(200);
            assertThat(service.propose(network, now)).isSameAs(now);
            assertThat(places).as("it is asked where it was, and nowhere else").containsOnly(lan).hasSize(3);
            if (there) {
                service.onConflict(arp(lan, HOST));
            } else {
                clock.passMillis(200);
            }
            now = service.propose(network, now);
            service.stored(Transitions.none());
            assertThat(places).hasSize(4).last().isEqualTo(lab);
            assertThat(leases(now)).singleElement().satisfies(lease ->
                assertThat(lease.attachment()).isEqualTo(there ? "lan" : "lab"));
            if (there) {
                assertThat(leases(now)).containsExactly(held);
            }
            places.clear();
        }
    }

    @Test
    void aFaultAfterAProbeKeepsNothingElseFromTheEngine() {
        final Snapshot network = Snapshot.empty().withTenants(List.of(TWO_PLACES));
        service.onPacketIn(request());
        final Allocations now = service.propose(network, NO_LEASE);
        service.stored(Transitions.none());
        service.onPacketIn(packet(NODE, 5L << 12 | 200, REQUEST, NONE, FIRST));
        service.propose(network, now);
        failing = true;
        clock.passMillis(200);
        assertThat(service.propose(network, now)).isSameAs(now);
        assertThat(service.counts().all().get("t")).containsKey("dropped: failed");
    }

    @Test
    void anEmptyPoolIsToldOnceAndSoIsItsEnd() {
        final List<Lease> all = IntStream.range(0, 10).mapToObj(FIRST::plus).map(address -> new Lease(address,
            Lease.State.BOUND, "0102000000ff" + address, OTHER_HOST, "lan", "",
            clock.instant().getEpochSecond() + 86400)).toList();
        for (int message = 0; message < 5; message++) {
            service.onPacketIn(packet(NODE, 5L << 12 | 100, DISCOVER, NONE, NONE));
            service.propose(NETWORK, having(all));
            service.stored(Transitions.none());
            clock.pass(60);
        }
        assertThat(told).containsExactly(new DhcpPoolEvent("t", "10.0.0.0/24", true));
        service.propose(NETWORK, having(all.subList(0, 9)));
        assertThat(told).as("it would come and go").hasSize(1);
        clock.pass(300);
        service.propose(NETWORK, having(all));
        assertThat(told).as("it is empty again").hasSize(1);
        clock.pass(60);
        service.propose(NETWORK, having(all.subList(0, 9)));
        assertThat(told).hasSize(2).endsWith(new DhcpPoolEvent("t", "10.0.0.0/24", false));
        clock.pass(60);
        service.propose(NETWORK, having(all.subList(0, 9)));
        assertThat(told).hasSize(2);
    }

    @Test
    void leasesEndAlsoIfTheLookAtAnEmptyPoolFails() {
        final List<Lease> all = IntStream.range(0, 10).mapToObj(FIRST::plus).map(address -> new Lease(address,
            Lease.State.BOUND, "0102000000ff" + address, OTHER_HOST, "lan", "",
            clock.instant().getEpochSecond() + 600)).toList();
        service.onPacketIn(packet(NODE, 5L << 12 | 100, DISCOVER, NONE, NONE));
        service.propose(NETWORK, having(all));
        assertThat(told).hasSize(1);
        clock.pass(660);
        failing = true;
        assertThat(leases(service.propose(NETWORK, having(all)))).hasSize(10)
            .allMatch(lease -> lease.state() == Lease.State.FREE);
        assertThat(told).as("it failed").hasSize(1);
    }

    private static Allocations having(final List<Lease> leases) {
        return new Allocations(VRF, NO_LEASE.nodes(), NO_LEASE.ports(),
            Map.of("t", new TenantAllocation(VRF, Optional.empty()).withLeases(leases)));
    }

    @Test
    void aNodeThatFloodsTakesNoRoomFromOthers() {
        for (int index = 0; index < Arrivals.MOST_OF_A_NODE; index++) {
            assertThat(service.onPacketIn(packet(OTHER, 0, REQUEST, NONE, FIRST))).isEqualTo(Fate.TAKEN);
        }
        assertThat(service.onPacketIn(packet(OTHER, 0, REQUEST, NONE, FIRST))).isEqualTo(Fate.IGNORED);
        assertThat(service.onPacketIn(request())).isEqualTo(Fate.TAKEN);
        assertThat(leases(service.propose(NETWORK, NO_LEASE))).hasSize(1);
        assertThat(service.onPacketIn(packet(OTHER, 0, REQUEST, NONE, FIRST))).as("afterwards").isEqualTo(Fate.TAKEN);
    }

    @Test
    void whatIsNoLeaseIsNotReleased() {
        final CompletableFuture<Lease> none = service.release("t", FIRST);
        final CompletableFuture<Lease> nobody = service.release("u", FIRST);
        assertThat(service.propose(NETWORK, NO_LEASE)).isSameAs(NO_LEASE);
        assertThatThrownBy(none::join).hasMessageContaining("tenant 't' has no lease of 10.0.0.100");
        assertThatThrownBy(nobody::join).hasMessageContaining("tenant 'u' has no lease of 10.0.0.100");
    }

    private static List<Lease> leases(final Allocations allocations) {
        return allocations.tenants().get("t").leases();
    }

    private static PacketIn request() {
        return packet(NODE, 5L << 12 | 100, REQUEST, NONE, FIRST);
    }

    /** A host says that it has the first address. */
    private static PacketIn arp(final Place at, final Mac mac) {
        final byte[] frame = new Arp(Arp.REPLY, mac.number(), FIRST.number(), Constants.GATEWAY_MAC.number(), 0)
            .to(Constants.GATEWAY_MAC.number()).bytes().toArray();
        return new PacketIn(at.node(), at.port(), 0, Table.ACCESS_GUARD.number(), Map.of(
            Register.VRF.range().field(), (long) VRF,
            Register.IN_ATTACHMENT.range().field(), (long) at.port() << 12 | at.vlan()), frame);
    }

    private static PacketIn packet(final SwitchId node, final long place, final int type, final Ipv4 has,
            final Ipv4 wants) {
        final Bytes message = new DhcpMessage(new DhcpMessage.Header(DhcpMessage.REQUEST, 1, 0, 7, 0, 0),
            new DhcpMessage.Addresses(has, NONE, NONE, NONE), new BytesWriter().u48(HOST.number()).bytes(), Bytes.EMPTY,
            Bytes.EMPTY, OptionSet.of(Map.of(
                OptionCode.MESSAGE_TYPE, new BytesWriter().u8(type).bytes(),
                OptionCode.REQUESTED_ADDRESS, new BytesWriter().u32(wants.number()).bytes(),
                OptionCode.SERVER, new BytesWriter().u32(GATEWAY.number()).bytes()))).bytes();
        final Bytes datagram = new Udp(68, 67, message).bytes(PseudoHeader.ofIpv4(0, Ipv4Packet.BROADCAST));
        final byte[] frame = new Ethernet(Ethernet.BROADCAST, HOST.number(), Ethernet.TYPE_IPV4,
            new Ipv4Packet(Ipv4Packet.PROTOCOL_UDP, 0, Ipv4Packet.BROADCAST, datagram).bytes()).bytes().toArray();
        return new PacketIn(node, 5, 0, Table.DHCP_REQUEST.number(), Map.of(
            Register.VRF.range().field(), (long) VRF, Register.IN_ATTACHMENT.range().field(), place), frame);
    }
}
