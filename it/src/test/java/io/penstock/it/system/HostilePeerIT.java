// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.HostilePeers;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that speak nonsense, or stop in the middle: the others do not notice. */
@Tag("safety")
@Tag("hostile")
@OnSystem
@Order(OnSystem.DESTRUCTIVE)
class HostilePeerIT {
    private static final int VLAN = 100;
    /** Some times what a comparison of the switch takes here. */
    private static final Duration LIMIT = Await.PATIENCE;
    private static final int MANY = 100;

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Door ovsdb;
    private final HostilePeers peers;
    private PingStream pings;

    HostilePeerIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        ovsdb = system.door(ControllerUnderTest.OVSDB);
        peers = new HostilePeers(system.door(ControllerUnderTest.OPENFLOW)::connect, ovsdb::connect);
    }

    @BeforeEach
    void startTraffic() {
        system.reset();
        system.restconf().put(Intent.path("acme"),
            Intent.tenants(List.of(Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL))));
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        pings = new PingStream(node, host, EdgeNetwork.SERVER);
        pings.awaitMore();
    }

    @AfterEach
    void stopTraffic() throws IOException {
        if (pings != null) {
            pings.close();
        }
        peers.close();
    }

    /** Nodes are connected without a break, and a change still arrives. */
    private void othersDidNotNotice() {
        assertThat(system.verify()).hasSize(system.nodes().size()).allMatch(EdgeSystem::isClean);
        system.restconf().put(Intent.path("late"),
            Intent.tenants(List.of(Intent.tenant("late", node, VLAN + 1, Intent.FIRST_POOL))));
        system.awaitState("late", "active");
        system.awaitSync();
        pings.awaitMore();
    }

    /** The same, port by port, is in {@code HostilePeerIT} of the engine. */
    @Test
    void othersGoOnBesideGarbage() {
        garbage();
        othersDidNotNotice();
    }

    private void garbage() {
        peers.crowd();
        peers.garbageForOpenFlow();
        peers.garbageForOvsdb();
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void garbageCostsNoPacket() throws IOException {
        garbage();
        try (FakeDatabase fake = new FakeDatabase(ovsdb.connect(), node.name())) {
            Await.until("the controller has asked for the database", fake::wasRead);
            othersDidNotNotice();
        }
        cutOffInTheMiddle();
        assertThat(pings.lost()).isZero();
    }

    @Test
    void aDatabaseThatPretendsToBeANode() throws IOException {
        try (FakeDatabase fake = new FakeDatabase(ovsdb.connect(), node.name())) {
            Await.until("the controller has asked for the database", fake::wasRead);
            // The true node keeps its name, and its connection.
            othersDidNotNotice();
            assertThat(fake.wasChanged()).isFalse();
        }
        system.awaitSync();
    }

    private long repairs() {
        return system.node(node).get("repairs").getAsLong();
    }

    /** What is told of it, and other changes by hand, are in {@code RepairIT} of the engine. */
    @Test
    void flowsOfATenantThatAnotherProgramDeletesComeBack() {
        final long repairs = repairs();
        node.ovs().ofctl("del-flows", Constants.BRIDGE,
            "cookie=0x%x/-1".formatted(Cookie.of(Cookie.Kind.TENANT, system.vrf("acme"))));
        Await.until("the switch is repaired", LIMIT, () -> repairs() > repairs);
        pings.awaitMore();
        system.awaitState("acme", "active");
        system.awaitSync();
    }

    @Test
    void aNodeThatIsCutOffInTheMiddleOfABigChange() {
        cutOffInTheMiddle();
    }

    private void cutOffInTheMiddle() {
        final EdgeNode victim = system.second();
        final List<String> tenants = IntStream.range(0, MANY).mapToObj(index ->
            Intent.tenant("far-" + index, victim, 1000 + index, Intent.SECOND_POOL)).toList();
        final CompletableFuture<Void> change = CompletableFuture.runAsync(() ->
            system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", tenants)));
        Await.until("the change has begun", () -> change.isDone() || !victim.flows().isEmpty());
        victim.killSwitch();
        victim.killDatabase();
        change.join();
        Await.until("the controller has noticed", () -> !system.verify(victim).get("connected").getAsBoolean());
        assertThat(EdgeSystem.isClean(system.verify(node))).isTrue();
        system.restconf().put(Intent.path("late"),
            Intent.tenants(List.of(Intent.tenant("late", node, VLAN + 1, Intent.FIRST_POOL))));
        system.awaitState("late", "active");
        pings.awaitMore();
        victim.up();
        system.awaitSync();
        system.awaitState("far-99", "active");
        assertThat(victim.flows()).hasSizeGreaterThan(MANY);
        final Host host = victim.host(1000);
        host.reaches(EdgeNetwork.SERVER);
    }
}
