// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.plan.Quarantine.Flows;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The complete state of one node. Flows are kept by who asked for them, so that two plans of one {@link Planner} share
 * what is the same in both.
 *
 * @param nodeFlows flows of the node and of the backbone
 * @param nodeMeters meters of the ports of functions, and of reports of drops
 * @param tenantFlows flows of the tenants by VRF
 * @param tenantMeters meters of the tenants by VRF
 * @param orders what the agent of the node has to do for the tenants, by conntrack zone; each zone in use is there:
 *     that of the translations of every tenant, that of the access lists of those whose lists are tracked, and that of
 *     the chains of those with functions that connections are spread over
 * @param quarantined tenants that cannot be planned, by name
 */
public record NodePlan(BridgePlan bridge, List<PlannedFlow> nodeFlows, List<MeterSpec> nodeMeters,
        SortedMap<VrfId, List<PlannedFlow>> tenantFlows, SortedMap<VrfId, List<MeterSpec>> tenantMeters,
        SortedMap<Integer, TenantOrders> orders, SortedMap<String, Quarantine> quarantined) {
    public NodePlan {
        nodeFlows = List.copyOf(nodeFlows);
        nodeMeters = List.copyOf(nodeMeters);
        tenantFlows = Collections.unmodifiableSortedMap(tenantFlows);
        tenantMeters = Collections.unmodifiableSortedMap(tenantMeters);
        orders = Collections.unmodifiableSortedMap(orders);
        quarantined = Collections.unmodifiableSortedMap(quarantined);
    }

    /** A plan that has all tenants of the node. */
    public NodePlan(final BridgePlan bridge, final List<PlannedFlow> nodeFlows, final List<MeterSpec> nodeMeters,
            final SortedMap<VrfId, List<PlannedFlow>> tenantFlows,
            final SortedMap<VrfId, List<MeterSpec>> tenantMeters, final SortedMap<Integer, TenantOrders> orders) {
        this(bridge, nodeFlows, nodeMeters, tenantFlows, tenantMeters, orders, Collections.emptySortedMap());
    }

    /** All meters of the switch by their id; made anew by each call. */
    public Map<Integer, MeterSpec> meters() {
        final Map<Integer, MeterSpec> meters = new LinkedHashMap<>();
        for (final Meter meter : Meter.values()) {
            meters.put(meter.number(), meter.spec());
        }
        nodeMeters.forEach(meter -> meters.put(meter.id(), meter));
        tenantMeters.values().forEach(each -> each.forEach(meter -> meters.put(meter.id(), meter)));
        return meters;
    }

    /** VRFs of the node's tenants in ascending order; made by each call while a tenant cannot be planned. */
    public Set<VrfId> vrfs() {
        if (quarantined.isEmpty()) {
            return tenantFlows.keySet();
        }
        final SortedSet<VrfId> vrfs = keptVrfs();
        vrfs.addAll(tenantFlows.keySet());
        return vrfs;
    }

    /** VRFs of the node's tenants that another plan of the node does not have. */
    public Set<VrfId> vrfsNotIn(final NodePlan other) {
        final Set<VrfId> others = other.vrfs();
        final Set<VrfId> ours = vrfs();
        // Nearly always both have the same.
        if (ours.size() == others.size()) {
            final Iterator<VrfId> each = others.iterator();
            if (ours.stream().allMatch(vrf -> vrf.number() == each.next().number())) {
                return Set.of();
            }
        }
        final Set<VrfId> left = new HashSet<>(ours);
        left.removeAll(others);
        return left;
    }

    /** VRFs of the tenants of which the switch is to keep all that it has; made by each call. */
    public SortedSet<VrfId> keptVrfs() {
        return quarantined.values().stream().filter(each -> each.flows() == Flows.KEPT)
            .flatMap(each -> each.vrf().stream())
            .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Conntrack zones of these; made anew by each call. */
    public Set<Integer> keptZones() {
        return keptVrfs().stream().flatMap(vrf -> vrf.isTag()
            ? Stream.of(vrf.natZone(), vrf.aclZone(), vrf.chainZone())
            : Stream.of(vrf.natZone(), vrf.aclZone())).collect(Collectors.toSet());
    }

    /** Number of flows. */
    public int size() {
        return nodeFlows.size() + tenantFlows.values().stream().mapToInt(List::size).sum();
    }

    /**
     * All flows by their identity on the switch; made anew by each call.
     *
     * @throws IllegalStateException when two flows are the same to a switch, which is a bug of a stage
     */
    public Map<FlowSpec.Key, PlannedFlow> flows() {
        final Map<FlowSpec.Key, PlannedFlow> flows = new LinkedHashMap<>();
        forEach(planned -> {
            final PlannedFlow other = flows.putIfAbsent(planned.flow().key(), planned);
            if (other != null) {
                throw new IllegalStateException("two flows are one to the switch: " + other + " and " + planned);
            }
        });
        return flows;
    }

    /** The flows without their labels; made anew by each call. */
    public List<FlowSpec> flowSpecs() {
        return flows().values().stream().map(PlannedFlow::flow).toList();
    }

    /** Hands out all flows. */
    void forEach(final Consumer<PlannedFlow> taker) {
        nodeFlows.forEach(taker);
        tenantFlows.values().forEach(flows -> flows.forEach(taker));
    }
}
