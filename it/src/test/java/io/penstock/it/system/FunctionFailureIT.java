// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Chains of a packet filter that must not fail and a forwarder that may, both ways round; then both fail. */
@Tag("safety")
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class FunctionFailureIT {
    private static final int WEB = 80;
    /** The packet filter refuses it. */
    private static final int TELNET = 23;
    private static final String CLOSED = "chain stopped by fail policy closed";
    private static final String TO_FILTER = "chain hop to fw-in";
    private static final String TO_FORWARDER = "chain hop to tap-in";

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host inner;
    private Host outer;
    private Host walled;
    private Host tapped;

    FunctionFailureIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void startFunctions() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of(
            Intent.function("fw", node, "closed", true), Intent.function("tap", node, "open", true))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("inner", "fw", "tap"),
            Intent.chain("outer", "tap", "fw"), Intent.chain("walled", "fw"), Intent.chain("tapped", "tap"))));
        inner = tenant("inner", 100);
        outer = tenant("outer", 101);
        walled = tenant("walled", 102);
        tapped = tenant("tapped", 103);
        node.network().server().serveTcp(WEB);
        node.network().server().serveTcp(TELNET);
        Await.until("the ports of functions are there", () -> node.ovs().vsctl("list-ports", "br-penstock")
            .contains("tap-out"));
        system.awaitState("walled", "stopped: function fw is down");
        system.awaitState("tapped", "active, bypassing function tap");
    }

    @BeforeEach
    void everythingIsUp() {
        startUnlessUp("fw", "packet-filter");
        startUnlessUp("tap", "forwarder");
        for (final String tenant : List.of("inner", "outer", "walled", "tapped")) {
            system.awaitState(tenant, "active");
        }
        system.awaitSync();
    }

    private void startUnlessUp(final String function, final String kind) {
        if (!system.functionState(function).equals("up")) {
            node.functions().start(function, kind);
        }
    }

    @AfterAll
    void stopFunctions() {
        node.functions().stop("fw");
        node.functions().stop("tap");
    }

    private Host tenant(final String chain, final int vlan) {
        system.restconf().put(Intent.path(chain), Intent.tenants(List.of(
            Intent.tenant(chain, node, vlan, Intent.FIRST_POOL, "'chain': '" + chain + "'"))));
        return node.host(vlan);
    }

    private String vlanTag(final String tenant) {
        return "vlan " + system.vrf(tenant) + ",";
    }

    @Test
    void theOrderIsTheOrderOfTheChain() {
        try (Capture tenantSide = node.functions().capture("fw", "inside", "vlan and tcp");
                Capture backboneSide = node.functions().capture("fw", "outside", "vlan and tcp")) {
            assertThat(inner.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("inner"));
            assertThat(outer.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("outer"));
            for (final String tag : List.of(vlanTag("inner"), vlanTag("outer"))) {
                for (final Capture capture : List.of(tenantSide, backboneSide)) {
                    Await.until("both directions under " + tag, capture::frames, frames ->
                        frames.stream().anyMatch(frame -> frame.contains(tag) && frame.contains(".80: Flags"))
                            && frames.stream().anyMatch(frame -> frame.contains(tag) && frame.contains(".80 > ")));
                }
            }
        }
        // What the filter refuses has passed the forwarder if that comes first, and only then.
        final long innerBefore = system.packets("inner", TO_FORWARDER);
        final long outerBefore = system.packets("outer", TO_FORWARDER);
        final long filterBefore = system.packets("inner", TO_FILTER);
        inner.getsNoTcpAnswer(EdgeNetwork.SERVER, TELNET);
        outer.getsNoTcpAnswer(EdgeNetwork.SERVER, TELNET);
        assertThat(system.packets("outer", TO_FORWARDER)).isGreaterThan(outerBefore);
        assertThat(system.packets("inner", TO_FILTER)).isGreaterThan(filterBefore);
        assertThat(system.packets("inner", TO_FORWARDER)).isEqualTo(innerBefore);
    }

    @Test
    void aFunctionThatMayFailIsBypassedAndComesBack() {
        try (PingStream pings = new PingStream(node, tapped, EdgeNetwork.SERVER)) {
            pings.awaitMore();
            node.killFunction("tap");
            pings.awaitMore();
            system.awaitState("tapped", "active, bypassing function tap");
            assertThat(inner.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("inner"));
            system.awaitSync();

            final Instant back = Instant.now();
            node.functions().start("tap", "forwarder");
            system.awaitState("tapped", "active");
            // On a busy machine the function may be bypassed and come back once more.
            final long before = system.packetsIfAny("tapped", TO_FORWARDER);
            Await.until("packets pass the function again", () -> system.packetsIfAny("tapped", TO_FORWARDER) > before);
            pings.awaitMore();
            Figures.tell("function with policy open comes back, longest time without an answer",
                pings.longestGapSince(back));
            system.awaitSync();
        }
    }

    @Test
    void aFunctionThatMustNotFailStopsTrafficAndComesBack() {
        try (PingStream pings = new PingStream(node, walled, EdgeNetwork.SERVER)) {
            pings.awaitMore();
            final int vrf = system.vrf("walled");
            assertThat(node.drops(Table.CHAIN_OUT, vrf)).isZero();
            node.killFunction("fw");
            awaitDrop(vrf);
            Await.until("the drop is counted", () -> node.drops(Table.CHAIN_OUT, vrf) > 0);
            final long before = system.packets("walled", CLOSED);
            assertThat(before).isPositive();
            Await.until("drops go on", () -> system.packetsIfAny("walled", CLOSED) > before);
            system.awaitState("walled", "stopped: function fw is down");
            system.awaitState("inner", "stopped: function fw is down");
            node.settle();
            walled.doesNotReach(EdgeNetwork.SERVER);
            assertThat(tapped.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("tapped"));
            system.awaitSync();

            final Instant back = Instant.now();
            node.functions().start("fw", "packet-filter");
            pings.awaitMore();
            Figures.tell("function with policy closed, from its start to the first ping answered",
                Duration.between(back, pings.lastReply()));
            system.awaitState("walled", "active");
            system.awaitSync();
        }
    }

    /** The flow itself: the switch brings its counter up to date only now and then. */
    private void awaitDrop(final int vrf) {
        Await.until("the traffic is dropped on purpose", () -> node.flowsOf(vrf).stream().anyMatch(flow ->
            flow.startsWith("table=" + Table.CHAIN_OUT.number() + " ") && flow.endsWith("actions=drop")));
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void aFunctionThatMayFailIsBypassedSoon() {
        try (PingStream pings = new PingStream(node, tapped, EdgeNetwork.SERVER)) {
            pings.awaitMore();
            final Instant killed = Instant.now();
            node.killFunction("tap");
            pings.awaitMore();
            final Duration gap = pings.longestGapSince(killed);
            Figures.tell("function with policy open is killed, longest time without an answer", gap);
            assertThat(gap).isLessThan(EdgeSystem.FAILOVER);
        }
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void aFunctionThatMustNotFailStopsTrafficSoon() {
        try (PingStream pings = new PingStream(node, walled, EdgeNetwork.SERVER)) {
            pings.awaitMore();
            final int vrf = system.vrf("walled");
            final Instant killed = Instant.now();
            node.killFunction("fw");
            awaitDrop(vrf);
            final Duration took = Duration.between(killed, Instant.now());
            Figures.tell("function with policy closed is killed, until its chain drops", took);
            assertThat(took).isLessThan(EdgeSystem.FAILOVER);
            system.awaitState("walled", "stopped: function fw is down");
            assertThat(Duration.between(killed, pings.lastReply())).isLessThan(EdgeSystem.FAILOVER);
        }
    }
}
