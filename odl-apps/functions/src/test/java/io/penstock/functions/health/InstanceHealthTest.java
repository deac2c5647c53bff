// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.operations.FunctionStatus.ProbeStatus;
import io.penstock.pipeline.intent.NetworkFunction.HealthCheck;
import org.junit.jupiter.api.Test;

class InstanceHealthTest {
    private static final long MILLI = 1_000_000;

    private final InstanceHealth health = new InstanceHealth(new HealthCheck(200, 3, 1));

    /** Sends for some time, from a sequence number on; an instance that lives answers after a millisecond. */
    private long run(final long fromMillis, final long untilMillis, final boolean lives) {
        for (long time = fromMillis; time < untilMillis; time += 25) {
            if (health.isDue(time * MILLI)) {
                final int sequence = (int) (time / 25);
                health.sent(sequence, time * MILLI);
                if (lives) {
                    health.answered(sequence, (time + 1) * MILLI);
                }
            }
            if (health.look(time * MILLI)) {
                return time;
            }
        }
        return -1;
    }

    @Test
    void silenceIsAFailureInLessThanASecond() {
        assertThat(run(0, 1000, true)).isEqualTo(-1);
        assertThat(run(1000, 5000, false)).isBetween(1600L, 1900L);
        assertThat(health.isHealthy()).isFalse();
    }

    @Test
    void whoAnswersAgainHasToDoSoForTheHoldTime() {
        run(0, 5000, false);
        // Answers for a while, and is silent once more.
        assertThat(run(5000, 5900, true)).isEqualTo(-1);
        assertThat(run(5900, 7000, false)).isEqualTo(-1);
        assertThat(run(7000, 20_000, true)).isBetween(8000L, 8300L);
        assertThat(health.isHealthy()).isTrue();
    }

    @Test
    void oneLostProbeIsNoFailure() {
        assertThat(run(0, 1000, true)).isEqualTo(-1);
        assertThat(run(1000, 1400, false)).isEqualTo(-1);
        assertThat(run(1400, 3000, true)).isEqualTo(-1);
        assertThat(health.statistics(3000 * MILLI)).isEqualTo(new ProbeStatus(15, 2, 1000, 1000));
    }

    @Test
    void whatHappensToTheProberIsNoSilence() {
        assertThat(run(0, 1000, true)).isEqualTo(-1);
        health.sent(4711, 1000 * MILLI);
        // It slept for three seconds.
        health.forgive(3000 * MILLI);
        assertThat(health.look(4000 * MILLI)).isFalse();
        health.answered(4711, 4001 * MILLI);
        assertThat(run(4025, 6000, true)).isEqualTo(-1);
    }

    @Test
    void anAnswerThatNobodyWaitsForTellsNothing() {
        run(0, 5000, false);
        health.answered(60_000, 5000 * MILLI);
        assertThat(run(5025, 9000, false)).isEqualTo(-1);
        assertThat(health.isHealthy()).isFalse();
    }

    @Test
    void allThatWasToldIsCountedOnce() {
        run(0, 60_000, true);
        // Of those that are sent every 200 ms the last five may still be answered.
        run(60_000, 70_000, false);
        for (long time = 60_800; time < 70_000; time += 25) {
            health.look(time * MILLI);
        }
        assertThat(health.total().roundTrips().count()).isEqualTo(300);
        assertThat(health.total().roundTrips().percentile(99)).isBetween(960L, 1040L);
        assertThat(health.total().failures()).isEqualTo(1);
        assertThat(health.total().lost()).isPositive();
    }
}
