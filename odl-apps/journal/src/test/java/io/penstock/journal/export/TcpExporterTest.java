// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections that break. Each begins with the number of the session; a record is a line. */
class TcpExporterTest {
    private final AtomicInteger sessions = new AtomicInteger();
    private final ServerSocket collector = listen(0);
    private final TcpExporter<String> exporter = new TcpExporter<>(
        Collector.parse("tcp:127.0.0.1:" + collector.getLocalPort()), () -> {
            final int session = sessions.incrementAndGet();
            return records -> records.stream().map(each -> new Payload(
                ByteBuffer.wrap((session + each + "\n").getBytes(StandardCharsets.UTF_8)), 1)).toList();
        }, Duration.ofMillis(20));

    private static ServerSocket listen(final int port) {
        try {
            final ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void end() throws IOException {
        exporter.close();
        collector.close();
    }

    private static List<String> lines(final Socket link, final int count) throws IOException {
        link.setSoTimeout(60_000);
        return new BufferedReader(new InputStreamReader(link.getInputStream(), StandardCharsets.UTF_8)).lines()
            .limit(count).toList();
    }

    @Test
    void aConnectionThatTheCollectorClosesLosesNothingThatComesLater() throws IOException {
        try (Socket link = collector.accept()) {
            exporter.accept(List.of("a", "b"));
            assertThat(lines(link, 2)).containsExactly("1a", "1b");
        }
        try (Socket link = collector.accept()) {
            exporter.accept(List.of("c"));
            assertThat(lines(link, 1)).containsExactly("2c");
        }
        Await.until("all are counted", () -> exporter.sent() == 3);
        assertThat(exporter.lost()).isZero();
    }

    @Test
    void whatFitsInTheQueueWaitsForTheCollector() throws IOException {
        try (Socket link = collector.accept()) {
            collector.close();
        }
        exporter.accept(Collections.nCopies(TcpExporter.QUEUE + 100, "x"));
        // The thread may have had one batch in hand as the connection ended, which waits beside the queue.
        assertThat(exporter.lost()).isBetween(0L, 100L);
        final long lost = exporter.lost();
        try (ServerSocket back = listen(collector.getLocalPort()); Socket link = back.accept()) {
            // Each record that was not lost is read: an end of the connection before that would lose the rest.
            final int kept = TcpExporter.QUEUE + 100 - (int) lost;
            assertThat(lines(link, kept)).hasSize(kept);
            Await.until("all are counted", () -> exporter.sent() == kept);
        }
        assertThat(exporter.lost()).isEqualTo(lost);
    }

    @Test
    void aCollectorThatReadsNothingBlocksNoCaller() throws IOException {
        try (Socket link = collector.accept()) {
            link.setReceiveBufferSize(4096);
            final String large = "x".repeat(1000);
            for (int each = 0; each < 60; each++) {
                exporter.accept(Collections.nCopies(1000, large));
            }
            assertThat(exporter.lost()).isPositive();
        }
    }
}
