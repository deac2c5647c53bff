// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.base.tasks.SerialTasks;
import io.penstock.pipeline.plan.MeterDiff;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.ForeignFlow;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Brings the flows of a switch to a plan, and what goes with them: meters, which no bundle carries, so those that flows
 * name are there before the flows, and leave after them. A call is complete when the switch has answered, a minute a
 * message at most. For the tasks of one node, which go on after it.
 */
final class NodeFlows {
    private static final Duration ANSWER = Duration.ofMinutes(1);
    /** For each of them the switch looks at all of its connections, and does nothing else meanwhile. */
    private static final int FLUSHED_AT_ONCE = 8;
    /** How long a change flushes before others get their turn. */
    private static final Duration FLUSH = Duration.ofSeconds(1);
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final OpenFlowSouthbound southbound;
    /** Connections whose flows have changed and which the switch may still have. */
    private final OwedFlushes owed = new OwedFlushes();
    /** Those that it has forgotten while cached flows of before could still begin them again. */
    private final Set<TrackedConnections> again = new LinkedHashSet<>();
    private final CachedFlows cached;
    private final SerialTasks tasks;
    private final Supplier<CompletableFuture<Void>> forgetAgain;
    private volatile CompletableFuture<Void> inForce = CompletableFuture.completedFuture(null);
    private final Lingering lingering;
    private final Ticker ticker;
    private boolean foundNothing;

    /**
     * Has changed nothing yet.
     *
     * @param dropCached has the node throw cached flows away, while somebody there can be told
     * @param tasks those of the node
     * @param forgetAgain has a task of the node call {@link #forgetAgain}, and says when that is done
     */
    NodeFlows(final OpenFlowSouthbound southbound, final Supplier<Optional<CompletableFuture<Void>>> dropCached,
            final SerialTasks tasks, final Supplier<CompletableFuture<Void>> forgetAgain, final Ticker ticker) {
        this.tasks = requireNonNull(tasks);
        this.forgetAgain = requireNonNull(forgetAgain);
        this.ticker = requireNonNull(ticker);
        lingering = new Lingering(ticker);
        this.southbound = requireNonNull(southbound);
        cached = new CachedFlows(dropCached);
    }

    /** Adds what the switch has to forget with the next change, which need not have flows. */
    void forget(final Set<TrackedConnections> connections) {
        owed.add(connections);
    }

    /** Reads all of a switch and compares; changes nothing. Waits so long for each answer. */
    CompletableFuture<Observation> observe(final SwitchId id, final NodePlan planned, final Duration limit) {
        final CompletableFuture<FlowDump> reading = tasks.within(limit, southbound.readFlows(id));
        return tasks.within(limit, southbound.readMeters(id)).thenCombine(reading, (meters, dump) ->
            new Observation(planned, dump, MeterDiff.between(planned, meters), lingering.hide(
                PlanDiff.between(planned, dump.flows().stream().map(InstalledFlow::flow).toList()))));
    }

    /** Whether flows are there whose time will be up, {@link Lingering#MILLIS} after the last change at the latest. */
    boolean lingers() {
        return !lingering.isEmpty();
    }

    /** Whether the switch has connections to forget that the last change had no time for: the next one goes on. */
    boolean owesFlushes() {
        return !owed.isEmpty();
    }

    /**
     * Done when packets go the ways of the last change, whatever was cached or tracked before, or when the node does
     * not tell.
     */
    CompletableFuture<Void> inForce() {
        return inForce;
    }

    /**
     * Has the switch forget once more what it forgot before its cached flows were dropped: until then a packet could
     * begin a connection with the addresses of before, and keep it for as long as others follow.
     */
    CompletableFuture<Void> forgetAgain(final SwitchId id) {
        if (cached.pending()) {
            return DONE;
        }
        owed.add(again);
        again.clear();
        return flush(id);
    }

    /** From the plan that the switch has to another: costs as much as differs. */
    CompletableFuture<FlowChanges> change(final SwitchId id, final NodePlan installed, final NodePlan planned) {
        final Set<VrfId> gone = installed.vrfsNotIn(planned);
        final Set<VrfId> fresh = planned.vrfsNotIn(installed);
        forget(ConntrackZones.ofKept(installed, gone));
        final PlanDiff diff = PlanDiff.between(planned, installed);
        cached.doubt(diff, fresh);
        final MeterDiff meters = MeterDiff.between(planned, installed);
        return setMeters(id, meters)
            .thenCompose(set -> send(id, planned, lingering.apply(diff, planned), gone, List.of()))
            .thenCompose(changes -> deleteMeters(id, meters).thenApply(deleted -> changes));
    }

    /** From whatever the switch has to a plan: reads all of it. */
    CompletableFuture<FlowChanges> reconcile(final SwitchId id, final NodePlan planned) {
        lingering.forget();
        return observe(id, planned, ANSWER).thenCompose(seen -> {
            foundNothing = seen.dump().flows().isEmpty();
            return repair(id, planned, seen);
        });
    }

    /** Whether the switch had no flow of ours before the last {@link #reconcile}: it was started a moment ago. */
    boolean foundNothing() {
        return foundNothing;
    }

    /**
     * From what was just seen on a switch to its plan. Flows that stay for a moment after the last change still do.
     *
     * @param seen nothing was sent to the switch since
     */
    CompletableFuture<FlowChanges> repair(final SwitchId id, final NodePlan planned, final Observation seen) {
        if (owed.found(seen.dump())) {
            // What came after the flush of that change was not done either.
            cached.doubt();
        }
        owed.add(ConntrackZones.ofCutBlocks(planned, seen.diff()));
        cached.doubt(seen.diff(), Set.of());
        cached.doubt(seen.dump().foreign());
        return setMeters(id, seen.meters())
            .thenCompose(set -> send(id, planned, seen.diff(), Set.of(), seen.dump().foreign()))
            .thenCompose(changes -> deleteMeters(id, seen.meters()).thenApply(deleted -> changes));
    }

    /** What is seen on the switch, without the flows that are to stay for now. */
    PlanDiff hideLingering(final PlanDiff seen) {
        return lingering.hide(seen);
    }

    private CompletableFuture<Void> setMeters(final SwitchId id, final MeterDiff diff) {
        return diff.toSet().isEmpty() ? DONE : tasks.within(ANSWER, southbound.setMeters(id, diff.toSet()));
    }

    private CompletableFuture<Void> deleteMeters(final SwitchId id, final MeterDiff diff) {
        return diff.excess().isEmpty() ? DONE : tasks.within(ANSWER, southbound.deleteMeters(id, diff.excess()));
    }

    private CompletableFuture<FlowChanges> send(final SwitchId id, final NodePlan planned, final PlanDiff diff,
            final Set<VrfId> gone, final List<ForeignFlow> foreign) {
        // Flows that were kept for a tenant are in no difference of plans.
        final Set<VrfId> flushed = new HashSet<>(gone);
        flushed.addAll(ConntrackZones.toFlush(planned, diff));
        final Set<Long> cookies = Removal.cookies(diff, gone, flushed);
        final FlowChanges changes = new FlowChanges(cookies, Removal.keys(diff, cookies), foreign, diff.toAdd());
        owed.add(Stream.of(flushed.stream().map(VrfId::natZone), ConntrackZones.ofLists(diff).stream(),
            ConntrackZones.ofChains(planned, flushed).stream()).flatMap(zones -> zones)
            .map(TrackedConnections::ofZone).toList());
        // Should the connection or the controller end before the switch has forgotten them, it still tells which.
        final FlowChanges sent = new FlowChanges(cookies, changes.remove(), foreign,
            Stream.concat(owed.unwritten().stream(), diff.toAdd().stream()).toList());
        return (sent.size() == 0 ? DONE : tasks.within(ANSWER, southbound.apply(id, sent)).thenRun(owed::wrote))
            .thenCompose(applied -> dropAndFlush(id)).thenApply(done -> changes);
    }

    private CompletableFuture<Void> dropAndFlush(final SwitchId id) {
        final CompletableFuture<Void> before = cached.dropped();
        cached.drop();
        return flush(id).thenRun(() -> {
            if (cached.dropped() != before) {
                inForce = again.isEmpty() ? cached.dropped()
                    : cached.dropped().thenCompose(done -> forgetAgain.get());
            }
        });
    }

    private CompletableFuture<Void> flush(final SwitchId id) {
        return flushUntil(id, ticker.read() + FLUSH.toNanos());
    }

    private CompletableFuture<Void> flushUntil(final SwitchId id, final long end) {
        if (owed.isEmpty() || ticker.read() - end >= 0) {
            return DONE;
        }
        final Set<TrackedConnections> some = owed.some(FLUSHED_AT_ONCE);
        final boolean early = cached.pending();
        // Still owed in the switch then, should the controller end before it is done again.
        return tasks.within(ANSWER, southbound.flush(id, some, early ? List.of() : OwedFlushes.keys(some)))
            .thenCompose(flushed -> {
                owed.done(some);
                if (early) {
                    again.addAll(some);
                }
                return flushUntil(id, end);
            });
    }
}
