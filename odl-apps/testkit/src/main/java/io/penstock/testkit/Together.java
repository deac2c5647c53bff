// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Checks that wait for nothing to happen, at the same time. */
public final class Together {
    private Together() {
        // Only functions.
    }

    /**
     * Runs checks side by side, each in a thread of its own, and waits for all.
     *
     * @throws AssertionError if one failed; with what it threw as its cause
     */
    public static void check(final Runnable... checks) {
        final ExecutorService threads = Executors.newFixedThreadPool(checks.length);
        try {
            for (final Future<?> result : threads.invokeAll(Stream.of(checks).map(Executors::callable).toList())) {
                result.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new AssertionError(e.getMessage(), e);
        } finally {
            threads.shutdown();
        }
    }
}
