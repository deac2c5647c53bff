// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeCounts;
import io.penstock.events.OperatorEvent;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Packets that flows and meters of switches have dropped, by node, tenant and reason, since this engine began. A flow
 * counts from 0 when it is added again; these sums go on. Safe for all threads; never blocks.
 */
final class Drops {
    /** The value of the label tenant for flows that tenants share. */
    static final String SHARED = "";
    private static final String GONE = "a flow that is planned no more";

    private final Map<Drop, Long> packets = new HashMap<>();

    /** What was dropped, where, and why. */
    record Drop(String node, String tenant, String reason) { }

    /** The sums now, without those of tenants that are gone. */
    synchronized Map<Drop, Long> all(final Set<String> tenants) {
        packets.keySet().removeIf(drop -> !drop.tenant().equals(SHARED) && !tenants.contains(drop.tenant()));
        return Map.copyOf(packets);
    }

    /** Forgets all, for an engine that begins. */
    synchronized void clear() {
        packets.clear();
    }

    /**
     * Adds what was dropped between two readings of a node. The first one says nothing of a time.
     *
     * @param plan of the node, if it has one
     */
    @SuppressWarnings("ReferenceEquality") // NONE is of a node that was not read; one that dropped nothing is equal
    void counted(final String node, final NodeCounts before, final NodeCounts now, final Optional<NodePlan> plan,
            final Desired desired) {
        if (before == NodeCounts.NONE) {
            return;
        }
        final Map<Drop, Long> more = new HashMap<>();
        final Map<FlowSpec.Key, Long> flows = new HashMap<>();
        now.drops().forEach((key, count) -> add(flows, key, since(before.drops().getOrDefault(key, 0L), count)));
        if (!flows.isEmpty()) {
            final Map<FlowSpec.Key, PlannedFlow> planned = plan.map(NodePlan::flows).orElse(Map.of());
            flows.forEach((key, count) -> {
                final Optional<PlannedFlow> flow = Optional.ofNullable(planned.get(key));
                add(more, new Drop(node, flow.map(each -> tenant(desired, node, each)).orElse(SHARED),
                    flow.map(PlannedFlow::label).orElse(GONE)), count);
            });
        }
        now.counts().forEach((vrf, count) -> desired.tenant(node, vrf).map(Tenant::name).ifPresent(tenant ->
            count.limited().forEach((meter, total) -> add(more, new Drop(node, tenant, "limit " + OperatorEvent.word(
                meter)), since(before.of(vrf).limited().getOrDefault(meter, 0L), total)))));
        synchronized (this) {
            more.forEach((drop, count) -> packets.merge(drop, count, Long::sum));
        }
    }

    private static <T> void add(final Map<T, Long> sums, final T key, final long count) {
        if (count > 0) {
            sums.merge(requireNonNull(key), count, Long::sum);
        }
    }

    /** What came after a reading; everything where it was counted anew. */
    private static long since(final long before, final long now) {
        return now < before ? now : now - before;
    }

    private static String tenant(final Desired desired, final String node, final PlannedFlow flow) {
        final Optional<VrfId> vrf = Cookie.is(flow.flow().cookie(), Cookie.Kind.TENANT)
            ? Cookie.vrf(flow.flow().cookie()) : Optional.empty();
        return vrf.flatMap(each -> desired.tenant(node, each)).map(Tenant::name).orElse(SHARED);
    }
}
