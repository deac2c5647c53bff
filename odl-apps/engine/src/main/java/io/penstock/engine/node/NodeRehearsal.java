// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.SerialTasks;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.MeterDiff;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.plan.Planner;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Does with a node what its worker begins with: plans it, reads its switch, and compares. Changes nothing. For a member
 * that stands by.
 */
public final class NodeRehearsal {
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final OpenFlowSouthbound southbound;
    private final BridgeTranslator bridges;
    private final SerialTasks tasks;

    /**
     * Has done nothing yet.
     *
     * @param bridges writes bridges, which are then thrown away
     * @param tasks compare what was read
     */
    public NodeRehearsal(final OpenFlowSouthbound southbound, final BridgeTranslator bridges, final SerialTasks tasks) {
        this.southbound = requireNonNull(southbound);
        this.bridges = requireNonNull(bridges);
        this.tasks = requireNonNull(tasks);
    }

    /** How a switch compares with its plan. Fails when it is not connected, or does not answer for five seconds. */
    public CompletableFuture<Observation> observe(final Snapshot snapshot, final Allocations allocations,
            final String node) {
        final NodePlan plan = Planner.plan(snapshot, allocations, Set.of(), node);
        bridges.translate(plan, new AgentOrders());
        final SwitchId id = new SwitchId(allocations.datapathId(node));
        return tasks.within(ANSWER, southbound.readMeters(id)).thenCombine(
            tasks.within(ANSWER, southbound.readFlows(id)), (meters, dump) -> new Observation(plan, dump,
                MeterDiff.between(plan, meters),
                PlanDiff.between(plan, dump.flows().stream().map(InstalledFlow::flow).toList())));
    }
}
