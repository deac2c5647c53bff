// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UnelectedTest {
    private final AtomicInteger ended = new AtomicInteger();
    private Duration silence = Duration.ZERO;
    private final Unelected unelected = new Unelected(() -> silence, ended::incrementAndGet);

    private void look(final int seconds) {
        silence = Duration.ofSeconds(seconds);
        unelected.look();
    }

    @Test
    void silenceIsToldAfterAMinuteAndEndsWithTheFirstAnswer() {
        look(59);
        assertThat(unelected.reason()).isEmpty();
        look(60);
        assertThat(unelected.reason().orElse("")).contains("has not answered for 60 s");
        look(3);
        assertThat(unelected.reason()).isEmpty();
        assertThat(ended).hasValue(0);
    }

    @Test
    void theControllerEndsOnceAfterFiveMinutes() {
        look(299);
        assertThat(ended).hasValue(0);
        look(300);
        look(303);
        assertThat(ended).hasValue(1);
        assertThat(unelected.reason()).as("it is not ready until it has ended").isPresent();
    }
}
