// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TaskThreadTest {
    private static final long LIMIT_SECONDS = 120;

    private final TaskThread thread = new TaskThread("test-tasks");

    @AfterEach
    void close() {
        thread.close();
    }

    @Test
    void tasksAreCarriedOutInTurnAlsoAfterOneThatFailed() throws InterruptedException {
        final List<String> done = new CopyOnWriteArrayList<>();
        final CountDownLatch last = new CountDownLatch(1);
        thread.run(() -> done.add("first"));
        thread.run(() -> {
            throw new IllegalStateException("on purpose");
        });
        thread.run(() -> {
            throw new StackOverflowError("on purpose");
        });
        thread.run(() -> {
            // In one task, so that none of them comes before all are known.
            thread.run(() -> done.add("second"));
            thread.later(() -> done.add("later"), Duration.ofMillis(20));
            thread.later(last::countDown, Duration.ofMillis(40));
        });
        assertThat(last.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactly("first", "second", "later");
    }

    @Test
    void aPeriodicTaskComesAgainAfterItFailed() throws InterruptedException {
        final CountDownLatch turns = new CountDownLatch(4);
        thread.every(Duration.ZERO, Duration.ofMillis(1), () -> {
            turns.countDown();
            if (turns.getCount() == 1) {
                throw new NoClassDefFoundError("on purpose");
            }
            throw new IllegalArgumentException("on purpose");
        });
        assertThat(turns.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void onceClosedItTakesNothing() throws InterruptedException {
        final CountDownLatch done = new CountDownLatch(1);
        thread.close();
        thread.run(done::countDown);
        thread.later(done::countDown, Duration.ZERO);
        thread.every(Duration.ZERO, Duration.ofMillis(1), done::countDown);
        assertThat(thread.isClosed()).isTrue();
        assertThat(done.await(50, TimeUnit.MILLISECONDS)).isFalse();
    }
}
