// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.json.JsonObjectDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.opendaylight.ovsdb.lib.impl.FutureTransformUtils;
import org.opendaylight.ovsdb.lib.jsonrpc.JsonRpcEndpoint;
import org.opendaylight.ovsdb.lib.message.MonitorRequest;
import org.opendaylight.ovsdb.lib.message.OvsdbRPC;
import org.opendaylight.ovsdb.lib.message.TransactBuilder;
import org.opendaylight.ovsdb.lib.message.UpdateNotification;
import org.opendaylight.ovsdb.lib.operations.Operation;
import org.opendaylight.ovsdb.lib.operations.OperationResult;
import org.opendaylight.ovsdb.lib.schema.DatabaseSchema;

/**
 * JSON-RPC with one peer: the library's end point, with what it lacks around it. Requests fail when the connection
 * ends, a refused request fails instead of succeeding with null, a silent peer is probed and cut off, so is one that
 * asks and does not take the answers, and whatever a handler throws ends this connection and nothing else. Safe for use
 * by any thread; callbacks come on its event loop.
 */
final class PeerChannel {
    /** Probes without a sign of life before the peer is given up. */
    private static final int MAX_SILENT_PROBES = 3;
    /** Characters of answers that may wait behind a full send buffer. A database asks at most once a second. */
    private static final int MAX_UNTAKEN_ANSWERS = 1 << 16;

    /** Bytes of memory of updates that may wait for their consumer, beside one that may be larger by itself. */
    private static final long STRANGERS_WAITING_UPDATES = 2 << 20;
    private static final long WAITING_UPDATES = 32 << 20;

    private final Channel channel;
    private final Optional<PeerIdentity> identity;
    private final JsonRpcEndpoint endpoint;
    private final PeerMessageDecoder decoder = new PeerMessageDecoder();
    private final AtomicLong waitingUpdates = new AtomicLong();
    private volatile long maxWaitingUpdates = STRANGERS_WAITING_UPDATES;
    private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<String> closed = new CompletableFuture<>();
    private final CompletableFuture<String> reason = new CompletableFuture<>();
    private volatile Runnable stolen = () -> { };
    /** Whether the database has this client as one that holds the lock, or waits for it after a loss. */
    private volatile LockState lock = LockState.NEVER_ASKED;
    private volatile BiConsumer<JsonNode, Runnable> updateConsumer =
        (ignored, done) -> close("sent unsolicited updates");

    /** A channel whose peer has an identity by its certificate, or none in plain text. */
    PeerChannel(final Channel channel, final Optional<PeerIdentity> identity, final OvsdbServerOptions options) {
        this.channel = channel;
        this.identity = identity;
        endpoint = new JsonRpcEndpoint(channel);
        // From the start: without one the library logs an error for each update of a peer that was not asked for any.
        endpoint.registerCallback(new Callback());
        channel.pipeline().addLast(
            new IdleStateHandler(options.patience().silence().toMillis(), 0, 0, TimeUnit.MILLISECONDS),
            new JsonObjectDecoder(options.maxStrangerBytes()),
            decoder,
            new StringEncoder(StandardCharsets.UTF_8),
            new AnswerLimit(),
            endpoint,
            // Last, so that it sees what the end point throws.
            new Guard());
        channel.closeFuture().addListener(ignored -> ended());
    }

    /** Address of the peer without its port, which changes with every attempt. */
    String address() {
        return channel.remoteAddress() instanceof InetSocketAddress address ? address.getAddress().getHostAddress()
            : String.valueOf(channel.remoteAddress());
    }

    /**
     * Why the peer is not the node of this name; empty if it is, or nothing speaks against it in plain text. One whose
     * certificate has ended or was revoked is cut off: it comes back with its next one, if it has one.
     */
    Optional<String> denies(final String node) {
        identity.flatMap(PeerIdentity::trouble).ifPresent(this::close);
        return identity.flatMap(peer -> peer.denies(node));
    }

    /** Completes with the reason when the connection has ended. */
    CompletableFuture<String> closed() {
        return closed;
    }

    void close(final String why) {
        reason.complete(why);
        channel.close();
    }

    /** Runs a task on the event loop after a delay, unless the connection has ended by then. */
    void schedule(final Duration delay, final Runnable task) {
        channel.eventLoop().schedule(() -> {
            if (channel.isOpen()) {
                task.run();
            }
        }, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Takes messages of the length of a node's from now on; what of a message is there already is kept. */
    void limit(final int maxBytes) {
        maxWaitingUpdates = WAITING_UPDATES;
        channel.eventLoop().execute(() -> {
            if (channel.pipeline().get(JsonObjectDecoder.class) != null) {
                channel.pipeline().replace(JsonObjectDecoder.class, null, new JsonObjectDecoder(maxBytes));
            }
        });
    }

    CompletableFuture<JsonNode> schema() {
        return request(() -> endpoint.get_schema(List.of(OvsTables.DATABASE)));
    }

    /**
     * Starts the monitor; updates that follow go to the consumer, none before this future completes. The consumer runs
     * what it is given with an update when it is done with it, on any thread. While it is behind by a lot, nothing is
     * taken from the peer.
     */
    CompletableFuture<JsonNode> monitor(final Map<String, MonitorRequest> requests,
            final BiConsumer<JsonNode, Runnable> updates) {
        updateConsumer = updates;
        return request(() -> endpoint.monitor(() -> List.of(OvsTables.DATABASE, "penstock", requests)));
    }

    /** One transaction. What writes is refused by the database unless this client holds the lock of the node. */
    CompletableFuture<List<OperationResult>> transact(final DatabaseSchema schema,
            final List<Operation<?>> operations) {
        final List<Operation<?>> asserted = NodeFence.asserted(operations);
        final TransactBuilder builder = new TransactBuilder(schema);
        asserted.forEach(builder::addOperation);
        final CompletableFuture<List<OperationResult>> results = request(() ->
            FutureTransformUtils.transformTransactResponse(endpoint.transact(builder), builder.getRequests()));
        return asserted.size() == operations.size() ? results : results.thenApply(NodeFence::withoutAssertion);
    }

    /**
     * Takes the lock of the database, from whatever client has it. One that has lost it waits for it still, and has to
     * give that up before it may steal (ovsdb_jsonrpc_session_lock, ovsdb/jsonrpc-server.c, 3.1).
     *
     * @param name always the same
     */
    CompletableFuture<?> steal(final String name) {
        if (lock == LockState.HELD) {
            return CompletableFuture.completedFuture(null);
        }
        final CompletableFuture<?> free = lock == LockState.LOST ? request(() -> endpoint.unlock(List.of(name)))
            : CompletableFuture.completedFuture(null);
        lock = LockState.NEVER_ASKED;
        return free.thenCompose(unlocked -> request(() -> endpoint.steal(List.of(name))))
            .thenAccept(taken -> lock = LockState.HELD);
    }

    /** Runs something whenever another client has taken a lock; on the event loop. */
    void whenStolen(final Runnable task) {
        stolen = task;
    }

    /** Cuts the peer off unless it answers in this time. */
    void probe(final Duration limit, final String why) {
        final CompletableFuture<List<String>> echo = request(endpoint::echo);
        schedule(limit, () -> {
            if (!echo.isDone()) {
                close(why);
            }
        });
    }

    // A future is equal to itself alone, which is what the set of pending ones needs.
    @SuppressWarnings({"checkstyle:IllegalCatch", "CollectionUndefinedEquality"})
    private <T> CompletableFuture<T> request(final Supplier<ListenableFuture<T>> call) {
        final CompletableFuture<T> result = new CompletableFuture<>();
        pending.add(result);
        result.whenComplete((value, error) -> pending.remove(result));
        try {
            Futures.addCallback(call.get(), new FutureCallback<T>() {
                @Override
                public void onSuccess(final T value) {
                    if (value == null) {
                        // The library logs the peer's error and gives null.
                        result.completeExceptionally(new OvsdbException("the node refused a request"));
                    } else {
                        result.complete(value);
                    }
                }

                @Override
                public void onFailure(final Throwable error) {
                    // Only the library's timer does that. Whether the request was carried out is unknown: start anew.
                    result.completeExceptionally(new OvsdbException("the node did not answer a request", error));
                    close("does not answer requests");
                }
            }, MoreExecutors.directExecutor());
        } catch (RuntimeException e) {
            result.completeExceptionally(new OvsdbException("the request could not be sent", e));
        }
        if (closed.isDone()) {
            result.completeExceptionally(new OvsdbException("the node has disconnected"));
        }
        return result;
    }

    /** Reads from the peer only while few updates wait; on the event loop, as two threads could overtake each other. */
    private void readOrNot() {
        channel.config().setAutoRead(waitingUpdates.get() <= maxWaitingUpdates);
    }

    private void ended() {
        reason.complete("closed by the peer");
        closed.complete(reason.join());
        pending.forEach(future -> future.completeExceptionally(new OvsdbException("the node has disconnected")));
    }

    private enum LockState { NEVER_ASKED, HELD, LOST }

    private final class Callback implements OvsdbRPC.Callback {
        @Override
        public void update(final Object context, final UpdateNotification notification) {
            final long weight = decoder.weight();
            waitingUpdates.addAndGet(weight);
            readOrNot();
            updateConsumer.accept(notification.getUpdates(), () -> {
                waitingUpdates.addAndGet(-weight);
                channel.eventLoop().execute(PeerChannel.this::readOrNot);
            });
        }

        @Override
        public void locked(final Object context, final List<String> ids) {
            // The client to which it was lost has ended.
            lock = LockState.HELD;
        }

        @Override
        public void stolen(final Object context, final List<String> ids) {
            lock = LockState.LOST;
            stolen.run();
        }
    }

    /**
     * Cuts off a peer whose answers pile up here; requests of this side may be as long as they need. Reading less from
     * such a peer instead could stop both sides: a database server takes nothing in either while it cannot get rid of
     * an answer (ovsdb_jsonrpc_session_run in ovsdb/jsonrpc-server.c, 3.1).
     */
    private final class AnswerLimit extends ChannelDuplexHandler {
        /** Whether the end point has a request in hand: whatever it writes meanwhile is the answer. */
        private boolean answering;
        private int untaken;

        @Override
        public void channelRead(final ChannelHandlerContext ctx, final Object message) {
            answering = message instanceof JsonNode json && !json.has("result");
            ctx.fireChannelRead(message);
            answering = false;
        }

        @Override
        public void write(final ChannelHandlerContext ctx, final Object message, final ChannelPromise promise) {
            if (answering && message instanceof String text) {
                untaken = text.length() + (channel.isWritable() ? 0 : untaken);
                if (untaken > MAX_UNTAKEN_ANSWERS) {
                    PeerChannel.this.close("does not take the answers to its requests");
                }
            }
            // Fails at once on a closed channel.
            ctx.write(message, promise);
        }
    }

    private final class Guard extends ChannelInboundHandlerAdapter {
        private int silentProbes;

        @Override
        public void userEventTriggered(final ChannelHandlerContext ctx, final Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
                // Before the handler of TLS closes the channel.
                close(TlsFailure.of(handshake.cause()).orElse("TLS failed"));
            } else if (!channel.config().isAutoRead()) {
                silentProbes = 0; // Nothing is taken from the peer, so it cannot be blamed.
            } else if (event instanceof IdleStateEvent idle) {
                silentProbes = idle.isFirst() ? 1 : silentProbes + 1;
                if (silentProbes > MAX_SILENT_PROBES) {
                    close("silent in spite of probes");
                } else {
                    request(endpoint::echo);
                }
            }
        }

        @Override
        public void exceptionCaught(final ChannelHandlerContext ctx, final Throwable cause) {
            // Not the message of the cause: it quotes the bytes, so every attempt would be a new trouble to report.
            final Optional<String> failure = TlsFailure.of(cause);
            if (failure.isPresent()) {
                close(failure.orElseThrow());
            } else if (cause instanceof TooLongFrameException) {
                close("sent too long a message");
            } else if (cause instanceof DecoderException) {
                close("sent something that is not OVSDB");
            } else {
                close("failed with " + cause.getClass().getName());
            }
        }
    }
}
