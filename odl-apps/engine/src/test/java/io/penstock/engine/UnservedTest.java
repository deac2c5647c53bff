// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
}
