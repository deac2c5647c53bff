// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connected peer, from its first byte to its last: asks for the schema, follows the database, and as long as the
 * peer announces a name that is free, is that node's session.
 *
 * <p>Everything but {@link #apply} and {@link #announcement} happens on the peer's own thread, which also makes the
 * listener calls; so a slow listener delays its node and no other.
 */
final class NodeConnection implements NodeSession {
    private static final Logger LOG = LoggerFactory.getLogger(NodeConnection.class);
    private static final List<String> INTERFACES = List.of(OvsTables.INTERFACE);
    private static final String SHUTDOWN = "this side shuts down";
    /** Time the holder of a name has to prove it is alive when another peer claims that name. */
    private static final Duration HOLDER_PROBE = Duration.ofSeconds(3);

    private final PeerChannel channel;
    private final ExecutorService thread;
    private final Executor planner;
    private final NodeRegistry claims;
    private final OvsdbListener listener;
    private final OnceLog troubles;
    private final Admission admission;
    private final OvsdbServerOptions options;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private final Map<String, Map<Ref, TableRow>> mirror = new HashMap<>();
    /** Bytes of the rows in the mirror. */
    private long mirrored;
    /** Whether a look at the mirror is in the queue. */
    private boolean refreshes;
    @SuppressWarnings("NullAway.Init") // with the schema
    private RowCodec codec;
    private @Nullable Map<String, PortState> reported;
    /** The name this connection is the session of, or null. */
    private @Nullable String name;
    private boolean gone;

    // With the first rows, before the listener is given the session.
    @SuppressWarnings("NullAway.Init")
    private volatile SpecApplier applier;
    @SuppressWarnings("NullAway.Init")
    private volatile AgentExchange agent;
    @SuppressWarnings("NullAway.Init")
    private volatile NodeAnnouncement announcement;
    private volatile Optional<RefusedPeer> refusal = Optional.empty();
    private volatile String bridgeName = NodeKeys.BRIDGE;

    NodeConnection(final PeerChannel channel, final ExecutorService thread, final Executor planner,
            final NodeRegistry claims, final OvsdbListener listener, final OnceLog troubles, final Admission admission,
            final OvsdbServerOptions options) {
        this.channel = channel;
        this.thread = thread;
        this.planner = planner;
        this.claims = claims;
        this.listener = listener;
        this.troubles = troubles;
        this.admission = admission;
        this.options = options;
    }

    /** Begins the conversation; on the event loop. */
    void start(final Duration handshakeTimeout) {
        channel.closed().thenAcceptAsync(this::end, thread);
        channel.schedule(handshakeTimeout, () -> {
            if (applier == null) {
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
            agent = new AgentExchange(channel, codec);
            applier = new SpecApplier(channel, codec, planner);
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

    /** The name this peer waits for may be free now, or what the listener thinks of it another; from any thread. */
    void reconsider() {
        execute(this::refresh);
    }

    /** Why the listener does not believe this peer; empty if it does, or was not asked. */
    Optional<RefusedPeer> refusal() {
        return refusal;
    }

    @Override
    public NodeAnnouncement announcement() {
        return announcement;
    }

    @Override
    public CompletableFuture<ApplyResult> apply(final BridgeSpec spec) {
        use(spec);
        return applier.apply(spec);
    }

    @Override
    public CompletableFuture<ApplyResult> change(final BridgeSpec before, final BridgeSpec after) {
        use(after);
        return applier.change(before, after);
    }

    @Override
    public CompletableFuture<NodeReport> report() {
        return applier.report(bridgeName);
    }

    @Override
    public CompletableFuture<List<PortStatistics>> portStatistics(final Optional<String> port) {
        final CompletableFuture<Set<String>> names = new CompletableFuture<>();
        channel.closed().thenAccept(why -> names.completeExceptionally(new OvsdbException("the node is gone: " + why)));
        execute(() -> names.complete(PortStates.of(new DatabaseView(mirror), bridgeName).keySet()));
        return names.thenCompose(known -> channel.transact(codec.schema(), codec.statistics(port))
            .thenApply(results -> {
                SpecApplier.checkAccepted(results);
                return PortStatistics.of(codec.view(INTERFACES, results).rows(OvsTables.INTERFACE), known);
            }));
    }

    @Override
    public CompletableFuture<String> trace(final String order, final Duration limit) {
        return agent.ask(bridgeName, order, limit);
    }

    @Override
    public CompletableFuture<Void> dropCachedFlows() {
        return agent.dropCachedFlows(bridgeName);
    }

    @Override
    public CompletableFuture<OrdersReport> carriedOut(final Duration limit) {
        return agent.carriedOut(bridgeName, limit);
    }

    private void use(final BridgeSpec spec) {
        if (!spec.bridgeName().equals(bridgeName)) {
            bridgeName = spec.bridgeName();
            execute(this::refresh);
        }
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
        final long more = codec.mirror(mirror, rows);
        mirrored += more;
        if (!admission.keep(channel.address(), more)) {
            gone = true;
            channel.close("has more rows than the nodes of one address may have");
        }
    }

    private void refresh() {
        // An update may come before the first rows, of a peer that does not keep to the protocol.
        if (!gone && applier != null) {
            evaluate();
            reportPorts();
        }
    }

    private void evaluate() {
        final NodeAnnouncement read;
        try {
            final TableRow root = new DatabaseView(mirror).root()
                .orElseThrow(() -> new OvsdbException("table Open_vSwitch is empty"));
            final Optional<TableRow> bridge = new DatabaseView(mirror).named(OvsTables.BRIDGE, bridgeName);
            read = AnnouncementReader.read(root).with(functions(bridge), FloodsReader.read(bridge),
                SpokenProtocol.of(root, bridge));
        } catch (OvsdbException e) {
            refusal = Optional.empty();
            leave();
            troubles.warn(channel.address(), "waits for its announcement: " + e.getMessage() + otherRelease());
            return;
        }
        final Optional<String> reason = listener.refuses(read.name(), channel.address());
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
            claim(read);
        } else if (!read.equals(announcement)) {
            announcement = read;
            warnOfProtocol();
            call("announcementChanged", () -> listener.announcementChanged(this));
        }
    }

    /** What makes no sense is as if it were not there: the node can do without. */
    private Optional<NodeFunctions> functions(final Optional<TableRow> bridge) {
        try {
            return FunctionsReader.read(bridge);
        } catch (OvsdbException e) {
            troubles.warn(channel.address(), String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private void claim(final NodeAnnouncement read) {
        final NodeConnection holder = claims.claim(read.name(), this);
        if (holder == this) {
            name = read.name();
            announcement = read;
            LOG.info("Node {} is connected from {}", name, channel.address());
            warnOfProtocol();
            call("nodeConnected", () -> listener.nodeConnected(this));
        } else {
            troubles.warn(channel.address(), "waits: node name " + read.name() + " is taken by a peer at "
                + holder.channel.address());
            // A node that was cut off and came back is not to wait until its old connection times out.
            holder.channel.probe(HOLDER_PROBE, "silent while another peer claims its name");
        }
    }

    /** What may be the reason why the announcement of a node cannot be read. */
    private String otherRelease() {
        return new DatabaseView(mirror).root().filter(AnnouncementReader::namesANode)
            .flatMap(root -> SpokenProtocol.of(root, Optional.empty()).difference()).map(text -> "; " + text)
            .orElse("");
    }

    /** A node of another release works as far as both sides mean the same, so it is not refused. */
    private void warnOfProtocol() {
        announcement.protocol().difference()
            .ifPresent(text -> troubles.warn(channel.address(), "node " + name + ": " + text));
    }

    private void reportPorts() {
        final String node = name;
        if (node == null) {
            return;
        }
        final Map<String, PortState> states = PortStates.of(new DatabaseView(mirror), bridgeName);
        if (!states.equals(reported)) {
            reported = states;
            call("portStatesChanged", () -> listener.portStatesChanged(node, states));
        }
    }

    private void leave() {
        final String node = name;
        if (node != null) {
            call("nodeDisconnected", () -> listener.nodeDisconnected(node));
            name = null;
            reported = null;
        }
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
        admission.keep(channel.address(), -mirrored);
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
