// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;

/**
 * The complete state of one node.
 *
 * @param flows by their identity on the switch
 * @param zones conntrack zones in use, which are also the VRF ids of the node's tenants
 */
public record NodePlan(BridgePlan bridge, Map<FlowSpec.Key, PlannedFlow> flows, SortedSet<Integer> zones) {
    /** The flows without their labels. */
    public List<FlowSpec> flowSpecs() {
        return flows.values().stream().map(PlannedFlow::flow).toList();
    }
}
