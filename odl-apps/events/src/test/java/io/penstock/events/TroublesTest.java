// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TroublesTest {
    private static final Duration LEAST = Duration.ofMinutes(10);

    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final Troubles<String> troubles = new Troubles<>(clock, LEAST);

    @Test
    void oneThatBeginsIsToldOnceAndSoIsItsEnd() {
        assertThat(troubles.ends("red")).isFalse();
        assertThat(troubles.begins("red")).isTrue();
        assertThat(troubles.begins("red")).isFalse();
        assertThat(troubles.begins("blue")).isTrue();
        clock.pass(LEAST.toSeconds());
        assertThat(troubles.areDue()).as("no end was said").isFalse();
        assertThat(troubles.isOver(troubles.lasting().iterator().next())).isFalse();
        assertThat(troubles.ends("red")).isTrue();
        assertThat(troubles.ends("red")).isFalse();
        assertThat(troubles.lasting()).containsExactly("blue");
    }

    @Test
    void oneThatComesAndGoesIsToldTwiceInAWhile() {
        int told = 0;
        for (int second = 0; second < LEAST.toSeconds(); second++) {
            told += troubles.begins("red") ? 1 : 0;
            told += troubles.ends("red") ? 1 : 0;
            clock.pass(1);
        }
        assertThat(told).isOne();
        assertThat(troubles.areDue()).isTrue();
        assertThat(troubles.ends("red")).isTrue();
    }

    @Test
    void whatIsGoneHasNoTrouble() {
        troubles.begins("red");
        troubles.keep("blue"::equals);
        assertThat(troubles.lasting()).isEmpty();
    }
}
