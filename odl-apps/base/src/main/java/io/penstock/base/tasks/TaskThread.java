// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that carries out tasks, one after the other. A task that fails is logged, and changes nothing for those
 * after it; a periodic one comes again. Once closed, it takes no task, and throws away those that wait. Safe for all
 * threads.
 */
public final class TaskThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskThread.class);

    private final String name;
    private final ScheduledExecutorService thread;

    /** A thread of this name. It does not keep the process from ending. */
    public TaskThread(final String name) {
        this.name = requireNonNull(name);
        thread = Executors.newSingleThreadScheduledExecutor(task -> {
            final Thread made = new Thread(task, name);
            made.setDaemon(true);
            return made;
        });
    }

    /** Carries out a task as soon as those before it are done. */
    public void run(final Runnable task) {
        unlessClosed(() -> thread.execute(guarded(task)));
    }

    /** Carries out a task after some time. */
    public void later(final Runnable task, final Duration delay) {
        unlessClosed(() -> thread.schedule(guarded(task), delay.toMillis(), TimeUnit.MILLISECONDS));
    }

    /**
     * Carries out a task again and again.
     *
     * @param first time until it begins
     * @param pause time between the end of one and the beginning of the next
     */
    public void every(final Duration first, final Duration pause, final Runnable task) {
        unlessClosed(() -> thread.scheduleWithFixedDelay(guarded(task), first.toMillis(), pause.toMillis(),
            TimeUnit.MILLISECONDS));
    }

    /** Whether it has been closed. A task that was given to it before may have been thrown away. */
    public boolean isClosed() {
        return thread.isShutdown();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void unlessClosed(final Runnable order) {
        try {
            order.run();
        } catch (RejectedExecutionException e) {
            LOG.debug("{} is closed", name);
        }
    }

    /** Errors too: the executor would keep them to itself, and never repeat a periodic task. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private Runnable guarded(final Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("A task of {} failed", name, e);
            }
        };
    }
}
