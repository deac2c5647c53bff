// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eight subscribers that share two public addresses, and a host that is none. */
class SubscribersTraceIT {
    private static final int VLAN = 500;

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.subscribers())));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.8, 198.51.100.2, 32768-40959", "10.0.0.11, 198.51.100.2, 57344-65535",
        "10.0.0.13, 198.51.100.3, 40960-49151"})
    void eachLeavesWithAnAddressAndPortsOfItsOwn(final String inside, final String outside, final String ports) {
        node.assertThat(Packet.in("acc0", VLAN).toGateway().tcp(inside, WORLD, 80), NEW)
            .meets(Table.NAT_TRANSLATE, "subscriber of 10.0.0.8/29").does("nat(src=" + outside + ":" + ports + ")")
            .endsWith("nw_src=" + outside).leavesBy("up0");
        node.assertThat(fromTransit().tcp(WORLD, outside, 40000), REPLY)
            .meets(Table.NAT_IN_CHECK, "reply of a known connection").meets(Table.CHAIN_IN, "no chain");
    }

    @Test
    void whoIsNoSubscriberDoesNotLeave() {
        node.assertThat(Packet.in("acc0", VLAN).toGateway().tcp("10.0.0.16", WORLD, 80), NEW)
            .meets(Table.NAT_TRANSLATE, "no NAT in this VRF").leavesBy();
    }
}
