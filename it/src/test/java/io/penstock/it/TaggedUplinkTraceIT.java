// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A backbone on a VLAN of the uplink. */
class TaggedUplinkTraceIT {
    private static final String BACKBONE_MAC = Packet.mac(Constants.backboneMac(1));
    private static final String TRANSIT_MAC = "02:00:00:00:00:99";
    private static final String WORLD = "198.18.0.10";
    private static final String PUBLIC = "203.0.113.0";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.taggedUplink()));
        node.send(Packet.in("up0", 500).ethernet(TRANSIT_MAC, BACKBONE_MAC)
            .with("arp,arp_op=2,arp_sha=" + TRANSIT_MAC + ",arp_spa=192.0.2.1,arp_tpa=192.0.2.2"));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void packetsLeaveWithTheTag() {
        node.assertThat(Packet.in("acc0", 100).toGateway().tcp("10.0.0.5", WORLD, 80), TracedNode.NEW)
            .meets(Table.BACKBONE_ACL, "no list")
            .endsWith("dl_vlan=500", "nw_src=" + PUBLIC, "dl_dst=" + TRANSIT_MAC, "dl_src=" + BACKBONE_MAC)
            .leavesBy("up0");
    }

    @Test
    void onlyTheTagComesIn() {
        node.assertThat(Packet.in("up0", 500).ethernet(TRANSIT_MAC, BACKBONE_MAC).tcp(WORLD, PUBLIC, 1),
            TracedNode.REPLY).meets(Table.NAT_IN_CHECK, "reply of a known connection");
        node.assertThat(Packet.in("up0").ethernet(TRANSIT_MAC, BACKBONE_MAC).tcp(WORLD, PUBLIC, 1))
            .isDroppedBy(Table.CLASSIFY, "no backbone on this VLAN of up0");
        node.assertThat(Packet.in("up0", 500).ethernet(TRANSIT_MAC, BACKBONE_MAC).ping("192.0.2.1", "192.0.2.2"))
            .endsWith("dl_vlan=500", "icmp_type=0").leavesBy("up0");
    }
}
