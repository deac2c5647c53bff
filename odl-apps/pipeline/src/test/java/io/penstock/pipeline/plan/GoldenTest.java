// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.stage.PlannedFlow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole plan of some networks as text. Run with {@code -Dgolden.update} to write the files anew. */
class GoldenTest {
    static Stream<Arguments> cases() {
        return Stream.of(
            Arguments.of("no-tenant", Fixtures.network(), Set.of()),
            Arguments.of("two-tenants", Fixtures.network(Fixtures.tenants(2)), Set.of()),
            Arguments.of("rich-tenant", Fixtures.network(Fixtures.rich()), Set.of()),
            Arguments.of("rich-tenant-tap-down", Fixtures.network(Fixtures.rich()), Set.of("tap")),
            Arguments.of("rich-tenant-fw-down", Fixtures.network(Fixtures.rich()), Set.of("fw")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void planIsAsReviewed(final String name, final Snapshot snapshot, final Set<String> down) throws IOException {
        final Path file = Path.of("src/test/resources/golden", name + ".flows");
        final String text = text(Fixtures.plan(snapshot, down));
        if (System.getProperty("golden.update") != null) {
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file));
    }

    private static String text(final NodePlan plan) {
        final Comparator<FlowSpec> order = Comparator.comparing(FlowSpec::table)
            .thenComparing(Comparator.comparing(FlowSpec::priority).reversed()).thenComparing(FlowSpec::toString);
        final List<String> lines = plan.flows().values().stream()
            .sorted(Comparator.comparing(PlannedFlow::flow, order))
            .map(planned -> "# " + planned.label() + "\n" + FlowText.NAMES.render(planned.flow()) + "\n").toList();
        return String.join("", lines);
    }
}
