// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries something again after a while: once, however many attempts fail until then. Safe for all threads. */
final class Retry {
    private static final Logger LOG = LoggerFactory.getLogger(Retry.class);

    private final ScheduledExecutorService thread;
    private final Runnable task;
    private final long seconds;
    private final AtomicBoolean pending = new AtomicBoolean();

    Retry(final ScheduledExecutorService thread, final Runnable task, final long seconds) {
        this.thread = requireNonNull(thread);
        this.task = requireNonNull(task);
        this.seconds = seconds;
    }

    /** Says that an attempt has failed. */
    void later() {
        if (pending.compareAndSet(false, true)) {
            try {
                thread.schedule(() -> {
                    pending.set(false);
                    task.run();
                }, seconds, TimeUnit.SECONDS);
            } catch (RejectedExecutionException e) {
                LOG.debug("Nothing is tried again: the end has come");
            }
        }
    }
}
