// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.tasks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** Failures of stages. */
public final class Failures {
    private Failures() {
        // Only functions.
    }

    /** The failure itself: a stage that depends on one which failed has it wrapped. */
    public static Throwable cause(final Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    /** Begins something; a call that throws, an {@link Error} too, is a stage that failed. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    public static <T> CompletableFuture<T> caught(final Supplier<? extends CompletableFuture<T>> begin) {
        try {
            return begin.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
