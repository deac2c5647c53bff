// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.ESTABLISHED;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.REPLY;
import static io.penstock.it.TracedNode.WORLD;
import static io.penstock.it.TracedNode.fromTransit;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Subscribers with two blocks, with one, and with none yet. That a block is full cannot be traced: PortBlocksIT. */
class OnDemandTraceIT {
    private static final int VLAN = 600;

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.onDemand())));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Packet from(final String inside) {
        return Packet.in("acc0", VLAN).toGateway().tcp(inside, WORLD, 80);
    }

    @Test
    void whoHasBlocksBeginsWithTheFirst() {
        node.assertThat(from("10.0.0.5"), NEW).meets(Table.NAT_TRANSLATE, "block 1 of 10.0.0.5")
            .does("nat(src=198.51.100.4:1024-1535)").endsWith("nw_src=198.51.100.4").leavesBy("up0");
        node.assertThat(from("10.0.0.6"), ESTABLISHED).does("nat(src=198.51.100.5:1024-1535)")
            .endsWith("nw_src=198.51.100.5").leavesBy("up0");
        node.assertThat(fromTransit().tcp(WORLD, "198.51.100.4", 40000), REPLY)
            .meets(Table.NAT_IN_CHECK, "reply of a known connection").meets(Table.CHAIN_IN, "no chain");
    }

    @Test
    void whoHasNoneAsksForOne() {
        node.assertThat(from("10.0.0.9")).meets(Table.NAT_TRANSLATE, "first block for a subscriber of 10.0.0.0/25")
            .goesToController();
    }

    @Test
    void whoIsNoSubscriberDoesNotLeave() {
        node.assertThat(from("10.0.0.200"), NEW).meets(Table.NAT_TRANSLATE, "no NAT in this VRF").leavesBy();
    }

    @Test
    void nobodyIsReachedUnasked() {
        node.assertThat(fromTransit().tcp(WORLD, "198.51.100.4", 1024), NEW)
            .isDroppedBy(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
    }
}
