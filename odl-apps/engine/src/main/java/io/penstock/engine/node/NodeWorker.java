// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.engine.api.Operations.Progress;
import io.penstock.engine.config.Desired;
import io.penstock.engine.task.TaskThread;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Constants;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.MeterCount;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import io.penstock.southbound.ovsdb.BridgeSpec;
import io.penstock.southbound.ovsdb.NodeSession;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings one node to its plan and keeps it there. Everything runs on the worker's own thread; other threads only mark
 * work or ask for it. What the switch has is remembered after each change, and read again after every connection and
 * every failure.
 */
public final class NodeWorker implements AutoCloseable {
    /** How often {@link #compareNext} is called in a round in which all of the switch is compared. */
    public static final int COMPARISON_STEPS = DriftWatch.STEPS;

    private static final Logger LOG = LoggerFactory.getLogger(NodeWorker.class);
    private static final long ANSWER_SECONDS = 60;
    private static final long OBSERVE_SECONDS = 10;
    private static final long FIRST_RETRY_MILLIS = 500;
    private static final long LAST_RETRY_MILLIS = 15_000;
    private static final long PORTS_POLL_MILLIS = 50;
    private static final long RECONNECT_MILLIS = 500;
    /** Nothing listens there. */
    private static final String NO_CONTROLLER = "tcp:127.0.0.1:1";

    private final String name;
    private final Supplier<Desired> desired;
    private final OpenFlowSouthbound southbound;
    private final NodeFlows flows;
    private final DriftWatch drift;
    private final BridgeTranslator bridges;
    private final Predicate<String> healthy;
    private final FreshSwitch fresh;
    private final AgentOrders orders = new AgentOrders();
    private final PortStates ports = new PortStates();
    private final Floods floods;
    private final TaskThread thread;
    private final AtomicBoolean marked = new AtomicBoolean();
    private final AtomicBoolean comparing = new AtomicBoolean();
    private final Waiters waiters = new Waiters();
    private final Set<CompletableFuture<?>> asked = ConcurrentHashMap.newKeySet();
    private final OrdersInForce inForce = new OrdersInForce(this::session, this::tenant);
    // The rest belongs to the worker's thread, but for what is volatile.
    private volatile @Nullable NodeSession session;
    private volatile boolean online;
    private volatile @Nullable Desired applied;
    private volatile @Nullable NodePlan plan;
    private volatile @Nullable BridgeSpec appliedBridge;
    private final Planner planner = new Planner();
    private @Nullable NodePlan installed;
    /** Whether more than the configuration may have changed since it was applied. */
    private boolean stale = true;
    private long connectedNanos;
    private long retryMillis = FIRST_RETRY_MILLIS;

    /**
     * A worker for the node of this name; idle until told of something.
     *
     * @param healthy whether an instance of a function may have packets, by its name; must not block
     * @param repairs is told of repairs of the switch; must not block
     * @param fresh is told of a switch that was started and has the flows now; must not block
     * @param clock tells when the switch was compared and repaired
     */
    public NodeWorker(final String name, final Supplier<Desired> desired, final OpenFlowSouthbound southbound,
            final BridgeTranslator bridges, final Predicate<String> healthy, final Consumer<RepairEvent> repairs,
            final FreshSwitch fresh, final Clock clock) {
        this(name, desired, southbound, bridges, healthy, repairs, fresh, Ticker.systemTicker(), clock);
    }

    NodeWorker(final String name, final Supplier<Desired> desired, final OpenFlowSouthbound southbound,
            final BridgeTranslator bridges, final Predicate<String> healthy, final Consumer<RepairEvent> repairs,
            final FreshSwitch fresh, final Ticker ticker, final Clock clock) {
        this.fresh = requireNonNull(fresh);
        this.healthy = requireNonNull(healthy);
        this.name = requireNonNull(name);
        this.desired = requireNonNull(desired);
        this.southbound = requireNonNull(southbound);
        flows = new NodeFlows(southbound, () -> session().map(NodeSession::dropCachedFlows), this::forgetAgain, ticker);
        drift = new DriftWatch(name, southbound, flows, repairs, ticker, clock);
        this.bridges = requireNonNull(bridges);
        floods = new Floods(name);
        thread = new TaskThread("penstock-node-" + name);
    }

    /** Says that the node's database is to be read again and put right where somebody else changed it. */
    public void audit() {
        thread.run(() -> {
            appliedBridge = null;
            markStale();
        });
    }

    /** Has the next tables of the switch compared with its plan, and repaired if it is time. */
    public void compareNext() {
        if (comparing.compareAndSet(false, true)) {
            thread.run(this::compare);
        }
    }

    /** Says that the configuration may have changed. */
    public void mark() {
        if (marked.compareAndSet(false, true)) {
            thread.run(this::work);
        }
    }

    private void markStale() {
        stale = true;
        mark();
    }

    /** Says that the switch has to forget connections once it has the configuration, whenever that is. */
    public void forgetConnections(final Set<TrackedConnections> connections) {
        thread.run(() -> {
            flows.forget(connections);
            markStale();
        });
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private CompletableFuture<Void> forgetAgain() {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        thread.run(() -> {
            try {
                if (online) {
                    flows.forgetAgain(id());
                    if (flows.owesFlushes()) {
                        markStale();
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException | RuntimeException e) {
                tryAgain(e instanceof ExecutionException ? e.getCause() : e);
            }
            done.complete(null);
        });
        // A worker that is closed meanwhile has thrown its tasks away.
        if (thread.isClosed()) {
            done.complete(null);
        }
        return done;
    }

    /** The node's database is connected. */
    public void sessionOpened(final NodeSession opened) {
        thread.run(() -> {
            session = opened;
            appliedBridge = null;
            inForce.unwritten();
            inForce.again();
            floods.take(opened.announcement().floods(), desired.get().snapshot());
            markStale();
        });
    }

    /** The node says something else about itself. */
    public void announcementChanged(final NodeSession changed) {
        thread.run(() -> {
            if (floods.take(changed.announcement().floods(), desired.get().snapshot())) {
                markStale();
            }
        });
    }

    /** The node's database is gone. */
    public void sessionClosed() {
        thread.run(() -> {
            session = null;
            appliedBridge = null;
            inForce.unwritten();
        });
    }

    /** The node's switch is connected. */
    public void switchConnected() {
        thread.run(() -> {
            online = true;
            connectedNanos = System.nanoTime();
            ports.switchConnected();
            inForce.again();
            forget();
            markStale();
        });
    }

    /** Has the switch, if it is not there, connect again: it may wait for OpenFlowPlugin, which does not serve it. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    public void reconnect() {
        thread.run(() -> {
            final NodeSession current = session;
            final BridgeSpec there = appliedBridge;
            if (online || current == null || there == null) {
                return;
            }
            try {
                // Open vSwitch ends a connection when its target changes. It has to see this one before the next.
                current.apply(there.withControllerTarget(NO_CONTROLLER)).get(ANSWER_SECONDS, TimeUnit.SECONDS);
                appliedBridge = null;
                later(RECONNECT_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException | RuntimeException e) {
                tryAgain(e instanceof ExecutionException ? e.getCause() : e);
            }
        });
    }

    /** The node's switch is gone. What it forwards meanwhile is not known. */
    public void switchDisconnected() {
        thread.run(() -> {
            online = false;
            forget();
            answer();
        });
    }

    /** A port of the switch is up or down; {@code null} when it is gone. */
    public void portChanged(final String id, final PortStates.@Nullable Port port) {
        thread.run(() -> {
            if (ports.set(id, port)) {
                markStale();
            }
        });
    }

    /** Says that instances of functions may have become healthy, or the other way. */
    public void healthChanged() {
        thread.run(this::markStale);
    }

    /** Whether the switch can be used. */
    public boolean isOnline() {
        return online;
    }

    /** Whether the switch has confirmed this configuration or a later one. */
    public boolean hasApplied(final Desired state) {
        final Desired now = applied;
        return now != null && now.revision() >= state.revision();
    }

    /**
     * How far the switch is with a revision of the configuration, as soon as that is final, or at the time limit. Does
     * not wait for the agent.
     */
    public CompletableFuture<Progress> applied(final long revision, final Duration limit) {
        final CompletableFuture<Progress> answer = waiters.add(revision, limit);
        thread.run(this::answer);
        if (thread.isClosed()) {
            waiters.notConnected();
        }
        return answer;
    }

    /** The same, with what the agent of the node has to do for it. */
    public CompletableFuture<Progress> inForce(final long revision, final Duration limit) {
        final long begun = System.nanoTime();
        return applied(revision, limit).thenCompose(progress -> progress.equals(Progress.APPLIED)
            ? quarantined().map(CompletableFuture::completedFuture)
                .orElseGet(() -> inForce.await(limit.minusNanos(System.nanoTime() - begun)))
            : CompletableFuture.completedFuture(progress));
    }

    /** Tenants that cannot be planned, for those who wait; empty when there are none. */
    private Optional<Progress> quarantined() {
        return plan().map(NodePlan::quarantined).filter(tenants -> !tenants.isEmpty())
            .map(tenants -> new Progress(Progress.State.FAILED, tenants.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue().reason()).collect(Collectors.joining("; "))));
    }

    /** The tenant that a conntrack zone is of: that of its translations, or that of its lists. */
    private String tenant(final int zone) {
        return desired.get().allocations().tenants().entrySet().stream()
            .filter(tenant -> tenant.getValue().vrf() == zone || Constants.aclZone(tenant.getValue().vrf()) == zone)
            .map(Map.Entry::getKey).findFirst().orElse("of zone " + zone);
    }

    /** The node's database, while it is connected. */
    public Optional<NodeSession> session() {
        return Optional.ofNullable(session);
    }

    /** Datapath type of the bridge, once the node's database has it. */
    public Optional<String> datapathType() {
        return Optional.ofNullable(appliedBridge).map(bridge -> BridgeSpec.DATAPATH_TYPE);
    }

    /** How the switch keeps to its plan, as far as it was compared. */
    public DriftReport drift() {
        return drift.report();
    }

    /** Whether frames from there flood the slow path of the switch, and are limited. */
    public boolean isFlooding(final AccessPlace place) {
        return floods.places().contains(place);
    }

    /** The newest plan, once there was one. */
    public Optional<NodePlan> plan() {
        return Optional.ofNullable(plan);
    }

    /** Whether all these ports of functions are up. */
    public boolean isUp(final List<String> names) {
        return online && ports.areUp(names);
    }

    /** Reads the switch and compares; changes nothing. Fails when the switch is not there. */
    public CompletableFuture<Observation> observe() {
        // Short: a switch that was cut off without a word counts as connected for a while, and people wait here.
        return ask(() -> flows.observe(id(), planNow(desired.get()), OBSERVE_SECONDS));
    }

    /** Reads the flows of the switch with their counters; changes nothing. Fails when the switch is not there. */
    public CompletableFuture<FlowDump> counters() {
        return ask(() -> southbound.readFlows(id()).get(OBSERVE_SECONDS, TimeUnit.SECONDS));
    }

    /** Reads what the meters of the switch have counted; changes nothing. Fails when the switch is not there. */
    public CompletableFuture<List<MeterCount>> meterCounts() {
        return ask(() -> southbound.readMeterCounts(id()).get(OBSERVE_SECONDS, TimeUnit.SECONDS));
    }

    /** Reads the switch and mends what differs. Fails when the switch is not there. */
    public CompletableFuture<FlowChanges> resync() {
        return ask(() -> {
            appliedBridge = null;
            final Desired state = desired.get();
            applyBridge(planNow(state));
            final NodePlan now = planNow(state);
            // Should this fail, nobody knows how far it came.
            installed = null;
            final FlowChanges changes = flows.reconcile(id(), now);
            installed = now;
            drift.compared();
            confirm(state);
            return changes;
        });
    }

    @Override
    public void close() {
        thread.close();
        waiters.notConnected();
        asked.forEach(this::notConnected);
    }

    private void notConnected(final CompletableFuture<?> answer) {
        answer.completeExceptionally(new IllegalStateException("node " + name + " is not connected"));
    }

    /** Is told of switches that were started and have their flows. */
    @FunctionalInterface
    public interface FreshSwitch {
        /** The switch of a node has its flows, so long after it connected, and nothing of what it had learned. */
        void hasFlows(String node, Duration sinceConnected);
    }

    private interface Work<T> {
        T get() throws InterruptedException, ExecutionException, TimeoutException;
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private <T> CompletableFuture<T> ask(final Work<T> work) {
        final CompletableFuture<T> answer = new CompletableFuture<>();
        asked.add(answer);
        thread.run(() -> {
            if (!online || !desired.get().snapshot().nodes().containsKey(name)) {
                notConnected(answer);
                return;
            }
            try {
                answer.complete(work.get());
            } catch (ExecutionException e) {
                answer.completeExceptionally(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                answer.completeExceptionally(e);
            } catch (TimeoutException | RuntimeException | Error e) {
                // An error, too: without an answer the request that asked would wait without end.
                answer.completeExceptionally(e);
            }
        });
        // A worker that is closed meanwhile has thrown its tasks away.
        if (thread.isClosed()) {
            notConnected(answer);
        }
        answer.whenComplete((done, failure) -> asked.removeIf(other -> other == answer));
        return answer;
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private void work() {
        marked.set(false);
        final Desired state = desired.get();
        if (!state.snapshot().nodes().containsKey(name)) {
            return;
        }
        if (!stale && applied != null && state.sameAs(applied)) {
            applied = state;
            answer();
            return;
        }
        try {
            stale = false;
            NodePlan now = planNow(state);
            applyBridge(now);
            if (online) {
                if (installed == null) {
                    // The plan depends on ports of functions alone. Without flows nothing is forwarded.
                    if (!ports.areKnown(state.snapshot().functionPortsOn(name).values().stream()
                            .flatMap(List::stream).toList())) {
                        later(PORTS_POLL_MILLIS);
                        return;
                    }
                    now = planNow(state);
                }
                applyFlows(now);
                confirm(state);
            }
            retryMillis = FIRST_RETRY_MILLIS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            final Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            tryAgain(cause);
        }
    }

    private void tryAgain(final @Nullable Throwable cause) {
        LOG.warn("Node {}: will try again in {} ms: {}", name, retryMillis, String.valueOf(cause));
        LOG.debug("Node {}", name, cause);
        forget();
        appliedBridge = null;
        later(retryMillis);
        retryMillis = Math.min(retryMillis * 2, LAST_RETRY_MILLIS);
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private void compare() {
        comparing.set(false);
        final NodePlan there = installed;
        if (!online || there == null || !desired.get().snapshot().nodes().containsKey(name)) {
            return;
        }
        try {
            if (drift.next(id(), there)) {
                drift.repair(id(), there);
                if (flows.owesFlushes()) {
                    markStale();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            tryAgain(e instanceof ExecutionException ? e.getCause() : e);
        }
    }

    /** The switch has all of this configuration, once it has forgotten what it should; newer ones come in between. */
    private void confirm(final Desired state) {
        if (flows.owesFlushes()) {
            markStale();
        } else {
            applied = state;
            answer();
        }
    }

    /** Nothing is known of the switch from now on. */
    private void forget() {
        installed = null;
        applied = null;
    }

    /** Answers those who need not wait any longer. */
    private void answer() {
        if (!online) {
            waiters.notConnected();
        } else if (applied != null) {
            waiters.applied(applied.revision(), flows.inForce());
        }
    }

    private NodePlan planNow(final Desired state) {
        final Set<String> down = state.snapshot().functionPortsOn(name).entrySet().stream()
            .filter(instance -> !ports.areUp(instance.getValue()) || !healthy.test(instance.getKey()))
            .map(Map.Entry::getKey).collect(Collectors.toSet());
        final NodePlan planned = planner.planAgain(state.snapshot(), state.allocations(), down, floods.places(), name);
        planned.quarantined().forEach((tenant, quarantine) -> {
            if (plan == null || !quarantine.isLike(plan.quarantined().get(tenant))) {
                LOG.error("Node {}: tenant {}: {}", name, tenant, quarantine.reason(), quarantine.cause());
            }
        });
        plan = planned;
        return planned;
    }

    private void applyBridge(final NodePlan planned)
            throws InterruptedException, ExecutionException, TimeoutException {
        final NodeSession current = session;
        final BridgeSpec wanted = bridges.translate(planned, orders);
        inForce.plan(wanted.zones());
        if (current != null && !wanted.equals(appliedBridge)) {
            (appliedBridge == null ? current.apply(wanted) : current.change(appliedBridge, wanted))
                .get(ANSWER_SECONDS, TimeUnit.SECONDS).refusedPorts()
                .forEach((port, reason) -> LOG.warn("Node {}: port {} was refused: {}", name, port, reason));
            appliedBridge = wanted;
            inForce.written();
        }
    }

    private void applyFlows(final NodePlan planned)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (installed == null) {
            final FlowChanges changes = flows.reconcile(id(), planned);
            drift.compared();
            final Duration since = Duration.ofNanos(System.nanoTime() - connectedNanos);
            LOG.info("Node {}: in sync {} ms after its switch connected; {} flows planned, {} added, {} removed", name,
                since.toMillis(), planned.size(), changes.add().size(),
                changes.remove().size() + changes.removeForeign().size());
            if (flows.foundNothing()) {
                fresh.hasFlows(name, since);
            }
        } else {
            flows.change(id(), installed, planned);
            if (flows.lingers()) {
                later(Lingering.MILLIS);
            }
        }
        installed = planned;
    }

    private SwitchId id() {
        return new SwitchId(desired.get().allocations().datapathId(name));
    }

    private void later(final long millis) {
        thread.later(this::markStale, Duration.ofMillis(millis));
    }
}
