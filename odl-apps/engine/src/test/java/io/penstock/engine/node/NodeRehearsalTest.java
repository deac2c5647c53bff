// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeRehearsalTest {
    private final RecordingSouthbound southbound = new RecordingSouthbound();
    private final Snapshot network = Fixtures.network(Fixtures.rich());
    private final Allocations allocations = Allocator.allocate(network, Allocations.none());
    private final NodePlan plan = Planner.plan(network, allocations, Set.of(), "edge1");
    private final NodeRehearsal rehearsal = new NodeRehearsal(southbound, new BridgeTranslator(() -> Set.of("tcp:a")),
        Tasks.inline());

    private Observation observe() {
        return rehearsal.observe(network, allocations, "edge1").join();
    }

    @Test
    void aSwitchAsPlannedIsOneWithoutDifferences() {
        southbound.installed = List.copyOf(plan.flows().values());
        plan.meters().forEach((id, meter) -> southbound.meters.put(id, Optional.of(meter)));
        assertThat(observe().isClean()).isTrue();
    }

    @Test
    void differencesAreFoundAndLeft() {
        final List<PlannedFlow> flows = List.copyOf(plan.flows().values());
        southbound.installed = flows.subList(1, flows.size());
        assertThat(observe().missing()).isPositive();
        assertThat(southbound.changes).isEmpty();
        assertThat(southbound.steps).isEmpty();
        assertThat(southbound.flushed).isEmpty();
    }
}
