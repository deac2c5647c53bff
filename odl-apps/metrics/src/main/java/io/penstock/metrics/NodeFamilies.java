// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import io.penstock.engine.node.DriftReport.Differences;
import io.penstock.engine.state.NodeState;
import io.penstock.pipeline.registry.Constants;
import java.util.stream.Stream;

/** What is known of nodes. */
final class NodeFamilies {
    private static final String NODE = "node";
    private static final double MILLIS = 1000;

    private final Family connected = Family.gauge("penstock_node_connected",
        "Whether the switch of a node is connected to the controller.", NODE);
    private final Family database = Family.gauge("penstock_node_database_connected",
        "Whether the database of a node is connected to the controller.", NODE);
    private final Family inSync = Family.gauge("penstock_node_in_sync",
        "Whether the switch of a node has confirmed all that is configured for it.", NODE);
    private final Family info = Family.gauge("penstock_node_info",
        "1, with the versions of Open vSwitch and of DPDK, which are empty without.", NODE, "open_vswitch", "dpdk");
    private final Family warnings = Family.gauge("penstock_node_warning",
        "Whether a node says that it may not do all that is configured.", NODE);
    private final Family flows = Family.gauge("penstock_node_flows",
        "Flows and meters of a switch: planned, and those that differ from the plan since the last comparison.", NODE,
        "state");
    private final Family repairs = Family.counter("penstock_node_repairs",
        "Times that the controller has repaired flows of a switch that differed from the plan.", NODE);
    private final Family compared = Family.gauge("penstock_node_compared_timestamp_seconds",
        "When all flows of a switch had last been compared with the plan.", NODE);
    private final Family ports = Family.gauge("penstock_node_port_up",
        "Whether a port of a node has a link.", NODE, "port");

    void add(final String name, final NodeState state) {
        connected.add(state.connected(), name);
        database.add(state.databaseConnected(), name);
        inSync.add(state.inSync(), name);
        info.add(1, name, state.openVswitch(), state.dpdk());
        warnings.add(!state.warning().isEmpty(), name);
        final Differences differences = state.drift().differences();
        flows.add(state.plannedFlows(), name, "planned").add(differences.missing(), name, "missing")
            .add(differences.excess(), name, "excess").add(differences.wrong(), name, "wrong");
        repairs.add(state.drift().repairs(), name);
        state.drift().compared().ifPresent(time -> compared.add(time.toEpochMilli() / MILLIS, name));
        // The bridge's own port leads to no cable and never has a link.
        state.ports().stream().filter(port -> !port.name().equals(Constants.BRIDGE))
            .forEach(port -> ports.add(port.linkUp(), name, port.name()));
    }

    Stream<Family> all() {
        return Stream.of(connected, database, inSync, info, warnings, flows, repairs, compared, ports);
    }
}
