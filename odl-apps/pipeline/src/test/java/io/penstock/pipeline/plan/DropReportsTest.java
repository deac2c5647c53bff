// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.DropReport;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Plans of nodes that report drops, beside those of nodes that do not. */
class DropReportsTest {
    private static final Snapshot NETWORK = Fixtures.network(Fixtures.tenant("plain", 100), Fixtures.rich());

    private static List<FlowSpec> reports() {
        return Fixtures.plan(Fixtures.reporting(NETWORK)).flowSpecs().stream()
            .filter(FlowSpec::reportsDrops).toList();
    }

    @Test
    void onlyFlowsThatDropChange() {
        final List<PlannedFlow> plain = new ArrayList<>(Fixtures.plan(NETWORK).flows().values());
        final List<FlowSpec> reporting = new ArrayList<>(Fixtures.plan(Fixtures.reporting(NETWORK)).flowSpecs());
        assertThat(reporting).containsExactlyInAnyOrderElementsOf(plain.stream().map(each ->
            each.shown() ? DropReport.of(each.flow()) : each.flow()).toList());
        assertThat(reports()).hasSizeGreaterThan(50);
    }

    /** The switch may end when it sends such a packet. */
    @Test
    void whatIsNotReadIsNotShown() {
        assertThat(Fixtures.plan(Fixtures.reporting(NETWORK)).flows().values().stream()
            .filter(each -> each.flow().isDrop() && !each.flow().reportsDrops()).map(PlannedFlow::label).distinct())
            .containsExactlyInAnyOrder("IPv4 with protocol 0, or with lengths that contradict each other",
                "IPv6 that ends before its headers do", "routed function sent a frame that is not for its gateway",
                "function sent a header of TCP that is not whole, or port 0 to port 0",
                "function sent a header of UDP that is not whole, or port 0 to port 0",
                "function sent a header of SCTP that is not whole, or port 0 to port 0",
                "function sent a second 802.1Q tag");
    }

    @Test
    void metersAreThereWhereFlowsUseThem() {
        assertThat(Fixtures.plan(Fixtures.reporting(NETWORK)).meters().values()).containsAll(DropReport.meters());
        assertThat(Fixtures.plan(NETWORK).meters().values()).doesNotContainAnyElementsOf(DropReport.meters());
    }

    @Test
    void flowsOfATableAreToldApart() {
        assertThat(reports().stream().map(flow -> List.of(flow.table(), flow.cookie(), DropReport.number(flow.key()))))
            .doesNotHaveDuplicates();
    }

    @Test
    void theFateOfNoPacketChangesWithTheSetting() {
        final NodePlan plain = Fixtures.plan(NETWORK);
        final NodePlan reporting = Fixtures.plan(Fixtures.reporting(NETWORK));
        for (final PlanDiff diff : List.of(PlanDiff.between(reporting, plain), PlanDiff.between(plain, reporting),
                PlanDiff.between(reporting, plain.flowSpecs()))) {
            assertThat(diff.wrong()).hasSize(reports().size());
            assertThat(diff.changed()).as("flows for which hosts and connections are forgotten").isEmpty();
            assertThat(diff.toAdd()).hasSameSizeAs(diff.wrong());
            assertThat(diff.isEmpty()).isFalse();
        }
    }
}
