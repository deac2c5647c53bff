// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.TRANSIT_MAC;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;

import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import io.penstock.testkit.TraceAssert;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a router has to tell the sender of, and what it must not. The uplink takes 1400 bytes, the default route is
 * missing; the tenant "plain" has one subnet, the tenant "jumbo" one of 9000 bytes beside one of 1500.
 */
class ErrorTraceIT {
    private static final Table ERRORS = Table.ROUTING_ERROR;
    private static final String LOCAL = "198.18.0.77";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(withoutDefaultRoute()));
        // A host of each subnet, so that packets have a way.
        node.send(Packet.in("acc0", 300).arpRequest("10.1.0.5", "10.1.0.1"));
        node.send(Packet.in("acc1", 302).arpRequest("10.2.0.5", "10.2.0.1"));
    }

    private static Snapshot withoutDefaultRoute() {
        final Snapshot narrow = Fixtures.narrow();
        final Backbone backbone = narrow.backbone();
        return new Snapshot(narrow.nodes(), new Backbone(backbone.interfaces(), List.of(
            new Route(Prefix.parse("198.18.0.0/24"), backbone.routes().get(0).nextHop()))), narrow.pools(),
            narrow.functions(), narrow.chains(), narrow.tenants(), narrow.acls());
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Packet plain() {
        return Packet.in("acc0", 100).toGateway();
    }

    private static TraceAssert out(final Packet packet, final String... states) {
        return node.assertThat(packet, states);
    }

    @Test
    void theSenderOfAUsedUpPacketIsTold() {
        for (final int ttl : new int[] {0, 1}) {
            for (final Packet packet : List.of(plain().udp("10.0.0.5", WORLD, 33434), plain().ping("10.0.0.5", WORLD),
                    plain().tcp("10.0.0.5", "10.0.0.1", 22))) {
                // The VRF, and the kind of error.
                out(packet.ttl(ttl)).meets(Table.GATEWAY, "TTL " + ttl + " is used up")
                    .meets(ERRORS, "ICMP error to the sender").endsWith("reg0=0x3", "reg5=0x40000", "nw_ttl=" + ttl)
                    .goesToController();
            }
        }
    }

    @Test
    @Requirement(rfc = 5508, number = "10e")
    void nobodyIsToldOfErrorsLaterFragmentsAndGroups() {
        for (final int type : new int[] {3, 4, 5, 11, 12}) {
            out(plain().with("icmp,icmp_type=" + type + ",icmp_code=0,nw_src=10.0.0.5,nw_dst=" + WORLD + ",nw_ttl=1"))
                .isDroppedBy(ERRORS, "no ICMP error about an ICMP error");
        }
        out(plain().with("udp,nw_frag=later,nw_src=10.0.0.5,nw_dst=" + WORLD + ",nw_ttl=1"))
            .isDroppedBy(ERRORS, "no ICMP error about a later fragment");
        out(plain().with("udp,nw_frag=first,udp_dst=9,nw_src=10.0.0.5,nw_dst=" + WORLD + ",nw_ttl=1"))
            .goesToController();
        out(plain().udp("10.0.0.5", "239.1.2.3", 9).ttl(1))
            .isDroppedBy(ERRORS, "no ICMP error about a packet to a group");
    }

    @Test
    void theWorldIsToldOfPacketsForUs() {
        for (final String destination : List.of("203.0.113.1", "203.0.113.2", WORLD)) {
            out(fromTransit().udp(LOCAL, destination, 33434).ttl(1)).meets(Table.BACKBONE_IN, "TTL 1 is used up")
                .meets(ERRORS, "ICMP error to the sender, backbone").endsWith("reg0=0x1", "reg5=0x40000")
                .goesToController();
            out(Packet.in("up0").ethernet(TRANSIT_MAC, "02:00:00:00:00:77").udp(LOCAL, destination, 1).ttl(1))
                .isDroppedBy(ERRORS, "no ICMP error about this packet");
        }
        out(fromTransit().ping("192.0.2.1", "192.0.2.2").ttl(1)).leavesBy("up0");
    }

    @Test
    void whoSendsWhereNoRouteLeadsIsTold() {
        out(plain().udp("10.0.0.5", "192.88.99.1", 53), NEW).meets(Table.BACKBONE_ROUTE, "no backbone route")
            .meets(ERRORS, "ICMP error to the sender").goesToController();
    }

    @Test
    void whatAGatewayDoesNotServeIsToldAsSuch() {
        for (final int ttl : new int[] {64, 1}) {
            out(plain().udp("10.0.0.5", "10.0.0.1", 33434).ttl(ttl)).meets(Table.GATEWAY, "UDP to the gateway of lan")
                .endsWith("reg5=0x100000").goesToController();
        }
        out(plain().tcp("10.0.0.5", "10.0.0.1", 22)).isDroppedBy(Table.GATEWAY, "to the gateway of lan, not ping");
    }

    /** The trace shows what becomes of a short packet and of a long one. */
    @Test
    void lengthsAreLookedAtBeforeTranslation() {
        out(plain().udp("10.0.0.5", LOCAL, 53), NEW).does("check_pkt_len(size=1414,gt(set(ipv4(ttl=63)),recirc(")
            .meets(Table.CHAIN_OUT, "compared with the MTU of the egress link")
            .meets(ERRORS, "longer than the MTU of the egress link: ICMP error to the sender")
            .does("meter(").does("ct(commit,zone=3");
        out(Packet.in("acc1", 302).toGateway().udp("10.2.0.5", "10.1.0.5", 9)).does("check_pkt_len(size=1514,gt(");
    }

    @Test
    void whereTheWayOutTakesAsMuchLengthsAreNotLookedAt() {
        out(Packet.in("acc0", 300).toGateway().udp("10.1.0.5", "10.2.0.5", 9)).leavesBy("acc1");
    }
}
