// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/** How far the engine has read the configuration, and the requests that wait for that. Safe for all threads. */
final class TakenOver {
    private record Waiter(long mark, CompletableFuture<Long> revision) { }

    private final Queue<Waiter> waiters = new ArrayDeque<>();
    private long taken;
    private long revision;

    /** The revision of a state that has all that was marked up to a number, once there is one. */
    synchronized CompletableFuture<Long> of(final long mark) {
        if (taken >= mark) {
            return CompletableFuture.completedFuture(revision);
        }
        waiters.removeIf(waiter -> waiter.revision().isDone());
        final CompletableFuture<Long> waiting = new CompletableFuture<>();
        waiters.add(new Waiter(mark, waiting));
        return waiting;
    }

    /** All that was marked up to a number is in a state with this revision and in all later ones. */
    void set(final long mark, final long now) {
        final List<CompletableFuture<Long>> ready = new ArrayList<>();
        synchronized (this) {
            taken = mark;
            revision = now;
            waiters.removeIf(waiter -> waiter.mark() <= mark && ready.add(waiter.revision()));
        }
        ready.forEach(waiting -> waiting.complete(now));
    }
}
