// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.CtTimeout;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.AccessStage;
import io.penstock.pipeline.stage.AclStage;
import io.penstock.pipeline.stage.BackboneStage;
import io.penstock.pipeline.stage.ChainStage;
import io.penstock.pipeline.stage.FlowSink;
import io.penstock.pipeline.stage.NatStage;
import io.penstock.pipeline.stage.NeighbourStage;
import io.penstock.pipeline.stage.NodeView;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.pipeline.stage.Stage;
import io.penstock.pipeline.stage.TenantView;
import io.penstock.pipeline.stage.VrfStage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Snapshot in, complete state of a node out. Without state; equal input gives equal output, in any thread. */
public final class Planner {
    private static final List<Stage> STAGES = List.of(new AccessStage(), new ChainStage(), new BackboneStage(),
        new NatStage(), new VrfStage(), new AclStage(), new NeighbourStage());

    private Planner() {
        // Only functions.
    }

    /**
     * Plans a node.
     *
     * @param snapshot checked intent
     * @param allocations of this snapshot
     * @param functionsDown functions of which a port is down
     * @throws IllegalStateException when two flows are the same to a switch, which is a bug of a stage
     */
    public static NodePlan plan(final Snapshot snapshot, final Allocations allocations,
            final Set<String> functionsDown, final String nodeName) {
        final NodeView node =
            new NodeView(snapshot, allocations, functionsDown, snapshot.nodes().get(nodeName));
        final Map<FlowSpec.Key, PlannedFlow> flows = new LinkedHashMap<>();
        final FlowSink nodeSink = sink(Cookie.Kind.NODE, 0, flows);
        final FlowSink backboneSink = sink(Cookie.Kind.BACKBONE, 0, flows);
        for (final Stage stage : STAGES) {
            stage.planNode(node, stage instanceof BackboneStage ? backboneSink : nodeSink);
        }
        final SortedSet<Integer> zones = new TreeSet<>();
        for (final Tenant tenant : snapshot.tenantsOn(nodeName)) {
            final TenantView view = node.view(tenant);
            final FlowSink sink = sink(Cookie.Kind.TENANT, view.vrf(), flows);
            STAGES.forEach(stage -> stage.planTenant(node, view, sink));
            zones.add(view.vrf());
        }
        return new NodePlan(bridge(node), flows, zones);
    }

    private static FlowSink sink(final Cookie.Kind kind, final int id, final Map<FlowSpec.Key, PlannedFlow> flows) {
        return new FlowSink(Cookie.of(kind, id), planned -> {
            final PlannedFlow other = flows.putIfAbsent(planned.flow().key(), planned);
            if (other != null) {
                throw new IllegalStateException("two flows are one to the switch: " + other + " and " + planned);
            }
        });
    }

    private static BridgePlan bridge(final NodeView view) {
        final List<BridgePlan.Port> ports = new ArrayList<>();
        for (final Node.Port port : view.node().ports()) {
            ports.add(new BridgePlan.Port(port.name(), port.type() == Node.PortType.DPDK
                ? BridgePlan.Type.DPDK : BridgePlan.Type.SYSTEM, view.port(port.name()), port.devargs()));
        }
        for (final NetworkFunction function : view.functions()) {
            for (final String port : List.of(function.insidePort(), function.outsidePort())) {
                ports.add(new BridgePlan.Port(port, BridgePlan.Type.VHOST_USER_CLIENT, view.port(port),
                    view.node().vhostDirectory() + "/" + port + ".sock"));
            }
        }
        return new BridgePlan(Constants.BRIDGE, Constants.datapathId(view.id()), ports,
            Arrays.stream(Table.values()).collect(Collectors.toMap(Table::number, Table::text)),
            Arrays.stream(CtTimeout.values()).collect(Collectors.toMap(CtTimeout::text, CtTimeout::seconds)));
    }
}
