// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Packets of two tenants with the same addresses through one chain: a firewall that must not fail, and a forwarder. */
@Tag("safety")
class ChainPacketsIT extends PairOnNode {
    /** The firewall refuses it. */
    private static final int TELNET = 23;
    private static final String TO_FIREWALL = "chain hop to fw-in";
    private static final String TO_FORWARDER = "chain hop to tap-in";
    private static final String BACK_TO_FORWARDER = "chain hop to tap-out";
    private static final String BACK_TO_FIREWALL = "chain hop to fw-out";

    @BeforeAll
    static void start() {
        node.network().server().serveTcp(TELNET);
        node.load(intent());
    }

    private static Snapshot intent() {
        return Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true),
            new NetworkFunction("tap", Networks.NODE, FailPolicy.OPEN, true)),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC));
    }

    @BeforeEach
    void load() {
        node.functions().start("fw", "packet-filter");
        node.functions().start("tap", "forwarder");
        load(Set.of());
    }

    private static void load(final Set<String> functionsDown) {
        node.load(intent(), functionsDown);
        pair.reachTheirGateways();
    }

    private static void await(final Table table, final String label) {
        Await.until(label + " is counted", () -> node.packets(table, label), count -> count > 0);
    }

    @Test
    void tenantsGoThroughTheWholeChain() {
        try (Capture inside = node.functions().capture("fw", "inside", "vlan and icmp");
                Capture outside = node.functions().capture("fw", "outside", "vlan and icmp")) {
            pair.areTranslated();
            for (final Capture capture : List.of(inside, outside)) {
                for (final String tag : new String[] {"vlan 2,", "vlan 3,"}) {
                    Await.until("request and reply under " + tag, capture::frames, frames ->
                        frames.stream().anyMatch(frame -> frame.contains(tag) && frame.contains("echo request"))
                            && frames.stream().anyMatch(frame -> frame.contains(tag) && frame.contains("echo reply")));
                }
                // Inside the chain addresses are the tenant's own.
                assertThat(capture.all()).isNotEmpty().allMatch(frame -> frame.contains("10.0.0.5"));
            }
        }
        await(Table.CHAIN_OUT, TO_FIREWALL);
        await(Table.CHAIN_RETURN, TO_FORWARDER);
        await(Table.CHAIN_RETURN, "to the backbone from tap-out");
        await(Table.CHAIN_IN, BACK_TO_FORWARDER);
        await(Table.CHAIN_RETURN, BACK_TO_FIREWALL);
        await(Table.CHAIN_RETURN, "to the tenant from fw-in");
        pair.sendFullFrames();
    }

    @Test
    void theChainDoesNotJoinTenants() {
        pair.areIsolated();
        pair.areNotReachedUnasked();
    }

    @Test
    void whatTheFirstFunctionRefusesDoesNotComeToTheSecond() {
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TELNET);
        await(Table.CHAIN_OUT, TO_FIREWALL);
        assertThat(node.packets(Table.CHAIN_RETURN, TO_FORWARDER)).isZero();
        assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
    }

    @Test
    void withoutTheFirewallNothingPasses() {
        load(Set.of("fw"));
        pair.first().doesNotReach(EdgeNetwork.SERVER);
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TenantPair.WEB);
        await(Table.CHAIN_OUT, "chain stopped by fail policy closed");
    }

    @Test
    void theForwarderMayFailAndComeBack() {
        node.functions().stop("tap");
        load(Set.of("tap"));
        assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TELNET);
        await(Table.CHAIN_IN, BACK_TO_FIREWALL);

        node.functions().start("tap", "forwarder");
        load(Set.of());
        assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
        await(Table.CHAIN_RETURN, TO_FORWARDER);
    }
}
