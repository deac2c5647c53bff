// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.flow.MeterSpec;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Flows that drop, with reports. */
class DropReportTest {
    private static final long TENANT = Cookie.of(Cookie.Kind.TENANT, new VrfId(12));

    private static FlowSpec drop(final int vlan, final long cookie) {
        return new FlowSpec(Table.CLASSIFY, 10, List.of(FieldMatch.of(MatchField.IN_PORT, vlan)), List.of(),
            Optional.empty(), cookie, 0);
    }

    @Test
    void aReportOfATenantUsesAMeterThatFewTenantsShare() {
        final FlowSpec report = DropReport.of(drop(7, TENANT));
        assertThat(FlowText.NAMES.render(report)).isEqualTo(
            "table=classify,priority=10,cookie=0x%x,in_port=7 actions=meter:12,%s,CONTROLLER:128".formatted(
                TENANT, FlowText.NAMES.actions(List.of(Register.DROP.load(DropReport.number(report.key()))))));
        assertThat(report.isDrop()).isTrue();
        assertThat(report.key()).isEqualTo(drop(7, TENANT).key());
    }

    @Test
    void otherFlowsStayAsTheyAre() {
        final FlowSpec goesOn = new FlowSpec(Table.CLASSIFY, 10, List.of(), List.of(),
            Optional.of(Table.ACCESS_LEARN), TENANT, 0);
        assertThat(DropReport.of(goesOn)).isSameAs(goesOn);
        final FlowSpec report = DropReport.of(drop(7, TENANT));
        assertThat(DropReport.of(report)).isEqualTo(report);
    }

    @Test
    void aFlowThatSendsPacketsToTheControllerIsNoDrop() {
        assertThat(new FlowSpec(Table.CLASSIFY, 10, List.of(), List.of(new Action.Meter(3),
            Register.KNOWN.load(1), new Action.Controller(128)), Optional.empty(), TENANT, 0).isDrop()).isFalse();
        final FlowSpec report = DropReport.of(drop(7, TENANT));
        assertThat(new FlowSpec(Table.CLASSIFY, 10, List.of(), report.actions(), Optional.of(Table.ACCESS_LEARN),
            TENANT, 0).isDrop()).isFalse();
    }

    @Test
    void numbersAreOfTheWholeRangeAndNeverNothing() {
        final Set<Integer> numbers = new HashSet<>();
        IntStream.rangeClosed(1, 4000).map(port -> DropReport.number(drop(port, TENANT).key())).forEach(numbers::add);
        assertThat(numbers).allMatch(number -> number >= 1 && number <= 0xffff).hasSizeGreaterThan(3700);
        assertThat(DropReport.number(drop(1, TENANT).key())).as("the same in each member").isEqualTo(
            Math.floorMod("table=classify,priority=10,in_port=1".hashCode(), 0xffff) + 1);
    }

    @Test
    void metersAreOfNothingElse() {
        final List<Integer> ids = DropReport.meters().stream().map(MeterSpec::id).toList();
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> DropReport.meaning(id).isPresent());
        assertThat(ids).doesNotContainAnyElementsOf(Arrays.stream(Meter.values()).map(Meter::number).toList())
            .allMatch(id -> TenantMeter.of(id).isEmpty());
        for (int vrf = VrfId.FIRST; vrf < VrfId.FIRST + 20; vrf++) {
            final FlowSpec report = DropReport.of(drop(1, Cookie.of(Cookie.Kind.TENANT, new VrfId(vrf))));
            assertThat(ids).contains(((Action.Meter) report.actions().get(0)).id());
        }
        assertThat(DropReport.of(drop(1, Cookie.of(Cookie.Kind.NODE, 0))).actions())
            .startsWith(new Action.Meter(ids.get(0)));
        assertThat(DropReport.meaning(ids.get(0) - 1)).isEmpty();
        assertThat(DropReport.meaning(16)).isEmpty();
    }
}
