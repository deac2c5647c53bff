// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls until something is so, or fails at a deadline. */
final class Await {
    private static final long STEP_NANOS = Duration.ofMillis(20).toNanos();
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private Await() {
        // Stateless.
    }

    static void until(final String what, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + LIMIT + ": " + what);
            }
            LockSupport.parkNanos(STEP_NANOS);
        }
    }
}
