// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.BACKBONE_MAC;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.REPLY;
import static io.penstock.it.TracedNode.TRANSIT_MAC;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import io.penstock.testkit.Tracer;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tenant with two broadcast domains, a static route, an access control list and a chain of two functions. */
class RichTenantTraceIT {
    private static final String INSIDE_MAC = Constants.CHAIN_INSIDE_MAC.toString();
    private static final String OUTSIDE_MAC = Constants.CHAIN_OUTSIDE_MAC.toString();
    private static final String ROUTER_MAC = "02:00:00:00:00:09";
    private static final String OTHER_MAC = "02:00:00:00:00:06";
    private static final String PUBLIC = "198.51.100.77";
    private static final int VRF = 2;

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.rich())));
        node.send(Packet.in("acc1", 302).ethernet(ROUTER_MAC, Packet.GATEWAY_MAC)
            .with("arp,arp_op=2,arp_sha=" + ROUTER_MAC + ",arp_spa=10.2.0.9,arp_tpa=10.2.0.1"));
        node.send(Packet.in("acc1", 301).ethernet(OTHER_MAC, "ff:ff:ff:ff:ff:ff")
            .with("arp,arp_op=1,arp_sha=" + OTHER_MAC + ",arp_spa=10.1.0.6,arp_tpa=10.1.0.99"));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Packet fromA() {
        return Packet.in("acc0", 300).toGateway();
    }

    private static Packet inChain(final String port) {
        return Packet.in(port, VRF).ethernet(INSIDE_MAC, OUTSIDE_MAC);
    }

    @Test
    void whatLeavesTheVrfEntersTheChainInside() {
        node.assertThat(fromA().tcp("10.1.0.5", WORLD, 80)).meets(Table.TENANT_ACL, "ACL web-only entry web permit")
            .meets(Table.CHAIN_OUT, "chain hop to fw-in")
            .endsWith("dl_vlan=2", "dl_src=" + INSIDE_MAC, "dl_dst=" + OUTSIDE_MAC, "nw_src=10.1.0.5", "nw_ttl=63")
            .leavesBy("fw-in");
    }

    @Test
    void theChainIsWalkedOutwards() {
        node.assertThat(inChain("fw-out").tcp("10.1.0.5", WORLD, 80)).meets(Table.CHAIN_RETURN, "chain hop to tap-in")
            .endsWith("dl_vlan=2").leavesBy("tap-in");
        node.assertThat(inChain("tap-out").tcp("10.1.0.5", WORLD, 80), NEW)
            .meets(Table.CHAIN_RETURN, "to the backbone from tap-out").meets(Table.NAT_OUT_CHECK, "translated")
            .endsWith("nw_src=" + PUBLIC, "vlan_tci=0x0000", "dl_src=" + BACKBONE_MAC, "dl_dst=" + TRANSIT_MAC)
            .leavesBy("up0");
    }

    @Test
    void theChainIsWalkedInwards() {
        node.assertThat(fromTransit().tcp(WORLD, PUBLIC, 40000), REPLY)
            .meets(Table.CHAIN_IN, "chain hop to tap-out").endsWith("dl_vlan=2", "dl_src=" + OUTSIDE_MAC)
            .leavesBy("tap-out");
        node.assertThat(inChain("tap-in").tcp(WORLD, "10.1.0.6", 40000))
            .meets(Table.CHAIN_RETURN, "chain hop to fw-out").leavesBy("fw-out");
        node.assertThat(inChain("fw-in").tcp(WORLD, "10.1.0.6", 40000))
            .meets(Table.CHAIN_RETURN, "to the tenant from fw-in").meets(Table.NEIGHBOURS, Tracer.LEARNED)
            .endsWith("dl_vlan=301", "dl_dst=" + OTHER_MAC, "dl_src=" + Packet.GATEWAY_MAC, "nw_ttl=63")
            .leavesBy("acc1");
    }

    @Test
    void aFunctionCannotSendBackToTheBackboneWhatCameFromIt() {
        node.assertThat(inChain("fw-in").tcp(WORLD, WORLD, 80)).meets(Table.VRF_ROUTE, "no route")
            .goesToController();
    }

    @Test
    void aFunctionCannotSpeakForAnotherTenant() {
        for (final String port : new String[] {"fw-in", "fw-out", "tap-in", "tap-out"}) {
            node.assertThat(Packet.in(port, 3).ethernet(INSIDE_MAC, OUTSIDE_MAC).tcp("10.1.0.5", WORLD, 80))
                .isDroppedBy(Table.CHAIN_RETURN, "function sent an 802.1Q tag that it does not serve");
            node.assertThat(Packet.in(port).ethernet(INSIDE_MAC, OUTSIDE_MAC).tcp("10.1.0.5", WORLD, 80))
                .isDroppedBy(Table.CHAIN_RETURN, "function sent an 802.1Q tag that it does not serve");
        }
    }

    @Test
    void aFunctionThatMayBeMissedIsPassedBy() {
        try (TracedNode down = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.rich()), Set.of("tap")))) {
            down.assertThat(fromA().tcp("10.1.0.5", WORLD, 80)).leavesBy("fw-in");
            down.assertThat(inChain("fw-out").tcp("10.1.0.5", WORLD, 80), NEW).endsWith("nw_src=" + PUBLIC)
                .leavesBy("up0");
            down.assertThat(fromTransit().tcp(WORLD, PUBLIC, 1), REPLY)
                .meets(Table.CHAIN_IN, "chain hop to fw-out").leavesBy("fw-out");
            down.assertThat(inChain("tap-out").tcp("10.1.0.5", WORLD, 80))
                .isDroppedBy(Table.CHAIN_RETURN, "function sent an 802.1Q tag that it does not serve");
        }
    }

    @Test
    void withoutAFunctionThatMustNotBeMissedNothingPasses() {
        try (TracedNode down = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.rich()), Set.of("fw")))) {
            down.assertThat(fromA().tcp("10.1.0.5", WORLD, 80))
                .isDroppedBy(Table.CHAIN_OUT, "chain stopped by fail policy closed");
            down.assertThat(fromTransit().tcp(WORLD, PUBLIC, 1), REPLY)
                .isDroppedBy(Table.CHAIN_IN, "chain stopped by fail policy closed");
            for (final String port : new String[] {"fw-in", "fw-out", "tap-in", "tap-out"}) {
                down.assertThat(inChain(port).tcp("10.1.0.5", WORLD, 80))
                    .isDroppedBy(Table.CHAIN_RETURN, "function sent an 802.1Q tag that it does not serve");
            }
            // Inside the VRF life goes on.
            down.assertThat(fromA().ping("10.1.0.5", "10.1.0.1")).leavesBy("acc0");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 81, 87, 88, 89, 90})
    void thePortsOfARangeAreAllPermitted(final int port) {
        node.assertThat(fromA().tcp("10.1.0.5", WORLD, port)).meets(Table.TENANT_ACL, "ACL web-only entry web permit")
            .leavesBy("fw-in");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 79, 91, 92, 95, 96, 336, 65535})
    void thePortsOutsideOfARangeAreNot(final int port) {
        node.assertThat(fromA().tcp("10.1.0.5", WORLD, port))
            .isDroppedBy(Table.TENANT_ACL, "ACL web-only permits no such packet");
    }

    @Test
    void theListDecidesOnProtocolDestinationAndType() {
        node.assertThat(fromA().udp("10.1.0.5", "192.0.2.53", 53)).meets(Table.TENANT_ACL,
            "ACL web-only entry dns permit").leavesBy("fw-in");
        node.assertThat(fromA().udp("10.1.0.5", "192.0.2.54", 53))
            .isDroppedBy(Table.TENANT_ACL, "ACL web-only permits no such packet");
        node.assertThat(fromA().udp("10.1.0.5", WORLD, 80))
            .isDroppedBy(Table.TENANT_ACL, "ACL web-only permits no such packet");
        node.assertThat(fromA().ping("10.1.0.5", WORLD)).meets(Table.TENANT_ACL, "ACL web-only entry ping permit")
            .leavesBy("fw-in");
        node.assertThat(fromA().with("icmp,icmp_type=13,icmp_code=0,nw_src=10.1.0.5,nw_dst=" + WORLD + ",nw_ttl=64"))
            .isDroppedBy(Table.TENANT_ACL, "ACL web-only permits no such packet");
    }

    @Test
    void theListOfTheUplinkKeepsOut() {
        node.assertThat(inChain("tap-out").tcp("10.1.0.5", "10.77.0.1", 80), NEW)
            .isDroppedBy(Table.BACKBONE_ACL, "ACL keep-out entry no-private drop");
        node.assertThat(inChain("tap-out").tcp("10.1.0.5", PUBLIC, 80), NEW, NEW)
            .meets(Table.BACKBONE_ROUTE, "hairpin")
            .isDroppedBy(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
        node.assertThat(inChain("tap-out").tcp("10.1.0.5", "203.0.113.9", 80), NEW)
            .isDroppedBy(Table.BACKBONE_IN, "public address of pool public is not in use here");
    }

    @Test
    void framesAreBridgedWithinTheDomain() {
        node.assertThat(Packet.in("acc0", 300).ethernet(Packet.HOST_MAC, OTHER_MAC).udp("10.1.0.5", "10.1.0.6", 7))
            .meets(Table.L2_HOSTS, Tracer.LEARNED).endsWith("dl_vlan=301", "nw_ttl=64", "dl_src=" + Packet.HOST_MAC)
            .leavesBy("acc1");
        node.assertThat(Packet.in("acc0", 300).arpRequest("10.1.0.5", "10.1.0.6"))
            .meets(Table.L2_FORWARD, "flood from a").endsWith("arp_spa=10.1.0.5").does("vid=301").leavesBy("acc1");
        node.assertThat(Packet.in("acc1", 301).ethernet(OTHER_MAC, "02:00:00:00:00:88").with("dl_type=0x88cc"))
            .meets(Table.L2_FORWARD, "flood from b").does("vid=300").leavesBy("acc0");
        node.assertThat(Packet.in("acc1", 302).ethernet(ROUTER_MAC, OTHER_MAC).udp("10.2.0.9", "10.1.0.6", 7))
            .isDroppedBy(Table.L2_FORWARD, "no other attachment in the broadcast domain");
    }

    @Test
    void aFrameIsNotSentBackToWhereItCameFrom() {
        // The customer's own switch had forgotten the host and flooded: the host has the frame already.
        node.assertThat(Packet.in("acc1", 301).ethernet(Packet.HOST_MAC, OTHER_MAC).udp("10.1.0.5", "10.1.0.6", 7))
            .isDroppedBy(Table.L2_FORWARD, "host is at the attachment that the frame came from");
    }

    @Test
    void packetsAreRoutedBetweenTheSubnets() {
        node.assertThat(Packet.in("acc1", 302).ethernet(ROUTER_MAC, Packet.GATEWAY_MAC)
            .udp("10.2.0.9", "10.1.0.6", 7)).meets(Table.VRF_ROUTE, "connected wide")
            .endsWith("dl_vlan=301", "dl_dst=" + OTHER_MAC, "dl_src=" + Packet.GATEWAY_MAC, "nw_ttl=63")
            .leavesBy("acc1");
        node.assertThat(fromA().udp("10.1.0.5", "172.16.9.9", 7)).meets(Table.VRF_ROUTE, "route 172.16.0.0/12")
            .endsWith("dl_vlan=302", "dl_dst=" + ROUTER_MAC, "nw_dst=172.16.9.9", "nw_ttl=63").leavesBy("acc1");
        node.assertThat(Packet.in("acc1", 302).ethernet(ROUTER_MAC, Packet.GATEWAY_MAC)
            .tcp("172.16.9.9", WORLD, 80)).meets(Table.GATEWAY, "from 172.16.0.0/12").leavesBy("fw-in");
        node.assertThat(fromA().udp("10.1.0.5", "10.1.0.77", 7))
            .meets(Table.NEIGHBOUR_FOUND, "request the address of the next hop")
            .goesToController();
    }
}
