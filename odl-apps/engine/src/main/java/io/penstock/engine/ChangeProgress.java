// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.configuration.grant.Transition;
import io.penstock.engine.node.NodeWorker;
import io.penstock.operations.Progress;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How far nodes are with what was committed, and how long that takes. Safe for all threads. */
public final class ChangeProgress {
    /** Changes that take longer are not measured. */
    private static final Duration OBSERVED = Duration.ofMinutes(1);

    private final ConfigurationLoop loop;
    private final Ticker ticker;

    ChangeProgress(final ConfigurationLoop loop, final Ticker ticker) {
        this.loop = requireNonNull(loop);
        this.ticker = requireNonNull(ticker);
    }

    /** For each of some workers, how far it is with what was committed before this call, at the latest at the limit. */
    public SortedMap<String, CompletableFuture<Progress>> of(final SortedMap<String, NodeWorker> chosen,
            final Duration limit) {
        final long begun = ticker.read();
        final CompletableFuture<Long> taken = loop.takenOver()
            .completeOnTimeout(Long.MAX_VALUE, limit.toNanos(), TimeUnit.NANOSECONDS);
        final SortedMap<String, CompletableFuture<Progress>> waiting = new TreeMap<>();
        chosen.forEach((name, worker) -> waiting.put(name, taken.thenCompose(revision -> worker.inForce(revision,
            limit.minusNanos(ticker.read() - begun))).thenApply(this::unlessFailed)));
        return waiting;
    }

    /** Tells an observer when connected nodes have a change, of which their workers have just been told. */
    void observe(final Transition transition, final Function<String, Optional<NodeWorker>> workers,
            final EngineObserver observer) {
        final long begun = ticker.read();
        transition.nodes().stream().map(workers).flatMap(Optional::stream).filter(NodeWorker::isOnline)
            .forEach(worker -> worker.applied(transition.after().revision(), OBSERVED).thenAccept(progress -> {
                if (progress.equals(Progress.APPLIED)) {
                    observer.applied(Duration.ofNanos(ticker.read() - begun));
                }
            }));
    }

    /** Nodes have all that they can have: less than is configured while nothing can be allocated for a tenant. */
    private Progress unlessFailed(final Progress progress) {
        final SortedMap<String, String> failed = loop.desired().failed();
        return failed.isEmpty() || progress.state() != Progress.State.APPLIED ? progress
            : new Progress(Progress.State.FAILED, failed.entrySet().stream()
                .map(each -> "tenant " + each.getKey() + ": " + each.getValue()).collect(Collectors.joining("; ")));
    }
}
