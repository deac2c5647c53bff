// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.testkit.Datapath;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Packets of a tenant whose subnet takes longer ones than the uplink: what is counted as longer was longer. */
class LengthsPacketsIT {
    private static final int MTU = 1400;
    private static final int HEADERS = 28;
    private static final int SHORT = 40;
    private static final int LONG = 5;
    private static final String LONGER = "longer than the MTU of the egress link: ICMP error to the sender";

    private static PacketNode node;
    private static Host host;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        host = node.network().host("acc0", NatPair.VLAN, "10.0.0.5/24", NatPair.GATEWAY);
        node.load(Fixtures.withUplinkMtu(MTU, Networks.of(Networks.plain("narrow", NatPair.VLAN, NatPair.PUBLIC))));
        host.meets(NatPair.GATEWAY);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void onlyLongerPacketsAreCountedAsLonger() {
        assertThat(pings(SHORT, MTU, "60")).isTrue();
        assertThat(longer()).isZero();
        assertThat(node.packets(Table.CHAIN_OUT, "compared with the MTU of the egress link")).isPositive();
        assertThat(pings(LONG, MTU + 1, "1")).isFalse();
        assertThat(longer()).isEqualTo(LONG);
        assertThat(node.metered("narrow", TenantMeter.ERROR)).isEqualTo(LONG);
        assertThat(node.packets(Table.ROUTING_ERROR, "ICMP error to the sender")).isZero();
    }

    /** Sends echo requests that must not be fragmented; whether some are answered within some seconds. */
    private static boolean pings(final int count, final int length, final String patience) {
        return host.shell().attempt("ping", "-n", "-M", "do", "-c", Integer.toString(count), "-i", "0.01", "-W",
            patience, "-s", Integer.toString(length - HEADERS), EdgeNetwork.SERVER).isGood();
    }

    private static long longer() {
        // The switch adds up what cached flows have counted when they go.
        new Datapath(node.node().ovs()).purge();
        return node.packets(Table.ROUTING_ERROR, LONGER);
    }
}
