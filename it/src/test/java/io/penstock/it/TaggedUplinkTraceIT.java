// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.BACKBONE_MAC;
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

/** A backbone on a VLAN of the uplink. */
class TaggedUplinkTraceIT {
    private static final String PUBLIC = "203.0.113.0";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.taggedUplink()), fromTaggedTransit());
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Packet fromTaggedTransit() {
        return Packet.in("up0", 500).ethernet(TRANSIT_MAC, BACKBONE_MAC);
    }

    @Test
    void packetsLeaveWithTheTag() {
        node.assertThat(Packet.in("acc0", 100).toGateway().tcp("10.0.0.5", WORLD, 80), NEW)
            .meets(Table.BACKBONE_ACL, "no list")
            .endsWith("dl_vlan=500", "nw_src=" + PUBLIC, "dl_dst=" + TRANSIT_MAC, "dl_src=" + BACKBONE_MAC)
            .leavesBy("up0");
    }

    @Test
    void onlyTheTagComesIn() {
        node.assertThat(fromTaggedTransit().tcp(WORLD, PUBLIC, 1), REPLY)
            .meets(Table.NAT_IN_CHECK, "reply of a known connection");
        node.assertThat(fromTransit().tcp(WORLD, PUBLIC, 1))
            .isDroppedBy(Table.CLASSIFY, "no backbone on this VLAN of up0");
        node.assertThat(fromTaggedTransit().ping("192.0.2.1", "192.0.2.2"))
            .endsWith("dl_vlan=500", "icmp_type=0").leavesBy("up0");
    }
}
