// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How many bytes of bodies are read at the same time, and for how long. */
class BodyBudgetTest {
    private static final int MOST = 200_000;
    private static final int SMALL = 1000;
    private static final int READERS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void largeBodiesShareTheirRoom() throws Exception {
        final BodyBudget budget = new BodyBudget(MOST, SMALL, SMALL, READERS, PATIENCE, System::nanoTime);
        final byte[] large = new byte[2 * SMALL];
        try (BodyBudget.Body first = budget.read(new ByteArrayInputStream(large))) {
            assertThat(first.bytes()).hasSize(2 * SMALL);
            assertThatExceptionOfType(BodyBudget.BusyException.class)
                .isThrownBy(() -> budget.read(new ByteArrayInputStream(new byte[SMALL + 1])));
            budget.read(new ByteArrayInputStream(new byte[SMALL])).close();
        }
        budget.read(new ByteArrayInputStream(large)).close();
    }

    @Test
    void aBodyThatTricklesIsGivenUp() {
        final AtomicLong seconds = new AtomicLong();
        final BodyBudget budget = new BodyBudget(MOST, SMALL, SMALL, 1, PATIENCE,
            () -> TimeUnit.SECONDS.toNanos(seconds.get()));
        final InputStream trickle = new InputStream() {
            @Override
            public int read() {
                return ' ';
            }

            @Override
            public int read(final byte[] buffer, final int offset, final int length) {
                seconds.incrementAndGet();
                return seconds.get() < 2 * PATIENCE.toSeconds() ? 1 : -1;
            }
        };
        assertThatExceptionOfType(BodyBudget.SlowException.class).isThrownBy(() -> budget.read(trickle));
        assertThat(seconds).hasValue(PATIENCE.toSeconds() + 1);
    }

    @Test
    void fewBodiesAreReadAtOnce() throws Exception {
        final BodyBudget budget = new BodyBudget(MOST, SMALL, SMALL, 1, PATIENCE, System::nanoTime);
        final InputStream meanwhile = new FilterInputStream(InputStream.nullInputStream()) {
            @Override
            public int read(final byte[] buffer, final int offset, final int length) {
                assertThatExceptionOfType(BodyBudget.BusyException.class)
                    .isThrownBy(() -> budget.read(new ByteArrayInputStream(new byte[1])));
                return -1;
            }
        };
        budget.read(meanwhile).close();
        budget.read(new ByteArrayInputStream(new byte[1])).close();
    }
}
