// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.allocation.CanaryResult.Probes;
import io.penstock.pipeline.allocation.CanaryResult.Side;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.plan.Chained;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Percent of drops, of losses and of used addresses; and the results that are kept. */
class ResultsTest {
    private static Side side(final long in, final long out, final long probes, final long lost) {
        return new Side(List.of(), in, out, new Probes(probes, lost, 0, 0));
    }

    private static CanaryResult result(final String version, final Verdict verdict) {
        return new CanaryResult(version, verdict, "", 0, 60, side(0, 0, 0, 0), side(0, 0, 0, 0));
    }

    @Test
    void dropsArePacketsThatWentInAndDidNotComeOut() {
        assertThat(side(200, 150, 0, 0).droppedPercent()).isEqualTo(25);
        assertThat(side(200, 200, 0, 0).droppedPercent()).isZero();
        assertThat(side(200, 300, 0, 0).droppedPercent()).as("a function that sends more").isZero();
        assertThat(side(0, 5, 0, 0).droppedPercent()).isZero();
    }

    @Test
    void lossIsOfTheProbesThatWereSent() {
        assertThat(side(0, 0, 40, 10).probes().lossPercent()).isEqualTo(25);
        assertThat(side(0, 0, 0, 0).probes().lossPercent()).isZero();
    }

    @Test
    void usageIsRoundedDownAndFullOfNothing() {
        assertThat(Thresholds.percent(0, 256)).isZero();
        assertThat(Thresholds.percent(255, 256)).isEqualTo(99);
        assertThat(Thresholds.percent(256, 256)).isEqualTo(100);
        assertThat(Thresholds.percent(0, 0)).isEqualTo(100);
    }

    @Test
    void theNewestResultsAreKept() {
        Allocations allocations = Allocations.none();
        for (int version = 0; version < 2 * CanaryResult.KEPT; version++) {
            allocations = allocations.with("fw", result("v" + version, Verdict.BACK));
        }
        final int last = 2 * CanaryResult.KEPT - 1;
        assertThat(allocations.canariesOf("fw")).extracting(CanaryResult::version).containsExactlyElementsOf(
            IntStream.range(0, CanaryResult.KEPT).mapToObj(age -> "v" + (last - age)).toList());
        assertThat(allocations.canariesOf("other")).isEmpty();
    }

    @Test
    void theVerdictIsThatOfTheVersionThatTheFunctionHas() {
        final NetworkFunction function = Chained.canary().functions().get("fw");
        final String version = function.canary().orElseThrow().version();
        final Allocations none = Allocations.none();
        assertThat(none.verdict(function)).isEmpty();
        assertThat(none.with("fw", result("older", Verdict.BACK)).verdict(function)).isEmpty();
        assertThat(none.with("fw", result(version, Verdict.FORWARD)).verdict(function)).contains(Verdict.FORWARD);
        assertThat(none.with("tap", result(version, Verdict.FORWARD)).verdict(function)).isEmpty();
    }

    @Test
    void aPortWithoutANumberIsAnError() {
        final Allocations given = new Allocations(0, new TreeMap<>(),
            new TreeMap<>(Map.of("edge1", new TreeMap<>(Map.of("up0", 3)))), Map.of());
        assertThat(given.port("edge1", "up0")).isEqualTo(3);
        assertThatThrownBy(() -> given.port("edge1", "up1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> given.port("edge2", "up0")).isInstanceOf(IllegalArgumentException.class);
    }
}
