// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import io.penstock.engine.node.DriftReport;
import io.penstock.engine.node.PortStates;
import java.util.List;

/**
 * A node.
 *
 * @param connected whether its switch is
 * @param databaseConnected whether its database is
 * @param inSync whether the switch has confirmed all that is configured for it
 * @param openVswitch version of Open vSwitch; empty when the database is not connected
 * @param dpdk version of DPDK; empty without
 * @param warning why the node may not do all that is configured; empty if there is no reason
 * @param plannedFlows of the newest plan
 * @param drift how its switch keeps to the plan
 * @param dropped packets that flows dropped which tenants share
 * @param ports as the switch has reported them, by name
 */
public record NodeState(boolean connected, boolean databaseConnected, boolean inSync, String openVswitch,
        String dpdk, String warning, int plannedFlows, DriftReport drift, long dropped,
        List<PortStates.Port> ports) implements Status<NodeState> {
    @Override
    public boolean isLike(final NodeState other) {
        return connected == other.connected && databaseConnected == other.databaseConnected;
    }
}
