// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Cookie.Kind;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which flows of a switch are missing, proper, wrong or excess. */
class PlanDiffTest {
    private static final FlowSpec NODE = flow(Table.CLASSIFY, 1, Kind.NODE, 0);
    private static final FlowSpec OF_SEVEN = flow(Table.EGRESS, 7, Kind.TENANT, 7);
    private static final NodePlan PLAN = plan(Map.of(7, List.of(OF_SEVEN)));

    private static FlowSpec flow(final Table table, final int priority, final Kind kind, final int owner) {
        return new FlowSpec(table, priority, List.of(), List.of(), Optional.empty(), Cookie.of(kind, owner), 0);
    }

    private static NodePlan plan(final Map<Integer, List<FlowSpec>> tenants) {
        final TreeMap<VrfId, List<PlannedFlow>> flows = new TreeMap<>();
        tenants.forEach((vrf, specs) ->
            flows.put(new VrfId(vrf), specs.stream().map(flow -> new PlannedFlow(flow, "test")).toList()));
        return new NodePlan(new BridgePlan("br", 1, List.of(), Map.of(), Map.of()),
            List.of(new PlannedFlow(NODE, "test")), List.of(), flows, new TreeMap<>(), new TreeMap<>());
    }

    @Test
    void aSwitchWithThePlannedFlowsIsInSync() {
        final PlanDiff diff = PlanDiff.between(PLAN, List.of(OF_SEVEN, NODE));
        assertThat(diff.isEmpty()).isTrue();
        assertThat(diff.proper()).containsExactlyInAnyOrder(NODE, OF_SEVEN);
        assertThat(diff.toAdd()).isEmpty();
        assertThat(PLAN.size()).isEqualTo(2);
    }

    @Test
    void missingWrongAndExcessFlowsEachKeepASwitchFromBeingInSync() {
        final PlanDiff missing = PlanDiff.between(PLAN, List.of(NODE));
        assertThat(missing.isEmpty()).isFalse();
        assertThat(missing.toAdd()).containsExactly(OF_SEVEN);
        final PlanDiff wrong = PlanDiff.between(PLAN, List.of(NODE, flow(Table.EGRESS, 7, Kind.TENANT, 8)));
        assertThat(wrong.isEmpty()).isFalse();
        assertThat(wrong.missing()).isEmpty();
        assertThat(wrong.toAdd()).as("the planned flow").containsExactly(OF_SEVEN);
        final FlowSpec other = flow(Table.EGRESS, 9, Kind.TENANT, 7);
        final PlanDiff excess = PlanDiff.between(PLAN, List.of(NODE, OF_SEVEN, other));
        assertThat(excess.isEmpty()).isFalse();
        assertThat(excess.excess()).containsExactly(other);
        assertThat(excess.toAdd()).isEmpty();
    }

    @Test
    void learnedFlowsStayWhileTheirVrfIsOnTheNode() {
        for (final Kind kind : List.of(Kind.LEARNED, Kind.SESSION)) {
            for (final int owner : new int[] {0, VrfId.BACKBONE.number(), 7}) {
                assertExcess(flow(Table.NAT_SESSIONS, 3, kind, owner), false);
            }
            assertExcess(flow(Table.NAT_SESSIONS, 3, kind, 8), true);
            assertExcess(flow(Table.NAT_TRANSLATE, 3, kind, 7), true);
        }
        assertExcess(flow(Table.NAT_SESSIONS, 3, Kind.TENANT, 7), true);
    }

    private static void assertExcess(final FlowSpec flow, final boolean expected) {
        assertThat(PlanDiff.between(PLAN, List.of(NODE, OF_SEVEN, flow)).excess()).as(flow.toString())
            .isEqualTo(expected ? List.of(flow) : List.of());
    }

    @Test
    void betweenPlansOnlyTheOwnersThatDifferAreCompared() {
        final FlowSpec more = flow(Table.EGRESS, 8, Kind.TENANT, 8);
        final PlanDiff diff = PlanDiff.between(plan(Map.of(8, List.of(more))), PLAN);
        assertThat(diff.missing()).containsExactly(more);
        assertThat(diff.excess()).containsExactly(OF_SEVEN);
        assertThat(diff.wrong()).isEmpty();
        assertThat(PlanDiff.between(PLAN, PLAN).proper()).isEmpty();
        assertThat(PlanDiff.between(plan(Map.of(7, List.of(OF_SEVEN))), PLAN).isEmpty()).isTrue();
    }

    @Test
    void twoFlowsThatAreOneToTheSwitchAreABug() {
        assertThatThrownBy(() -> plan(Map.of(7, List.of(OF_SEVEN, OF_SEVEN))).flows())
            .isInstanceOf(IllegalStateException.class);
    }
}
