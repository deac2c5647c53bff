// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.penstock.southbound.ovsdb.OvsdbServerOptions.Patience;
import io.penstock.southbound.ovsdb.OvsdbServerOptions.Peers;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opendaylight.ovsdb.lib.jsonrpc.JsonRpcEndpoint;
import org.opendaylight.ovsdb.lib.message.MonitorRequest;

/** One channel and a peer at the other end of a socket. */
@Timeout(720)
class PeerChannelTest {
    private static final int FEW = 100;
    private static final int MANY = 200_000;
    private static final String CUT_OFF = "does not take the answers to its requests";
    /** So patient, and so generous with lengths, that only the answers can be the reason. */
    private static final OvsdbServerOptions PATIENT = new OvsdbServerOptions(new Patience(
        Duration.ofMinutes(5), Duration.ofMinutes(5), Duration.ofMinutes(5)), 64 << 20, 64 << 20, new Peers(8, 8, 8));
    private static final byte[] ECHO = echo("x".repeat(200));

    private final NioEventLoopGroup ioThreads =
        new NioEventLoopGroup(1, new DefaultThreadFactory("peer-channel-test", true));
    private final CompletableFuture<Channel> accepted = new CompletableFuture<>();
    private final CompletableFuture<PeerChannel> opened = new CompletableFuture<>();
    private Channel server;
    private Socket peer;

    @BeforeEach
    void connect() throws IOException {
        JsonRpcEndpoint.setReaperInterval(Math.toIntExact(PATIENT.patience().request().toMillis()));
        server = new ServerBootstrap().group(ioThreads).channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(final SocketChannel channel) {
                    opened.complete(new PeerChannel(channel, Optional.empty(), PATIENT));
                    accepted.complete(channel);
                }
            })
            .bind(new InetSocketAddress("127.0.0.1", 0)).syncUninterruptibly().channel();
        peer = new Socket("127.0.0.1", ((InetSocketAddress) server.localAddress()).getPort());
        peer.setSoTimeout(60_000);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close().syncUninterruptibly();
        ioThreads.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void aPeerThatAsksAndTakesNoAnswersIsCutOff() {
        long most = 0;
        try {
            for (int i = 0; i < MANY; i++) {
                peer.getOutputStream().write(ECHO);
                most = Math.max(most, waitingBytes());
            }
        } catch (IOException e) {
            // Cut off before all was sent.
            assertThat(accepted.join().isOpen()).isFalse();
        }
        assertThat(most).isLessThan(1 << 20);
        assertThat(end()).isEqualTo(CUT_OFF);
    }

    @Test
    void anAnswerThatRepeatsALongIdIsNotSent() throws IOException {
        peer.getOutputStream().write(echo("x".repeat(1 << 19)));
        assertThat(peer.getInputStream().readAllBytes()).isEmpty();
        assertThat(end()).isEqualTo(CUT_OFF);
    }

    @Test
    void aPeerThatTakesItsAnswersMayAskWithoutEnd() throws IOException {
        final InputStream answers = new BufferedInputStream(peer.getInputStream(), 1 << 16);
        for (int i = 0; i < MANY; i += FEW) {
            write(FEW);
            skip(FEW, answers);
        }
        assertThat(opened.join().closed()).isNotDone();
    }

    @Test
    void aLongRequestOfThisSideAndAFewQuestionsOfTheOtherCrossEachOther() throws IOException {
        final String table = "t".repeat(32 << 20);
        final CompletableFuture<?> request =
            opened.join().monitor(Map.of(table, new MonitorRequest()), (rows, done) -> { });
        Await.until("more waits than the socket takes", () -> !accepted.join().isWritable());
        write(FEW);
        skip(1 + FEW, new BufferedInputStream(peer.getInputStream(), 1 << 16));
        assertThat(opened.join().closed()).isNotDone();
        assertThat(request).isNotDone();
    }

    @Test
    void updatesThatAreNotFollowedWaitAtThePeer() {
        final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
        opened.join().monitor(Map.of("t", new MonitorRequest()), (rows, done) -> waiting.add(done));
        final byte[] update = ("{\"id\":null,\"method\":\"update\",\"params\":[\"penstock\",{\"t\":\""
            + "x".repeat(1 << 20) + "\"}]}").getBytes(StandardCharsets.US_ASCII);
        final AtomicInteger sent = new AtomicInteger();
        final CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
            try {
                for (; sent.get() < FEW; sent.incrementAndGet()) {
                    peer.getOutputStream().write(update);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        // Two megabytes of a stranger.
        Await.until("nothing more is taken", () -> !accepted.join().config().isAutoRead() && waiting.size() >= 2);
        assertThat(waiting).hasSizeLessThan(FEW / 10);
        assertThat(sender).isNotDone();
        for (int followed = 0; followed < FEW; followed++) {
            Await.until("an update after " + followed, () -> !waiting.isEmpty());
            assertThat(waiting).hasSizeLessThan(FEW / 5);
            waiting.remove().run();
        }
        sender.join();
        Await.until("more would be taken", () -> accepted.join().config().isAutoRead());
    }

    private String end() {
        return opened.join().closed().orTimeout(1, TimeUnit.MINUTES).join();
    }

    private long waitingBytes() {
        final ChannelOutboundBuffer buffer = accepted.join().unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    private void write(final int requests) throws IOException {
        for (int i = 0; i < requests; i++) {
            peer.getOutputStream().write(ECHO);
        }
    }

    private static byte[] echo(final String id) {
        return ("{\"id\":\"" + id + "\",\"method\":\"echo\",\"params\":[]}").getBytes(StandardCharsets.US_ASCII);
    }

    /** Reads so many objects; in none has a text a brace. */
    private static void skip(final int messages, final InputStream input) throws IOException {
        for (int ends = 0, depth = 0; ends < messages;) {
            final int next = input.read();
            if (next < 0) {
                throw new EOFException("the connection ended after " + ends + " of " + messages + " messages");
            }
            depth += next == '{' ? 1 : next == '}' ? -1 : 0;
            ends += next == '}' && depth == 0 ? 1 : 0;
        }
    }
}
