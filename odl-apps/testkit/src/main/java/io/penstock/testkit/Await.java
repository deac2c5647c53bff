// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Polls until something is so, or fails at a deadline. */
public final class Await {
    /**
     * How long to wait for what has to come: far longer than it takes on a machine with other work, as a limit costs
     * nothing while the test passes. What must not come is not waited for by this.
     */
    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final long STEP_NANOS = Duration.ofMillis(50).toNanos();

    private Await() {
        // Only functions.
    }

    /** Waits at most {@link #PATIENCE}. */
    public static void until(final String what, final BooleanSupplier condition) {
        until(what, PATIENCE, condition);
    }

    /** Waits at most {@code limit}. */
    public static void until(final String what, final Duration limit, final BooleanSupplier condition) {
        until(what, limit, condition::getAsBoolean, holds -> holds);
    }

    /** Waits at most {@link #PATIENCE} for a value that will do; on failure the last value is told. */
    public static <T> T until(final String what, final Supplier<T> value, final Predicate<T> good) {
        return until(what, PATIENCE, value, good);
    }

    /** Waits at most {@code limit} for a value that will do; on failure the last value is told. */
    public static <T> T until(final String what, final Duration limit, final Supplier<T> value,
            final Predicate<T> good) {
        final long deadline = System.nanoTime() + limit.toNanos();
        T last = value.get();
        while (!good.test(last)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + limit.toMillis() + " ms: " + what + "; last seen: " + last);
            }
            LockSupport.parkNanos(STEP_NANOS);
            last = value.get();
        }
        return last;
    }
}
