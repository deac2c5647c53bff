// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.SerialTasks;
import io.penstock.operations.Progress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** How far one node is with a revision of the configuration. Safe for all threads. */
final class RevisionProgress {
    private final Confirmed confirmed;
    private final SerialTasks tasks;
    private final Runnable mark;
    private final NodePlanning planning;
    private final BridgeStep bridge;

    /**
     * That of a node.
     *
     * @param tasks of the node
     * @param mark has the node look at the newest state
     */
    RevisionProgress(final Confirmed confirmed, final SerialTasks tasks, final Runnable mark,
            final NodePlanning planning, final BridgeStep bridge) {
        this.confirmed = requireNonNull(confirmed);
        this.tasks = requireNonNull(tasks);
        this.mark = requireNonNull(mark);
        this.planning = requireNonNull(planning);
        this.bridge = requireNonNull(bridge);
    }

    /** That of the switch, as soon as it is final, or at the time limit. */
    CompletableFuture<Progress> applied(final long revision, final Duration limit) {
        final CompletableFuture<Progress> answer = confirmed.await(revision, limit);
        tasks.run(() -> {
            if (confirmed.isBefore(revision)) {
                // It may not concern this node, which then was not marked.
                mark.run();
            }
            confirmed.answer();
        });
        if (tasks.isClosed()) {
            confirmed.close();
        }
        return answer;
    }

    /** The same, with what the agent of the node has to do for it. */
    CompletableFuture<Progress> inForce(final long revision, final Duration limit) {
        final long begun = System.nanoTime();
        return applied(revision, limit).thenCompose(progress -> progress.equals(Progress.APPLIED)
            ? planning.quarantined().map(CompletableFuture::completedFuture)
                .orElseGet(() -> bridge.ordersInForce(limit.minusNanos(System.nanoTime() - begun)))
            : CompletableFuture.completedFuture(progress));
    }
}
