// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.operations.Progress;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Those who wait until a node has applied a revision of the configuration. Safe for all threads. */
final class Waiters {
    private record Waiter(long revision, CompletableFuture<Progress> answer) { }

    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    /** One more; the answer comes by one of the other methods, or at the limit. */
    CompletableFuture<Progress> add(final long revision, final Duration limit) {
        final CompletableFuture<Progress> answer = new CompletableFuture<>();
        waiters.add(new Waiter(revision, answer));
        return answer.completeOnTimeout(Progress.NOT_YET, limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** This revision and all before it are applied, once something else is done, too. */
    void applied(final long revision, final CompletableFuture<Void> rest) {
        rest.thenRun(() -> {
            waiters.forEach(waiter -> {
                if (waiter.revision() <= revision) {
                    waiter.answer().complete(Progress.APPLIED);
                }
            });
            waiters.removeIf(waiter -> waiter.answer().isDone());
        });
    }

    /** Nothing can be applied now. */
    void notConnected() {
        waiters.forEach(waiter -> waiter.answer().complete(Progress.NOT_CONNECTED));
        waiters.removeIf(waiter -> waiter.answer().isDone());
    }
}
