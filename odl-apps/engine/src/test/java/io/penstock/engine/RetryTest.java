// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.base.tasks.TaskThread;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetryTest {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final TaskThread thread = new TaskThread("test-retry");
    private final AtomicInteger calls = new AtomicInteger();
    private final Retry retry = new Retry(thread, calls::incrementAndGet, PAUSE);

    @AfterEach
    void stop() {
        thread.close();
    }

    @Test
    void whoFailsOftenTriesAgainOnce() throws InterruptedException {
        thread.run(() -> {
            retry.later();
            retry.later();
        });
        awaitThread();
        assertThat(calls).hasValue(1);
    }

    @Test
    void whoFailsAgainTriesAgain() throws InterruptedException {
        for (int attempt = 1; attempt <= 3; attempt++) {
            retry.later();
            awaitThread();
            assertThat(calls).hasValue(attempt);
        }
    }

    @Test
    void nothingIsTriedAfterTheEnd() {
        thread.close();
        retry.later();
        assertThat(calls).hasValue(0);
    }

    private void awaitThread() throws InterruptedException {
        final CountDownLatch done = new CountDownLatch(1);
        thread.run(() -> thread.later(done::countDown, PAUSE.multipliedBy(2)));
        assertThat(done.await(2, TimeUnit.MINUTES)).isTrue();
    }
}
