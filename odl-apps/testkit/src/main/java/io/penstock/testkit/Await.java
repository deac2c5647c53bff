// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Polls until something is so, or fails at a deadline. */
public final class Await {
    private static final long STEP_NANOS = Duration.ofMillis(50).toNanos();
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Await() {
        // Only functions.
    }

    /** Waits at most 20 seconds. */
    public static void until(final String what, final BooleanSupplier condition) {
        until(what, LIMIT, condition);
    }

    /** Waits at most {@code limit}. */
    public static void until(final String what, final Duration limit, final BooleanSupplier condition) {
        until(what, limit, condition::getAsBoolean, holds -> holds);
    }

    /** Waits at most 20 seconds for a value that will do; on failure the last value is told. */
    public static <T> T until(final String what, final Supplier<T> value, final Predicate<T> good) {
        return until(what, LIMIT, value, good);
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
