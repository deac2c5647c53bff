// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks that are carried out one after the other, on threads that are shared with others. A task may go on after its
 * call has returned; the next one begins when the stage that it returned is complete. A task that fails is logged, and
 * changes nothing for those after it. Once closed, it takes no task, and throws away those that wait. Safe for all
 * threads; tasks see what those before them wrote.
 */
public final class SerialTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SerialTasks.class);

    private final String name;
    private final Executor threads;
    private final BiConsumer<Runnable, Duration> timer;
    private final Queue<Supplier<CompletableFuture<?>>> waiting = new ArrayDeque<>();
    private boolean busy;
    private boolean closed;

    /** Without tasks. */
    public SerialTasks(final String name, final SharedThreads threads) {
        this(name, threads, threads::later);
    }

    /** The same with a timer, which carries out a task after some time. */
    public SerialTasks(final String name, final Executor threads, final BiConsumer<Runnable, Duration> timer) {
        this.name = requireNonNull(name);
        this.threads = requireNonNull(threads);
        this.timer = requireNonNull(timer);
    }

    /** Carries out a task, which is done when its call returns. */
    public void run(final Runnable task) {
        begin(() -> {
            task.run();
            return CompletableFuture.completedFuture(null);
        });
    }

    /** Carries out a task, which is done when the stage that it returns is complete. */
    public void begin(final Supplier<CompletableFuture<?>> task) {
        synchronized (this) {
            if (closed) {
                return;
            }
            waiting.add(task);
            if (busy) {
                return;
            }
            busy = true;
        }
        next();
    }

    /** Carries out a task after some time and after those that wait then. */
    public void later(final Runnable task, final Duration delay) {
        timer.accept(() -> run(task), delay);
    }

    /**
     * The answer to a question that a task has asked, whose next stages run on the shared threads.
     *
     * @return fails with a {@link java.util.concurrent.TimeoutException} when the answer is not there at the limit, and
     *     with a {@link CancellationException} when this was closed meanwhile; {@code asked} itself is left alone
     */
    public <T> CompletableFuture<T> within(final Duration limit, final CompletableFuture<T> asked) {
        if (asked.isDone() && !isClosed()) {
            return asked;
        }
        final CompletableFuture<T> timed = asked.copy().orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        return timed.handleAsync((value, error) -> isClosed()
            ? CompletableFuture.<T>failedFuture(new CancellationException(name + " is closed")) : timed, threads)
            .thenCompose(Function.identity());
    }

    /** Whether it has been closed. A task that was given to it before may have been thrown away. */
    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        waiting.clear();
    }

    private void next() {
        try {
            threads.execute(this::carryOut);
        } catch (RejectedExecutionException e) {
            LOG.debug("{}: the threads are closed", name);
        }
    }

    private void carryOut() {
        final Supplier<CompletableFuture<?>> task;
        synchronized (this) {
            task = waiting.poll();
            if (task == null) {
                busy = false;
                return;
            }
        }
        // Also after an error: the tasks behind would wait without end.
        Failures.<Object>caught(() -> task.get().thenApply(done -> done)).whenComplete((done, error) -> {
            if (error != null) {
                LOG.error("A task of {} failed", name, error);
            }
            next();
        });
    }
}
