// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** What can be ordered and asked of a connected node. Safe for all threads. */
final class ConnectedSession implements NodeSession {
    private static final List<String> INTERFACES = List.of(OvsTables.INTERFACE);

    private final PeerChannel channel;
    private final RowCodec codec;
    private final SpecApplier applier;
    private final AgentExchange agent;
    private final Runnable otherBridge;
    private final Supplier<CompletableFuture<Set<String>>> ports;
    @SuppressWarnings("NullAway.Init") // before a listener is given the session
    private volatile NodeAnnouncement announcement;
    private volatile String bridgeName = NodeKeys.BRIDGE;

    /**
     * A session without an announcement.
     *
     * @param planner runs comparisons, which would delay other nodes on the event loop
     * @param otherBridge called when another bridge is ordered than before
     * @param ports names of the ports of the bridge
     */
    ConnectedSession(final PeerChannel channel, final RowCodec codec, final Executor planner,
            final Runnable otherBridge, final Supplier<CompletableFuture<Set<String>>> ports) {
        this.channel = requireNonNull(channel);
        this.codec = requireNonNull(codec);
        this.otherBridge = requireNonNull(otherBridge);
        this.ports = requireNonNull(ports);
        applier = new SpecApplier(channel, codec, planner);
        agent = new AgentExchange(channel, codec);
    }

    /** The bridge of the node. */
    String bridgeName() {
        return bridgeName;
    }

    /** Takes what the node announces now. */
    void announced(final NodeAnnouncement now) {
        announcement = now;
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
    public CompletableFuture<Optional<ZoneReport>> report(final int zone) {
        return applier.report(zone);
    }

    @Override
    public CompletableFuture<List<PortStatistics>> portStatistics(final Optional<String> port) {
        return ports.get().thenCompose(known -> channel.transact(codec.schema(), codec.statistics(port))
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
            otherBridge.run();
        }
    }
}
