// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.ESTABLISHED;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import io.penstock.testkit.Trace;
import io.penstock.testkit.TraceAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
    void whatBeginsAConnectionPassesTheMeterAndASecondPass() {
        for (final String state : new String[] {NEW, "trk,new,rel"}) {
            node.assertEachPass(fromHost().ping(SOURCE, WORLD), state, NEW)
                .meets(Table.NAT_TRANSLATE, "translate if the connection is known")
                .meets(Table.NAT_BEGIN, "new connection").does("meter(").meets(Table.NAT_TRANSLATE, "translate")
                .endsWith("nw_src=" + PUBLIC).leavesBy("up0");
        }
    }

    /** A trace translates no known connection: so the packet has no public address when it is checked. */
    @ParameterizedTest
    @ValueSource(strings = {ESTABLISHED, "trk,est,rpl", "trk,new,snat", "trk,new,rel,snat", "trk,rel", "trk,inv"})
    void whatIsKnownTakesOnePass(final String state) {
        final Trace trace = node.traceEachPass(fromHost().ping(SOURCE, WORLD), state);
        TraceAssert.assertThat(trace).meets(Table.NAT_BEGIN, "a known connection")
            .isDroppedBy(Table.NAT_OUT_CHECK, "not translated");
        assertThat(trace.steps()).doesNotContain(new Trace.Step(Table.NAT_TRANSLATE, "translate"));
        assertThat(trace.datapathActions()).anyMatch(action -> action.contains("ct(zone=2,nat)"));
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
