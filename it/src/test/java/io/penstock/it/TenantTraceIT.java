// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.BACKBONE_MAC;
import static io.penstock.it.TracedNode.ESTABLISHED;
import static io.penstock.it.TracedNode.INVALID;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.RELATED;
import static io.penstock.it.TracedNode.REPLY;
import static io.penstock.it.TracedNode.TRANSIT_MAC;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import io.penstock.testkit.TraceAssert;
import io.penstock.testkit.Tracer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two tenants with the same addresses inside, each with an address of its own outside. */
class TenantTraceIT {

    private static TracedNode node;

    private record Customer(int vlan, int vrf, String outside) {
        Packet sends() {
            return Packet.in("acc0", vlan).toGateway();
        }
    }

    private static final Customer FIRST = new Customer(100, 2, "203.0.113.0");
    private static final Customer SECOND = new Customer(101, 3, "203.0.113.1");

    static Stream<Customer> customers() {
        return Stream.of(FIRST, SECOND);
    }

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.tenants(2))));
        // Only the first tenant has a host that was heard.
        node.send(Packet.in("acc0", FIRST.vlan()).arpRequest("10.0.0.5", "10.0.0.1"));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static TraceAssert out(final Packet packet, final String... states) {
        return node.assertThat(packet, states);
    }

    private static Packet fromWorld(final String destination) {
        return fromTransit().tcp(WORLD, destination, 40000);
    }

    @ParameterizedTest
    @MethodSource("customers")
    void aNewConnectionIsTranslatedAndLeaves(final Customer customer) {
        for (final String state : new String[] {NEW, ESTABLISHED, REPLY}) {
            out(customer.sends().tcp("10.0.0.5", WORLD, 80), state)
                .meets(Table.NAT_TRANSLATE, "translate").meets(Table.NAT_OUT_CHECK, "translated")
                .meets(Table.BACKBONE_ROUTE, "route 0.0.0.0/0").meets(Table.NEIGHBOURS, Tracer.LEARNED)
                .does("ct(commit,zone=" + customer.vrf() + ",mark=0x1/0x1,nat(src=" + customer.outside() + "))")
                .endsWith("nw_src=" + customer.outside(), "nw_dst=" + WORLD, "nw_ttl=63", "dl_src=" + BACKBONE_MAC,
                    "dl_dst=" + TRANSIT_MAC, "vlan_tci=0x0000")
                .leavesBy("up0");
        }
    }

    @ParameterizedTest
    @MethodSource("customers")
    void whatTheTrackerCallsInvalidDoesNotLeave(final Customer customer) {
        out(customer.sends().tcp("10.0.0.5", WORLD, 80), INVALID).isDroppedBy(Table.NAT_OUT_CHECK, "not translated");
    }

    @Test
    void aReplyReachesTheHostThatAsked() {
        // A trace cannot translate back: the destination stays public, and the VRF has no way for that.
        out(fromWorld(FIRST.outside()), REPLY).meets(Table.BACKBONE_IN, "to the public address")
            .does("ct(zone=2,nat)").meets(Table.NAT_IN_CHECK, "reply of a known connection")
            .meets(Table.CHAIN_IN, "no chain").endsWith("reg0=0x1000002").meets(Table.VRF_ROUTE, "no route");
        out(fromWorld(SECOND.outside()), REPLY).does("ct(zone=3,nat)").endsWith("reg0=0x1000003")
            .meets(Table.VRF_ROUTE, "no route");
    }

    @ParameterizedTest
    @MethodSource("customers")
    void errorsForAConnectionComeIn(final Customer customer) {
        out(fromWorld(customer.outside()), RELATED).meets(Table.CHAIN_IN, "no chain");
        out(fromWorld(customer.outside()), "trk,rel").meets(Table.NAT_IN_CHECK, "error for a known connection");
    }

    @ParameterizedTest
    @MethodSource("customers")
    void whatNobodyAskedForDoesNotComeIn(final Customer customer) {
        for (final String state : new String[] {NEW, ESTABLISHED, INVALID}) {
            out(fromWorld(customer.outside()), state)
                .isDroppedBy(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
        }
    }

    @Test
    void unusedPublicAddressesAndStrangeOnesDoNotComeIn() {
        out(fromWorld("203.0.113.2"))
            .isDroppedBy(Table.BACKBONE_IN, "public address of pool public is not in use here");
        out(fromWorld("10.0.0.5")).isDroppedBy(Table.BACKBONE_IN, "from the backbone, destination not on this node");
        out(Packet.in("up0").ethernet(TRANSIT_MAC, "02:00:00:00:00:77").tcp(WORLD, FIRST.outside(), 1))
            .isDroppedBy(Table.BACKBONE_IN, "public address of pool public is not in use here");
    }

    @ParameterizedTest
    @MethodSource("customers")
    void theGatewayAnswersArp(final Customer customer) {
        out(Packet.in("acc0", customer.vlan()).arpRequest("10.0.0.5", "10.0.0.1"))
            .meets(Table.ARP_REPLY, "ARP for the gateway of lan")
            .endsWith("arp_op=2", "arp_spa=10.0.0.1", "arp_tpa=10.0.0.5", "arp_sha=" + Packet.GATEWAY_MAC,
                "arp_tha=" + Packet.HOST_MAC, "dl_src=" + Packet.GATEWAY_MAC, "dl_dst=" + Packet.HOST_MAC,
                "dl_vlan=" + customer.vlan())
            .leavesBy("acc0");
        // A host that looks whether an address is free (RFC 5227) learns that the gateway has it.
        out(Packet.in("acc0", customer.vlan()).arpRequest("0.0.0.0", "10.0.0.1")).leavesBy("acc0");
        out(Packet.in("acc0", customer.vlan()).arpRequest("10.0.0.5", "10.0.0.9"))
            .isDroppedBy(Table.L2_FORWARD, "no other attachment in the broadcast domain");
        out(Packet.in("acc0", customer.vlan()).arpRequest("10.0.0.1", "10.0.0.9"))
            .isDroppedBy(Table.ACCESS_LEARN, "ARP claims the gateway of lan");
    }

    @ParameterizedTest
    @MethodSource("customers")
    void theGatewayAnswersPing(final Customer customer) {
        for (final int ttl : new int[] {64, 1}) {
            out(customer.sends().ping("10.0.0.5", "10.0.0.1").ttl(ttl))
                .meets(Table.GATEWAY, "ping to the gateway of lan")
                .endsWith("nw_src=10.0.0.1", "nw_dst=10.0.0.5", "icmp_type=0", "nw_ttl=64",
                    "dl_dst=" + Packet.HOST_MAC, "dl_vlan=" + customer.vlan())
                .leavesBy("acc0");
        }
        out(customer.sends().tcp("10.0.0.5", "10.0.0.1", 22))
            .isDroppedBy(Table.GATEWAY, "to the gateway of lan, not ping");
    }

    @ParameterizedTest
    @MethodSource("customers")
    void foreignSourcesAreRefused(final Customer customer) {
        for (final String source : new String[] {"10.0.1.5", "192.0.2.2", WORLD, FIRST.outside(), SECOND.outside()}) {
            out(customer.sends().tcp(source, WORLD, 80))
                .isDroppedBy(Table.ACCESS_GUARD, "source address is not the sender's");
        }
    }

    @ParameterizedTest
    @MethodSource("customers")
    void usedUpPacketsAreNotForwarded(final Customer customer) {
        out(customer.sends().udp("10.0.0.5", WORLD, 53).ttl(1)).meets(Table.GATEWAY, "TTL 1 is used up")
            .goesToController();
        out(customer.sends().udp("10.0.0.5", WORLD, 53).ttl(0)).meets(Table.GATEWAY, "TTL 0 is used up")
            .goesToController();
        out(customer.sends().udp("10.0.0.5", WORLD, 53).ttl(2), NEW).endsWith("nw_ttl=1").leavesBy("up0");
    }

    @Test
    void framesThatBelongToNobodyAreDropped() {
        out(Packet.in("acc0", 999).toGateway().tcp("10.0.0.5", WORLD, 80))
            .isDroppedBy(Table.CLASSIFY, "unknown VLAN on acc0");
        out(Packet.in("acc0").toGateway().tcp("10.0.0.5", WORLD, 80))
            .isDroppedBy(Table.CLASSIFY, "unknown VLAN on acc0");
        out(Packet.in("acc1", 100).toGateway().tcp("10.0.0.5", WORLD, 80))
            .isDroppedBy(Table.CLASSIFY, "unknown VLAN on acc1");
        out(Packet.in("up0", 100).toGateway().tcp("10.0.0.5", WORLD, 80))
            .isDroppedBy(Table.CLASSIFY, "no backbone on this VLAN of up0");
        out(Packet.in("fw-in", 4000).toGateway().tcp("10.0.0.5", WORLD, 80))
            .isDroppedBy(Table.CHAIN_RETURN, "function sent an 802.1Q tag that it does not serve");
        out(Packet.in("fw-out", FIRST.vrf()).toGateway().tcp("10.0.0.5", WORLD, 80))
            .isDroppedBy(Table.CHAIN_RETURN, "function sent an 802.1Q tag that it does not serve");
        out(Packet.in("acc0", 100).ethernet("01:00:00:00:00:05", Packet.GATEWAY_MAC).tcp("10.0.0.5", WORLD, 80))
            .isDroppedBy(Table.ACCESS_LEARN, "source is a group address");
    }

    @ParameterizedTest
    @MethodSource("customers")
    void noTenantReachesAnother(final Customer customer) {
        // By private address: the same one is its own neighbour, any other has no connected route, so it is public.
        out(customer.sends().tcp("10.0.0.5", "10.0.1.5", 80), NEW)
            .isDroppedBy(Table.BACKBONE_ACL, "ACL keep-out entry no-private drop");
        // By public address it comes as anybody from the backbone would.
        for (final Customer other : List.of(FIRST, SECOND)) {
            for (final String state : new String[] {NEW, ESTABLISHED, INVALID}) {
                out(customer.sends().tcp("10.0.0.5", other.outside(), 80), NEW, state)
                    .meets(Table.BACKBONE_ROUTE, "hairpin, pool public")
                    .meets(Table.BACKBONE_IN, "to the public address").does("ct(zone=" + other.vrf() + ",nat)")
                    .endsWith("nw_src=" + customer.outside())
                    .isDroppedBy(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
            }
        }
        out(customer.sends().tcp("10.0.0.5", "203.0.113.2", 80), NEW)
            .isDroppedBy(Table.BACKBONE_IN, "public address of pool public is not in use here");
        out(customer.sends().ping("10.0.0.5", "192.0.2.2"), NEW)
            .isDroppedBy(Table.BACKBONE_ROUTE, "to the node's own backbone address");
    }

    @Test
    void whatOneTenantTaughtIsUnknownToTheOther() {
        out(FIRST.sends().tcp("10.0.0.7", "10.0.0.5", 80)).meets(Table.NEIGHBOURS, Tracer.LEARNED)
            .endsWith("dl_dst=" + Packet.HOST_MAC, "dl_src=" + Packet.GATEWAY_MAC, "dl_vlan=100").leavesBy("acc0");
        out(SECOND.sends().tcp("10.0.0.7", "10.0.0.5", 80))
            .meets(Table.NEIGHBOUR_FOUND, "request the address of the next hop")
            .goesToController();
    }

    @Test
    void theBackboneAnswersForItsAddressesAlone() {
        final Packet request = Packet.in("up0").ethernet(TRANSIT_MAC, "ff:ff:ff:ff:ff:ff");
        for (final String address : new String[] {"192.0.2.2", FIRST.outside(), SECOND.outside()}) {
            out(request.with("arp,arp_op=1,arp_sha=" + TRANSIT_MAC + ",arp_spa=192.0.2.1,arp_tpa=" + address))
                .endsWith("arp_op=2", "arp_spa=" + address, "arp_sha=" + BACKBONE_MAC, "dl_dst=" + TRANSIT_MAC)
                .leavesBy("up0");
        }
        out(request.with("arp,arp_op=1,arp_sha=" + TRANSIT_MAC + ",arp_spa=192.0.2.1,arp_tpa=203.0.113.2")).leavesBy();
        out(request.with("arp,arp_op=1,arp_sha=" + TRANSIT_MAC + ",arp_spa=192.0.2.2,arp_tpa=192.0.2.2"))
            .isDroppedBy(Table.BACKBONE_IN, "ARP claims the backbone address");
        out(fromTransit().ping("192.0.2.1", "192.0.2.2"))
            .endsWith("icmp_type=0", "nw_src=192.0.2.2", "nw_dst=192.0.2.1", "nw_ttl=64").leavesBy("up0");
    }
}
