// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.diagnosis.Facts.Service;
import io.penstock.operations.WhyQuestion;
import io.penstock.operations.WhyReport;
import io.penstock.operations.WhyReport.Verdict;
import io.penstock.operations.WhyReport.WhyStep;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DiagnosisTest {
    private static final String OTHER_MAC = "02:00:00:00:00:99";
    private static final String[] TENANT = {};
    private static final String[] OUT = {World.HOST, World.SERVER, "80"};

    static Arguments fault(final Cause cause, final String[] question, final Consumer<World> broken,
            final String answer) {
        return Arguments.of(cause, question, broken, answer);
    }

    static String[] ask(final String... words) {
        return words;
    }

    static Stream<Arguments> faults() {
        return Stream.of(accessFaults(), addressFaults(), pathFaults(), wayOutFaults()).flatMap(each -> each);
    }

    private static Stream<Arguments> accessFaults() {
        return Stream.of(
            fault(Cause.CONFIGURATION_FAILED, TENANT, world -> world.rejected("pool public is empty"),
                "The controller does not carry out the configuration of tenant acme: pool public is empty."),
            fault(Cause.NO_ATTACHMENT, TENANT, World::detached, "Tenant acme has no attachment."),
            fault(Cause.NODE_AWAY, TENANT, world -> world.serves(Service.AWAY, ""),
                "Node edge1 is not connected to the controller, so nothing is known of its ports, hosts and drops; its "
                    + "switch forwards packets as it was told before."),
            fault(Cause.BEING_INSTALLED, OUT, world -> world.serves(Service.INSTALLING, ""),
                "Node edge1 has not confirmed the newest configuration of tenant acme yet."),
            fault(Cause.FLOWS_REFUSED, OUT, world -> world.serves(Service.REFUSING, "OFPBAC_BAD_TYPE"),
                "Node edge1 refuses flows of tenant acme: OFPBAC_BAD_TYPE."),
            fault(Cause.FLOWS_MISSING, OUT,
                world -> world.serves(Service.DRIFTED, "2 of its flows are missing or wrong on node edge1"),
                "The switch differs from its plan: 2 of its flows are missing or wrong on node edge1."),
            fault(Cause.PORT_MISSING, OUT, world -> world.portGone("acc0"),
                "Port acc0 of node edge1, where attachment lan is, is not in the switch."),
            fault(Cause.PORT_FAILED, OUT, world -> world.portFailed("acc0", "No such device"),
                "The switch could not open port acc0 of node edge1, where attachment lan is: No such device."),
            fault(Cause.PORT_DOWN, OUT, world -> world.portDown("acc0"),
                "Port acc0 of node edge1, where attachment lan is, has no link."),
            fault(Cause.PORT_DOWN, TENANT, world -> world.portDown("acc1"),
                "Port acc1 of node edge1, where attachment lab is, has no link."),
            fault(Cause.FLOODING, OUT, World::floods,
                "Frames of attachment lan (edge1/acc0/100) flood the slow path of the switch, and are limited."),
            fault(Cause.MTU_TOO_LARGE, OUT, world -> world.mtu(9000, 1500),
                "Port acc0 of node edge1 takes packets of 1500 bytes, but 9000 are configured for subnet lan, so "
                    + "longer packets are lost."),
            fault(Cause.HOST_SILENT, OUT, world -> {
                world.silent();
                world.dropped("classify", "unknown VLAN on acc0", 7);
            }, "No ARP of host 10.0.0.5 was accepted at attachment lan in the last 20 minutes, and port acc0 of node "
                + "edge1 "
                + "gets frames with a VLAN that no attachment has (7 in the last minutes); attachment lan has VLAN "
                + "100."),
            fault(Cause.UNKNOWN_VLAN, TENANT, world -> world.dropped("classify", "unknown VLAN on acc1", 7),
                "No fault was found, but note: Port acc1 of node edge1 gets frames with a VLAN that no attachment has "
                    + "(7 in the last minutes); attachment lab has VLAN 101."),
            fault(Cause.HOST_SILENT, OUT, World::silent,
                "No ARP of host 10.0.0.5 was accepted at attachment lan in the last 20 minutes."));
    }

    private static Stream<Arguments> addressFaults() {
        return Stream.of(
            fault(Cause.FOREIGN_SOURCE, ask("10.9.9.9", World.SERVER), world -> { },
                "Address 10.9.9.9 is in no subnet and no route of tenant acme, so packets from it are dropped."),
            fault(Cause.FOREIGN_SOURCE, TENANT,
                world -> world.dropped("access_guard", "source address is not the sender's", 12),
                "A host of tenant acme on node edge1 sends from addresses that are in no subnet and no route of the "
                    + "tenant: 12 packets were dropped in the last minutes."),
            fault(Cause.SOURCE_IS_GATEWAY, ask("10.0.0.1", World.SERVER), world -> { },
                "Address 10.0.0.1 is that of the gateway, so packets of hosts from it are dropped."),
            fault(Cause.WRONG_ATTACHMENT, ask("10.0.0.7"), world -> world.seen(OTHER_MAC, "lab", "10.0.0.7"),
                "Host 10.0.0.7 is at attachment lab, but its subnet is at attachment lan."),
            fault(Cause.NO_LEASE, ask("10.0.0.100"), World::servesDhcp,
                "Address 10.0.0.100 belongs to the DHCP pool of subnet 10.0.0.0/24, and no host has a lease of it, so "
                    + "packets from it are dropped."),
            fault(Cause.NO_LEASE, TENANT, world -> world.dropped("access_guard",
                "address of a DHCP pool or reservation without a lease", 5),
                "A host of tenant acme on node edge1 uses an address of a DHCP pool or reservation without a lease: 5 "
                    + "packets were dropped in the last minutes."),
            fault(Cause.LEASE_ENDED, ask("10.0.0.100"), world -> {
                world.servesDhcp();
                world.leased("10.0.0.100", Lease.State.FREE, World.MAC, "lan");
            }, "The lease of 10.0.0.100 by 02:00:00:00:00:05 has ended, so packets from the address are dropped."),
            fault(Cause.ADDRESS_DECLINED, ask("10.0.0.100"), world -> {
                world.servesDhcp();
                world.leased("10.0.0.100", Lease.State.DECLINED, World.MAC, "lan");
            }, "Address 10.0.0.100 was declined: another host uses it, or used it."),
            fault(Cause.LEASE_OF_OTHER_HOST, ask("10.0.0.100"), world -> {
                world.servesDhcp();
                world.leased("10.0.0.100", Lease.State.BOUND, World.MAC, "lan");
                world.seen(OTHER_MAC, "lan", "10.0.0.100");
            }, "Host 02:00:00:00:00:99 uses 10.0.0.100, but 02:00:00:00:00:05 has the lease of this address."),
            fault(Cause.LEASE_OF_OTHER_HOST, ask("10.0.0.9"), world -> {
                world.servesDhcp(new Dhcp.Reservation(Ipv4.parse("10.0.0.9"), Optional.of(Mac.parse(World.MAC)),
                    Optional.empty(), Optional.empty(), Optional.empty()));
                world.seen(OTHER_MAC, "lan", "10.0.0.9");
            }, "Address 10.0.0.9 is reserved for 02:00:00:00:00:05, but 02:00:00:00:00:99 uses it."),
            fault(Cause.DHCP_POOL_EMPTY, TENANT, world -> {
                full(world);
                world.unanswered("discover: no free address");
            }, "All 2 addresses of the DHCP pool of subnet 10.0.0.0/24 are in use, 1 of them by hosts without a "
                + "lease, so further hosts get none."),
            fault(Cause.DHCP_POOL_EMPTY, ask("02:00:00:00:00:77"), DiagnosisTest::full,
                "All 2 addresses of the DHCP pool of subnet 10.0.0.0/24 are in use, 1 of them by hosts without a "
                    + "lease, so further hosts get none."),
            fault(Cause.DHCP_QUOTA, TENANT, world -> {
                world.servesDhcp();
                world.leased("10.0.0.100", Lease.State.BOUND, World.MAC, "lan");
                world.quota(leases(1));
                world.unanswered("discover: the tenant has reached its limit of leases");
            }, "Tenant acme has 1 leases, as many as its quota permits, so further hosts get none."),
            fault(Cause.DHCP_UNANSWERED, TENANT, world -> {
                world.servesDhcp();
                world.unanswered("discover: no subnet at its origin is served");
            }, "No fault was found, but note: The DHCP server of tenant acme has not answered messages in the last "
                + "minutes: discover: no subnet at its origin is served."));
    }

    private static void full(final World world) {
        world.servesDhcp();
        world.leased("10.0.0.100", Lease.State.BOUND, World.MAC, "lan");
        world.leased("10.0.0.101", Lease.State.DECLINED, OTHER_MAC, "lan");
    }

    private static Quota leases(final int most) {
        return new Quota(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.of(most), Optional.empty());
    }

    private static Stream<Arguments> pathFaults() {
        return Stream.of(
            fault(Cause.DESTINATION_SILENT, ask(World.HOST, "10.0.1.9"), world -> { },
                "10.0.1.9 is inside the VRF, but no host has answered ARP for it in the last 20 minutes."),
            fault(Cause.NEXT_HOP_SILENT, ask(World.HOST, "172.16.1.1"), world -> world.route("172.16.0.0/16",
                "10.0.1.2"),
                "The route of tenant acme to 172.16.1.1 has the next hop 10.0.1.2, which has not answered ARP in the "
                    + "last 20 minutes."),
            fault(Cause.NEXT_HOP_SILENT, TENANT, world -> world.route("172.16.0.0/16", "10.0.1.2"),
                "The route of tenant acme to 172.16.0.0/16 has the next hop 10.0.1.2, which has not answered ARP in "
                    + "the last 20 minutes."),
            fault(Cause.NO_WAY_OUT, OUT, world -> world.translates(Optional.empty()),
                "198.51.100.10 is outside the VRF of tenant acme, which has no nat and so no way to the backbone."),
            fault(Cause.LIST_DENIES, ask(World.HOST, World.SERVER, "443"), world -> {
                world.permits("office", 80);
                world.egress("office");
            }, "List office of tenant acme drops packets from 10.0.0.5 to 198.51.100.10, TCP port 443: no entry "
                + "permits them."),
            fault(Cause.LIST_DENIES, ask("-", World.SERVER, "25"), world -> {
                world.denies("office", 25);
                world.egress("office");
            }, "List office of tenant acme drops packets from 10.0.0.2 to 198.51.100.10, TCP port 25: entry no-mail "
                + "denies them."),
            fault(Cause.LIST_DENIES_REPLY, OUT, world -> {
                world.permits("inward", 22);
                world.ingress("inward", false);
            }, "List inward of tenant acme drops the replies, from 198.51.100.10 to 10.0.0.5, TCP port 49152: no entry "
                + "permits them."),
            fault(Cause.FUNCTION_DOWN, OUT, world -> world.chained(FailPolicy.CLOSED, "has no link"),
                "Function fw is down (fw has no link), and its fail policy is closed, so packets of its chains are "
                    + "dropped."),
            fault(Cause.FUNCTION_DOWN, TENANT, world -> world.chained(FailPolicy.CLOSED, "does not answer probes"),
                "Function fw is down (fw does not answer probes), and its fail policy is closed, so packets of its "
                    + "chains are dropped."),
            fault(Cause.FUNCTION_BYPASSED, OUT, world -> world.chained(FailPolicy.OPEN, "has no link"),
                "No fault was found, but note: Function fw is down (fw has no link), and packets bypass it, because "
                    + "its fail policy is open."),
            fault(Cause.LIMIT_REACHED, TENANT, world -> world.limited("out", 1000, "kilobits", 40),
                "Tenant acme has reached its limit out on node edge1, 1000 kilobits/s of packets to the backbone "
                    + "(quota bandwidth out): 40 packets were dropped in the last minutes."),
            fault(Cause.SESSIONS_USED_UP, OUT, world -> world.tracks(1000),
                "Tenant acme has 1000 tracked connections on node edge1, as many as its quota permits, so new "
                    + "connections are dropped."),
            fault(Cause.RESOLVER_FAILED, TENANT, world -> world.resolves("no upstream answers"),
                "The resolver of tenant acme on node edge1 does not work: no upstream answers."),
            fault(Cause.NAMES_LEFT_OUT, TENANT, world -> world.resolves("names that are not valid in DNS: _x"),
                "No fault was found, but note: The resolver of tenant acme on node edge1 answers, but not for names "
                    + "that are not valid in DNS: _x."),
            fault(Cause.UPSTREAM_SILENT, TENANT, world -> world.asks(List.of("192.0.2.53"), List.of("192.0.2.53")),
                "Upstream 192.0.2.53 of the resolver of tenant acme on node edge1 did not answer when last asked, so "
                    + "hosts get no answers about names outside the domain of the tenant."),
            fault(Cause.UPSTREAM_SILENT, TENANT, world -> world.asks(List.of("192.0.2.53", "192.0.2.54"),
                List.of("192.0.2.54", "192.0.2.55")),
                "No fault was found, but note: Upstream 192.0.2.54 of the resolver of tenant acme on node edge1 did "
                    + "not answer when last asked, so some answers about names outside the domain of the tenant are "
                    + "late."),
            fault(Cause.LIMIT_REACHED, TENANT, world -> world.limited("error", 50, "packets", 4),
                "No fault was found, but note: Tenant acme has reached its limit error on node edge1, 50 packets/s of "
                    + "packets that need an ICMP error: 4 packets were dropped in the last minutes."),
            fault(Cause.DROPPED, TENANT, world -> world.dropped("tenant_acl", "ACL office permits no such packet", 9),
                "No fault was found, but note: Node edge1 drops packets of tenant acme in table tenant_acl: ACL office "
                    + "permits no such packet (9 packets in the last minutes, 1009 since the flow was added)."),
            fault(Cause.RESOLVER_FAILED, TENANT, world -> world.resolves(""),
                "The agent of node edge1 has not reported on the resolver of tenant acme."),
            fault(Cause.DROPPED, TENANT, world -> world.dropped("nat_out_check", "port blocks used up", 9),
                "Node edge1 drops packets of tenant acme in table nat_out_check: port blocks used up (9 packets in "
                    + "the last minutes, 1009 since the flow was added)."));
    }

    private static Stream<Arguments> wayOutFaults() {
        return Stream.of(
            fault(Cause.NO_PUBLIC_ADDRESS, OUT, World::hasNoAddress,
                "Tenant acme has no public address: pool public had none left."),
            fault(Cause.NO_PUBLIC_ADDRESS, TENANT, World::hasNoAddress,
                "Tenant acme has no public address: pool public had none left."),
            fault(Cause.NO_PUBLIC_ADDRESS, OUT, world -> world.translates(Optional.of(new Tenant.Nat(Optional.empty(),
                Optional.empty(), List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.64/32"),
                    Prefix.parse("203.0.113.9/32"))),
                List.of()))),
                "No entry of nat of tenant acme translates 10.0.0.5, so its packets to the backbone are dropped."),
            fault(Cause.BLOCKS_USED_UP, OUT, world -> {
                world.translates(Optional.of(blocks()));
                world.block("10.0.0.6", "203.0.113.5", 32768, 32768);
            }, "All 1 port blocks of 203.0.113.5/32 are in use, so subscriber 10.0.0.5 of tenant acme gets none."),
            fault(Cause.PUBLISHED_HOST_SILENT, TENANT, world -> world.translates(Optional.of(new Tenant.Nat(
                Optional.empty(), Optional.of("public"), List.of(), List.of(new Tenant.PortForward("web", 6, 80,
                    Ipv4.parse("10.0.0.80"), 8080))))),
                "Port forward web leads to 10.0.0.80, port 8080, which has not answered ARP in the last 20 minutes."),
            fault(Cause.NO_UPLINK, OUT, World::withoutUplink, "Node edge1 has no uplink to the backbone."),
            fault(Cause.NO_BACKBONE_ROUTE, OUT, world -> world.backboneRoute("192.88.0.0/16"),
                "The backbone has no route to 198.51.100.10."),
            fault(Cause.PORT_MISSING, OUT, world -> world.portGone("up0"),
                "Uplink up0 of node edge1 is not in the switch."),
            fault(Cause.PORT_FAILED, OUT, world -> world.portFailed("up0", "Device or resource busy"),
                "The switch could not open uplink up0 of node edge1: Device or resource busy."),
            fault(Cause.PORT_DOWN, OUT, world -> world.portDown("up0"), "Uplink up0 of node edge1 has no link."),
            fault(Cause.MTU_TOO_LARGE, OUT, world -> world.mtu(1500, 9000),
                "Uplink up0 of node edge1 takes packets of 1500 bytes, but 9000 are configured for the uplink, so "
                    + "longer packets are lost."),
            fault(Cause.GATEWAY_SILENT, OUT, World::gatewaySilent,
                "Transit gateway 192.0.2.1 does not answer ARP on uplink up0 of node edge1, so packets to it are "
                    + "lost."),
            fault(Cause.GATEWAY_SILENT, TENANT, World::gatewaySilent,
                "Transit gateway 192.0.2.1 does not answer ARP on uplink up0 of node edge1, so packets to it are "
                    + "lost."),
            fault(Cause.BACKBONE_LIST_DENIES, ask(World.HOST, World.SERVER, "25"), world -> {
                world.denies("border", 25);
                world.uplinkList("border");
            }, "List border of uplink up0 drops packets from 203.0.113.0 to 198.51.100.10, TCP port 25: entry no-mail "
                + "denies them."));
    }

    private static Tenant.Nat blocks() {
        return new Tenant.Nat(Optional.empty(), Optional.empty(), List.of(), List.of(), List.of(new Tenant.PortBlocks(
            Prefix.parse("10.0.0.0/24"), Prefix.parse("203.0.113.5/32"), 32768, 1)), List.of(), Set.of());
    }

    @ParameterizedTest(name = "{0}: {3}")
    @MethodSource("faults")
    void namesTheReason(final Cause cause, final String[] question, final Consumer<World> broken, final String answer) {
        final World world = new World();
        broken.accept(world);
        final WhyReport report = world.why(question);
        assertThat(report.answer()).isEqualTo(answer);
        assertThat(report.cause()).isEqualTo(cause.text());
        assertThat(report.remedy()).isNotEmpty();
    }

    @Test
    void eachCauseHasAFault() {
        final List<Object> covered = Stream.of(faults(), InboundTest.faults(), SwitchTest.faults())
            .flatMap(each -> each).map(each -> each.get()[0]).distinct().toList();
        assertThat(Stream.of(Cause.values()).filter(cause -> !covered.contains(cause))).containsExactly(Cause.NONE);
    }

    @Test
    void whereAllIsWellEachStepPasses() {
        final World world = new World();
        world.resolves("ok");
        world.chained(FailPolicy.CLOSED);
        final WhyReport report = world.why(OUT);
        assertThat(report.cause()).isEqualTo("none");
        assertThat(report.answer()).isEqualTo("No fault was found.");
        assertThat(report.steps()).extracting(WhyStep::verdict).containsOnly(Verdict.PASSES);
        assertThat(report.steps()).extracting(WhyStep::text).contains(
            "The switch of node edge1 has learned 02:00:00:00:00:05 at attachment lan 35 s ago.",
            "Address 10.0.0.5 may be used at attachment lan.",
            "198.51.100.10 is outside the VRF: the packet goes to the backbone.",
            "The packet passes fw (fw) of chain inspected.",
            "The source is translated to 203.0.113.0.",
            "Next hop 192.0.2.1 is known to the switch, by uplink up0.",
            "The resolver of tenant acme on node edge1 answers.");
    }

    /** What is wrong first on the way of the packet is the answer; the rest is told, too. */
    @Test
    void theFirstFaultIsTheAnswer() {
        final World world = new World();
        world.portDown("up0");
        world.hasNoAddress();
        assertThat(world.why(OUT).cause()).isEqualTo("no-public-address");
        assertThat(world.why(OUT).steps()).filteredOn(step -> step.verdict() == Verdict.FAILS)
            .extracting(WhyStep::cause).containsExactly("no-public-address", "port-down");
    }

    @Test
    void aHostHasManyNames() {
        final World world = new World();
        world.servesDhcp();
        world.leased("10.0.0.100", Lease.State.BOUND, "02:00:00:00:01:00", "lan");
        world.seen("02:00:00:00:01:00", "lan", "10.0.0.100");
        for (final String name : List.of("printer", "PRINTER", "10.0.0.100", "02:00:00:00:01:00",
            "02-00-00-00-01-00")) {
            assertThat(world.why(name, World.SERVER).steps()).as(name).extracting(WhyStep::text)
                .contains("Host 02:00:00:00:01:00 has the lease of 10.0.0.100.");
        }
        assertThat(world.why("lan").cause()).isEqualTo("none");
    }

    @Test
    void whatWillNotDoIsNamed() {
        final World world = new World();
        assertThatThrownBy(() -> world.why("<script>")).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("host: '<script>' is no address, and tenant acme has no attachment and no lease of this name");
        assertThatThrownBy(() -> world.why(World.HOST, "example.org"))
            .hasMessage("destination: 'example.org' is no IP address");
        assertThatThrownBy(() -> world.why(World.HOST, "2001:db8::1"))
            .hasMessage("destination: 2001:db8::1 is of another family than host 10.0.0.5");
    }

    @Test
    void aNextHopThatWasLearnedMayHaveDiedSince() {
        final World world = new World();
        final WhyQuestion question = new WhyQuestion("acme", Optional.of(World.HOST), Optional.of(World.SERVER),
            Optional.empty(), OptionalInt.of(80), /* inbound= */ false);
        final Ipv4 hop = Ipv4.parse("192.0.2.1");
        assertThat(Diagnosis.nextHops(world.facts(), question)).containsExactly(hop);
        final WhyReport silent = Diagnosis.of(world.facts().withSilent("edge1", hop), question);
        assertThat(silent.cause()).isEqualTo(Cause.GATEWAY_SILENT.text());
        assertThat(Diagnosis.of(world.facts().withSilent("other", hop), question).cause())
            .isEqualTo(Cause.NONE.text());
        world.portDown("up0");
        assertThat(Diagnosis.nextHops(world.facts(), question)).as("nothing more is to be found").isEmpty();
    }
}
