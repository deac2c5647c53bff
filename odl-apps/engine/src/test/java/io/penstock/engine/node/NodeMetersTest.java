// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.flow.MeterSpec.Unit;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** When meters come and go. */
class NodeMetersTest extends NodeFlowsCase {
    private static final MeterSpec FIRST = new MeterSpec(TenantMeter.NEIGHBOUR.number(VRF), Unit.PACKETS, 50, 100);
    private static final MeterSpec FASTER = new MeterSpec(FIRST.id(), Unit.PACKETS, 51, 100);
    private static final MeterSpec SECOND = new MeterSpec(TenantMeter.OUT.number(VRF), Unit.KILOBITS, 9, 9);
    private static final MeterSpec THIRD = new MeterSpec(TenantMeter.IN.number(VRF), Unit.KILOBITS, 9, 9);

    @Test
    void metersComeBeforeFlowsAndGoAfterThem() throws Exception {
        flows.change(SWITCH, metered(List.of(), FIRST, SECOND), metered(translated(ADDRESS), FASTER, THIRD)).get();
        assertThat(southbound.steps).containsExactly("set [" + THIRD + ", " + FASTER + "]", "flows",
            "delete [" + SECOND.id() + "]");
    }

    @Test
    void metersOfATenantThatLeftGoAfterItsFlows() throws Exception {
        flows.change(SWITCH, metered(translated(ADDRESS), FIRST, SECOND), plan(new TreeMap<>())).get();
        assertThat(southbound.steps).containsExactly("flows", "delete [" + FIRST.id() + ", " + SECOND.id() + "]");
    }

    @Test
    void metersThatStayAreLeftAlone() throws Exception {
        final List<MeterSpec> same = List.of(FIRST, SECOND);
        flows.change(SWITCH, metered(List.of(), same), metered(List.of(), same)).get();
        flows.change(SWITCH, metered(List.of(), FIRST, SECOND), metered(List.of(), FIRST, SECOND)).get();
        assertThat(southbound.steps).isEmpty();
    }

    @Test
    void metersOfTheSwitchAreBroughtToThePlan() throws Exception {
        southbound.meters = new TreeMap<>(Map.of(FIRST.id(), Optional.of(FASTER), SECOND.id(), Optional.empty(),
            99, Optional.of(new MeterSpec(99, Unit.PACKETS, 1, 1)), -3, Optional.empty()));
        Arrays.stream(Meter.values()).forEach(meter ->
            southbound.meters.put(meter.number(), Optional.of(meter.spec())));
        flows.reconcile(SWITCH, metered(translated(ADDRESS), FIRST, SECOND, THIRD)).get();
        assertThat(southbound.steps).containsExactly("set [" + THIRD + ", " + FIRST + ", " + SECOND + "]", "flows",
            "delete [-3, 99]");
    }

    @Test
    void aSwitchThatWasNeverSeenGetsItsOwnMetersToo() throws Exception {
        flows.reconcile(SWITCH, plan(List.of())).get();
        assertThat(southbound.steps).containsExactly("set " + Arrays.stream(Meter.values()).map(Meter::spec).toList());
    }

    @Test
    void flowsThatFailLeaveTheMetersTheyNeed() {
        southbound.refusal = new IllegalStateException("refused");
        assertThatThrownBy(() -> flows.change(SWITCH, metered(translated(ADDRESS), FIRST), plan(new TreeMap<>())).get())
            .hasRootCauseMessage("refused");
        assertThat(southbound.steps).containsExactly("flows");
    }

    private static NodePlan metered(final List<PlannedFlow> flows, final MeterSpec... meters) {
        return metered(flows, List.of(meters));
    }

    private static NodePlan metered(final List<PlannedFlow> flows, final List<MeterSpec> meters) {
        final NodePlan plan = plan(flows);
        return new NodePlan(plan.bridge(), plan.nodeFlows(), List.of(), plan.tenantFlows(),
            new TreeMap<>(Map.of(VRF, meters)), plan.orders());
    }
}
