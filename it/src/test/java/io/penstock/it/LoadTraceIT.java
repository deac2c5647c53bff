// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.GoldenCase;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.TestRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every plan is taken by a switch as it is. */
class LoadTraceIT {
    static List<GoldenCase> cases() {
        return GoldenCase.ALL;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void theSwitchHasWhatWasPlanned(final GoldenCase network) {
        final NodePlan plan = network.plan();
        try (TestRun run = new TestRun()) {
            final OvsSandbox ovs = OvsSandbox.dummy(run);
            final FlowLoader loader = FlowLoader.create(ovs, plan.bridge());
            hasPortsAndTableNames(ovs, plan);
            loader.load(plan);
            assertThat(loader.dump()).hasSameSizeAs(plan.flowSpecs()).isEqualTo(loader.parse(plan.flowSpecs()));

            final List<String> before = loader.dump();
            final List<FlowSpec> shuffled = new ArrayList<>(plan.flowSpecs());
            Collections.shuffle(shuffled, new Random(1));
            loader.load(shuffled);
            assertThat(loader.dump()).isEqualTo(before);
        }
    }

    private static void hasPortsAndTableNames(final OvsSandbox ovs, final NodePlan plan) {
        plan.bridge().ports().forEach(port -> assertThat(ovs.vsctl("get", "Interface", port.name(), "ofport"))
            .as(port.name()).isEqualTo(Integer.toString(port.number())));
        final String tables = ovs.ofctl("dump-table-features", plan.bridge().name());
        plan.bridge().tables().forEach((number, table) ->
            assertThat(tables).contains("table " + number + " (\"" + table.name() + "\")"));
    }
}
