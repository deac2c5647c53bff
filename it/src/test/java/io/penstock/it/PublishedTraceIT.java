// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.BACKBONE_MAC;
import static io.penstock.it.TracedNode.ESTABLISHED;
import static io.penstock.it.TracedNode.INVALID;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.REPLY;
import static io.penstock.it.TracedNode.TRANSIT_MAC;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A tenant with hosts that have public addresses of their own, and with published services. */
class PublishedTraceIT {
    private static final String PUBLIC = "203.0.113.0";
    private static final int VLAN = 400;
    private static final String[] INSIDE = {"10.0.0.5", "10.0.0.10", "10.0.0.20", "10.0.0.21", "10.0.0.128",
        "10.0.0.130", "10.0.0.131"};
    private static final String FORWARDED = "trk,new,dnat";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.published())));
        node.learn(VLAN, "10.0.0.1", INSIDE);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Packet fromHost() {
        return Packet.in("acc0", VLAN).toGateway();
    }

    private static String fragment(final String source, final String destination, final String which) {
        return "udp,nw_src=" + source + ",nw_dst=" + destination + ",nw_ttl=64,ip_frag=" + which;
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.10, 198.51.100.10", "10.0.0.128, 198.51.100.128", "10.0.0.131, 198.51.100.131"})
    void aHostIsItsPublicAddressWithoutTracking(final String inside, final String outside) {
        node.assertThat(fromHost().tcp(inside, WORLD, 80)).avoids(Table.NAT_OUT_KNOWN, Table.NAT_TRANSLATE)
            .endsWith("nw_src=" + outside, "nw_dst=" + WORLD, "nw_ttl=63", "dl_dst=" + TRANSIT_MAC).leavesBy("up0");
        node.assertThat(fromHost().ping(inside, WORLD)).endsWith("nw_src=" + outside).leavesBy("up0");
        node.assertThat(fromTransit().udp(WORLD, outside, 7)).avoids(Table.NAT_IN)
            .endsWith("nw_dst=" + inside, "nw_src=" + WORLD, "nw_ttl=63", "dl_vlan=" + VLAN).leavesBy("acc0");
        node.assertThat(fromTransit().ping(WORLD, outside)).endsWith("nw_dst=" + inside).leavesBy("acc0");
        node.assertThat(Packet.in("up0").ethernet(TRANSIT_MAC, "ff:ff:ff:ff:ff:ff")
            .with("arp,arp_op=1,arp_sha=" + TRANSIT_MAC + ",arp_spa=192.0.2.1,arp_tpa=" + outside))
            .endsWith("arp_op=2", "arp_spa=" + outside, "arp_tpa=192.0.2.1", "arp_sha=" + BACKBONE_MAC).leavesBy("up0");
    }

    @Test
    void itsNeighboursHaveThePublicAddressOfAll() {
        node.assertThat(fromHost().tcp("10.0.0.11", WORLD, 80), NEW).endsWith("nw_src=" + PUBLIC).leavesBy("up0");
        node.assertThat(fromHost().tcp("10.0.0.132", WORLD, 80), NEW).endsWith("nw_src=" + PUBLIC).leavesBy("up0");
        node.assertThat(fromTransit().tcp(WORLD, "198.51.100.132", 80))
            .isDroppedBy(Table.BACKBONE_IN, "from the backbone, destination not on this node");
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.10, 198.51.100.10, first", "10.0.0.130, 198.51.100.130, later"})
    void fragmentsAreTracked(final String inside, final String outside, final String which) {
        node.assertThat(fromHost().with(fragment(inside, WORLD, which)), NEW).endsWith("nw_src=" + outside)
            .leavesBy("up0");
        node.assertThat(fromHost().with(fragment(inside, WORLD, which)), INVALID)
            .isDroppedBy(Table.NAT_OUT_CHECK, "not translated");
        node.assertThat(fromTransit().with(fragment(WORLD, outside, which)), NEW, FORWARDED)
            .does("nat(dst=" + inside + ")").meets(Table.NAT_IN_NEW, "translated").endsWith("nw_dst=" + inside)
            .leavesBy("acc0");
        // Where no translation was made nothing goes on.
        node.assertThat(fromTransit().with(fragment(WORLD, outside, which)), NEW, NEW)
            .isDroppedBy(Table.NAT_IN_NEW, "not translated");
    }

    @Test
    void aPublishedServiceIsReached() {
        node.assertThat(fromTransit().tcp(WORLD, PUBLIC, 80), NEW, FORWARDED)
            .meets(Table.NAT_IN_CHECK, "port forward web")
            .does("ct(commit,zone=2,mark=0x500001/0xffffffff,nat(dst=10.0.0.20:8080))")
            .endsWith("nw_dst=10.0.0.20", "tp_dst=8080", "nw_src=" + WORLD, "dl_vlan=" + VLAN).leavesBy("acc0");
        node.assertThat(fromTransit().udp(WORLD, PUBLIC, 53), NEW, FORWARDED)
            .does("mark=0x350003/0xffffffff").endsWith("nw_dst=10.0.0.21", "tp_dst=53").leavesBy("acc0");
        // Where no translation was made nothing goes on.
        node.assertThat(fromTransit().tcp(WORLD, PUBLIC, 80), NEW, NEW).isDroppedBy(Table.NAT_IN_NEW, "not translated");
    }

    @Test
    void nothingElseIs() {
        for (final String state : new String[] {NEW, ESTABLISHED, INVALID}) {
            node.assertThat(fromTransit().tcp(WORLD, PUBLIC, 81), state)
                .isDroppedBy(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
            node.assertThat(fromTransit().udp(WORLD, PUBLIC, 80), state)
                .isDroppedBy(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
        }
    }

    @Test
    void publicAddressesAreReachedFromInside() {
        node.assertThat(fromHost().tcp("10.0.0.5", PUBLIC, 80), NEW, NEW, FORWARDED)
            .meets(Table.BACKBONE_ROUTE, "hairpin, pool public").meets(Table.NAT_IN_CHECK, "port forward web")
            .does("ct_clear").endsWith("nw_src=" + PUBLIC, "nw_dst=10.0.0.20", "tp_dst=8080");
        node.assertThat(fromHost().tcp("10.0.0.10", "198.51.100.131", 80))
            .endsWith("nw_src=198.51.100.10", "nw_dst=10.0.0.131").leavesBy("acc0");
        // Answers of a service go the same way back.
        node.assertThat(fromHost().tcp("10.0.0.20", PUBLIC, 40000), REPLY, REPLY)
            .meets(Table.BACKBONE_ROUTE, "hairpin, pool public")
            .meets(Table.NAT_IN_CHECK, "reply of a known connection");
    }
}
