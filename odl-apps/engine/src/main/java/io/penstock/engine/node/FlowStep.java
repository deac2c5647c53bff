// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings flows and meters of a node's switch to the newest plan while it is connected. The plan that the switch has is
 * remembered after each change, and read again after every connection and every failure. For the tasks of one node;
 * {@link #isOnline} is safe for all threads.
 */
final class FlowStep implements Step {
    private static final Logger LOG = LoggerFactory.getLogger(FlowStep.class);

    private final String node;
    private final NodePlanning planning;
    private final NodeFlows flows;
    private final DriftWatch drift;
    private final NodeEvents events;
    private final Ticker ticker;
    private volatile boolean online;
    private @Nullable NodePlan installed;
    private long connectedNanos;

    /** Of a node whose switch is not connected. */
    FlowStep(final String node, final NodePlanning planning, final NodeFlows flows, final DriftWatch drift,
            final NodeEvents events, final Ticker ticker) {
        this.node = requireNonNull(node);
        this.planning = requireNonNull(planning);
        this.flows = requireNonNull(flows);
        this.drift = requireNonNull(drift);
        this.events = requireNonNull(events);
        this.ticker = requireNonNull(ticker);
    }

    /** The switch is connected. */
    void connected() {
        online = true;
        connectedNanos = ticker.read();
        installed = null;
    }

    /** The switch is gone. */
    void disconnected() {
        online = false;
        installed = null;
    }

    /** Whether the switch can be used. */
    boolean isOnline() {
        return online;
    }

    /** Has the next step read all of the switch. */
    void forget() {
        installed = null;
    }

    /** Whether a switch is there of which nothing is known. */
    boolean isFirst() {
        return online && installed == null;
    }

    @Override
    public CompletableFuture<Outcome> to(final Desired state) {
        if (!online) {
            return CompletableFuture.completedFuture(Outcome.DONE);
        }
        final NodePlan planned = planning.latest().orElseThrow();
        if (installed == null) {
            return reconcile(state, planned).thenApply(changes -> {
                final Duration since = Duration.ofNanos(ticker.read() - connectedNanos);
                LOG.info("Node {}: in sync {} ms after its switch connected; {} flows planned, {} added, {} removed",
                    node, since.toMillis(), planned.size(), changes.add().size(),
                    changes.remove().size() + changes.removeForeign().size());
                if (flows.foundNothing()) {
                    events.switchStarted(node, since);
                }
                return Outcome.DONE;
            });
        }
        return flows.change(id(state), installed, planned).thenApply(changes -> {
            installed = planned;
            return flows.lingers() ? Outcome.doneAndAgain(Duration.ofMillis(Lingering.MILLIS)) : Outcome.DONE;
        });
    }

    /** Reads all of the switch and brings it to a plan. */
    CompletableFuture<FlowChanges> reconcile(final Desired state, final NodePlan planned) {
        // Should this fail, it is not known how far it came.
        installed = null;
        return flows.reconcile(id(state), planned).thenApply(changes -> {
            installed = planned;
            drift.compared();
            return changes;
        });
    }

    /** Compares the next tables of the switch with its plan, and repairs them if it is time. */
    CompletableFuture<Void> compareNext(final Desired state) {
        final NodePlan there = installed;
        if (!online || there == null) {
            return CompletableFuture.completedFuture(null);
        }
        return drift.next(id(state), there).thenCompose(isRepairDue -> isRepairDue
            ? drift.repair(id(state), there) : CompletableFuture.completedFuture(null));
    }

    /** Reads the switch and compares; changes nothing. Waits so long for each answer. */
    CompletableFuture<Observation> observe(final Desired state, final Duration limit) {
        return flows.observe(id(state), planning.preview(state), limit);
    }

    /** Has the switch forget once more what it forgot too early. */
    CompletableFuture<Void> forgetAgain(final Desired state) {
        return online ? flows.forgetAgain(id(state)) : CompletableFuture.completedFuture(null);
    }

    /** The switch of the node. */
    SwitchId id(final Desired state) {
        return new SwitchId(state.allocations().datapathId(node));
    }
}
