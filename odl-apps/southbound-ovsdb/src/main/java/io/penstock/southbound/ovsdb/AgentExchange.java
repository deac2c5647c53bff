// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static io.penstock.southbound.ovsdb.NodeKeys.CACHE;
import static io.penstock.southbound.ovsdb.NodeKeys.CACHE_DONE;
import static io.penstock.southbound.ovsdb.NodeKeys.ORDERS;
import static io.penstock.southbound.ovsdb.NodeKeys.ORDERS_DONE;
import static io.penstock.southbound.ovsdb.NodeKeys.TRACE;
import static io.penstock.southbound.ovsdb.NodeKeys.TRACE_REPORT;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.opendaylight.ovsdb.lib.operations.OperationResult;

/**
 * Orders to the agent of a node that it answers once: a key in {@code external_ids} of the bridge, and another one that
 * the agent writes. Traces are ordered one at a time, later ones wait, and nothing of them stays. Of orders to drop
 * cached flows, and of questions how far the agent is, the newest takes the place of the others, and stays.
 * Thread-safe.
 */
final class AgentExchange {
    private static final Duration POLL = Duration.ofMillis(100);
    /** How soon an answer is looked for that may come at once, and how often before it is looked for less often. */
    private static final Duration FIRST_POLL = Duration.ofMillis(20);
    private static final int FIRST_POLLS = 5;
    private static final Duration CACHE_LIMIT = Duration.ofSeconds(5);
    /** Orders that may wait; each takes a second or so. */
    private static final int MOST_WAITING = 16;
    private static final List<String> TABLES = List.of(OvsTables.BRIDGE);

    private final PeerChannel channel;
    private final RowCodec codec;
    /** Who asks in this session, so that an answer of a session before is none. */
    private final String asker = UUID.randomUUID().toString();
    private final Pattern asked = Pattern.compile(Pattern.quote(asker) + " ([0-9]{1,18})");
    private long questions;
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    private int waiting;
    /** The answer that is waited for, if any is. */
    private volatile CompletableFuture<String> traced = new CompletableFuture<>();

    AgentExchange(final PeerChannel channel, final RowCodec codec) {
        this.channel = channel;
        this.codec = codec;
        // Once for all: an action of each question would stay with the connection as long as that lasts.
        channel.closed().thenRun(() -> traced.completeExceptionally(new OvsdbException("the node has disconnected")));
    }

    /** See {@link NodeSession#trace}. */
    synchronized CompletableFuture<String> ask(final String bridgeName, final String order, final Duration limit) {
        if (waiting == MOST_WAITING) {
            return CompletableFuture.failedFuture(
                new OvsdbException(MOST_WAITING + " traces wait for this node; try again"));
        }
        waiting++;
        final CompletableFuture<String> answer = last.thenCompose(free -> new Question(bridgeName, order).ask(limit));
        last = answer.handle((report, error) -> null);
        last.thenRun(this::done);
        return answer.copy();
    }

    /** See {@link NodeSession#dropCachedFlows}. */
    CompletableFuture<Void> dropCachedFlows(final String bridgeName) {
        final CompletableFuture<Void> dropped = new CompletableFuture<>();
        bridge(bridgeName).thenCompose(bridge -> channel.transact(codec.schema(), List.of(codec.operation(
            new RowChange.Mutate(OvsTables.BRIDGE, bridge.ref(), OvsTables.EXTERNAL_IDS, Set.of(CACHE),
                Map.of(CACHE, UUID.randomUUID().toString())))))).thenAccept(SpecApplier::checkAccepted)
            .thenRun(() -> awaitDropped(bridgeName, dropped, 0)).exceptionally(error -> fail(dropped, error));
        return dropped.orTimeout(CACHE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The agent leaves out orders that a later one has replaced, so any that is done is as good. */
    private void awaitDropped(final String bridgeName, final CompletableFuture<Void> dropped, final int looks) {
        if (dropped.isDone()) {
            return;
        }
        bridge(bridgeName).thenAccept(bridge -> {
            final Map<?, ?> ids = bridge.map(OvsTables.EXTERNAL_IDS);
            if (ids.containsKey(CACHE) && ids.get(CACHE).equals(ids.get(CACHE_DONE))) {
                dropped.complete(null);
            } else {
                channel.schedule(pause(looks), () -> awaitDropped(bridgeName, dropped, looks + 1));
            }
        }).exceptionally(error -> fail(dropped, error));
    }

    private static Duration pause(final int looks) {
        return looks < FIRST_POLLS ? FIRST_POLL : POLL;
    }

    /** See {@link NodeSession#carriedOut}. */
    CompletableFuture<OrdersReport> carriedOut(final String bridgeName, final Duration limit) {
        final Progress progress = new Progress(bridgeName);
        bridge(bridgeName).thenCompose(progress::write).thenAccept(SpecApplier::checkAccepted)
            .thenRun(progress::look).exceptionally(error -> fail(progress.answer, error));
        return progress.answer.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS).exceptionallyCompose(error ->
            error instanceof TimeoutException ? CompletableFuture.completedFuture(progress.latest)
                : CompletableFuture.failedFuture(error));
    }

    private final class Progress {
        private final String bridgeName;
        private final CompletableFuture<OrdersReport> answer = new CompletableFuture<>();
        private volatile long number;
        private volatile OrdersReport latest = OrdersReport.SILENT;
        private int looks;

        Progress(final String bridgeName) {
            this.bridgeName = bridgeName;
        }

        /** Numbers are written in their order: the agent answers the last one that it sees. */
        CompletableFuture<List<OperationResult>> write(final TableRow bridge) {
            synchronized (AgentExchange.this) {
                number = ++questions;
                return channel.transact(codec.schema(), List.of(codec.operation(new RowChange.Mutate(OvsTables.BRIDGE,
                    bridge.ref(), OvsTables.EXTERNAL_IDS, Set.of(ORDERS), Map.of(ORDERS, asker + " " + number)))));
            }
        }

        void look() {
            if (answer.isDone()) {
                return;
            }
            bridge(bridgeName).thenAccept(bridge -> {
                if (bridge.map(OvsTables.EXTERNAL_IDS).get(ORDERS_DONE) instanceof String text) {
                    OrdersReport.of(text, asked, number).ifPresent(report -> latest = report);
                }
                if (latest.isDone()) {
                    answer.complete(latest);
                } else {
                    channel.schedule(pause(looks++), this::look);
                }
            }).exceptionally(error -> fail(answer, error));
        }
    }

    private static Void fail(final CompletableFuture<?> answer, final Throwable error) {
        answer.completeExceptionally(error.getCause() == null ? error : error.getCause());
        return null;
    }

    private CompletableFuture<TableRow> bridge(final String name) {
        return channel.transact(codec.schema(), codec.selects(TABLES)).thenApply(rows -> {
            SpecApplier.checkAccepted(rows);
            return codec.view(TABLES, rows).named(OvsTables.BRIDGE, name)
                .orElseThrow(() -> new OvsdbException("the node has no bridge " + name));
        });
    }

    private synchronized void done() {
        waiting--;
    }

    private final class Question {
        private final String bridgeName;
        private final String id = UUID.randomUUID() + " ";
        private final String order;
        private final CompletableFuture<String> answer = new CompletableFuture<>();

        Question(final String bridgeName, final String order) {
            this.bridgeName = bridgeName;
            this.order = order;
        }

        CompletableFuture<String> ask(final Duration limit) {
            traced = answer;
            final CompletableFuture<Void> written = write(Map.of(TRACE, id + order));
            written.thenRun(this::look).exceptionally(error -> fail(answer, error));
            return answer.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .handle((report, error) -> remove(written).handle((done, alsoFailed) -> {
                    if (error != null) {
                        throw new OvsdbException(error instanceof OvsdbException ? String.valueOf(error.getMessage())
                            : "the agent did not answer within " + limit.toMillis() + " ms", error);
                    }
                    return report;
                })).thenCompose(result -> result);
        }

        /** Not before it is written: a slow database may get it when nobody waits any more. */
        private CompletableFuture<Void> remove(final CompletableFuture<Void> written) {
            return written.<Void>handle((done, failed) -> null).thenCompose(done -> write(Map.of()));
        }

        private void look() {
            if (answer.isDone()) {
                return;
            }
            bridge(bridgeName).thenAccept(bridge -> {
                final Object report = bridge.map(OvsTables.EXTERNAL_IDS).get(TRACE_REPORT);
                if (report instanceof String text && text.startsWith(id)) {
                    answer.complete(text.substring(id.length()));
                } else {
                    channel.schedule(POLL, this::look);
                }
            }).exceptionally(error -> fail(answer, error));
        }

        /** Puts the order into the row, or takes it out. */
        private CompletableFuture<Void> write(final Map<String, String> keys) {
            return bridge(bridgeName).thenCompose(bridge -> {
                final Optional<RowChange> change = keys.isEmpty() && !bridge.map(OvsTables.EXTERNAL_IDS)
                    .containsKey(TRACE) ? Optional.empty() : Optional.of(new RowChange.Mutate(OvsTables.BRIDGE,
                        bridge.ref(), OvsTables.EXTERNAL_IDS, Set.of(TRACE), keys));
                return change.map(each -> channel.transact(codec.schema(), List.of(codec.operation(each))))
                    .orElse(CompletableFuture.completedFuture(List.<OperationResult>of()));
            }).thenAccept(SpecApplier::checkAccepted);
        }
    }
}
