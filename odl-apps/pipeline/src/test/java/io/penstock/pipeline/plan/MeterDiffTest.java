// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which meters of a switch are missing, wrong or excess. */
class MeterDiffTest {
    private static final MeterSpec SEVEN = tenant(7, 50);
    private static final MeterSpec EIGHT = tenant(8, 50);

    private static MeterSpec tenant(final int vrf, final int rate) {
        return new MeterSpec(TenantMeter.DNS.number(new VrfId(vrf)), MeterSpec.Unit.PACKETS, rate, rate);
    }

    private static NodePlan plan(final List<MeterSpec> functions, final Map<Integer, List<MeterSpec>> tenants) {
        final TreeMap<VrfId, List<MeterSpec>> meters = new TreeMap<>();
        tenants.forEach((vrf, each) -> meters.put(new VrfId(vrf), each));
        return new NodePlan(new BridgePlan("br", 1, List.of(), Map.of(), Map.of()), List.of(), functions,
            new TreeMap<>(), meters, new TreeMap<>());
    }

    private static Map<Integer, Optional<MeterSpec>> installed(final NodePlan plan) {
        final Map<Integer, Optional<MeterSpec>> meters = new HashMap<>();
        plan.meters().forEach((id, meter) -> meters.put(id, Optional.of(meter)));
        return meters;
    }

    @Test
    void aSwitchWithThePlannedMetersIsInSync() {
        final NodePlan plan = plan(List.of(FunctionMeter.spec(3)), Map.of(7, List.of(SEVEN)));
        final MeterDiff diff = MeterDiff.between(plan, installed(plan));
        assertThat(diff.toSet()).isEmpty();
        assertThat(diff.excess()).isEmpty();
    }

    @Test
    void anEmptySwitchMissesTheMetersOfAllOwners() {
        final MeterDiff diff =
            MeterDiff.between(plan(List.of(FunctionMeter.spec(3)), Map.of(7, List.of(SEVEN))), Map.of());
        assertThat(diff.missing()).contains(SEVEN, FunctionMeter.spec(3), Meter.BACKBONE_ERRORS.spec())
            .hasSize(Meter.values().length + 2);
        assertThat(diff.wrong()).isEmpty();
        assertThat(diff.toSet()).isEqualTo(diff.missing());
    }

    @Test
    void aMeterWithAnotherRateAndOneThatCannotBeReadAreWrong() {
        final NodePlan plan = plan(List.of(), Map.of(7, List.of(SEVEN), 8, List.of(EIGHT)));
        final Map<Integer, Optional<MeterSpec>> there = installed(plan);
        there.put(SEVEN.id(), Optional.of(tenant(7, 51)));
        there.put(EIGHT.id(), Optional.empty());
        final MeterDiff diff = MeterDiff.between(plan, there);
        assertThat(diff.missing()).isEmpty();
        assertThat(diff.wrong()).as("the planned meters").containsExactlyInAnyOrder(SEVEN, EIGHT);
        assertThat(diff.toSet()).isEqualTo(diff.wrong());
        assertThat(diff.excess()).isEmpty();
    }

    @Test
    void aMeterThatIsNotPlannedIsExcess() {
        final Map<Integer, Optional<MeterSpec>> there = installed(plan(List.of(), Map.of(7, List.of(SEVEN))));
        final MeterDiff diff = MeterDiff.between(plan(List.of(), Map.of()), there);
        assertThat(diff.toSet()).isEmpty();
        assertThat(diff.excess()).containsExactly(SEVEN.id());
    }

    @Test
    void betweenPlansTheMetersOfATenantAppearChangeAndDisappear() {
        final NodePlan before = plan(List.of(), Map.of(7, List.of(SEVEN), 8, List.of(EIGHT)));
        final MeterSpec nine = tenant(9, 50);
        final MeterSpec slower = tenant(8, 20);
        final MeterDiff diff =
            MeterDiff.between(plan(List.of(), Map.of(8, List.of(slower), 9, List.of(nine))), before);
        assertThat(diff.missing()).containsExactly(nine);
        assertThat(diff.wrong()).containsExactly(slower);
        assertThat(diff.excess()).containsExactly(SEVEN.id());
    }

    @Test
    void betweenPlansAnEqualListOfAnotherPlanChangesNothing() {
        final NodePlan one = plan(List.of(FunctionMeter.spec(3)), Map.of(7, List.of(SEVEN)));
        final NodePlan other = plan(List.of(FunctionMeter.spec(3)), Map.of(7, List.of(tenant(7, 50))));
        for (final NodePlan plan : List.of(one, other)) {
            final MeterDiff diff = MeterDiff.between(plan, one);
            assertThat(diff.toSet()).isEmpty();
            assertThat(diff.excess()).isEmpty();
        }
    }

    @Test
    void betweenPlansTheMetersOfFunctionPortsAppearAndDisappear() {
        final NodePlan before = plan(List.of(FunctionMeter.spec(3), FunctionMeter.spec(4)), Map.of());
        final MeterDiff diff =
            MeterDiff.between(plan(List.of(FunctionMeter.spec(4), FunctionMeter.spec(5)), Map.of()), before);
        assertThat(diff.missing()).containsExactly(FunctionMeter.spec(5));
        assertThat(diff.wrong()).isEmpty();
        assertThat(diff.excess()).containsExactly(FunctionMeter.number(3));
    }
}
