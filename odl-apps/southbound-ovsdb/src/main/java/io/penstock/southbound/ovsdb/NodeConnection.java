// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected peer, from its first byte to its last: asks for the schema, follows the database, and as long as the
 * peer announces a name that is free, and there is an engine whose orders it takes, has that node's session.
 *
 * <p>Everything happens on the peer's own thread, which also makes the listener calls; so a slow listener delays its
 * node and no other.
 */
final class NodeConnection {
    private static final Logger LOG = LoggerFactory.getLogger(NodeConnection.class);
    private static final String SHUTDOWN = "this side shuts down";
    /** Time the holder of a name has to prove it is alive when another peer claims that name. */
    private static final Duration HOLDER_PROBE = Duration.ofSeconds(3);
    /** Until the database is taken once more that another controller has taken. */
    private static final Duration TAKE_AGAIN = Duration.ofSeconds(1);

    private final PeerChannel channel;
    private final ExecutorService thread;
    private final Executor planner;
    private final NodeRegistry claims;
    private final Supplier<@Nullable Audience> audiences;
    private final OnceLog troubles;
    private final Admission admission;
    private final OvsdbServerOptions options;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private final NodeMirror mirror;
    /** Whether a loss of the lock is in the queue. */
    private final AtomicBoolean losses = new AtomicBoolean();
    /** Whether a look at the mirror is in the queue. */
    private boolean refreshes;
    @SuppressWarnings("NullAway.Init") // with the schema
    private RowCodec codec;
    private @Nullable Map<String, PortState> reported;
    /** The name this connection is the session of, or null. */
    private @Nullable String name;
    /** The engine that it is the session for, or null. */
    private @Nullable Audience audience;
    /** Whether that engine has been told, and the database takes orders of it alone. */
    private boolean served;
    private boolean gone;

    // With the first rows, before the listener is given the session.
    @SuppressWarnings("NullAway.Init")
    private volatile ConnectedSession session;
    private volatile Optional<RefusedPeer> refusal = Optional.empty();

    NodeConnection(final PeerChannel channel, final ExecutorService thread, final Executor planner,
            final NodeRegistry claims, final Supplier<@Nullable Audience> audiences, final OnceLog troubles,
            final Admission admission, final OvsdbServerOptions options) {
        this.channel = channel;
        this.thread = thread;
        this.planner = planner;
        this.claims = claims;
        this.audiences = audiences;
        this.troubles = troubles;
        this.admission = admission;
        mirror = new NodeMirror(channel.address(), admission, troubles);
        this.options = options;
    }

    /** Begins the conversation; on the event loop. */
    void start(final Duration handshakeTimeout) {
        channel.closed().thenAcceptAsync(this::end, thread);
        channel.schedule(handshakeTimeout, () -> {
            if (session == null) {
                channel.close("did not prove to be an Open vSwitch database in time");
            }
        });
        channel.schema().thenCompose(schema -> {
            codec = RowCodec.of(schema);
            return channel.transact(codec.schema(), codec.identity());
        }).thenCompose(results -> {
            // The rows that are followed hold the orders of all tenants: long, and for a node to send alone.
            if (codec.identity(results).filter(AnnouncementReader::namesANode).isPresent()
                    && admission.grow(channel.address())) {
                channel.closed().thenRun(() -> admission.shrink(channel.address()));
                channel.limit(options.maxMessageBytes());
            }
            return channel.monitor(codec.monitorRequests(), this::updated);
        }).thenAcceptAsync(rows -> {
            session = new ConnectedSession(channel, codec, planner, () -> execute(this::refresh), this::ports);
            channel.whenStolen(this::lost);
            follow(rows);
        }, thread).exceptionally(error -> {
            final Throwable cause = error.getCause() == null ? error : error.getCause();
            channel.close(cause instanceof OvsdbException ? String.valueOf(cause.getMessage())
                : "has no usable Open_vSwitch database");
            return null;
        });
    }

    /** Completes when the peer is gone and its last listener call has returned. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Ends the connection with the server. */
    void shutDown() {
        channel.close(SHUTDOWN);
    }

    /**
     * The name this peer waits for may be free now, or there is another engine, or the listener may think another of
     * it; from any thread.
     *
     * @return complete when that was looked at
     */
    CompletableFuture<@Nullable Void> reconsider() {
        final CompletableFuture<@Nullable Void> looked = new CompletableFuture<>();
        ended.thenRun(() -> looked.complete(null));
        execute(() -> {
            try {
                refresh();
            } finally {
                looked.complete(null);
            }
        });
        return looked;
    }

    /** Why the listener does not believe this peer; empty if it does, or was not asked. */
    Optional<RefusedPeer> refusal() {
        return refusal;
    }

    /** The names of the ports of the bridge, as they are followed. */
    private CompletableFuture<Set<String>> ports() {
        final CompletableFuture<Set<String>> names = new CompletableFuture<>();
        channel.closed().thenAccept(why -> names.completeExceptionally(new OvsdbException("the node is gone: " + why)));
        execute(() -> names.complete(PortStates.of(mirror.view(), session.bridgeName()).keySet()));
        return names;
    }

    private void updated(final JsonNode rows, final Runnable done) {
        execute(() -> {
            try {
                mirror(rows);
            } finally {
                done.run();
            }
            // Once for all updates that are there: a look at all ports for each of them would take too long.
            if (!refreshes) {
                refreshes = true;
                execute(() -> {
                    refreshes = false;
                    refresh();
                });
            }
        });
    }

    private void execute(final Runnable task) {
        try {
            thread.execute(() -> guarded(task));
        } catch (RejectedExecutionException e) {
            LOG.debug("OVSDB peer {} is gone already", channel.address(), e);
        }
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private void guarded(final Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.debug("OVSDB peer {} cannot be followed", channel.address(), e);
            channel.close("sent rows that make no sense: " + e.getClass().getName());
        }
    }

    private void follow(final JsonNode rows) {
        mirror(rows);
        refresh();
    }

    private void mirror(final JsonNode rows) {
        if (gone) {
            return;
        }
        if (!mirror.take(codec, rows)) {
            gone = true;
            channel.close("has more rows than the nodes of one address may have");
        }
    }

    private void refresh() {
        // An update may come before the first rows, of a peer that does not keep to the protocol.
        if (!gone && session != null) {
            evaluate();
            reportPorts();
        }
    }

    private void evaluate() {
        final NodeAnnouncement read;
        try {
            read = mirror.announcement(session.bridgeName());
        } catch (OvsdbException e) {
            refusal = Optional.empty();
            leave();
            troubles.warn(channel.address(), "waits for its announcement: " + e.getMessage()
                + mirror.otherRelease());
            return;
        }
        final Audience current = audiences.get();
        if (audience != null && !audience.equals(current)) {
            leave();
        }
        if (current == null) {
            // This controller stands by: the node is served by another one.
            refusal = Optional.empty();
            return;
        }
        final Optional<String> reason = channel.denies(read.name())
            .or(() -> current.listener().refuses(read, channel.address()));
        refusal = reason.map(why -> new RefusedPeer(read.name(), channel.address(), why));
        if (reason.isPresent()) {
            leave();
            troubles.warn(channel.address(), "is not believed: " + reason.orElseThrow());
            return;
        }
        if (name != null && !name.equals(read.name())) {
            leave();
        }
        if (name == null) {
            claim(read, current);
        } else if (!read.equals(session.announcement())) {
            session.announced(read);
            warnOfProtocol();
            if (served) {
                call("announcementChanged", () -> current.listener().announcementChanged(session));
            }
        }
    }

    private void claim(final NodeAnnouncement read, final Audience current) {
        final NodeConnection holder = claims.claim(read.name(), this);
        if (holder == this) {
            name = read.name();
            audience = current;
            session.announced(read);
            new NodeFence(channel, codec).take(current.epoch())
                .whenComplete((taken, error) -> execute(() -> fenced(current, Optional.ofNullable(error))));
        } else {
            troubles.warn(channel.address(), "waits: node name " + read.name() + " is taken by a peer at "
                + holder.channel.address());
            // A node that was cut off and came back is not to wait until its old connection times out.
            holder.channel.probe(HOLDER_PROBE, "silent while another peer claims its name");
        }
    }

    /** The database takes orders of the engine alone, or does not. */
    private void fenced(final Audience taken, final Optional<Throwable> error) {
        if (gone || served || !taken.equals(audience)) {
            return;
        }
        if (error.isPresent()) {
            final Throwable cause = error.orElseThrow();
            troubles.warn(channel.address(), "node " + name + ": "
                + (cause.getCause() == null ? cause : cause.getCause()).getMessage());
            leave();
            takeLater();
            return;
        }
        served = true;
        LOG.info("Node {} is connected from {}", name, channel.address());
        warnOfProtocol();
        call("nodeConnected", () -> taken.listener().nodeConnected(session));
        reportPorts();
    }

    /** A peer may say so a million times a second. */
    private void lost() {
        if (losses.compareAndSet(false, true)) {
            execute(this::stolen);
        }
    }

    /** Another controller has the database now. If this one is the later one after all, it takes it back. */
    private void stolen() {
        losses.set(false);
        if (!gone && audience != null) {
            LOG.warn("Node {} at {} takes orders of another controller", name, channel.address());
            leave();
            takeLater();
        }
    }

    /** Not at once: two controllers would take the lock from each other before either had stored its epoch. */
    private void takeLater() {
        channel.schedule(TAKE_AGAIN, this::reconsider);
    }

    /** A node of another release works as far as both sides mean the same, so it is not refused. */
    private void warnOfProtocol() {
        session.announcement().protocol().difference()
            .ifPresent(text -> troubles.warn(channel.address(), "node " + name + ": " + text));
    }

    private void reportPorts() {
        final String node = name;
        final Audience current = audience;
        if (node == null || current == null || !served) {
            return;
        }
        final Map<String, PortState> states = PortStates.of(mirror.view(), session.bridgeName());
        if (!states.equals(reported)) {
            reported = states;
            call("portStatesChanged", () -> current.listener().portStatesChanged(node, states));
        }
    }

    private void leave() {
        final String node = name;
        final Audience current = audience;
        if (node != null && current != null && served) {
            call("nodeDisconnected", () -> current.listener().nodeDisconnected(node));
        }
        name = null;
        audience = null;
        served = false;
        reported = null;
        claims.release(this);
    }

    private void end(final String why) {
        if (name == null) {
            if (!SHUTDOWN.equals(why)) {
                troubles.warn(channel.address(), why);
            }
        } else {
            LOG.info("Node {} at {} disconnected: {}", name, channel.address(), why);
        }
        gone = true;
        mirror.release();
        leave();
        ended.complete(null);
        thread.shutdown();
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private void call(final String what, final Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            LOG.error("The listener failed in {} of node {}", what, name, e);
        }
    }
}
