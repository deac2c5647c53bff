// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Parts of a node, or all at once, are killed and start again while traffic flows. The system converges by itself, and
 * allocations stay as they were. The controller alone is in {@link ControllerRestartIT}.
 */
@OnSystem
@Order(OnSystem.DESTRUCTIVE)
class RestartIT {
    private static final int VLAN = 100;
    private static final String OUTSIDE = "198.51.100.64";
    /** How often a recovery is looked at. */
    private static final Duration RECOVERY = Await.PATIENCE;

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host host;
    private PingStream pings;
    private TcpStream tcp;
    private String allocations;

    RestartIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void startTraffic() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(
            Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL),
            Intent.tenant("beta", node, VLAN + 1, Intent.FIRST_POOL),
            Intent.tenant("gamma", system.second(), VLAN, Intent.SECOND_POOL))));
        system.awaitSync();
        allocations = system.allocations();
        host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        TcpStream.serve(node);
        pings = new PingStream(node, host, EdgeNetwork.SERVER);
        tcp = new TcpStream(node, host);
        pings.awaitMore();
        tcp.awaitMore();
    }

    @AfterEach
    void stopTraffic() {
        if (tcp != null) {
            pings.close();
            tcp.close();
        }
        node.network().stopServers();
    }

    @Test
    void aCutConnectionIsMendedAndTheChangeArrives() {
        cutAndMend();
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void aCutConnectionIsNotNoticedByTraffic() {
        final Instant begun = cutAndMend();
        Figures.tell("connection cut and mended, longest time without an answer", pings.longestGapSince(begun));
        Figures.tell("connection cut and mended, pings lost at 50 a second", Integer.toString(pings.lost()));
        assertThat(pings.lost()).isZero();
    }

    /** Gives when it began. */
    private Instant cutAndMend() {
        final Instant begun = Instant.now();
        assertThat(node.flows()).anyMatch(flow -> flow.contains("dl_vlan=" + (VLAN + 1)));
        node.connect(false);
        try {
            Await.until("the controller has noticed", RECOVERY, () -> !system.verify(node).get("connected")
                .getAsBoolean());
            assertThat(EdgeSystem.isClean(system.verify(system.second()))).isTrue();
            // A change that the node cannot hear of yet.
            system.restconf().delete(Intent.path("beta"));
            pings.awaitMore();
        } finally {
            node.connect(true);
        }
        system.awaitSync();
        assertThat(node.flows()).noneMatch(flow -> flow.contains("dl_vlan=" + (VLAN + 1)));
        system.restconf().put(Intent.path("beta"),
            Intent.tenants(List.of(Intent.tenant("beta", node, VLAN + 1, Intent.FIRST_POOL))));
        system.awaitSync();
        allocations = system.allocations();
        asBefore();
        pings.awaitMore();
        tcp.awaitMore();
        return begun;
    }

    @Test
    @Tag("deep")
    @Tag("restart")
    void aDatabaseServerThatIsKilledIsNotMissed() {
        final Instant begun = Instant.now();
        node.killDatabase();
        node.up();
        // While the database is away ovs-vswitchd polls no port of the kernel (bridge_run returns without the lock), so
        // pings over veth wait; connections are kept.
        asBefore();
        pings.awaitMore();
        tcp.awaitMore();
        Figures.tell("ovsdb-server kill -9 and start, longest time without an answer", pings.longestGapSince(begun));
        Figures.tell("ovsdb-server kill -9 and start, pings lost at 50 a second", Integer.toString(pings.lost()));
    }

    @Test
    @Tag("deep")
    @Tag("restart")
    void aSwitchThatIsKilledComesBackByItself() {
        final Instant begun = Instant.now();
        node.killSwitch();
        node.up();
        final Instant started = Instant.now();
        pings.awaitMore(RECOVERY);
        Figures.tell("ovs-vswitchd kill -9, from its new start to the next ping answered",
            Duration.between(started, pings.lastReply()));
        asBefore();
        Figures.tell("ovs-vswitchd kill -9 and start, longest time without an answer", pings.longestGapSince(begun));
        Figures.tell("ovs-vswitchd kill -9 and start, pings lost at 50 a second", Integer.toString(pings.lost()));
        Figures.tell("ovs-vswitchd kill -9 and start, TCP connection goes on", Boolean.toString(tcp.goesOn()));
        try (TcpStream another = new TcpStream(node, host)) {
            another.awaitMore();
        }
    }

    @Test
    @Tag("deep")
    @Tag("restart")
    void aLeasedHostIsReachedFromOutsideBeforeItSendsAgain() {
        system.restconf().put(Intent.path("leased"), Intent.tenants(List.of(Documents.translated(
            Intent.tenant("leased", node, VLAN + 2, Intent.FIRST_POOL, """
                'dhcp': {'subnet': [{'prefix': '10.0.0.0/24',
                                     'pool': [{'first': '10.0.0.100', 'last': '10.0.0.100'}]}]}"""),
            "{'one-to-one': [{'inside-prefix': '10.0.0.100/32', 'public-prefix': '%s/32'}]}".formatted(OUTSIDE)))));
        system.awaitApplied();
        node.network().transit().route(OUTSIDE + "/32", EdgeNode.BACKBONE_ADDRESS);
        final DhcpClient client = new DhcpClient(node.network().host(EdgeNode.ACCESS, VLAN + 2));
        assertThat(client.udhcpc()).isEqualTo("10.0.0.100");
        try (PingStream inbound = new PingStream(node, node.network().server(), OUTSIDE)) {
            inbound.awaitMore();
            final Instant begun = Instant.now();
            node.killSwitch();
            node.up();
            final Instant started = Instant.now();
            inbound.awaitMore(RECOVERY);
            Figures.tell("ovs-vswitchd kill -9 and start, longest time without an answer of a leased host to pings "
                + "from outside", inbound.longestGapSince(begun));
            Figures.tell("ovs-vswitchd kill -9, from its new start to such an answer",
                Duration.between(started, inbound.lastReply()));
        }
        system.restconf().delete(Intent.path("leased"));
        asBefore();
    }

    @Test
    @Tag("deep")
    @Tag("restart")
    void aWholeNodeThatIsKilledComesBackByItself() {
        node.killSwitch();
        node.killDatabase();
        Await.until("the controller has noticed", RECOVERY, () -> !system.verify(node).get("connected")
            .getAsBoolean());
        node.up();
        pings.awaitMore(RECOVERY);
        asBefore();
    }

    @Test
    @Tag("deep")
    @Tag("restart")
    void everythingAtOnceComesBackByItself() {
        node.killSwitch();
        system.controller().kill();
        node.killDatabase();
        node.up();
        system.controller().start();
        pings.awaitMore(RECOVERY);
        asBefore();
    }

    private void asBefore() {
        system.awaitSync();
        assertThat(kept(system.allocations())).isEqualTo(kept(allocations));
        system.awaitState("acme", "active");
        system.awaitState("gamma", "active");
    }

    /** All that has been handed out. The order of leaves, the last id, and by which engine, say nothing of that. */
    private static JsonObject kept(final String allocations) {
        final JsonObject kept = JsonParser.parseString(allocations).getAsJsonObject()
            .getAsJsonObject("penstock-allocation:allocations");
        kept.remove("last-vrf");
        kept.remove("mastership");
        return kept;
    }
}
