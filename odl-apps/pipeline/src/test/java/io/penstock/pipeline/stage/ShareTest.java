// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** New connections of a function with a canary. */
class ShareTest {
    private static final Instance ONE = new Instance("one", State.IN_SERVICE, 1);
    private static final Instance TWO = new Instance("two", State.IN_SERVICE, 3);
    private static final Instance NEW = new Instance("new", State.IN_SERVICE, 100);
    private static final Instance NEWER = new Instance("newer", State.IN_SERVICE, 100);
    private static final Instance LEAVING = new Instance("leaving", State.DRAINING, 1);

    @Test
    void whileItIsJudgedItGetsItsShareWhateverItsWeight() {
        assertThat(counts(25, Optional.empty(), ONE, TWO, NEW, LEAVING))
            .isEqualTo(Map.of("one", 12L, "two", 36L, "new", 16L));
        assertThat(counts(10, Optional.empty(), ONE, TWO, NEW, NEWER))
            .isEqualTo(Map.of("one", 15L, "two", 43L, "new", 3L, "newer", 3L));
        assertThat(counts(1, Optional.empty(), ONE, TWO, NEW)).containsEntry("new", 1L);
        assertThat(counts(50, Optional.empty(), ONE, NEW)).isEqualTo(Map.of("one", 32L, "new", 32L));
    }

    @Test
    void oneThatFailsIsReplacedByItsOwnVersion() {
        final NetworkFunction function = function(25, ONE, TWO, NEW, NEWER);
        final List<Instance> all = Share.of(function, Optional.empty(), function.instances());
        final List<Instance> withoutTwo = Share.of(function, Optional.empty(), List.of(ONE, NEW, NEWER));
        assertThat(counts(withoutTwo)).isEqualTo(Map.of("one", 48L, "new", 8L, "newer", 8L));
        for (int bucket = 0; bucket < all.size(); bucket++) {
            if (!all.get(bucket).equals(TWO)) {
                assertThat(withoutTwo.get(bucket)).isEqualTo(all.get(bucket));
            }
        }
        assertThat(counts(Share.of(function, Optional.empty(), List.of(ONE, TWO, NEWER))))
            .containsEntry("newer", 16L);
    }

    @Test
    void withoutAnyOfOneVersionTheOtherHasAll() {
        final NetworkFunction function = function(25, ONE, TWO, NEW, LEAVING);
        assertThat(counts(Share.of(function, Optional.empty(), List.of(ONE, TWO, LEAVING))))
            .isEqualTo(Map.of("one", 20L, "two", 44L));
        assertThat(counts(Share.of(function, Optional.empty(), List.of(NEW, LEAVING)))).isEqualTo(Map.of("new", 64L));
        assertThat(counts(Share.of(function, Optional.empty(), List.of(LEAVING)))).isEqualTo(Map.of("leaving", 64L));
        assertThat(Share.of(function, Optional.empty(), List.of())).isEmpty();
    }

    @Test
    void whenItIsJudgedTheWinnerHasAllByItsWeights() {
        assertThat(counts(25, Optional.of(Verdict.FORWARD), ONE, TWO, NEW, NEWER, LEAVING))
            .isEqualTo(Map.of("new", 32L, "newer", 32L));
        assertThat(counts(25, Optional.of(Verdict.BACK), ONE, TWO, NEW, NEWER, LEAVING))
            .isEqualTo(Map.of("one", 16L, "two", 48L));
    }

    @Test
    void loserIsBetterThanNone() {
        final NetworkFunction function = function(25, ONE, TWO, NEW);
        assertThat(counts(Share.of(function, Optional.of(Verdict.BACK), List.of(NEW)))).isEqualTo(Map.of("new", 64L));
        assertThat(counts(Share.of(function, Optional.of(Verdict.FORWARD), List.of(ONE, TWO))))
            .isEqualTo(Map.of("one", 16L, "two", 48L));
    }

    private static NetworkFunction function(final int percent, final Instance... instances) {
        return new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, true).spread(instances).with(Optional.of(
            new Canary("v2", List.of("new", "newer"), percent, 300, new Canary.Tolerance(1, 200, 1), 100)));
    }

    private static Map<String, Long> counts(final int percent, final Optional<Verdict> verdict,
            final Instance... instances) {
        return counts(Share.of(function(percent, instances), verdict, List.of(instances)));
    }

    private static Map<String, Long> counts(final List<Instance> share) {
        return share.stream().map(Instance::name).collect(Collectors.groupingBy(Function.identity(),
            Collectors.counting()));
    }
}
