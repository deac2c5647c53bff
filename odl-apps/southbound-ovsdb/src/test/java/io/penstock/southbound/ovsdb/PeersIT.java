// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.southbound.ovsdb.OvsdbServerOptions.Patience;
import io.penstock.southbound.ovsdb.OvsdbServerOptions.Peers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that lie, hang, vanish or are no databases at all, beside one that works. */
@Tag("hostile")
@Timeout(720)
@Tag("safety")
class PeersIT {
    private static final Duration LONG = Duration.ofMinutes(5);
    /** Soon done with what says nothing, and patient with nodes: they share the machine. */
    private static final OvsdbServerOptions QUICK = quick(LONG);

    private final RecordingListener listener = new RecordingListener();
    private final List<OvsSandbox> nodes = new ArrayList<>();
    private OvsdbServer server = new OvsdbServer(QUICK);

    private static OvsdbServerOptions quick(final Duration silence) {
        return new OvsdbServerOptions(new Patience(silence, Duration.ofSeconds(2), LONG), 1 << 20, 1 << 20,
            new Peers(8, 8, 8));
    }

    @AfterEach
    void stop() {
        nodes.forEach(OvsSandbox::close);
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "[1,2,3]",
        "{\"id\":1}",
        "{\"result\":[]}",
        "{\"result\":{\"tables\":{}},\"id\":\"unknown\",\"method\":\"steal\"}{}",
        "{\"method\":\"update\",\"id\":null,\"params\":[\"penstock\",{}]}",
        "{\"method\":\"update\",\"id\":null,\"params\":3}",
        "{\"method\":\"transact\",\"id\":1,\"params\":[]}",
        "{\"a\":",
        "\u0000\u0001\u0002\u0003",
    })
    void whatIsNoDatabaseIsCutOffAndTheNodeStays(final String garbage) throws Exception {
        serve();
        final OvsSandbox node = node("pe1");
        listener.awaitNode("pe1");

        assertThat(isCutOff(garbage.getBytes(StandardCharsets.ISO_8859_1))).isTrue();

        assertThat(apply("pe1", 1).changes()).isPositive();
        assertThat(node.vsctl("list-br")).isEqualTo("br-penstock");
        assertThat(listener.events).containsExactly("+pe1");
    }

    @Test
    void randomAndEndlessInputIsCutOff() throws Exception {
        serve();
        final byte[] noise = new byte[100_000];
        new Random(3).nextBytes(noise);
        assertThat(isCutOff(noise)).isTrue();
        assertThat(isCutOff("[".repeat(2 << 20).getBytes(StandardCharsets.US_ASCII))).isTrue();
        assertThat(isCutOff(("{\"a\":\"" + "x".repeat(2 << 20)).getBytes(StandardCharsets.US_ASCII))).isTrue();
        node("pe1");
        listener.awaitNode("pe1");
    }

    @Test
    void tooManyConnectionsAreRefused() throws Exception {
        serve();
        node("pe1");
        listener.awaitNode("pe1");
        final List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 2 * QUICK.peers().most(); i++) {
            sockets.add(new Socket("127.0.0.1", server.port()));
        }
        Await.until("the last is refused", () -> isClosed(sockets.get(sockets.size() - 1)));
        assertThat(apply("pe1", 1).changes()).isPositive();
        for (final Socket socket : sockets) {
            socket.close();
        }
        node("pe2");
        listener.awaitNode("pe2");
    }

    @Test
    void aStrangerMaySendLessThanANode() throws Exception {
        startPatiently(64 << 20, 1024, 64, 8);
        assertThat(isCutOff(("{\"a\":\"" + "x".repeat(2 << 20)).getBytes(StandardCharsets.US_ASCII))).isTrue();

        final OvsSandbox node = new OvsSandbox();
        nodes.add(node);
        node.vsctl("add-br", "br-penstock");
        for (int key = 0; key < 16; key++) {
            node.vsctl("set", "Bridge", "br-penstock", "external_ids:order" + key + "=" + "x".repeat(100_000));
        }
        node.announce("pe1", server.port());
        listener.awaitNode("pe1");
        Await.until("its rows are there", () -> listener.states.containsKey("pe1"));
    }

    @Test
    void oneAddressTakesNoRoomFromOthers() throws Exception {
        startPatiently(1 << 20, 8, 4, 1);
        final List<Socket> sockets = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            sockets.add(new Socket(InetAddress.getByName("127.0.0.1"), server.port(),
                InetAddress.getByName("127.0.0.2"), 0));
            sockets.get(i).setSoTimeout(1000);
        }
        Await.until("the fifth is refused", () -> isClosed(sockets.get(4)));
        node("pe1");
        listener.awaitNode("pe1");
        for (final Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void peerWithoutAnnouncementWaitsAndMayAnnounceItselfLater() {
        serve();
        final OvsSandbox node = new OvsSandbox();
        nodes.add(node);
        node.manage(server.port());
        Await.until("connected", () -> node.vsctl("get", "Manager", ".", "is_connected").equals("true"));

        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=pe1");
        listener.awaitEvents("+pe1");
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.VHOST_DIR + "=/run/ps");
        listener.awaitEvents("+pe1", "~pe1");
        assertThat(listener.sessions.get("pe1").announcement().vhostDirectory()).isEqualTo("/run/ps");
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=pe2");
        listener.awaitEvents("+pe1", "~pe1", "-pe1", "+pe2");
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.PORTS + "=nonsense");
        listener.awaitEvents("+pe1", "~pe1", "-pe1", "+pe2", "-pe2");
        node.vsctl("remove", "Open_vSwitch", ".", "external_ids", NodeKeys.PORTS);
        listener.awaitEvents("+pe1", "~pe1", "-pe1", "+pe2", "-pe2", "+pe2");
    }

    @Test
    void secondClaimOfANameWaitsUntilTheFirstIsGone() {
        serve();
        final OvsSandbox first = node("pe1");
        final NodeSession session = listener.awaitNode("pe1");
        final OvsSandbox second = node("pe1");
        Await.until("second connected", () -> "true".equals(second.vsctl("get", "Manager", ".", "is_connected")));
        node("pe2");
        listener.awaitNode("pe2");

        assertThat(listener.sessions.get("pe1")).isSameAs(session);
        assertThat(apply("pe1", 1).changes()).isPositive();
        assertThat(first.vsctl("list-br")).isEqualTo("br-penstock");
        assertThat(second.vsctl("list-br")).isEmpty();

        first.killServer();
        listener.awaitEvents("+pe1", "+pe2", "-pe1", "+pe1");
        Await.until("ports of the second reported", () -> listener.states.containsKey("pe1"));
        apply("pe1", 1);
        assertThat(second.vsctl("list-br")).isEqualTo("br-penstock");
    }

    @Test
    void hangingNodeLosesItsNameToTheOneThatComesBack() {
        // Probes are so slow that only the claim of the second can bring it about.
        serve();
        final OvsSandbox first = node("pe1");
        listener.awaitNode("pe1");
        first.freezeServer();
        node("pe1");
        listener.awaitEvents("+pe1", "-pe1", "+pe1");
        first.thawServer();
    }

    @Test
    void halfOpenConnectionIsNoticedAndTheNodeReturns() {
        server = new OvsdbServer(quick(Duration.ofMillis(500)));
        serve();
        final OvsSandbox node = node("pe1");
        final NodeSession session = listener.awaitNode("pe1");
        node.freezeServer();
        final CompletableFuture<ApplyResult> halfway = session.apply(Specs.bridge(List.of()));
        listener.awaitEvents("+pe1", "-pe1");
        assertThatThrownBy(() -> halfway.get(1, TimeUnit.MINUTES)).hasRootCauseInstanceOf(OvsdbException.class);

        node.thawServer();
        Await.until("it is served as before", () -> isApplied("pe1"));
    }

    /** Whether there is nothing to do; false where the node is cut off meanwhile. */
    private boolean isApplied(final String name) {
        try {
            return apply(name, 1).changes() == 0;
        } catch (CompletionException e) {
            return false;
        }
    }

    @Test
    void nodeThatVanishesHalfwayFailsItsApplyAndLeavesAllOrNothing() {
        serve();
        final OvsSandbox node = node("pe1");
        final List<CompletableFuture<ApplyResult>> all = new ArrayList<>();
        final NodeSession session = listener.awaitNode("pe1");
        for (int i = 1; i < 200; i++) {
            all.add(session.apply(Specs.bridge(List.of(Specs.system("p" + i, i)))));
        }
        all.get(20).join();
        node.killServer();
        all.forEach(one -> one.handle((result, error) -> 0).orTimeout(1, TimeUnit.MINUTES).join());
        assertThat(all.get(198)).isCompletedExceptionally();

        node.startServer();
        listener.awaitNode("pe1");
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).hasSize(1);
    }

    @Test
    void slowListenerOfOneNodeDelaysNoOther() {
        final CompletableFuture<Void> release = new CompletableFuture<>();
        final RecordingListener inner = listener;
        server.start("127.0.0.1", 0);
        server.serve(new ForwardingListener(inner) {
            @Override
            public void nodeConnected(final NodeSession session) {
                super.nodeConnected(session);
                if ("slow".equals(session.announcement().name())) {
                    release.join();
                } else {
                    // From within a callback, and waiting for it.
                    session.apply(Specs.bridge(List.of())).orTimeout(1, TimeUnit.MINUTES).join();
                    throw new IllegalStateException("thrown by the listener, on purpose");
                }
            }
        }, 1);
        node("slow");
        listener.awaitNode("slow");
        node("pe1");
        Await.until("ports of pe1 reported", () -> listener.states.containsKey("pe1"));
        release.complete(null);
        Await.until("ports of slow reported", () -> listener.states.containsKey("slow"));
    }

    @Test
    void aNodeMayChangeItsRowsWithoutEnd() {
        startPatiently(64 << 20, 8, 8, 8);
        final OvsSandbox node = node("pe1");
        listener.awaitNode("pe1");
        node.vsctl("add-br", "br-penstock");
        for (final String key : List.of("a", "b", "c")) {
            node.vsctl("set", "Bridge", "br-penstock", "external_ids:" + key + "=" + "x".repeat(100_000));
        }
        // An update has the whole column: 60 MB, more than may wait.
        for (int round = 0; round < 200; round++) {
            node.vsctl("set", "Bridge", "br-penstock", "external_ids:round=" + round);
        }
        // If nothing were read any more, the database would connect again.
        node.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.VHOST_DIR + "=/run/other");
        listener.awaitEvents("+pe1", "~pe1");
    }

    @Test
    void aNodeThatHasMoreAndMoreRowsIsCutOff() {
        startPatiently(1 << 20, 8, 4, 1);
        final OvsSandbox node = node("pe1");
        listener.awaitNode("pe1");
        for (int i = 0; i < 40 && listener.events.size() < 2; i++) {
            final String bridge = "b" + i;
            node.vsctl("add-br", bridge, "--", "set", "Bridge", bridge, "external_ids:order=" + "x".repeat(100_000));
        }
        listener.awaitEvents("+pe1", "-pe1");
    }

    @Test
    void closeTellsTheListenerFreesThePortAndLeavesNoThread() {
        serve();
        final int port = server.port();
        node("pe1");
        node("pe2");
        listener.awaitNode("pe1");
        listener.awaitNode("pe2");

        server.close();

        assertThat(listener.events).contains("-pe1", "-pe2");
        Await.until("no thread left: " + threads(), () -> threads().isEmpty());
        server = new OvsdbServer(QUICK);
        server.start("127.0.0.1", port);
        server.serve(listener, 1);
        listener.awaitNode("pe1");
        listener.awaitNode("pe2");
    }

    @Test
    void manyConnectionsLeaveNoThreads() throws Exception {
        serve();
        for (int i = 0; i < 50; i++) {
            assertThat(isCutOff("nonsense".getBytes(StandardCharsets.US_ASCII))).isTrue();
        }
        Await.until("only the server's own threads left: " + threads(), () -> threads().size() <= 3);
    }

    private static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
            .filter(name -> name.startsWith("penstock-ovsdb")).toList();
    }

    /** So patient that only a bound can be the reason when a peer is cut off. */
    private void startPatiently(final int maxMessageBytes, final int connections, final int perAddress,
            final int nodesPerAddress) {
        server = new OvsdbServer(new OvsdbServerOptions(new Patience(LONG, LONG, LONG), 1 << 20, maxMessageBytes,
            new Peers(connections, perAddress, nodesPerAddress)));
        serve();
    }

    private void serve() {
        server.start("127.0.0.1", 0);
        server.serve(listener, 1);
    }

    private OvsSandbox node(final String name) {
        final OvsSandbox node = new OvsSandbox();
        nodes.add(node);
        node.announce(name, server.port());
        return node;
    }

    private ApplyResult apply(final String name, final int ports) {
        return listener.awaitNode(name).apply(Specs.bridge(IntStream.rangeClosed(1, ports)
            .mapToObj(i -> Specs.system("p" + i, i)).toList())).orTimeout(3, TimeUnit.MINUTES).join();
    }

    /** Sends the bytes and reads to the end, which must come before the socket's time is up. */
    private boolean isCutOff(final byte[] bytes) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(60_000);
            try {
                socket.getOutputStream().write(bytes);
                socket.getOutputStream().flush();
            } catch (IOException e) {
                return true;
            }
            return isClosed(socket);
        }
    }

    private static boolean isClosed(final Socket socket) {
        try {
            return socket.getInputStream().readAllBytes() != null;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            // Reset instead of closed in order: also the end.
            return true;
        }
    }

    private abstract static class ForwardingListener implements OvsdbListener {
        private final RecordingListener inner;

        ForwardingListener(final RecordingListener inner) {
            this.inner = inner;
        }

        @Override
        public void nodeConnected(final NodeSession session) {
            inner.nodeConnected(session);
        }

        @Override
        public void nodeDisconnected(final String name) {
            inner.nodeDisconnected(name);
        }

        @Override
        public void portStatesChanged(final String name, final java.util.Map<String, PortState> states) {
            inner.portStatesChanged(name, states);
        }
    }
}
