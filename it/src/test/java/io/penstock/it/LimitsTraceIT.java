// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.ESTABLISHED;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The limits of a tenant: which packets pass which meter. */
class LimitsTraceIT {
    private static final int VLAN = 400;
    private static final String PUBLIC = "203.0.113.0";
    private static final String SOURCE = "10.0.0.5";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.limited())));
        node.learn(VLAN, "10.0.0.1", SOURCE, "10.0.0.10", "10.0.0.20");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Packet fromHost() {
        return Packet.in("acc0", VLAN).toGateway();
    }

    @Test
    void conntrackIsAskedBeforeItTranslates() {
        node.assertThat(fromHost().ping(SOURCE, WORLD), NEW, NEW)
            .meets(Table.NAT_TRANSLATE, "check for a new connection")
            .meets(Table.NAT_BEGIN, "new connection").meets(Table.NAT_TRANSLATE, "translate")
            .endsWith("nw_src=" + PUBLIC).leavesBy("up0");
        node.assertThat(fromHost().ping(SOURCE, WORLD), ESTABLISHED, ESTABLISHED)
            .meets(Table.NAT_BEGIN, "a known connection").endsWith("nw_src=" + PUBLIC).leavesBy("up0");
    }

    @Test
    void whatNeedsNoTrackingBeginsNone() {
        node.assertThat(fromHost().tcp("10.0.0.10", WORLD, 80)).avoids(Table.NAT_BEGIN).leavesBy("up0");
    }

    @Test
    void allThatComesPassesTheSameFlowOnce() {
        node.assertThat(fromTransit().tcp(WORLD, "198.51.100.10", 80)).meets(Table.CHAIN_IN, "no chain")
            .leavesBy("acc0");
        node.assertThat(fromTransit().tcp(WORLD, PUBLIC, 80), NEW, "trk,new,dnat").meets(Table.CHAIN_IN, "no chain")
            .leavesBy("acc0");
    }
}
