// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A fixed number of threads for work that is computed, and never waits for an answer on its thread: a thousand nodes
 * that do not answer hold none of them. Safe for all threads.
 */
public final class SharedThreads implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedThreads.class);

    private final String name;
    private final ScheduledThreadPoolExecutor pool;

    /** So many daemon threads, called by this name and a number. */
    public SharedThreads(final String name, final int size) {
        this.name = requireNonNull(name);
        final AtomicInteger number = new AtomicInteger();
        pool = new ScheduledThreadPoolExecutor(size, task -> {
            final Thread made = new Thread(task, name + "-" + number.incrementAndGet());
            made.setDaemon(true);
            return made;
        });
        pool.setRemoveOnCancelPolicy(true);
    }

    /** Carries out a task as soon as a thread is free. Once closed, throws it away. */
    @Override
    public void execute(final Runnable task) {
        try {
            pool.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} are closed", name);
        }
    }

    /** Carries out a task after some time. Once closed, throws it away. */
    public void later(final Runnable task, final Duration delay) {
        try {
            pool.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("{} are closed", name);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
