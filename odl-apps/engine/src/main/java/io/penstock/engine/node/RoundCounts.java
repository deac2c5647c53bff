// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.SerialTasks;
import io.penstock.engine.node.NodeCounts.Count;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.MeterCount;
import io.penstock.southbound.ovsdb.NodeReport;
import io.penstock.southbound.ovsdb.NodeSession;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Adds up in each round of the comparison what flows and meters have dropped, and at its end what the agent has written
 * of connections. For the tasks of one node; {@link #latest} is safe for all threads.
 */
final class RoundCounts {
    private static final Duration ANSWER = Duration.ofSeconds(5);
    /** Drops of a tenant there are packets from addresses that are not their senders'. */
    private static final Set<Table> GUARDS = Set.of(Table.ACCESS_GUARD, Table.ACCESS_LEARN, Table.ND_GUARD);

    private final Supplier<Optional<NodeSession>> session;
    private final SerialTasks tasks;
    private final BiConsumer<NodeCounts, NodeCounts> told;
    private Map<VrfId, Count> running = new HashMap<>();
    private Count shared = Count.NOTHING;
    private Map<FlowSpec.Key, Long> drops = new HashMap<>();
    /** Whether something was not read in this round. */
    private boolean lacking;
    private volatile NodeCounts latest = NodeCounts.NONE;
    private volatile NodeCounts former = NodeCounts.NONE;

    /**
     * Has counted nothing.
     *
     * @param session the node's database, while it is connected
     * @param told is told of each round, after the first one: the counts before, and those now
     */
    RoundCounts(final Supplier<Optional<NodeSession>> session, final SerialTasks tasks,
            final BiConsumer<NodeCounts, NodeCounts> told) {
        this.session = requireNonNull(session);
        this.tasks = requireNonNull(tasks);
        this.told = requireNonNull(told);
    }

    /** The counts of the last round. */
    NodeCounts latest() {
        return latest;
    }

    /** The counts of the round before the last one. */
    NodeCounts former() {
        return former;
    }

    /** A round begins. */
    void begin() {
        drops = new HashMap<>();
        running = new HashMap<>();
        shared = Count.NOTHING;
        lacking = false;
    }

    /** Something could not be read in this round, so it says nothing. */
    void lack() {
        lacking = true;
    }

    /** Flows of tables that were read. */
    void add(final List<InstalledFlow> flows) {
        for (final InstalledFlow installed : flows) {
            final FlowSpec flow = installed.flow();
            if (flow.isDrop() && installed.packets() > 0) {
                drops.put(flow.key(), installed.packets());
                final Optional<VrfId> tenant = Cookie.is(flow.cookie(), Cookie.Kind.TENANT)
                    ? Cookie.vrf(flow.cookie()) : Optional.empty();
                final Count count = new Count(installed.packets(),
                    tenant.isPresent() && GUARDS.contains(flow.table()) ? installed.packets() : 0, Map.of());
                tenant.ifPresentOrElse(vrf -> running.merge(vrf, count, Count::plus),
                    () -> shared = shared.plus(count));
            }
        }
    }

    /** What the meters have counted. */
    void addMeters(final List<MeterCount> meters) {
        final Map<VrfId, Map<TenantMeter, Long>> limited = new HashMap<>();
        meters.stream().filter(meter -> meter.packetsDropped() > 0).forEach(meter -> TenantMeter.of(meter.id())
            .ifPresent(kind -> TenantMeter.vrfOf(meter.id()).ifPresent(vrf -> limited.computeIfAbsent(vrf, key ->
                new EnumMap<>(TenantMeter.class)).put(kind, meter.packetsDropped()))));
        limited.forEach((vrf, kinds) -> running.merge(vrf, new Count(0, 0, kinds), Count::plus));
    }

    /** A round is over, in which everything was read. */
    void end() {
        if (lacking) {
            begin();
            return;
        }
        final Map<VrfId, Count> counts = running;
        final Count ofNode = shared;
        final Map<FlowSpec.Key, Long> ofFlows = drops;
        begin();
        session.get().map(there -> tasks.within(ANSWER, there.report()).thenApply(Optional::of))
            .orElse(CompletableFuture.completedFuture(Optional.empty()))
            .exceptionally(error -> Optional.empty())
            .thenAccept(report -> tasks.run(() -> {
                final NodeCounts before = latest;
                former = before;
                latest = new NodeCounts(counts, ofNode, report.map(NodeReport::zones).orElse(before.zones()), ofFlows);
                told.accept(before, latest);
            }));
    }
}
