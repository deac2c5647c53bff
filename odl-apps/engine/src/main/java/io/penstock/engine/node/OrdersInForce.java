// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.Progress;
import io.penstock.operations.Progress.State;
import io.penstock.southbound.ovsdb.NodeSession;
import io.penstock.southbound.ovsdb.OrdersReport;
import io.penstock.southbound.ovsdb.ZoneSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Whether the agent of a node has carried out what it was ordered for tenants: limits of sessions and resolvers
 * (ADR 43). Asks it when that is to be known and something was ordered since it last said yes. What is ordered comes
 * from the thread of the worker; the rest is safe for all threads.
 */
final class OrdersInForce {
    private static final long PAUSE_MILLIS = 100;
    private static final String NOT_WRITTEN = "the database of the node does not have the orders yet";

    private final Supplier<Optional<NodeSession>> session;
    private final IntFunction<String> tenants;
    private List<ZoneSpec> planned = List.of();
    private Map<Integer, Map<String, String>> ordered = Map.of();
    /** Grows when there is something to ask for. */
    private final AtomicLong version = new AtomicLong();
    /** The version that the agent has carried out. */
    private final AtomicLong confirmed = new AtomicLong();
    private volatile boolean written;

    /**
     * Nothing is ordered.
     *
     * @param tenants the name of a tenant by conntrack zone
     */
    OrdersInForce(final Supplier<Optional<NodeSession>> session, final IntFunction<String> tenants) {
        this.session = requireNonNull(session);
        this.tenants = requireNonNull(tenants);
    }

    /** What is planned to be ordered; before it is written. */
    @SuppressWarnings("ReferenceEquality") // a bridge that was not translated again has the same list
    void plan(final List<ZoneSpec> zones) {
        if (zones == planned) {
            return;
        }
        planned = zones;
        final Map<Integer, Map<String, String>> now = zones.stream().filter(zone -> !zone.confirmedOrders().isEmpty())
            .collect(Collectors.toUnmodifiableMap(ZoneSpec::zone, ZoneSpec::confirmedOrders));
        if (!now.equals(ordered)) {
            ordered = now;
            written = false;
            version.incrementAndGet();
        }
    }

    /** The database has what is planned. */
    void written() {
        written = true;
    }

    /** The database is gone. */
    void unwritten() {
        written = false;
    }

    /** The switch or the database has come, perhaps after a restart, with what is in force lost. */
    void again() {
        if (!ordered.isEmpty()) {
            version.incrementAndGet();
        }
    }

    /** Whether what is planned now is in force; as soon as it is, or the agent has tried in vain, or at the limit. */
    CompletableFuture<Progress> await(final Duration limit) {
        final long deadline = System.nanoTime() + limit.toNanos();
        final long wanted = version.get();
        if (confirmed.get() >= wanted) {
            return CompletableFuture.completedFuture(Progress.APPLIED);
        }
        final Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
        final NodeSession current = session.get().orElse(null);
        if (current == null || !written) {
            return later(NOT_WRITTEN, deadline);
        }
        return current.carriedOut(left).handle((report, error) -> error != null
            ? later(String.valueOf((error.getCause() == null ? error : error.getCause()).getMessage()), deadline)
            : CompletableFuture.completedFuture(judge(wanted, report))).thenCompose(answer -> answer);
    }

    private CompletableFuture<Progress> later(final String reason, final long deadline) {
        final Duration left = Duration.ofNanos(deadline - System.nanoTime());
        if (left.toMillis() <= PAUSE_MILLIS) {
            return CompletableFuture.completedFuture(new Progress(State.NOT_YET, reason));
        }
        final Executor pause = CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS, Runnable::run);
        return CompletableFuture.supplyAsync(() -> left.minusMillis(PAUSE_MILLIS), pause).thenCompose(this::await);
    }

    private Progress judge(final long wanted, final OrdersReport report) {
        if (!report.answered()) {
            return new Progress(State.NOT_YET, "the agent of the node does not answer");
        }
        if (!report.isDone()) {
            return new Progress(State.NOT_YET, "the agent of the node works on " + text(report.waiting(), report));
        }
        if (!report.failed().isEmpty()) {
            return new Progress(State.FAILED, "the node cannot do it for " + text(report.failed(), report));
        }
        confirmed.accumulateAndGet(wanted, Math::max);
        return Progress.APPLIED;
    }

    private String text(final Map<Integer, String> reasons, final OrdersReport report) {
        return reasons.entrySet().stream().map(each -> "tenant " + tenants.apply(each.getKey()) + ": "
            + each.getValue()).collect(Collectors.joining("; "))
            + (report.more() == 0 ? "" : "; and " + report.more() + " more");
    }
}
