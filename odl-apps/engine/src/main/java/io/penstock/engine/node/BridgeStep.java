// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.SerialTasks;
import io.penstock.configuration.Desired;
import io.penstock.operations.Progress;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.southbound.ovsdb.BridgeSpec;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.southbound.ovsdb.NodeSession;
import io.penstock.southbound.ovsdb.SwitchFaults;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans a node and brings its database to the plan while it is connected: bridge, ports, and orders for the agent. For
 * the tasks of one node, but for what tells the state, which is safe for all threads.
 */
final class BridgeStep implements Step {
    private static final Logger LOG = LoggerFactory.getLogger(BridgeStep.class);
    private static final Duration ANSWER = Duration.ofMinutes(1);

    private final String node;
    private final NodePlanning planning;
    private final BridgeTranslator bridges;
    private final SerialTasks tasks;
    private final AgentOrders orders = new AgentOrders();
    private final OrdersInForce inForce;
    private final Consumer<Desired> whenReached;
    private volatile @Nullable NodeSession session;
    /** Also when it is gone: what the node has said of its switch still holds. */
    private volatile @Nullable NodeSession last;
    private volatile @Nullable BridgeSpec applied;
    private volatile boolean reached;
    private @Nullable NodePlan translatedPlan;
    private @Nullable BridgeSpec translation;

    /**
     * Of a node whose database is not connected.
     *
     * @param whenReached called each time that the database is as it was planned
     */
    BridgeStep(final String node, final NodePlanning planning, final BridgeTranslator bridges,
            final SerialTasks tasks, final Supplier<Desired> desired, final Consumer<Desired> whenReached) {
        this.node = requireNonNull(node);
        this.planning = requireNonNull(planning);
        this.bridges = requireNonNull(bridges);
        this.tasks = requireNonNull(tasks);
        this.whenReached = requireNonNull(whenReached);
        inForce = new OrdersInForce(this::session, zone -> tenant(desired.get(), zone));
    }

    /** The database is connected. */
    void opened(final NodeSession opened) {
        session = opened;
        last = opened;
        applied = null;
        inForce.unwritten();
        inForce.again();
    }

    /** The database is gone. */
    void closed() {
        session = null;
        applied = null;
        inForce.unwritten();
    }

    /** The switch has come, perhaps after a restart: orders of before may be lost. */
    void switchConnected() {
        inForce.again();
    }

    /** Has the next step compare all of the database with the plan. */
    void forget() {
        applied = null;
    }

    /** The node's database, while it is connected. */
    Optional<NodeSession> session() {
        return Optional.ofNullable(session);
    }

    /** Whether packets may have a network service header there, as the node has said last; not before it has. */
    boolean carriesServiceHeader() {
        final NodeSession told = last;
        return told != null && SwitchFaults.permitServiceHeader(told.announcement());
    }

    /** Whether the switch may look into packets of FTP, as the node has said last. */
    boolean permitsFtp() {
        final NodeSession newest = last;
        return newest == null || SwitchFaults.permitFtp(newest.announcement());
    }

    /** Datapath type of the bridge, once the node's database has it. */
    Optional<String> datapathType() {
        return Optional.ofNullable(applied).map(bridge -> NodeKeys.DATAPATH);
    }

    /** Whether the database was as it was planned once, and so names the controllers of now alone. */
    boolean wasReached() {
        return reached;
    }

    /** Whether the agent has carried out the orders of now; once it has, or has tried in vain, or at the limit. */
    CompletableFuture<Progress> ordersInForce(final Duration limit) {
        return inForce.await(limit);
    }

    @Override
    public CompletableFuture<Outcome> to(final Desired state) {
        final BridgeSpec wanted = translated(planning.plan(state));
        inForce.plan(wanted.zones());
        final NodeSession current = session;
        final BridgeSpec before = applied;
        if (current == null || wanted.equals(before)) {
            return CompletableFuture.completedFuture(Outcome.DONE);
        }
        return tasks.within(ANSWER, before == null ? current.apply(wanted) : current.change(before, wanted))
            .thenApply(result -> {
                result.refusedPorts().forEach((port, reason) ->
                    LOG.warn("Node {}: port {} was refused: {}", node, port, reason));
                applied = wanted;
                reached = true;
                whenReached.accept(state);
                inForce.written();
                return Outcome.DONE;
            });
    }

    /** A change of packets alone, such as a lease, leaves the bridge and the orders of the agent the same objects. */
    @SuppressWarnings("ReferenceEquality")
    private BridgeSpec translated(final NodePlan plan) {
        final NodePlan before = translatedPlan;
        BridgeSpec spec = translation;
        if (spec == null || before == null || plan.bridge() != before.bridge() || plan.orders() != before.orders()
                || !plan.quarantined().isEmpty() || !before.quarantined().isEmpty()
                || !spec.controllerTargets().equals(bridges.controllers().get())) {
            spec = bridges.translate(plan, orders);
            translation = spec;
        }
        translatedPlan = plan;
        return spec;
    }

    /** The tenant that a conntrack zone is of: that of its translations, or that of its lists. */
    private String tenant(final Desired desired, final int zone) {
        return desired.snapshot().tenantsOn(node).stream().map(Tenant::name).filter(name -> {
            final TenantAllocation given = desired.allocations().tenants().get(name);
            return given != null && given.vrf(node)
                .filter(vrf -> vrf.natZone() == zone || vrf.aclZone() == zone).isPresent();
        }).findFirst().orElse("of zone " + zone);
    }
}
