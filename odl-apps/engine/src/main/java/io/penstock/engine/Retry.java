// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tries something again after a while: once, however many attempts fail until then. Safe for all threads. */
final class Retry {
    private final TaskThread thread;
    private final Runnable task;
    private final Duration pause;
    private final AtomicBoolean pending = new AtomicBoolean();

    Retry(final TaskThread thread, final Runnable task, final Duration pause) {
        this.thread = requireNonNull(thread);
        this.task = requireNonNull(task);
        this.pause = requireNonNull(pause);
    }

    /** Says that an attempt has failed. */
    void later() {
        if (pending.compareAndSet(false, true)) {
            thread.later(() -> {
                pending.set(false);
                task.run();
            }, pause);
        }
    }
}
