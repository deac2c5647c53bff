// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Chain;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mirror sees what passes its place, each direction at a port of its own, and takes nothing away. */
class MirrorPacketsIT extends PairOnNode {
    /** The firewall refuses it. */
    private static final int TELNET = 23;
    private static final String FOREIGN_TAG = "function sent an 802.1Q tag that it does not serve";

    @BeforeAll
    static void start() {
        node.network().server().serveTcp(TELNET);
        load(Set.of(), "fw", "ids");
        node.functions().start("fw", "packet-filter");
        node.functions().start("ids", "monitor");
    }

    private static void load(final Set<String> down, final String... chain) {
        final Snapshot plain = Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true),
            new NetworkFunction("ids", Networks.NODE, FailPolicy.OPEN, true).with(new NetworkFunction.Mirror())),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC));
        node.load(Snapshot.of(List.copyOf(plain.nodes().values()), plain.backbone(),
            List.copyOf(plain.pools().values()), List.copyOf(plain.functions().values()),
            List.of(new Chain("chain", List.of(chain))), List.copyOf(plain.tenants().values()), List.of()), down);
        pair.reachTheirGateways();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fw,ids", "ids,fw", "ids"})
    void itSeesBothDirectionsAndTakesNothing(final String chain) {
        final long foreign = node.packets(Table.CHAIN_RETURN, FOREIGN_TAG);
        load(Set.of(), chain.split(","));
        try (Capture inside = node.functions().capture("ids", "inside", "vlan and tcp");
                Capture outside = node.functions().capture("ids", "outside", "vlan and tcp")) {
            assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
            Await.until("what goes out", inside::frames, frames -> frames.stream()
                .anyMatch(frame -> frame.contains("10.0.0.5") && frame.contains(".80: Flags")));
            Await.until("what comes in", outside::frames, frames -> frames.stream()
                .anyMatch(frame -> frame.contains("10.0.0.5") && frame.contains(".80 > ")));
            pair.areTranslated();
            pair.areIsolated();
            // Before the captures are asked for all: their marks leave the function without a tag.
            assertThat(node.packets(Table.CHAIN_RETURN, FOREIGN_TAG)).isEqualTo(foreign);
            assertThat(inside.all()).noneMatch(frame -> frame.contains(".80 > "));
            assertThat(outside.all()).noneMatch(frame -> frame.contains(".80: Flags"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fw,ids", "ids,fw"})
    void itsPlaceDecidesWhatItSees(final String chain) {
        load(Set.of(), chain.split(","));
        try (Capture inside = node.functions().capture("ids", "inside", "vlan and tcp port " + TELNET)) {
            pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TELNET);
            // Behind the firewall nothing of it is left.
            assertThat(inside.all().isEmpty()).isEqualTo(chain.equals("fw,ids"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fw,ids", "ids"})
    void withoutItAllGoesOn(final String chain) {
        load(Set.of("ids"), chain.split(","));
        pair.areTranslated();
    }
}
