// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.operations.Progress;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Planner;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans one node: the desired state, and of the node itself the instances of functions that may have packets and the
 * places that flood. For the tasks of one node; {@link #latest} and {@link #quarantined} are safe for all threads.
 */
final class NodePlanning {
    private static final Logger LOG = LoggerFactory.getLogger(NodePlanning.class);

    private final String node;
    private final PortStates ports;
    private final Predicate<String> healthy;
    private final Supplier<Set<AccessPlace>> floods;
    private final BooleanSupplier ftp;
    private final Planner planner = new Planner();
    private volatile @Nullable NodePlan latest;
    /** For the tasks: bridge and flows are planned one after the other, from the same. */
    private @Nullable Planned planned;

    /** A state is another one only if it is another object; it is not kept for this, as it has all tenants. */
    private record Planned(WeakReference<Desired> state, Set<String> down, Set<AccessPlace> flooding, boolean ftp,
            NodePlan plan) {
        boolean isOf(final Desired other, final Set<String> otherDown, final Set<AccessPlace> otherFlooding,
                final boolean otherFtp) {
            return state.refersTo(other) && down.equals(otherDown) && flooding.equals(otherFlooding) && ftp == otherFtp;
        }
    }

    /**
     * Has planned nothing yet.
     *
     * @param healthy whether an instance of a function may have packets, by its name; must not block
     * @param floods where frames come from that flood the slow path of the switch
     * @param ftp whether the switch may look into packets of FTP, as the node has said; what is stored follows later,
     *     or not at all
     */
    NodePlanning(final String node, final PortStates ports, final Predicate<String> healthy,
            final Supplier<Set<AccessPlace>> floods, final BooleanSupplier ftp) {
        this.node = requireNonNull(node);
        this.ports = requireNonNull(ports);
        this.healthy = requireNonNull(healthy);
        this.floods = requireNonNull(floods);
        this.ftp = requireNonNull(ftp);
    }

    /** Plans the node, and remembers the plan as the newest one. */
    NodePlan plan(final Desired state) {
        final NodePlan plan = preview(state);
        final NodePlan before = latest;
        plan.quarantined().forEach((tenant, quarantine) -> {
            if (before == null || !quarantine.isLike(before.quarantined().get(tenant))) {
                LOG.error("Node {}: tenant {}: {}", node, tenant, quarantine.reason(), quarantine.cause());
            }
        });
        latest = plan;
        return plan;
    }

    /** Plans the node; changes nothing that others see. */
    NodePlan preview(final Desired state) {
        final Set<String> down = state.snapshot().functionPortsOn(node).entrySet().stream()
            .filter(instance -> !ports.areUp(instance.getValue()) || !healthy.test(instance.getKey()))
            .map(Map.Entry::getKey).collect(Collectors.toSet());
        final Set<AccessPlace> flooding = Set.copyOf(floods.get());
        final boolean permitsFtp = ftp.getAsBoolean();
        final Planned known = planned;
        if (known != null && known.isOf(state, down, flooding, permitsFtp)) {
            return known.plan();
        }
        final Snapshot snapshot = permitsFtp ? state.snapshot()
            : state.snapshot().with(requireNonNull(state.snapshot().nodes().get(node)).withoutFtpHelper());
        final NodePlan plan = planner.planAgain(snapshot, state.allocations(), down, flooding, node);
        planned = new Planned(new WeakReference<>(state), down, flooding, permitsFtp, plan);
        return plan;
    }

    /** The newest plan, once there was one. */
    Optional<NodePlan> latest() {
        return Optional.ofNullable(latest);
    }

    /** Tenants that cannot be planned, for requests that wait for the newest plan; empty when there are none. */
    Optional<Progress> quarantined() {
        return latest().map(NodePlan::quarantined).filter(tenants -> !tenants.isEmpty())
            .map(tenants -> new Progress(Progress.State.FAILED, tenants.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue().reason()).collect(Collectors.joining("; "))));
    }
}
