// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Documents;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that send garbage, or stop in the middle of a message: nodes stay connected, and changes still arrive. */
@Tag("hostile")
@OnEdge
class HostilePeerIT {
    private static final int VLAN = 100;
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

    private final Edge edge;
    private final int openFlow;
    private final int ovsdb;
    private final List<SocketChannel> peers = new ArrayList<>();

    HostilePeerIT(final Edge edge) {
        this.edge = edge;
        openFlow = edge.controller().openFlowPort();
        ovsdb = edge.controller().ovsdbPort();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        edge.client().add("tenant", Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL));
        edge.awaitApplied();
        edge.forgetSteps();
    }

    @AfterEach
    void hangUp() throws IOException {
        for (final SocketChannel peer : peers) {
            peer.close();
        }
    }

    private void send(final int port, final byte[] message) {
        try {
            final SocketChannel peer =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            peers.add(peer);
            final ByteBuffer buffer = ByteBuffer.wrap(message);
            while (buffer.hasRemaining()) {
                peer.write(buffer);
            }
        } catch (IOException e) {
            // The controller may hang up before the whole message is there.
            assertThat(e.getMessage()).isIn("Broken pipe", "Connection reset", "Connection reset by peer");
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

    private void othersDidNotNotice() {
        edge.client().add("tenant", Documents.tenant("late", edge.first().name(), VLAN + 1, Documents.FIRST_POOL));
        edge.awaitApplied();
        // A connection that is new costs a reading.
        assertThat(edge.steps(edge.first())).containsExactly("apply");
        assertThat(edge.steps(edge.second())).isEmpty();
        assertThat(edge.state("late")).isEqualTo("active");
        edge.awaitSync();
    }

    @Test
    void garbageForOpenFlow() {
        for (final byte[] message : List.of(garbage(), HELLO, CUT_OFF, UNKNOWN_VERSION, TOO_SHORT,
                text("GET / HTTP/1.1\r\n\r\n"), new byte[0])) {
            send(openFlow, message);
        }
        othersDidNotNotice();
    }

    @Test
    void garbageForOvsdb() {
        for (final byte[] message : List.of(garbage(), text("{"), text("}"), text("[]"), text("{'id': 1}"),
                text("{'method': 'update', 'params': ['x', {}], 'id': null}"), text("{'result': {}, 'id': 'nobody'}"),
                text("{'text': 'ends in \\\\"), text("{'method': 'transact', 'params': 7, 'id': {'a': []}}"),
                text("{'method': ".repeat(2000)), new byte[0])) {
            send(ovsdb, message);
        }
        othersDidNotNotice();
    }

    @Test
    void aCrowdThatSaysNothing() {
        for (int index = 0; index < CROWD; index++) {
            send(openFlow, HELLO);
            send(openFlow, new byte[0]);
            send(ovsdb, text("{'method': 'echo', 'params': [], 'id': " + index + "}{"));
            send(ovsdb, new byte[0]);
        }
        othersDidNotNotice();
    }
}
