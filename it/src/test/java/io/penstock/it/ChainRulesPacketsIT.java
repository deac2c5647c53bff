// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.ChainRule.Ways;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A tenant whose traffic passes a firewall, but its web, which passes a forwarder first, and telnet, which passes
 * nothing; another tenant with the same addresses has no rules.
 */
class ChainRulesPacketsIT extends PairOnNode {
    private static final int WEB = TenantPair.WEB;
    /** The firewall refuses it. */
    private static final int TELNET = 23;
    private static final int NTP = 123;

    @BeforeAll
    static void start() {
        node.network().server().serveTcp(TELNET);
        node.network().server().serveUdp(NTP);
        load(Set.of());
        node.functions().start("fw", "packet-filter");
        node.functions().start("tap", "forwarder");
    }

    private static void load(final Set<String> down) {
        node.load(intent(), down);
        pair.reachTheirGateways();
    }

    private static Snapshot intent() {
        final Snapshot plain = Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true),
            new NetworkFunction("tap", Networks.NODE, FailPolicy.CLOSED, true)),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC).with(List.of(
                new ChainRule("web", 10, "web", Ways.BOTH, Optional.of("watched")),
                new ChainRule("telnet", 20, "telnet", Ways.BOTH, Optional.empty()),
                new ChainRule("ntp", 30, "ntp", Ways.TO_BACKBONE, Optional.of("watched")))),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC));
        final List<Acl> acls = new ArrayList<>(plain.acls().values());
        acls.addAll(List.of(to("web", 6, WEB), to("telnet", 6, TELNET), to("ntp", 17, NTP)));
        return Snapshot.of(List.copyOf(plain.nodes().values()), plain.backbone(), List.copyOf(plain.pools().values()),
            List.copyOf(plain.functions().values()), List.of(new Chain("chain", List.of("fw")),
                new Chain("watched", List.of("tap", "fw"))),
            List.copyOf(plain.tenants().values()), acls);
    }

    private static Acl to(final String name, final int protocol, final int port) {
        return new Acl(name, List.of(new Acl.Entry(name, true, Matches.to(protocol, port, port), List.of())));
    }

    private static void await(final Table table, final String label) {
        Await.until(label + " is counted", () -> node.packets(table, label), count -> count > 0);
    }

    @Test
    void eachKindGoesItsOwnWayBothWays() {
        load(Set.of());
        try (Capture firewall = node.functions().capture("fw", "inside", "vlan and tcp")) {
            assertThat(pair.first().askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
            assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TELNET)).isEqualTo(TenantPair.FIRST_PUBLIC);
            Await.until("web in both directions", firewall::frames, frames ->
                frames.stream().anyMatch(frame -> frame.contains(".80: Flags"))
                    && frames.stream().anyMatch(frame -> frame.contains(".80 > ")));
            assertThat(firewall.all()).noneMatch(frame -> Capture.isOfPort(frame, TELNET));
        }
        await(Table.CHAIN_OUT, "chain hop to tap-in, chain watched, rule web");
        await(Table.CHAIN_RETURN, "chain hop to fw-in, chain watched");
        await(Table.CHAIN_RETURN, "to the backbone from fw-out");
        await(Table.CHAIN_IN, "chain hop to fw-out, chain watched, rule web");
        await(Table.CHAIN_STEER, "chain hop to tap-out, chain watched");
        await(Table.CHAIN_RETURN, "to the tenant from tap-in, chain watched");
        await(Table.CHAIN_OUT, "no chain, rule telnet");
        await(Table.CHAIN_IN, "no chain, rule telnet");
        pair.areTranslated();
        pair.areIsolated();
    }

    @Test
    void aRuleMayBeAboutOneWay() {
        load(Set.of());
        pair.first().askUdp(EdgeNetwork.SERVER, NTP);
        await(Table.CHAIN_OUT, "chain hop to tap-in, chain watched, rule ntp");
        await(Table.CHAIN_RETURN, "chain hop to fw-in, chain watched");
        await(Table.CHAIN_STEER, "to the tenant from fw-in");
        assertThat(node.packets(Table.CHAIN_STEER, "chain hop to tap-out, chain watched")).isZero();
    }

    @Test
    void whoHasNoRulesIsNotTouched() {
        load(Set.of());
        pair.second().getsNoTcpAnswer(EdgeNetwork.SERVER, TELNET);
        assertThat(pair.second().askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(TenantPair.SECOND_PUBLIC);
    }

    @Test
    void aChainThatIsDownStopsWhatItsRulesNameAlone() {
        load(Set.of("tap"));
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, WEB);
        await(Table.CHAIN_OUT, "chain stopped by fail policy closed, rule web");
        pair.first().reaches(EdgeNetwork.SERVER);
        assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TELNET)).isEqualTo(TenantPair.FIRST_PUBLIC);
    }
}
