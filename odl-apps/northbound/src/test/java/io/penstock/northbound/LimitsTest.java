// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.operations.Limit;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.flow.MeterSpec.Unit;
import io.penstock.pipeline.plan.BridgePlan;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.MeterCount;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What operators read of meters. */
class LimitsTest {
    private static final VrfId FIVE = new VrfId(5);
    private static final VrfId SIX = new VrfId(6);
    private static final int OUT = TenantMeter.OUT.number(FIVE);
    private static final NodePlan PLAN = new NodePlan(new BridgePlan("br", 1, List.of(), Map.of(), Map.of()),
        List.of(), List.of(FunctionMeter.spec(4)), new TreeMap<>(),
        new TreeMap<>(Map.of(FIVE, List.of(new MeterSpec(OUT, Unit.KILOBITS, 100, 20)),
            SIX, List.of(new MeterSpec(TenantMeter.NEW_SESSIONS.number(SIX), Unit.PACKETS, 7, 14)))),
        new TreeMap<>());

    @Test
    void countsHaveTheirTenantAndRateAndComeByTenant() {
        assertThat(Limits.of("edge1", PLAN, Map.of(FIVE, "red", SIX, "blue")::get, List.of(
            new MeterCount(TenantMeter.NEW_SESSIONS.number(SIX), 1, 100, 0, 0),
            new MeterCount(OUT, 10, 1000, 3, 300)))).containsExactly(
                new Limit("edge1", "red", "out", "kilobits", 100, 20, 7, 3, 300),
                new Limit("edge1", "blue", "new-sessions", "packets", 7, 14, 1, 0, 0));
    }

    @Test
    void aLimitOfTheWholeNodeHasNoTenant() {
        final Meter meter = Meter.BACKBONE_NEIGHBOURS;
        assertThat(Limits.of("edge1", PLAN, vrf -> "", List.of(new MeterCount(meter.number(), 5, 50, 1, 10))))
            .containsExactly(new Limit("edge1", "", "backbone-neighbours", "packets", meter.rate(), meter.burst(), 4, 1,
                10));
    }

    @Test
    void aLimitOfAFunctionNamesItsPort() {
        final MeterSpec meter = FunctionMeter.spec(4);
        assertThat(Limits.of("edge1", PLAN, vrf -> "", List.of(new MeterCount(meter.id(), 5, 50, 1, 10))))
            .containsExactly(new Limit("edge1", "", "probes from port 4", "packets", meter.rate(), meter.burst(), 4, 1,
                10));
    }

    @Test
    void whatNobodyPlannedIsLeftOut() {
        assertThat(Limits.of("edge1", PLAN, vrf -> "", List.of(
            new MeterCount(TenantMeter.IN.number(FIVE), 5, 50, 1, 10), new MeterCount(-3, 5, 50, 1, 10)))).isEmpty();
    }
}
