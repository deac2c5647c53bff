// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.testkit.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In which order tasks run on threads that are shared, and what holds them up. */
class SerialTasksTest {
    private static final int QUEUES = 200;
    private static final Duration LONG = Duration.ofHours(1);

    private final SharedThreads threads = new SharedThreads("test-shared", 2);
    private final SerialTasks tasks = new SerialTasks("one", threads);
    private final List<String> done = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        threads.close();
    }

    @Test
    void aTaskWaitsForTheStageOfTheOneBefore() {
        final CompletableFuture<Void> stage = new CompletableFuture<>();
        tasks.begin(() -> {
            done.add("begun");
            return stage.thenRun(() -> done.add("ended"));
        });
        tasks.run(() -> done.add("next"));
        Await.until("the first has begun", () -> done.contains("begun"));
        assertThat(done).containsExactly("begun");
        stage.complete(null);
        Await.until("the second is done", () -> done.contains("next"));
        assertThat(done).containsExactly("begun", "ended", "next");
    }

    @Test
    void aTaskThatFailsInAnyWayHoldsNoOtherUp() {
        tasks.run(() -> {
            throw new IllegalStateException("on purpose");
        });
        tasks.run(() -> {
            throw new StackOverflowError("on purpose");
        });
        tasks.begin(() -> CompletableFuture.failedFuture(new IllegalStateException("on purpose")));
        tasks.run(() -> done.add("next"));
        Await.until("the last one", () -> done.contains("next"));
    }

    @Test
    void manyThatWaitForAnAnswerHoldNoThread() {
        final List<SerialTasks> waiting = new ArrayList<>();
        for (int queue = 0; queue < QUEUES; queue++) {
            final SerialTasks each = new SerialTasks("waiting", threads);
            each.begin(() -> each.within(LONG, new CompletableFuture<>()));
            waiting.add(each);
        }
        tasks.run(() -> done.add("next"));
        Await.until("the task of another", () -> done.contains("next"));
        assertThat(waiting).noneMatch(SerialTasks::isClosed);
    }

    @Test
    void anAnswerThatDoesNotComeIsAFailureOnTheSharedThreads() {
        final CompletableFuture<Void> asked = new CompletableFuture<>();
        final CompletableFuture<String> thread = tasks.within(Duration.ofMillis(50), asked)
            .handle((value, error) -> Thread.currentThread().getName() + " " + Failures.cause(error).getClass());
        assertThat(thread.orTimeout(1, TimeUnit.MINUTES).join()).startsWith("test-shared-")
            .endsWith(TimeoutException.class.toString());
        assertThat(asked).as("others may still wait for it").isNotDone();
    }

    @Test
    void nothingGoesOnAfterItIsClosed() {
        final CompletableFuture<String> asked = new CompletableFuture<>();
        final CompletableFuture<String> answer = tasks.within(LONG, asked);
        tasks.begin(() -> new CompletableFuture<>());
        tasks.run(() -> done.add("waiting"));
        tasks.close();
        tasks.run(() -> done.add("after"));
        asked.complete("late");
        assertThatThrownBy(() -> answer.get(1, TimeUnit.MINUTES)).hasCauseInstanceOf(CancellationException.class);
        final CompletableFuture<Void> others = new CompletableFuture<>();
        new SerialTasks("other", threads).run(() -> others.complete(null));
        others.orTimeout(1, TimeUnit.MINUTES).join();
        assertThat(done).isEmpty();
    }

    @Test
    void aTaskForLaterHoldsNoOtherUp() {
        tasks.later(() -> done.add("later"), LONG);
        tasks.run(() -> done.add("now"));
        Await.until("the other", () -> !done.isEmpty());
        assertThat(done).containsExactly("now");
    }

    @Test
    void aTaskForLaterComesAfterItsPause() {
        final long begun = System.nanoTime();
        tasks.later(() -> done.add("later"), Duration.ofMillis(100));
        Await.until("it comes", () -> done.contains("later"));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(100));
    }
}
