// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.stage.PlannedFlow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole plan of some networks as text. Run with {@code -Dgolden.update} to write the files anew. */
class GoldenTest {
    static List<GoldenCase> cases() {
        return GoldenCase.ALL;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void planIsAsReviewed(final GoldenCase network) throws IOException {
        final Path file = Path.of("src/test/resources/golden", network.name() + ".flows");
        final String text = text(network.plan());
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
        final List<String> meters = plan.tenantMeters().values().stream().flatMap(List::stream).map(meter ->
            "meter=%d %s rate=%d burst=%d\n".formatted(meter.id(), meter.unit().name().toLowerCase(Locale.ROOT),
                meter.rate(), meter.burst())).toList();
        return String.join("", lines) + String.join("", meters);
    }
}
