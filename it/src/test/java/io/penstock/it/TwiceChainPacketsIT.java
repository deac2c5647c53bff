// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A chain between hosts and a network outside that has their addresses. */
class TwiceChainPacketsIT {
    private static final String PUBLIC = "203.0.113.11";
    private static final String SAME = "10.0.0.5";
    private static final String SEEN = "10.99.0.5";
    private static final int WEB = 80;

    private static PacketNode node;
    private static Host client;
    private static Host remote;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        remote = node.network().remote(SAME + "/24", TenantPair.GATEWAY);
        client = node.network().host("acc0", 100, SAME + "/24", TenantPair.GATEWAY);
        for (final Host host : List.of(remote, client)) {
            host.serveTcp(WEB);
        }
        load(Set.of());
        node.functions().start("fw", "packet-filter");
        load(Set.of());
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static void load(final Set<String> functionsDown) {
        final Tenant tenant = Networks.chained("merger", 100, PUBLIC).with(new Tenant.Nat(
            Optional.of(Ipv4.parse(PUBLIC)), Optional.empty(), List.of(),
            List.of(new Tenant.PortForward("web", 6, WEB, Ipv4.parse(SAME), WEB)))
            .with(List.of(new Tenant.Twice(Prefix.parse("10.99.0.0/24"), Prefix.parse("10.0.0.0/24")))));
        node.load(Networks.of(node.node().vhostDirectory(),
            List.of(new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true)), tenant), functionsDown);
        client.meets(TenantPair.GATEWAY);
    }

    @Test
    void functionsSeeWhatTheHostsSee() {
        load(Set.of());
        try (Capture inside = node.functions().capture("fw", "inside", "vlan and ip");
                Capture outside = node.functions().capture("fw", "outside", "vlan and ip")) {
            assertThat(client.askTcp(SEEN, WEB)).isEqualTo(PUBLIC);
            client.reaches(SEEN);
            for (final Capture capture : List.of(inside, outside)) {
                Await.until("the chain is passed", capture::frames, frames -> frames.size() > 10);
                assertThat(capture.all()).isNotEmpty().allMatch(frame -> frame.contains(SEEN) && frame.contains(SAME));
            }
        }
        try (Capture outside = node.functions().capture("fw", "outside", "vlan and tcp")) {
            // It refuses what begins outside.
            remote.getsNoTcpAnswer(PUBLIC, WEB);
            Await.until("it is asked", outside::frames, frames -> !frames.isEmpty());
            assertThat(outside.all()).isNotEmpty().allMatch(frame -> frame.contains(" " + SEEN + ".")
                && frame.contains(" > " + SAME + "." + WEB + ": "));
        }
    }

    @Test
    void withoutTheFunctionNothingPasses() {
        load(Set.of("fw"));
        client.doesNotReach(SEEN);
        remote.getsNoTcpAnswer(PUBLIC, WEB);
        for (final Table table : List.of(Table.CHAIN_OUT, Table.CHAIN_IN)) {
            Await.until("packets are counted in " + table,
                () -> node.packets(table, "chain stopped by fail policy closed"),
                count -> count > 0);
        }
    }
}
