// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.allocation.CanaryResult;
import io.penstock.pipeline.allocation.CanaryResult.Side;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a verdict about a new version of a function changes. */
class CanaryPlanTest {
    private final Planner planner = new Planner();
    private final Snapshot snapshot = Chained.canary();
    private final Allocations allocations = Allocator.allocate(snapshot, Allocations.none());

    @Test
    void verdictMovesNewConnectionsAloneAndNoFlowOfATenant() {
        final NodePlan judged = plan(allocations);
        for (final Verdict verdict : Verdict.values()) {
            final NodePlan after = plan(allocations.with("fw", result("v2", verdict)));
            assertThat(picks(after)).containsExactly(verdict == Verdict.FORWARD ? "new to fw2" : "new to fw1");
            assertThat(after.nodeFlows().stream().filter(flow -> flow.flow().table() != Table.CHAIN_PICK))
                .containsExactlyElementsOf(judged.nodeFlows().stream()
                    .filter(flow -> flow.flow().table() != Table.CHAIN_PICK).toList());
            judged.tenantFlows().forEach((vrf, flows) -> assertThat(after.tenantFlows().get(vrf)).isSameAs(flows));
        }
    }

    @Test
    void verdictIsAboutItsVersion() {
        assertThat(plan(allocations.with("fw", result("v1", Verdict.BACK))).nodeFlows())
            .isEqualTo(plan(allocations).nodeFlows());
        assertThat(picks(plan(allocations))).containsExactlyInAnyOrder("new to fw1", "new to fw2");
    }

    @Test
    void theLastResultsAreKeptAsLongAsTheFunctionIs() {
        final Allocations many = IntStream.rangeClosed(1, 10).boxed().reduce(allocations,
            (all, number) -> all.with("fw", result("v" + number, Verdict.BACK)), (one, other) -> other);
        assertThat(many.canariesOf("fw")).extracting(CanaryResult::version)
            .containsExactly("v10", "v9", "v8", "v7", "v6", "v5", "v4", "v3");
        assertThat(Allocator.allocate(snapshot, many)).isEqualTo(many);
        final Snapshot without = Fixtures.network();
        assertThat(Allocator.allocate(without, many).canaries()).containsOnlyKeys("fw");
        assertThat(Allocator.allocate(without.withFunctions(List.of()), many).canaries()).isEmpty();
    }

    private NodePlan plan(final Allocations given) {
        return planner.planAgain(snapshot, given, Set.of(), Set.of(), "edge1");
    }

    private static Set<String> picks(final NodePlan plan) {
        return plan.nodeFlows().stream().filter(flow -> flow.flow().table() == Table.CHAIN_PICK)
            .filter(flow -> !flow.flow().isDrop()).map(PlannedFlow::label).collect(Collectors.toSet());
    }

    private static CanaryResult result(final String version, final Verdict verdict) {
        return new CanaryResult(version, verdict, "", 0, 0, Side.NONE, Side.NONE);
    }
}
