// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetryTest {
    private static final int LONG = 1000;

    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1);
    private final AtomicInteger calls = new AtomicInteger();
    private final Retry retry = new Retry(thread, calls::incrementAndGet, LONG);

    @AfterEach
    void stop() {
        thread.shutdownNow();
    }

    @Test
    void whoFailsOftenTriesAgainOnce() {
        retry.later();
        retry.later();
        assertThat(thread.getQueue()).hasSize(1);
    }

    @Test
    void whoFailsAgainTriesAgain() throws Exception {
        final Retry soon = new Retry(thread, calls::incrementAndGet, 0);
        for (int attempt = 1; attempt <= 3; attempt++) {
            soon.later();
            thread.submit(() -> { }).get();
            assertThat(calls).hasValue(attempt);
        }
    }

    @Test
    void nothingIsTriedAfterTheEnd() {
        thread.shutdownNow();
        retry.later();
        assertThat(calls).hasValue(0);
    }
}
