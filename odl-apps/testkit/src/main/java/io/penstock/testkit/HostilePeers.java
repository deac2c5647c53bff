// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/**
 * Peers of a controller that send garbage, or stop in the middle of a message. They stay connected until the end. Not
 * for several threads.
 */
public final class HostilePeers implements AutoCloseable {
    private static final int CROWD = 20;
    private static final Random RANDOM = new Random(20261121);
    private static final int RANDOM_BYTES = 100_000;
    /** OFPT_HELLO of OpenFlow 1.3; without more, half a handshake. */
    private static final byte[] HELLO = HexFormat.of().parseHex("0400000800000001");
    /** A features reply that claims to be as long as there is no message. */
    private static final byte[] CUT_OFF = HexFormat.of().parseHex("0406ffff0000000200");
    /** A hello in the words of a version there is not. */
    private static final byte[] UNKNOWN_VERSION = HexFormat.of().parseHex("7f00000800000001");
    /** A message shorter than its own header. */
    private static final byte[] TOO_SHORT = HexFormat.of().parseHex("0400000100000001");

    /** A port of the controller. */
    @FunctionalInterface
    public interface Port {
        /** A new connection to it. */
        SocketChannel connect() throws IOException;
    }

    private final Port openFlow;
    private final Port ovsdb;
    private final List<SocketChannel> peers = new ArrayList<>();

    /** No peer yet. */
    public HostilePeers(final Port openFlow, final Port ovsdb) {
        this.openFlow = requireNonNull(openFlow);
        this.ovsdb = requireNonNull(ovsdb);
    }

    /** Sends each kind of garbage to the port of switches. */
    public void garbageForOpenFlow() {
        for (final byte[] message : List.of(random(), HELLO, CUT_OFF, UNKNOWN_VERSION, TOO_SHORT,
                text("GET / HTTP/1.1\r\n\r\n"), new byte[0])) {
            send(openFlow, message);
        }
    }

    /** Sends each kind of garbage to the port of databases. */
    public void garbageForOvsdb() {
        for (final byte[] message : List.of(random(), text("{"), text("}"), text("[]"), text("{'id': 1}"),
                text("{'method': 'update', 'params': ['x', {}], 'id': null}"), text("{'result': {}, 'id': 'nobody'}"),
                text("{'text': 'ends in \\\\"), text("{'method': 'transact', 'params': 7, 'id': {'a': []}}"),
                text("{'method': ".repeat(2000)), new byte[0])) {
            send(ovsdb, message);
        }
    }

    /** Connects many that say nothing, or stop in the middle. */
    public void crowd() {
        for (int index = 0; index < CROWD; index++) {
            send(openFlow, HELLO);
            send(openFlow, new byte[0]);
            send(ovsdb, text("{'method': 'echo', 'params': [], 'id': " + index + "}{"));
            send(ovsdb, new byte[0]);
        }
    }

    private void send(final Port port, final byte[] message) {
        try {
            final SocketChannel peer = port.connect();
            peers.add(peer);
            final ByteBuffer buffer = ByteBuffer.wrap(message);
            while (buffer.hasRemaining()) {
                peer.write(buffer);
            }
        } catch (IOException e) {
            // The controller may hang up before the whole message is there.
            if (!List.of("Broken pipe", "Connection reset", "Connection reset by peer").contains(e.getMessage())) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static byte[] random() {
        final byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    private static byte[] text(final String text) {
        return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        for (final SocketChannel peer : peers) {
            peer.close();
        }
    }
}
