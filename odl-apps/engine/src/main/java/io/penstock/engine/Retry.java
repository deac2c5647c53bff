// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/** Tries something again after a while: once, however many attempts fail until then. Safe for all threads. */
final class Retry {
    private final BiConsumer<Runnable, Duration> later;
    private final Runnable task;
    private final Duration pause;
    private final AtomicBoolean pending = new AtomicBoolean();

    Retry(final TaskThread thread, final Runnable task, final Duration pause) {
        this(thread::later, task, pause);
    }

    /**
     * The same.
     *
     * @param later carries out a task after a pause
     */
    Retry(final BiConsumer<Runnable, Duration> later, final Runnable task, final Duration pause) {
        this.later = requireNonNull(later);
        this.task = requireNonNull(task);
        this.pause = requireNonNull(pause);
    }

    /** Says that an attempt has failed. */
    void later() {
        if (pending.compareAndSet(false, true)) {
            later.accept(() -> {
                pending.set(false);
                task.run();
            }, pause);
        }
    }
}
