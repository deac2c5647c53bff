// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ElectionProbeTest {
    private static final int PAUSE = 3;

    private long seconds;
    private final InstantElections elections = new InstantElections();
    private final ElectionProbe probe = new ElectionProbe(elections, new Ticker() {
        @Override
        public long read() {
            return TimeUnit.SECONDS.toNanos(seconds);
        }
    });

    private Duration after(final int time) {
        Duration silence = Duration.ZERO;
        for (int second = 0; second < time; second += PAUSE) {
            seconds += PAUSE;
            silence = probe.silence();
        }
        return silence;
    }

    @Test
    void electionsThatAnswerAreNeverSilentForLong() {
        for (int minute = 0; minute < 10; minute++) {
            assertThat(after(60)).isLessThan(Duration.ofSeconds(35));
        }
        assertThat(elections.rounds()).isBetween(15, 30);
    }

    @Test
    void electionsThatDoNotAnswerAreSilentUntilTheyDo() {
        after(60);
        elections.stop();
        assertThat(after(300)).isGreaterThan(Duration.ofSeconds(270));
        elections.goOn();
        assertThat(after(30)).isLessThan(Duration.ofSeconds(35));
    }

    /** Also the loss has to be told: it may be what the actors give up at. */
    @Test
    void anElectionWithoutItsEndIsNoAnswer() {
        elections.stopAtTheEnd();
        assertThat(after(300)).isGreaterThan(Duration.ofSeconds(270));
    }

    @Test
    void nothingStaysBehind() {
        after(60);
        probe.close();
        assertThat(elections.isEmpty()).isTrue();
    }
}
