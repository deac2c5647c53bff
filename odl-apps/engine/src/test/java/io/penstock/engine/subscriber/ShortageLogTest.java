// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.engine.ManualClock;
import io.penstock.pipeline.net.Prefix;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

class ShortageLogTest {
    private static final Prefix ONE = Prefix.parse("198.51.100.0/31");
    private static final Prefix OTHER = Prefix.parse("198.51.100.2/31");

    private final ManualClock clock = new ManualClock(Instant.EPOCH);
    private final ShortageLog log = new ShortageLog(NOPLogger.NOP_LOGGER, clock);

    @Test
    void warnsOnceInAWhileOfEachPrefix() {
        assertThat(log.warn("red", ONE, 1)).isTrue();
        assertThat(log.warn("red", ONE, 2)).isFalse();
        assertThat(log.warn("red", OTHER, 3)).isTrue();
        clock.pass(ShortageLog.SILENCE.toSeconds() - 1);
        assertThat(log.warn("red", ONE, 1)).isFalse();
        clock.pass(1);
        assertThat(log.warn("red", ONE, 1)).isTrue();
    }
}
