// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Mode;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.memo.Memo;
import io.penstock.pipeline.plan.Quarantine.Flows;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Contract;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.CtTimeout;
import io.penstock.pipeline.registry.DropReport;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.AccessStage;
import io.penstock.pipeline.stage.AclStage;
import io.penstock.pipeline.stage.Backbone6Stage;
import io.penstock.pipeline.stage.BackboneStage;
import io.penstock.pipeline.stage.ChainStage;
import io.penstock.pipeline.stage.DhcpStage;
import io.penstock.pipeline.stage.DnsStage;
import io.penstock.pipeline.stage.ErrorStage;
import io.penstock.pipeline.stage.FlowSink;
import io.penstock.pipeline.stage.Guard6Stage;
import io.penstock.pipeline.stage.GuardStage;
import io.penstock.pipeline.stage.Ipv6Stage;
import io.penstock.pipeline.stage.NatStage;
import io.penstock.pipeline.stage.NdStage;
import io.penstock.pipeline.stage.NeighbourStage;
import io.penstock.pipeline.stage.NodeView;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.pipeline.stage.SpreadStage;
import io.penstock.pipeline.stage.Stage;
import io.penstock.pipeline.stage.TenantMeters;
import io.penstock.pipeline.stage.TenantView;
import io.penstock.pipeline.stage.TrackedStage;
import io.penstock.pipeline.stage.VrfStage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot in, complete state of a node out: equal input gives equal output. A planner remembers what it has planned
 * for tenants that are still the same objects among the same surroundings, which saves time and changes nothing but
 * for a tenant that cannot be planned: it keeps the flows of its last plan ({@link NodePlan#quarantined}). Not for
 * several threads; the static function is.
 */
public final class Planner {
    /** In the order of their flows in a plan. */
    static final List<Stage> STAGES = List.of(new AccessStage(), new GuardStage(), new DhcpStage(), new DnsStage(),
        new ChainStage(), new SpreadStage(), new BackboneStage(), new NatStage(), new VrfStage(), new AclStage(),
        new NeighbourStage(), new ErrorStage(), new NdStage(), new Guard6Stage(), new Ipv6Stage(),
        new Backbone6Stage(), new TrackedStage());

    private final Memo<Tenant, TenantPlan> tenants = new Memo<>();
    /** The last plans of tenants, by name. */
    private Map<String, TenantPlan> last = Map.of();
    private List<Tenant> lastTenants = List.of();
    private Set<AccessPlace> lastFlooding = Set.of();
    private @Nullable NodePlan lastPlan;
    /** Those of the last plan; {@code null} before the first one. */
    private @Nullable SortedMap<String, Quarantine> quarantined;
    private @Nullable Surroundings surroundings;
    private @Nullable BridgePlan bridge;
    private List<PlannedFlow> nodeFlows = List.of();
    private List<MeterSpec> nodeMeters = List.of();
    private @Nullable TenantSurroundings tenantSurroundings;

    /** All that the flows of the node depend on. */
    private record Surroundings(Snapshot withoutTenants, Set<String> down, String node, int id, long datapathId,
            Map<String, Integer> ports, List<Optional<Verdict>> verdicts) {
        static Surroundings of(final NodeView node) {
            return new Surroundings(node.snapshot().withTenants(List.of()), node.down(), node.node().name(),
                node.id(), node.datapathId(),
                node.allocations().ports().getOrDefault(node.node().name(), Collections.emptySortedMap()),
                node.functions().stream().map(node::verdict).toList());
        }
    }

    /** All that the flows of a tenant depend on, beside the tenant and what it was given. */
    private record TenantSurroundings(Snapshot others, int id, Map<String, Integer> ports, List<Hop> hops) {
        /** What a tenant knows of a function: not which instances connections are spread over. */
        record Hop(String name, FailPolicy failPolicy, boolean spread, Mode mode, boolean down, int number,
            List<Integer> ports) { }

        static TenantSurroundings of(final NodeView node) {
            return new TenantSurroundings(node.snapshot().withTenants(List.of()).withFunctions(List.of()), node.id(),
                node.node().ports().stream().collect(Collectors.toMap(Node.Port::name, port -> node.port(port.name()))),
                node.functions().stream().map(function -> new Hop(function.name(), function.failPolicy(),
                    function.spread(), function.mode(), node.isDown(function), node.number(function),
                    function.spread() ? List.of()
                        : function.ports(function.single()).stream().map(node::port).toList())).toList());
        }
    }

    private record TenantPlan(TenantAllocation allocation, VrfId vrf, Set<AccessPlace> flooding,
        List<PlannedFlow> flows, List<MeterSpec> meters, SortedMap<Integer, TenantOrders> orders) { }

    /**
     * Plans a node from nothing.
     *
     * @param snapshot checked intent
     * @param allocations of this snapshot
     * @param down instances of functions that do not work
     * @throws IllegalStateException when two flows are the same to a switch, or a tenant cannot be planned, which is a
     *     bug of a stage
     */
    public static NodePlan plan(final Snapshot snapshot, final Allocations allocations,
            final Set<String> down, final String nodeName) {
        return plan(snapshot, allocations, down, Set.of(), nodeName);
    }

    /**
     * The same for a node to which frames come that flood the slow path of its switch.
     *
     * @param flooding where they come from; what is no attachment is ignored
     */
    public static NodePlan plan(final Snapshot snapshot, final Allocations allocations,
            final Set<String> down, final Set<AccessPlace> flooding, final String nodeName) {
        final NodePlan plan = new Planner().planAgain(snapshot, allocations, down, flooding, nodeName);
        plan.quarantined().forEach((tenant, quarantine) -> {
            throw new IllegalStateException(tenant + ": " + quarantine.reason(), quarantine.cause());
        });
        plan.flows();
        return plan;
    }

    /** Plans a node as {@link #plan} does; what is as it was the last time is the same object as then. */
    public NodePlan planAgain(final Snapshot snapshot, final Allocations allocations,
            final Set<String> down, final Set<AccessPlace> flooding, final String nodeName) {
        final NodeView node = new NodeView(snapshot, allocations, down, flooding,
            requireNonNull(snapshot.nodes().get(nodeName)));
        final Surroundings now = Surroundings.of(node);
        final boolean same = now.equals(surroundings);
        if (!same) {
            nodeFlows = planNode(node);
            nodeMeters = nodeMeters(node);
            bridge = bridge(node);
            surroundings = now;
            final TenantSurroundings around = TenantSurroundings.of(node);
            if (!around.equals(tenantSurroundings)) {
                tenants.forget();
                tenantSurroundings = around;
            }
        }
        final Optional<NodePlan> patched =
            same && flooding.equals(lastFlooding) ? planAfterLast(node) : Optional.empty();
        final NodePlan plan = patched.isPresent() ? patched.orElseThrow() : planAll(node);
        lastTenants = snapshot.tenantsOn(nodeName);
        lastFlooding = Set.copyOf(flooding);
        lastPlan = plan;
        return plan;
    }

    private NodePlan planAll(final NodeView node) {
        final SortedMap<String, Throwable> faults = new TreeMap<>();
        final Map<String, TenantPlan> plans = planTenants(node, faults);
        final SortedMap<String, Quarantine> found = quarantine(node, faults, plans);
        last = plans;
        quarantined = found;
        return planOf(plans, found);
    }

    private NodePlan planOf(final Map<String, TenantPlan> plans, final SortedMap<String, Quarantine> found) {
        final SortedMap<VrfId, List<PlannedFlow>> tenantFlows = new TreeMap<>();
        final SortedMap<VrfId, List<MeterSpec>> tenantMeters = new TreeMap<>();
        final SortedMap<Integer, TenantOrders> orders = new TreeMap<>();
        plans.values().forEach(planned -> {
            tenantFlows.put(planned.vrf(), planned.flows());
            tenantMeters.put(planned.vrf(), planned.meters());
            orders.putAll(planned.orders());
        });
        return new NodePlan(requireNonNull(bridge), nodeFlows, nodeMeters, tenantFlows, tenantMeters, orders,
            found);
    }

    /**
     * The last plan with that of few tenants exchanged, where nothing else has changed: packets give tenants something,
     * and the node may have a thousand of them. Empty if all are to be planned.
     */
    @SuppressWarnings({"ReferenceEquality", "checkstyle:IllegalCatch"}) // what did not change is the same object
    private Optional<NodePlan> planAfterLast(final NodeView node) {
        final NodePlan before = lastPlan;
        if (before == null || !before.quarantined().isEmpty()
                || node.snapshot().tenantsOn(node.node().name()) != lastTenants) {
            return Optional.empty();
        }
        final Map<String, TenantPlan> exchanged = new LinkedHashMap<>();
        boolean sameOrders = true;
        for (final Tenant tenant : lastTenants) {
            final TenantPlan was = requireNonNull(last.get(tenant.name()));
            if (was.allocation() != node.allocations().tenants().get(tenant.name())) {
                try {
                    final TenantPlan now = planTenant(node, tenant);
                    if (!now.vrf().equals(was.vrf())) {
                        return Optional.empty();
                    }
                    if (now != was) {
                        sameOrders &= now.orders().equals(was.orders());
                        exchanged.put(tenant.name(), now);
                    }
                } catch (RuntimeException | StackOverflowError e) {
                    // It is put into quarantine where all are planned.
                    return Optional.empty();
                }
            }
        }
        if (exchanged.isEmpty()) {
            return Optional.of(before);
        }
        last = new LinkedHashMap<>(last);
        last.putAll(exchanged);
        final SortedMap<VrfId, List<PlannedFlow>> tenantFlows = new TreeMap<>(before.tenantFlows());
        final SortedMap<VrfId, List<MeterSpec>> tenantMeters = new TreeMap<>(before.tenantMeters());
        exchanged.values().forEach(planned -> {
            tenantFlows.put(planned.vrf(), planned.flows());
            tenantMeters.put(planned.vrf(), planned.meters());
        });
        final SortedMap<Integer, TenantOrders> orders = sameOrders ? before.orders() : new TreeMap<>();
        if (!sameOrders) {
            last.values().forEach(planned -> orders.putAll(planned.orders()));
        }
        return Optional.of(new NodePlan(before.bridge(), nodeFlows, nodeMeters, tenantFlows, tenantMeters, orders));
    }

    /** The plans of the node's tenants by name, but of those at fault. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private Map<String, TenantPlan> planTenants(final NodeView node, final Map<String, Throwable> faults) {
        final Map<String, TenantPlan> plans = new LinkedHashMap<>();
        tenants.begin();
        for (final Tenant tenant : node.snapshot().tenantsOn(node.node().name())) {
            try {
                plans.put(tenant.name(), planTenant(node, tenant));
            } catch (RuntimeException | StackOverflowError e) {
                // One tenant must not keep the others from being planned.
                faults.put(tenant.name(), e);
            }
        }
        return plans;
    }

    /**
     * Adds the last plans of tenants at fault to the plans of the others. A last plan that is in the way of another
     * tenant, such as by an attachment or a public address that it has now, is left out: nothing of it is to be used.
     */
    private SortedMap<String, Quarantine> quarantine(final NodeView node, final Map<String, Throwable> faults,
            final Map<String, TenantPlan> plans) {
        if (faults.isEmpty()) {
            return Collections.emptySortedMap();
        }
        final Set<FlowSpec.Key> taken = new HashSet<>();
        nodeFlows.forEach(planned -> taken.add(planned.flow().key()));
        plans.values().forEach(plan -> plan.flows().forEach(planned -> taken.add(planned.flow().key())));
        final SortedMap<String, Quarantine> found = new TreeMap<>();
        faults.forEach((tenant, fault) -> {
            final TenantAllocation allocation = node.allocations().tenants().get(tenant);
            final TenantPlan before = last.get(tenant);
            if (allocation != null && before != null && before.vrf().equals(vrf(node, allocation))
                    && before.flows().stream().noneMatch(planned -> taken.contains(planned.flow().key()))) {
                before.flows().forEach(planned -> taken.add(planned.flow().key()));
                plans.put(tenant, before);
                found.put(tenant, new Quarantine(Flows.PLANNED, Optional.of(vrf(node, allocation)), fault));
            } else if (allocation != null && mayHaveFlows(tenant)) {
                found.put(tenant, new Quarantine(Flows.KEPT, Optional.of(vrf(node, allocation)), fault));
            } else {
                found.put(tenant, new Quarantine(Flows.NONE, Optional.empty(), fault));
            }
        });
        return found;
    }

    private static VrfId vrf(final NodeView node, final TenantAllocation allocation) {
        return allocation.vrf(node.node().name()).orElseThrow();
    }

    /** Whether the switch may have flows of a tenant that this planner has never planned. */
    private boolean mayHaveFlows(final String tenant) {
        final Quarantine before = quarantined == null ? null : quarantined.get(tenant);
        return quarantined == null || before != null && before.flows() == Flows.KEPT;
    }

    @SuppressWarnings("ReferenceEquality") // most did not change, and to compare all of them takes long
    private TenantPlan planTenant(final NodeView node, final Tenant tenant) {
        final TenantAllocation allocation =
            requireNonNull(node.allocations().tenants().get(tenant.name()));
        final TenantPlan known = tenants.recall(tenant);
        final Set<AccessPlace> flooding = node.floodingOf(tenant);
        if (known != null && (known.allocation() == allocation || known.allocation().equals(allocation))
                && known.flooding().equals(flooding)) {
            return known;
        }
        final TenantView view = node.view(tenant);
        final List<PlannedFlow> flows = new ArrayList<>();
        final long cookie = Cookie.of(Cookie.Kind.TENANT, view.vrf());
        final Consumer<PlannedFlow> target = into(flows, node);
        STAGES.forEach(stage -> stage.planTenant(node, view, new FlowSink(stage, cookie, target)));
        final TenantPlan planned = new TenantPlan(allocation, view.vrf(), flooding, List.copyOf(flows),
            TenantMeters.of(view), TenantOrders.of(node, view));
        tenants.remember(tenant, planned);
        return planned;
    }

    private static List<PlannedFlow> planNode(final NodeView node) {
        final List<PlannedFlow> flows = new ArrayList<>();
        final Consumer<PlannedFlow> target = into(flows, node);
        STAGES.forEach(stage -> stage.planNode(node, new FlowSink(stage, Cookie.of(stage.owner(), 0), target)));
        return List.copyOf(flows);
    }

    /** Flows have been held to the contract of their table; a drop with reports is no other fate of a packet. */
    private static Consumer<PlannedFlow> into(final List<PlannedFlow> flows, final NodeView node) {
        return node.node().dropReports()
            ? each -> flows.add(each.shown() ? new PlannedFlow(DropReport.of(each.flow()), each.label()) : each)
            : flows::add;
    }

    private static List<MeterSpec> nodeMeters(final NodeView node) {
        return Stream.concat(node.node().dropReports() ? DropReport.meters().stream() : Stream.empty(),
            node.functions().stream().filter(function -> function.health().isPresent())
                .flatMap(function -> function.instances().stream()).flatMap(instance -> instance.sides().stream())
                .map(port -> FunctionMeter.spec(node.port(port)))).toList();
    }

    private static BridgePlan bridge(final NodeView view) {
        final List<BridgePlan.Port> ports = new ArrayList<>();
        for (final Node.Port port : view.node().ports()) {
            ports.add(new BridgePlan.Port(port.name(), port.type() == Node.PortType.DPDK
                ? BridgePlan.Type.DPDK : BridgePlan.Type.SYSTEM, view.port(port.name()), port.devargs(),
                port.queues(), Optional.empty(), Optional.empty()));
        }
        for (final NetworkFunction function : view.functions()) {
            final Optional<Integer> mtu = function.nsh() ? Optional.of(Constants.SERVICE_MTU) : Optional.empty();
            function.instances().forEach(instance -> function.ports(instance).forEach(port ->
                ports.add(new BridgePlan.Port(port, BridgePlan.Type.VHOST_USER_CLIENT, view.port(port),
                    view.node().vhostDirectory() + "/" + port + ".sock", Node.Queues.ONE,
                    instance.start().filter(start -> port.equals(instance.insidePort())), mtu))));
        }
        return new BridgePlan(Constants.BRIDGE, view.datapathId(), ports,
            Arrays.stream(Table.values()).collect(Collectors.toMap(Table::number, table ->
                new BridgePlan.FlowTable(table.text(), Contract.of(table).prefixes()))),
            Arrays.stream(CtTimeout.values()).collect(Collectors.toMap(CtTimeout::text, CtTimeout::seconds)));
    }
}
