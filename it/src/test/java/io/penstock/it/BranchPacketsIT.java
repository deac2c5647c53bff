// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.Chain.Branch;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.TwoOutputs;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Two tenants with the same addresses behind a function that lets the web leave by its second output. There it meets
 * the function {@code scrub}, all else meets {@code post}.
 */
class BranchPacketsIT extends PairOnNode {
    private static final String WEB = "tcp port " + TenantPair.WEB;
    private static final String ELSE = "not tcp port " + TenantPair.WEB + " and not icmp6";

    @BeforeAll
    static void start() {
        load(Optional.of(List.of("scrub")));
        node.functions().start("div", "packet-divert-ct");
        node.functions().start("post", "packet-filter");
        node.functions().start("scrub", "packet-filter");
    }

    private static void load(final Optional<List<String>> branch, final String... down) {
        final Snapshot plain = Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("div", Networks.NODE, FailPolicy.CLOSED, true).with(new TwoOutputs()),
            new NetworkFunction("post", Networks.NODE, FailPolicy.CLOSED, true),
            new NetworkFunction("scrub", Networks.NODE, FailPolicy.CLOSED, true)), List.of("div", "post"),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC));
        node.load(new Snapshot(plain.nodes(), plain.backbone(), plain.pools(), plain.functions(),
            new TreeMap<>(Map.of("chain", new Chain("chain", List.of("div", "post"),
                branch.map(functions -> new Branch("div", functions))))), plain.tenants(), plain.acls()), Set.of(down));
        pair.reachTheirGateways();
    }

    /** Frames of a function in both directions. */
    private static Capture at(final String function, final String filter) {
        return node.functions().capture(function, "inside", "vlan and " + filter);
    }

    @Test
    void theWebTakesTheBranchAndAllElseTheChain() {
        load(Optional.of(List.of("scrub")));
        try (Capture web = at("scrub", WEB); Capture wrong = at("scrub", ELSE); Capture rest = at("post", ELSE);
                Capture astray = at("post", WEB)) {
            pair.areTranslated();
            for (final String vlan : List.of("vlan 2", "vlan 3")) {
                assertThat(web.all()).as("questions").anyMatch(frame -> frame.contains(vlan)
                    && frame.contains("> " + EdgeNetwork.SERVER + "." + TenantPair.WEB));
                assertThat(web.all()).as("answers").anyMatch(frame -> frame.contains(vlan)
                    && frame.contains(EdgeNetwork.SERVER + "." + TenantPair.WEB + " >"));
                assertThat(rest.all()).anyMatch(frame -> frame.contains(vlan));
            }
            assertThat(wrong.all()).isEmpty();
            assertThat(astray.all()).isEmpty();
        }
        pair.areIsolated();
        pair.areNotReachedUnasked();
        pair.hearErrors();
        pair.sendFullFrames();
        pair.sendFragments();
    }

    @Test
    void anEmptyBranchLeadsToTheBackbone() {
        load(Optional.of(List.of()));
        try (Capture scrubbed = at("scrub", "ip"); Capture astray = at("post", WEB)) {
            pair.areTranslated();
            assertThat(scrubbed.all()).isEmpty();
            assertThat(astray.all()).isEmpty();
        }
    }

    @Test
    void aBranchThatIsDownStopsOnlyWhatIsInIt() {
        load(Optional.of(List.of("scrub")), "scrub");
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TenantPair.WEB);
        assertThat(pair.first().askUdp(EdgeNetwork.SERVER, TenantPair.DNS)).isEqualTo(TenantPair.FIRST_PUBLIC);
        assertThat(node.packets(Table.CHAIN_RETURN, "branch stopped by fail policy closed")).isPositive();
    }

    @Test
    void withoutABranchNothingLeavesByTheSecondOutput() {
        load(Optional.empty());
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TenantPair.WEB);
        assertThat(pair.first().askUdp(EdgeNetwork.SERVER, TenantPair.DNS)).isEqualTo(TenantPair.FIRST_PUBLIC);
        assertThat(node.packets(Table.CHAIN_RETURN, "the chain has no branch at div")).isPositive();
    }
}
