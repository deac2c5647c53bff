// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that speak nonsense, or stop in the middle: the others do not notice. */
@Tag("hostile")
@OnSystem
class HostilePeerIT {
    private static final int VLAN = 100;
    /** Some times what a comparison of the switch takes here. */
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int MANY = 100;
    private static final int CROWD = 20;
    private static final long SEED = 20261121;
    private static final int GARBAGE = 100_000;
    /** OFPT_HELLO of OpenFlow 1.3; without more, half a handshake. */
    private static final byte[] HELLO = HexFormat.of().parseHex("0400000800000001");
    /** A features reply that claims to be as long as there is no message. */
    private static final byte[] CUT_OFF = HexFormat.of().parseHex("0406ffff0000000200");
    /** A hello in the words of a version there is not. */
    private static final byte[] UNKNOWN_VERSION = HexFormat.of().parseHex("7f00000800000001");
    /** A message shorter than its own header. */
    private static final byte[] TOO_SHORT = HexFormat.of().parseHex("0400000100000001");

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Door openFlow;
    private final Door ovsdb;
    private final List<SocketChannel> peers = new ArrayList<>();
    private PingStream pings;

    HostilePeerIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        openFlow = system.door(ControllerUnderTest.OPENFLOW);
        ovsdb = system.door(ControllerUnderTest.OVSDB);
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
        for (final SocketChannel peer : peers) {
            peer.close();
        }
    }

    private void send(final Door door, final byte[] message) {
        try {
            final SocketChannel peer = door.connect();
            peers.add(peer);
            final ByteBuffer buffer = ByteBuffer.wrap(message);
            while (buffer.hasRemaining()) {
                peer.write(buffer);
            }
        } catch (IOException e) {
            // The controller may hang up before all is said: that is its right.
            assertThat(e).hasMessageContaining("Broken pipe");
        }
    }

    private static byte[] garbage() {
        final byte[] garbage = new byte[GARBAGE];
        new Random(SEED).nextBytes(garbage);
        return garbage;
    }

    private static byte[] text(final String text) {
        return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    /** Nodes are connected without a break, and a change still arrives. */
    private void othersDidNotNotice() {
        assertThat(system.verify()).hasSize(system.nodes().size()).allMatch(EdgeSystem::isClean);
        system.restconf().put(Intent.path("late"),
            Intent.tenants(List.of(Intent.tenant("late", node, VLAN + 1, Intent.FIRST_POOL))));
        system.awaitState("late", "active");
        system.awaitSync();
        pings.awaitMore();
        assertThat(pings.lost()).isZero();
    }

    /** Each message alone is in {@code HostilePeerIT} of the engine. */
    @Test
    void garbageCostsNoPacket() {
        for (int index = 0; index < CROWD; index++) {
            send(openFlow, HELLO);
            send(openFlow, new byte[0]);
            send(ovsdb, text("{'method': 'echo', 'params': [], 'id': " + index + "}{"));
            send(ovsdb, new byte[0]);
        }
        for (final Door door : List.of(openFlow, ovsdb)) {
            for (final byte[] message : List.of(garbage(), CUT_OFF, UNKNOWN_VERSION, TOO_SHORT,
                    text("GET / HTTP/1.1\r\n\r\n"), text("{"), text("[]"),
                    text("{'method': 'transact', 'params': 7, 'id': {'a': []}}"), text("{'method': ".repeat(2000)))) {
                send(door, message);
            }
        }
        othersDidNotNotice();
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
        assertThat(pings.lost()).isZero();

        victim.up();
        system.awaitSync();
        system.awaitState("far-99", "active");
        assertThat(victim.flows()).hasSizeGreaterThan(MANY);
        final Host host = victim.host(1000);
        host.reaches(EdgeNetwork.SERVER);
    }
}
