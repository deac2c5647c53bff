// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UnservedTest {
    private final List<String> elected = new ArrayList<>();
    private final Unserved unserved = new Unserved(elected::add);

    @Test
    void forASwitchThatStaysAwayItIsElectedLessAndLessOften() {
        final List<Integer> looks = new ArrayList<>();
        for (int look = 1; look <= 25; look++) {
            elected.clear();
            unserved.look(Set.of("a"));
            if (!elected.isEmpty()) {
                looks.add(look);
            }
        }
        assertThat(looks).containsExactly(2, 4, 8, 16);
    }

    @Test
    void oneThatComesBackInBetweenBeginsAnew() {
        unserved.look(Set.of("b"));
        unserved.look(Set.of("a"));
        unserved.look(Set.of("a", "b"));
        assertThat(elected).containsExactly("a");
    }

    @Test
    void ofManyThatConnectAtOnceSomeHaveTheirTurnAndThenTheOthers() {
        final Set<String> all = IntStream.range(0, 200).mapToObj(number -> "n" + number).collect(Collectors.toSet());
        unserved.look(all);
        final Set<String> seen = new HashSet<>();
        for (int look = 0; look < 50; look++) {
            elected.clear();
            unserved.look(all);
            assertThat(elected).hasSizeBetween(1, 4);
            seen.addAll(elected);
        }
        assertThat(seen).as("each had its turn").hasSizeGreaterThan(100);
    }
}
