// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.FlowSink;
import io.penstock.pipeline.stage.NodeView;
import io.penstock.pipeline.stage.Stage;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The stages say what they write: {@link FlowSink} refuses more, this test less. */
class StagesTest {
    private static final List<NodeView> NODES = GoldenCase.ALL.stream().map(each -> new NodeView(each.snapshot(),
        each.allocations(), each.down(), each.flooding(), each.snapshot().nodes().get("edge1"))).toList();

    static List<Stage> stages() {
        return Planner.STAGES;
    }

    @ParameterizedTest
    @MethodSource("stages")
    void aStageWritesEachTableThatItNames(final Stage stage) {
        final Set<Table> written = EnumSet.noneOf(Table.class);
        for (final NodeView node : NODES) {
            final FlowSink sink = new FlowSink(stage, 1, planned -> written.add(planned.flow().table()));
            stage.planNode(node, sink);
            for (final Tenant tenant : node.snapshot().tenantsOn("edge1")) {
                stage.planTenant(node, node.view(tenant), sink);
            }
        }
        assertThat(written).isEqualTo(stage.tables());
    }

    @Test
    void stagesWriteTheTablesThatAreNotLearned() {
        assertThat(Planner.STAGES.stream().flatMap(stage -> stage.tables().stream()).collect(Collectors.toSet()))
            .isEqualTo(Arrays.stream(Table.values()).filter(table -> !table.isLearned()).collect(Collectors.toSet()));
    }

    @Test
    void aNameIsOfOneStage() {
        assertThat(Planner.STAGES.stream().map(Stage::name)).doesNotHaveDuplicates().contains("access", "backbone6");
    }
}
