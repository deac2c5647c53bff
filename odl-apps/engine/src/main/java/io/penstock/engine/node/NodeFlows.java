// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Brings the flows of a switch to a plan, and what goes with them: meters, which no bundle carries, so those that flows
 * name are there before the flows, and leave after them. Each call blocks until the switch has answered, a
 * minute a message at most. For the thread of one worker.
 */
final class NodeFlows {
    private static final long ANSWER_SECONDS = 60;
    /** For each of them the switch looks at all of its connections, and does nothing else meanwhile. */
    private static final int FLUSHED_AT_ONCE = 8;
    /** How long a change flushes before others get their turn. */
    private static final long FLUSH_MILLIS = 1_000;

    private final OpenFlowSouthbound southbound;
    /** Connections whose flows have changed and which the switch may still have. */
    private final OwedFlushes owed = new OwedFlushes();
    /** Those that it has forgotten while cached flows of before could still begin them again. */
    private final Set<TrackedConnections> again = new LinkedHashSet<>();
    private final CachedFlows cached;
    private final Supplier<CompletableFuture<Void>> forgetAgain;
    private volatile CompletableFuture<Void> inForce = CompletableFuture.completedFuture(null);
    private final Lingering lingering;
    private final Ticker ticker;
    private boolean foundNothing;

    /**
     * Has changed nothing yet.
     *
     * @param dropCached has the node throw cached flows away, while somebody there can be told
     * @param forgetAgain has the thread of the worker call {@link #forgetAgain}, and says when that is done
     */
    NodeFlows(final OpenFlowSouthbound southbound, final Supplier<Optional<CompletableFuture<Void>>> dropCached,
            final Supplier<CompletableFuture<Void>> forgetAgain, final Ticker ticker) {
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

    /** Reads all of a switch and compares; changes nothing. Waits so many seconds for each answer. */
    Observation observe(final SwitchId id, final NodePlan planned, final long seconds)
            throws InterruptedException, ExecutionException, TimeoutException {
        final CompletableFuture<FlowDump> reading = southbound.readFlows(id);
        final MeterDiff meters =
            MeterDiff.between(planned, southbound.readMeters(id).get(seconds, TimeUnit.SECONDS));
        final FlowDump dump = reading.get(seconds, TimeUnit.SECONDS);
        return new Observation(planned, dump, meters, lingering.hide(
            PlanDiff.between(planned, dump.flows().stream().map(InstalledFlow::flow).toList())));
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
    void forgetAgain(final SwitchId id) throws InterruptedException, ExecutionException, TimeoutException {
        if (!cached.pending()) {
            owed.add(again);
            again.clear();
            flush(id);
        }
    }

    /** From the plan that the switch has to another: costs as much as differs. */
    FlowChanges change(final SwitchId id, final NodePlan installed, final NodePlan planned)
            throws InterruptedException, ExecutionException, TimeoutException {
        final Set<Integer> gone = new HashSet<>(installed.vrfs());
        gone.removeAll(planned.vrfs());
        final Set<Integer> fresh = new HashSet<>(planned.vrfs());
        fresh.removeAll(installed.vrfs());
        forget(ConntrackZones.ofKept(installed, gone));
        final PlanDiff diff = PlanDiff.between(planned, installed);
        cached.doubt(diff, fresh);
        final MeterDiff meters = MeterDiff.between(planned, installed);
        setMeters(id, meters);
        final FlowChanges changes = send(id, planned, lingering.apply(diff, planned), gone, List.of());
        deleteMeters(id, meters);
        return changes;
    }

    /** From whatever the switch has to a plan: reads all of it. */
    FlowChanges reconcile(final SwitchId id, final NodePlan planned)
            throws InterruptedException, ExecutionException, TimeoutException {
        lingering.forget();
        final Observation seen = observe(id, planned, ANSWER_SECONDS);
        foundNothing = seen.dump().flows().isEmpty();
        return repair(id, planned, seen);
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
    FlowChanges repair(final SwitchId id, final NodePlan planned, final Observation seen)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (owed.found(seen.dump())) {
            // What came after the flush of that change was not done either.
            cached.doubt();
        }
        owed.add(ConntrackZones.ofCutBlocks(planned, seen.diff()));
        cached.doubt(seen.diff(), Set.of());
        cached.doubt(seen.dump().foreign());
        setMeters(id, seen.meters());
        final FlowChanges changes = send(id, planned, seen.diff(), Set.of(), seen.dump().foreign());
        deleteMeters(id, seen.meters());
        return changes;
    }

    /** What is seen on the switch, without the flows that are to stay for now. */
    PlanDiff hideLingering(final PlanDiff seen) {
        return lingering.hide(seen);
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
        // Flows that were kept for a tenant are in no difference of plans.
        final Set<Integer> flushed = new HashSet<>(gone);
        flushed.addAll(ConntrackZones.toFlush(planned, diff));
        final Set<Long> cookies = Removal.cookies(diff, gone, flushed);
        final FlowChanges changes = new FlowChanges(cookies, Removal.keys(diff, cookies), foreign, diff.toAdd());
        owed.add(Stream.of(flushed, ConntrackZones.ofLists(diff), ConntrackZones.ofChains(planned, flushed))
            .flatMap(Set::stream).map(TrackedConnections::ofZone).toList());
        // Should the connection or the controller end before the switch has forgotten them, it still tells which.
        final FlowChanges sent = new FlowChanges(cookies, changes.remove(), foreign,
            Stream.concat(owed.unwritten().stream(), diff.toAdd().stream()).toList());
        if (sent.size() > 0) {
            southbound.apply(id, sent).get(ANSWER_SECONDS, TimeUnit.SECONDS);
            owed.wrote();
        }
        final CompletableFuture<Void> before = cached.dropped();
        cached.drop();
        flush(id);
        if (cached.dropped() != before) {
            inForce = again.isEmpty() ? cached.dropped() : cached.dropped().thenCompose(done -> forgetAgain.get());
        }
        return changes;
    }

    private void flush(final SwitchId id) throws InterruptedException, ExecutionException, TimeoutException {
        final long begun = ticker.read();
        while (!owed.isEmpty() && ticker.read() - begun < TimeUnit.MILLISECONDS.toNanos(FLUSH_MILLIS)) {
            final Set<TrackedConnections> some = owed.some(FLUSHED_AT_ONCE);
            final boolean early = cached.pending();
            // Still owed in the switch then, should the controller end before it is done again.
            southbound.flush(id, some, early ? List.of() : OwedFlushes.keys(some))
                .get(ANSWER_SECONDS, TimeUnit.SECONDS);
            owed.done(some);
            if (early) {
                again.addAll(some);
            }
        }
    }
}
