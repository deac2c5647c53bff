// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.Networks;
import io.penstock.it.WiredNode;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.rules.Validator;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Frame;
import io.penstock.testkit.Wire.Batch;
import io.penstock.testkit.Wire.Sent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every packet that Open vSwitch might not rewrite, past every kind of translation. Whatever of it comes out of the
 * node has a lower TTL than before, and no address that its sender has inside; another tenant's datagrams between them
 * all arrive.
 */
@Tag("safety")
@Tag("hostile")
class OddPacketsIT {
    private static final String SERVER = EdgeNetwork.SERVER;
    private static final String UNREAD = "IPv4 with protocol 0, or with lengths that contradict each other";
    private static final Mac TRANSIT_MAC = new Mac(0x020000000099L);
    private static final Mac BACKBONE_MAC = Constants.backboneMac(1);
    private static final int AT_ONCE = 64;
    private static final int VICTIM_VLAN = 200;
    private static final String VICTIM = "10.88.0.20";
    private static final String VICTIM_PUBLIC = "198.51.100.20";
    private static final int WITNESS_VLAN = 201;
    private static final String WITNESS = "10.89.0.20";
    private static final String WITNESS_PUBLIC = "203.0.113.201";
    /** In front of a packet, and what a bridge or a router may take for its header or not. */
    private static final List<String> ETHER_TYPES = List.of("81000005" + "0800", "88a80005" + "0800",
        "8100000581000006" + "0800", "8847000101ff", "8848000101ff", "886411000000" + "00300021",
        "886311000000" + "00300021", "0034" + "aaaa03000000" + "0800", "86dd", "0806", "8035", "894f", "6558", "88cc",
        "88e5", "22f0", "9000", "0000");

    private static WiredNode node;
    private final Map<Integer, OddPacket> sent = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private int passed;
    private int beats;

    /** A translation, each of a tenant of its own. */
    private enum Translation {
        PORTS("203.0.113.1", SERVER),
        ONE_TO_ONE("198.51.100.101", SERVER),
        PORT_FORWARD("203.0.113.3", SERVER),
        DETERMINISTIC("198.51.100.103", SERVER),
        INDEPENDENT("198.51.100.104", SERVER),
        BLOCK("198.51.100.105", SERVER),
        TWICE("203.0.113.7", "100.99.0.10");

        private final String publicAddress;
        private final String server;

        Translation(final String publicAddress, final String server) {
            this.publicAddress = publicAddress;
            this.server = server;
        }

        String address() {
            return "10.77." + ordinal() + ".5";
        }

        String gateway() {
            return "10.77." + ordinal() + ".1";
        }

        int vlan() {
            return 100 + ordinal();
        }

        Mac mac() {
            return OddPacketsIT.mac(address());
        }

        private Tenant.Nat nat() {
            final Optional<Ipv4> own = Optional.of(Ipv4.parse(publicAddress));
            final Prefix inside = Prefix.parse(address() + "/32");
            final Prefix block = Prefix.parse("10.77." + ordinal() + ".0/28");
            final Prefix outside = Prefix.parse(publicAddress + "/32");
            return switch (this) {
                case PORTS -> nat(own, List.of(), List.of(), List.of(), List.of());
                case ONE_TO_ONE -> nat(Optional.empty(), List.of(new Tenant.OneToOne(inside, outside)), List.of(),
                    List.of(), List.of());
                case PORT_FORWARD -> nat(own, List.of(), List.of(), List.of(),
                    Stream.of(6, 17).map(protocol -> new Tenant.PortForward("p" + protocol, protocol, 5000,
                        inside.address(), 5000)).toList());
                case DETERMINISTIC -> nat(Optional.empty(), List.of(),
                    List.of(new Tenant.Deterministic(block, outside)), List.of(), List.of());
                case INDEPENDENT -> nat(Optional.empty(), List.of(),
                    List.of(new Tenant.Deterministic(block, outside, true)), List.of(), List.of());
                case BLOCK -> nat(Optional.empty(), List.of(), List.of(),
                    List.of(new Tenant.PortBlocks(block, outside, 512, 1)), List.of());
                case TWICE -> nat(own, List.of(), List.of(), List.of(), List.of()).with(List.of(
                    new Tenant.Twice(Prefix.parse("100.99.0.0/24"), Prefix.parse("198.18.0.0/24"))));
            };
        }

        private static Tenant.Nat nat(final Optional<Ipv4> own, final List<Tenant.OneToOne> oneToOne,
                final List<Tenant.Deterministic> deterministic, final List<Tenant.PortBlocks> blocks,
                final List<Tenant.PortForward> forwards) {
            return new Tenant.Nat(own, Optional.empty(), oneToOne, deterministic, blocks, forwards, Set.of());
        }

        Tenant tenant() {
            return OddPacketsIT.tenant("t" + ordinal(), "acc0", vlan(), gateway(), nat());
        }
    }

    private static Tenant tenant(final String name, final String port, final int vlan, final String gateway,
            final Tenant.Nat nat) {
        return new Tenant(name, List.of(new Tenant.Attachment("lan", Networks.NODE, port, vlan)),
            List.of(new Tenant.Subnet("lan", Prefix.parse(gateway.replaceAll("\\d+$", "0/24")), Ipv4.parse(gateway),
                List.of())), List.of(), Optional.of(nat), Optional.empty(), Optional.empty());
    }

    @BeforeAll
    static void start() {
        node = new WiredNode();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void load() {
        final List<Tenant> tenants = new ArrayList<>(Stream.of(Translation.values()).map(Translation::tenant).toList());
        tenants.add(tenant("victim", "acc1", VICTIM_VLAN, "10.88.0.1", Translation.nat(Optional.empty(),
            List.of(new Tenant.OneToOne(Prefix.parse(VICTIM + "/32"), Prefix.parse(VICTIM_PUBLIC + "/32"))), List.of(),
            List.of(), List.of())));
        tenants.add(tenant("witness", "acc0", WITNESS_VLAN, "10.89.0.1", Translation.nat(
            Optional.of(Ipv4.parse(WITNESS_PUBLIC)), List.of(), List.of(), List.of(), List.of())));
        final Snapshot snapshot = Networks.of(tenants.toArray(Tenant[]::new));
        assertThat(Validator.validate(snapshot, Allocations.none())).isEmpty();
        final Allocations none = Allocator.allocate(snapshot, Allocations.none());
        final Map<String, Allocations.TenantAllocation> given = new HashMap<>(none.tenants());
        given.computeIfPresent(Translation.BLOCK.tenant().name(), (name, those) -> those.withBlocks(List.of(
            new Allocations.Block(Ipv4.parse(Translation.BLOCK.address()),
                Ipv4.parse(Translation.BLOCK.publicAddress), 1024, 512))));
        node.load(Planner.plan(snapshot, none.withTenants(given), Set.of(), Networks.NODE));
        node.openSessions();
        final List<Sent> arp = new ArrayList<>();
        for (final Translation each : Translation.values()) {
            arp.add(new Sent("acc0", Frame.arpRequest(each.mac(), each.address(), each.gateway()).tagged(each.vlan())));
        }
        arp.add(new Sent("acc0", Frame.arpRequest(mac(WITNESS), WITNESS, "10.89.0.1").tagged(WITNESS_VLAN)));
        arp.add(new Sent("acc1", Frame.arpRequest(mac(VICTIM), VICTIM, "10.88.0.1").tagged(VICTIM_VLAN)));
        arp.add(new Sent(EdgeNetwork.UPLINK,
            Frame.arpRequest(TRANSIT_MAC, EdgeNetwork.TRANSIT, Networks.BACKBONE_ADDRESS)));
        node.wire().exchange(arp);
    }

    private static Mac mac(final String address) {
        return new Mac(0x020000000000L | Ipv4.parse(address).number());
    }

    /** To the backbone, and to a host of another tenant that has a public address of its own. */
    @ParameterizedTest
    @EnumSource
    void outOfTheTenant(final Translation translation) {
        final List<Sent> frames = new ArrayList<>();
        int unread = 0;
        for (final String destination : List.of(translation.server, VICTIM_PUBLIC)) {
            for (final OddPacket packet : packets(translation.address(), destination)) {
                unread += packet.protocol() == 0 || !packet.isRead() ? 1 : 0;
                frames.add(fromTenant(translation, "0800", packet));
            }
            for (final String type : ETHER_TYPES) {
                for (final int protocol : List.of(0, 17)) {
                    frames.add(fromTenant(translation, type, number(translation.address(), destination, protocol)));
                }
            }
        }
        final long before = node.packets(Table.CLASSIFY, UNREAD);
        exchange(frames, true);
        assertThat(wrong).isEmpty();
        assertThat(passed).as("packets that come out").isPositive();
        assertThat(node.packets(Table.CLASSIFY, UNREAD) - before).as("of them unread").isGreaterThanOrEqualTo(unread);
    }

    @ParameterizedTest
    @EnumSource
    void intoTheTenant(final Translation translation) {
        final List<Sent> frames = new ArrayList<>();
        for (final OddPacket packet : packets(SERVER, translation.publicAddress)) {
            frames.add(fromBackbone("0800", packet));
        }
        for (final String type : ETHER_TYPES) {
            for (final int protocol : List.of(0, 17)) {
                frames.add(fromBackbone(type, number(SERVER, translation.publicAddress, protocol)));
            }
        }
        final long before = node.packets(Table.CLASSIFY, UNREAD);
        exchange(frames, false);
        assertThat(wrong).isEmpty();
        assertThat(node.packets(Table.CLASSIFY, UNREAD) - before).as("unread").isPositive();
    }

    /** A host that takes its gateway's address has no part in the world, and nothing comes back to the gateway. */
    @Test
    void fromTheAddressOfTheGateway() {
        final List<Sent> frames = new ArrayList<>();
        for (final Translation each : Translation.values()) {
            for (final int protocol : List.of(1, 6, 17, 253)) {
                frames.add(fromTenant(each, "0800", number(each.gateway(), each.server, protocol)));
            }
        }
        exchange(frames, true);
        assertThat(wrong).isEmpty();
        assertThat(passed).isZero();
        assertThat(node.packets(Table.ACCESS_LEARN, "packet from the address of the gateway of lan"))
            .isEqualTo(frames.size());
    }

    private List<OddPacket> packets(final String source, final String destination) {
        final List<OddPacket> odd = OddPackets.between(sent.size(), source, destination);
        odd.forEach(packet -> sent.put(packet.number(), packet));
        return odd;
    }

    private OddPacket number(final String source, final String destination, final int protocol) {
        final ByteBuffer payload = ByteBuffer.allocate(28).putShort((short) (2000 + sent.size() % 20000))
            .putShort((short) 5000).putShort((short) 28);
        final OddPacket packet = OddPacket.of(sent.size(), source, destination, protocol, payload.array());
        sent.put(packet.number(), packet);
        return packet;
    }

    private static Sent fromTenant(final Translation from, final String type, final OddPacket packet) {
        return new Sent("acc0", frame(Constants.GATEWAY_MAC, from.mac(), "8100%04x".formatted(from.vlan()) + type,
            packet.digits()));
    }

    private static Sent fromBackbone(final String type, final OddPacket packet) {
        return new Sent(EdgeNetwork.UPLINK, frame(BACKBONE_MAC, TRANSIT_MAC, type, packet.digits()));
    }

    private static Frame frame(final Mac destination, final Mac source, final String type, final String packet) {
        return new Frame("%012x%012x".formatted(destination.number(), source.number()) + type + packet);
    }

    /** Sends in batches, each with a datagram of another tenant behind it on the same cable, which has to arrive. */
    private void exchange(final List<Sent> frames, final boolean out) {
        final List<Batch> batches = new ArrayList<>();
        for (int from = 0; from < frames.size(); from += AT_ONCE) {
            final List<Sent> batch = new ArrayList<>(frames.subList(from, Math.min(frames.size(), from + AT_ONCE)));
            batches.add(beat(batch, out));
        }
        // The frames before it went to both sides.
        batches.add(beat(new ArrayList<>(), !out));
        batches.add(beat(new ArrayList<>(), out));
        node.wire().exchangeBatches(batches).forEach(all -> all.forEach(this::check));
    }

    private Batch beat(final List<Sent> batch, final boolean out) {
        final String end = "feedbeef%08x".formatted(beats++);
        final byte[] payload = HexFormat.of().parseHex("%04x138800100000".formatted(0x3000 + beats) + end);
        if (out) {
            batch.add(new Sent("acc0", frame(Constants.GATEWAY_MAC, mac(WITNESS),
                "8100%04x0800".formatted(WITNESS_VLAN), OddPacket.of(0xffff, WITNESS, SERVER, 17, payload).digits())));
        } else {
            batch.add(new Sent(EdgeNetwork.UPLINK, frame(BACKBONE_MAC, TRANSIT_MAC, "0800",
                OddPacket.of(0xffff, SERVER, VICTIM_PUBLIC, 17, payload).digits())));
        }
        return new Batch(batch, end);
    }

    private void check(final Sent received) {
        final String all = received.frame().digits();
        final boolean inside = !received.device().equals(EdgeNetwork.UPLINK);
        final int vlan = inside ? Integer.parseInt(all.substring(28, 32), 16) & 0xfff : 0;
        String rest = all.substring(inside ? 32 : 24);
        if (rest.substring(4).startsWith("aaaa03000000")) {
            rest = rest.substring(16);
        }
        if (!rest.startsWith("0800")) {
            wrong.add("EtherType " + rest.substring(0, 4) + " comes out: " + received);
            return;
        }
        final String packet = rest.substring(4);
        final OddPacket before = sent.get(Integer.parseInt(packet.substring(8, 12), 16));
        if (before == null) {
            return;
        }
        passed++;
        if (Integer.parseInt(packet.substring(16, 18), 16) >= before.ttl()) {
            wrong.add("the TTL is not lower: " + received + " of " + before);
        }
        for (final Translation each : Translation.values()) {
            final boolean own = inside && vlan == each.vlan();
            if (!own && packet.contains("%08x".formatted(Ipv4.parse(each.address()).number()))) {
                wrong.add("an address of " + each + " comes out: " + received + " of " + before);
            }
        }
        if (inside && vlan != VICTIM_VLAN && !before.destination().equals(
                Translation.values()[vlan - Translation.PORTS.vlan()].publicAddress)) {
            wrong.add("it comes to another tenant: " + received + " of " + before);
        }
    }
}
