// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.base.tasks.Failures;
import io.penstock.base.tasks.SerialTasks;
import io.penstock.configuration.Desired;
import io.penstock.operations.Progress;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import io.penstock.southbound.ovsdb.NodeSession;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings one node to its plan and keeps it there. All work is done by tasks, one after the other; calls from other
 * threads only add one, and many calls for the same work are one task.
 */
public final class NodeWorker implements AutoCloseable {
    /** How often {@link #compareNext} is called in a round in which all of the switch is compared. */
    public static final int COMPARISON_STEPS = DriftWatch.STEPS;

    // Short: a switch that was cut off without a word counts as connected for a while, and people wait here.
    private static final Duration OBSERVE = Duration.ofSeconds(10);
    private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private final String name;
    private final Supplier<Desired> desired;
    private final OpenFlowSouthbound southbound;
    private final SerialTasks tasks;
    private final NodeNews news;
    private final PortStates ports;
    private final Floods floods;
    private final NodePlanning planning;
    private final NodeFlows flows;
    private final RoundCounts counts;
    private final DriftWatch drift;
    private final BridgeStep bridge;
    private final FlowStep switching;
    private final BackOff steps;
    private final Questions questions;
    private final Confirmed confirmed;
    private final RevisionProgress progress;
    private final AtomicBoolean marked = new AtomicBoolean();
    private final AtomicBoolean comparing = new AtomicBoolean();
    /** Whether more than the configuration may have changed since it was confirmed. For the tasks. */
    private boolean stale = true;

    /**
     * A worker for the node of this name; idle until told of something.
     *
     * @param tasks of this node alone; closed with the worker
     * @param healthy whether an instance of a function may have packets, by its name; must not block
     * @param events is told what happens to the node
     * @param ticker measures pauses
     * @param clock tells when the switch was compared and repaired
     */
    public NodeWorker(final String name, final Supplier<Desired> desired, final OpenFlowSouthbound southbound,
            final BridgeTranslator bridges, final SerialTasks tasks, final Predicate<String> healthy,
            final NodeEvents events, final Ticker ticker, final Clock clock) {
        this.name = requireNonNull(name);
        this.desired = requireNonNull(desired);
        this.southbound = requireNonNull(southbound);
        this.tasks = requireNonNull(tasks);
        news = new NodeNews(name, events);
        ports = new PortStates(ticker);
        floods = new Floods(name);
        planning = new NodePlanning(name, ports, healthy, floods::places, this::permitsFtp);
        bridge = new BridgeStep(name, planning, bridges, tasks, desired, this::used);
        flows = new NodeFlows(southbound, () -> bridge.session().map(NodeSession::dropCachedFlows), tasks,
            this::forgetAgain, ticker);
        counts = new RoundCounts(this::session, tasks, news::counted);
        drift = new DriftWatch(name, southbound, flows, counts, tasks, events::repaired, ticker, clock);
        switching = new FlowStep(name, planning, flows, drift, events, ticker);
        steps = new BackOff(name, bridge.then(new PortGrace(name, planning, ports, switching::isFirst, switching)),
            this::forget);
        confirmed = new Confirmed(switching::isOnline, flows::inForce);
        progress = new RevisionProgress(confirmed, tasks, this::mark, planning, bridge);
        questions = new Questions(name, tasks, () -> switching.isOnline() && isConfigured());
    }

    /** Says that the node's database is to be read again and put right where somebody else changed it. */
    public void audit() {
        tasks.run(() -> {
            bridge.forget();
            markStale();
        });
    }

    /** Has the next tables of the switch compared with its plan, and repaired if it is time. */
    public void compareNext() {
        if (comparing.compareAndSet(false, true)) {
            tasks.begin(() -> {
                comparing.set(false);
                return isConfigured() ? attempt(() -> switching.compareNext(desired.get()).thenRun(this::flushOwed))
                    .thenRun(() -> news.compared(drift())) : DONE;
            });
        }
    }

    /** Says that a state with this revision may differ for the node. */
    public void mark(final long revision) {
        confirmed.concerns(revision);
        mark();
    }

    private void mark() {
        if (marked.compareAndSet(false, true)) {
            tasks.begin(this::work);
        }
    }

    private void markStale() {
        stale = true;
        mark();
    }

    /** Says that the switch has to forget connections once it has the configuration, whenever that is. */
    public void forgetConnections(final Set<TrackedConnections> connections) {
        tasks.run(() -> {
            flows.forget(connections);
            markStale();
        });
    }

    private CompletableFuture<Void> forgetAgain() {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        tasks.begin(() -> attempt(() -> switching.forgetAgain(desired.get()).thenRun(this::flushOwed))
            .whenComplete((tried, error) -> done.complete(null)));
        // A worker that is closed meanwhile has thrown its tasks away.
        if (tasks.isClosed()) {
            done.complete(null);
        }
        return done;
    }

    private void flushOwed() {
        if (flows.owesFlushes()) {
            markStale();
        }
    }

    /** Carries out something of which a failure leaves the state of the node unknown. */
    private CompletableFuture<Void> attempt(final Supplier<CompletableFuture<Void>> work) {
        return Failures.caught(work).exceptionally(error -> {
            tasks.later(this::markStale, steps.failed(error));
            return null;
        });
    }

    /** The node's database is connected. */
    public void sessionOpened(final NodeSession opened) {
        tasks.run(() -> {
            bridge.opened(opened);
            floods.take(opened.announcement().floods(), desired.get().snapshot());
            news.changed();
            markStale();
        });
    }

    /** The node says something else about itself. */
    public void announcementChanged(final NodeSession changed) {
        tasks.run(() -> {
            if (floods.take(changed.announcement().floods(), desired.get().snapshot())) {
                markStale();
            }
            news.changed();
        });
    }

    /** The node's database is gone. */
    public void sessionClosed() {
        tasks.run(() -> {
            bridge.closed();
            news.changed();
        });
    }

    /** The node's switch is connected. */
    public void switchConnected() {
        tasks.run(() -> {
            switching.connected();
            ports.switchConnected();
            bridge.switchConnected();
            confirmed.forget();
            news.changed();
            markStale();
        });
    }

    /** The node's switch is gone. What it forwards meanwhile is not known. */
    public void switchDisconnected() {
        tasks.run(() -> {
            switching.disconnected();
            confirmed.forget();
            news.changed();
            confirmed.answer();
        });
    }

    /** A port of the switch is up or down; {@code null} when it is gone. */
    public void portChanged(final String id, final PortStates.@Nullable Port port) {
        tasks.run(() -> {
            if (ports.set(id, port)) {
                news.changed();
                markStale();
            }
        });
    }

    /** Ports that the switch could not open, by name, and why. */
    public void portErrors(final Map<String, String> errors) {
        tasks.run(() -> {
            if (ports.setErrors(errors)) {
                news.changed();
            }
        });
    }

    /** Says that instances of functions may have become healthy, or the other way. */
    public void healthChanged() {
        tasks.run(() -> {
            news.changed();
            markStale();
        });
    }

    /** Only now has the node ended the connections of members that may be masters no more. */
    private void used(final Desired state) {
        southbound.reconsider(switching.id(state));
    }

    /** Whether the node's database names the controllers of now alone. */
    public boolean isFenced() {
        return bridge.wasReached();
    }

    /** Whether the switch can be used. */
    public boolean isOnline() {
        return switching.isOnline();
    }

    /** Whether the switch has confirmed a state, or one that does not differ for this node, or a later one. */
    public boolean hasApplied(final Desired state) {
        return confirmed.has(state);
    }

    /**
     * How far the switch is with a revision of the configuration, as soon as that is final, or at the time limit. Does
     * not wait for the agent.
     */
    public CompletableFuture<Progress> applied(final long revision, final Duration limit) {
        return progress.applied(revision, limit);
    }

    /** The same, with what the agent of the node has to do for it. */
    public CompletableFuture<Progress> inForce(final long revision, final Duration limit) {
        return progress.inForce(revision, limit);
    }

    private boolean permitsFtp() {
        return bridge.permitsFtp();
    }

    /** Whether packets may have a network service header there, as far as the node has ever said. */
    public boolean carriesServiceHeader() {
        return bridge.carriesServiceHeader();
    }

    /** The node's database, while it is connected. */
    public Optional<NodeSession> session() {
        return bridge.session();
    }

    /** Datapath type of the bridge, once the node's database has it. */
    public Optional<String> datapathType() {
        return bridge.datapathType();
    }

    /** How the switch keeps to its plan, as far as it was compared. */
    public DriftReport drift() {
        return drift.report();
    }

    /** What flows and meters of the switch have dropped, and connections, as of the last round of the comparison. */
    public NodeCounts counts() {
        return counts.latest();
    }

    /** The same, as of the round before: what has grown since was dropped in the last one to two rounds. */
    public NodeCounts formerCounts() {
        return counts.former();
    }

    /** Whether frames from there flood the slow path of the switch, and are limited. */
    public boolean isFlooding(final AccessPlace place) {
        return floods.places().contains(place);
    }

    /** The newest plan, once there was one. */
    public Optional<NodePlan> plan() {
        return planning.latest();
    }

    /** Ports as the switch has reported them, by name. */
    public List<PortStates.Port> ports() {
        return isOnline() ? ports.all() : List.of();
    }

    /** Whether all these ports of functions are up. */
    public boolean isUp(final List<String> names) {
        return isOnline() && ports.areUp(names);
    }

    /** Reads the switch and compares; changes nothing. Fails when the switch is not there. */
    public CompletableFuture<Observation> observe() {
        return questions.ask(() -> switching.observe(desired.get(), OBSERVE));
    }

    /** Asks the switch a question that changes nothing. Fails when the switch is not there. */
    public <T> CompletableFuture<T> ask(
            final BiFunction<OpenFlowSouthbound, SwitchId, CompletableFuture<T>> question) {
        return questions.ask(() -> tasks.within(OBSERVE, question.apply(southbound, switching.id(desired.get()))));
    }

    /** Reads the switch and repairs all that differs. Fails when the switch is not there. */
    public CompletableFuture<FlowChanges> resync() {
        return questions.ask(() -> {
            bridge.forget();
            final Desired state = desired.get();
            return bridge.to(state).thenCompose(done -> switching.reconcile(state, planning.plan(state)))
                .thenApply(changes -> {
                    finish(state);
                    return changes;
                });
        });
    }

    @Override
    public void close() {
        tasks.close();
        confirmed.close();
        questions.close();
    }

    private boolean isConfigured() {
        return desired.get().snapshot().nodes().containsKey(name);
    }

    private CompletableFuture<Void> work() {
        marked.set(false);
        final Desired state = desired.get();
        if (!state.snapshot().nodes().containsKey(name)) {
            return DONE;
        }
        if (!stale && confirmed.isLike(state)) {
            confirm(state);
            return DONE;
        }
        stale = false;
        return steps.to(state).thenAccept(outcome -> {
            outcome.again().ifPresent(pause -> tasks.later(this::markStale, pause));
            if (outcome.isDone() && isOnline()) {
                finish(state);
            }
        });
    }

    /** Confirms once the switch has forgotten what it should; newer states come in between. */
    private void finish(final Desired state) {
        if (flows.owesFlushes()) {
            markStale();
        } else {
            confirm(state);
        }
    }

    private void confirm(final Desired state) {
        confirmed.set(state);
        news.confirmed(plan());
    }

    /** Nothing is known of the node from now on. */
    private void forget() {
        bridge.forget();
        switching.forget();
        confirmed.forget();
        news.changed();
    }
}
