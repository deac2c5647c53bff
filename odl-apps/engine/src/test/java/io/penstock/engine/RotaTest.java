// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RotaTest {
    private static final int TICKS = 10;

    private static Set<String> nodes(final int count) {
        return IntStream.range(0, count).mapToObj(number -> "n%03d".formatted(number))
            .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void eachNodeHasItsTurnOnceInAPeriodAndTheyAreSpread() {
        for (final int count : List.of(1, 2, 7, 200)) {
            final Rota rota = new Rota(TICKS);
            final Map<String, Integer> turns = new HashMap<>();
            for (int tick = 0; tick < TICKS * 5; tick++) {
                final List<String> now = rota.next(nodes(count));
                assertThat(now).hasSizeLessThanOrEqualTo((count + TICKS - 1) / TICKS);
                now.forEach(node -> turns.merge(node, 1, Integer::sum));
            }
            assertThat(turns.values()).as("of %d nodes", count).hasSize(count).allMatch(times -> times >= 4);
        }
    }

    @Test
    void nodesComeAndGo() {
        final Rota rota = new Rota(1);
        assertThat(rota.next(nodes(2))).containsExactly("n000", "n001");
        assertThat(rota.next(Set.of("n001", "new"))).containsExactlyInAnyOrder("n001", "new");
        assertThat(rota.next(Set.of())).isEmpty();
        final List<String> back = new ArrayList<>(rota.next(Set.of("n000")));
        assertThat(back).containsExactly("n000");
    }
}
