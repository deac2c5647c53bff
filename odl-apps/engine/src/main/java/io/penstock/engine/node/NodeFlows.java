// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.plan.MeterDiff;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.ForeignFlow;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Brings the flows of a switch to a plan, and what goes with them: meters, which no bundle carries, so those that flows
 * name are there before the flows, and leave after them. Each call blocks until the switch has answered, a
 * minute a message at most. For the thread of one worker.
 */
final class NodeFlows {
    private static final long ANSWER_SECONDS = 60;

    private final OpenFlowSouthbound southbound;
    /** Connections whose flows have changed and which the switch may still have. */
    private final Set<TrackedConnections> unflushed = new HashSet<>();

    NodeFlows(final OpenFlowSouthbound southbound) {
        this.southbound = requireNonNull(southbound);
    }

    /** Adds what the switch has to forget with the next change, which need not have flows. */
    void forget(final Set<TrackedConnections> connections) {
        unflushed.addAll(connections);
    }

    /** Reads all of a switch and compares; changes nothing. Waits so many seconds for each answer. */
    Observation observe(final SwitchId id, final NodePlan planned, final long seconds)
            throws InterruptedException, ExecutionException, TimeoutException {
        final CompletableFuture<FlowDump> reading = southbound.readFlows(id);
        final MeterDiff meters =
            MeterDiff.between(planned, southbound.readMeters(id).get(seconds, TimeUnit.SECONDS));
        final FlowDump dump = reading.get(seconds, TimeUnit.SECONDS);
        return new Observation(planned, dump, meters,
            PlanDiff.between(planned, dump.flows().stream().map(InstalledFlow::flow).toList()));
    }

    /** From the plan that the switch has to another: costs as much as differs. */
    FlowChanges change(final SwitchId id, final NodePlan installed, final NodePlan planned)
            throws InterruptedException, ExecutionException, TimeoutException {
        final Set<Integer> gone = new HashSet<>(installed.vrfs());
        gone.removeAll(planned.vrfs());
        final MeterDiff meters = MeterDiff.between(planned, installed);
        setMeters(id, meters);
        final FlowChanges changes = send(id, planned, PlanDiff.between(planned, installed), gone, List.of());
        deleteMeters(id, meters);
        return changes;
    }

    /** From whatever the switch has to a plan: reads all of it. */
    FlowChanges reconcile(final SwitchId id, final NodePlan planned)
            throws InterruptedException, ExecutionException, TimeoutException {
        final Observation seen = observe(id, planned, ANSWER_SECONDS);
        setMeters(id, seen.meters());
        final FlowChanges changes = send(id, planned, seen.diff(), Set.of(), seen.dump().foreign());
        deleteMeters(id, seen.meters());
        return changes;
    }

    private void setMeters(final SwitchId id, final MeterDiff diff)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!diff.toSet().isEmpty()) {
            southbound.setMeters(id, diff.toSet()).get(ANSWER_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void deleteMeters(final SwitchId id, final MeterDiff diff)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!diff.excess().isEmpty()) {
            southbound.deleteMeters(id, diff.excess()).get(ANSWER_SECONDS, TimeUnit.SECONDS);
        }
    }

    private FlowChanges send(final SwitchId id, final NodePlan planned, final PlanDiff diff,
            final Set<Integer> gone, final List<ForeignFlow> foreign)
            throws InterruptedException, ExecutionException, TimeoutException {
        final Set<Integer> flushed = ConntrackZones.toFlush(planned, diff);
        final Set<Long> cookies = Removal.cookies(diff, gone, flushed);
        final FlowChanges changes = new FlowChanges(cookies, Removal.keys(diff, cookies), foreign, diff.toAdd());
        // Should the connection end between the two, the flows tell nothing any more.
        Stream.of(flushed, ConntrackZones.ofLists(diff), ConntrackZones.ofChains(planned, flushed)).flatMap(Set::stream)
            .forEach(zone -> unflushed.add(TrackedConnections.ofZone(zone)));
        if (changes.size() > 0) {
            southbound.apply(id, changes).get(ANSWER_SECONDS, TimeUnit.SECONDS);
        }
        if (!unflushed.isEmpty()) {
            southbound.flush(id, Set.copyOf(unflushed)).get(ANSWER_SECONDS, TimeUnit.SECONDS);
            unflushed.clear();
        }
        return changes;
    }
}
