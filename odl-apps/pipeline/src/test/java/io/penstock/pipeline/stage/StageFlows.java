// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The flows that one stage writes for the node of the fixtures and its tenants. */
final class StageFlows {
    private StageFlows() {
        // Only functions.
    }

    static List<PlannedFlow> of(final Stage stage, final Snapshot network) {
        final List<PlannedFlow> flows = new ArrayList<>();
        final FlowSink sink = new FlowSink(stage, 1, flows::add);
        final NodeView node = Fixtures.view(network, Set.of());
        stage.planNode(node, sink);
        network.tenantsOn(node.node().name()).forEach(tenant -> stage.planTenant(node, node.view(tenant), sink));
        return flows;
    }
}
