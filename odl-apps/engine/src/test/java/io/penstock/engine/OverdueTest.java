// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OverdueTest {
    private long seconds;
    private final Overdue overdue = new Overdue(new Ticker() {
        @Override
        public long read() {
            return TimeUnit.SECONDS.toNanos(seconds);
        }
    });

    @Test
    void onlyWorkThatHangsIsTold() {
        assertThat(overdue.reason()).isEmpty();
        overdue.watch(() -> {
            seconds += 119;
            assertThat(overdue.reason()).isEmpty();
            seconds += 2;
            assertThat(overdue.reason().orElse("")).startsWith(
                "the engine has not ended the work on a change for 121 s");
        });
        assertThat(overdue.reason()).isEmpty();
    }

    @Test
    void workThatFailsHasEnded() {
        assertThatThrownBy(() -> overdue.watch(() -> {
            throw new IllegalStateException();
        })).isInstanceOf(IllegalStateException.class);
        seconds += 3600;
        assertThat(overdue.reason()).isEmpty();
    }
}
