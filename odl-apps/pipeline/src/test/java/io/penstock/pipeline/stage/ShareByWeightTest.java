// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** New connections of a function without a canary. */
class ShareByWeightTest {
    private static final Instance ONE = new Instance("one", State.IN_SERVICE, 1);
    private static final Instance TWO = new Instance("two", State.IN_SERVICE, 1);
    private static final Instance HEAVY = new Instance("heavy", State.IN_SERVICE, 6);
    private static final Instance OLD = new Instance("old", State.DRAINING, 1);
    private static final NetworkFunction FUNCTION =
        new NetworkFunction("fw", "edge1", NetworkFunction.FailPolicy.CLOSED, true).spread(ONE, TWO, HEAVY, OLD);
    private static final List<Instance> ALL = FUNCTION.instances();

    private static List<Instance> share(final List<Instance> working) {
        return Share.of(FUNCTION, Optional.empty(), working);
    }

    private static Map<Instance, Long> counts(final List<Instance> share) {
        return share.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    @Test
    void newConnectionsAreSharedByWeight() {
        final List<Instance> share = share(ALL);
        assertThat(counts(share)).isEqualTo(Map.of(ONE, 8L, TWO, 8L, HEAVY, 48L));
        // In turns, for hosts count their ports up.
        assertThat(share.subList(0, 8)).contains(ONE, TWO);
    }

    @Test
    void whatAnInstanceHadThatFailsIsSharedByTheOthers() {
        final List<Instance> before = share(ALL);
        final List<Instance> after = share(List.of(TWO, HEAVY, OLD));
        assertThat(counts(after)).isEqualTo(Map.of(TWO, 12L, HEAVY, 52L));
        for (int bucket = 0; bucket < before.size(); bucket++) {
            if (!before.get(bucket).equals(ONE)) {
                assertThat(after.get(bucket)).isEqualTo(before.get(bucket));
            }
        }
    }

    @Test
    void oneThatDrainsIsBetterThanNone() {
        assertThat(counts(share(List.of(OLD)))).isEqualTo(Map.of(OLD, 64L));
        assertThat(share(List.of())).isEmpty();
    }
}
