// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.opendaylight.ovsdb.lib.operations.Operation;
import org.opendaylight.ovsdb.lib.operations.OperationResult;

/**
 * Brings one node's database to a specification: reads, plans, writes in one transaction, and starts over if another
 * writer came in between. One specification at a time; later ones wait. Thread-safe.
 */
final class SpecApplier {
    private static final int MAX_ROUNDS = 5;
    /** Errors that mean the plan was made from rows that have changed since; RFC 7047 sections 3.1 and 4.1.3. */
    private static final List<String> STALE = List.of("constraint violation", "referential integrity violation");
    private static final List<String> TABLES = List.copyOf(OvsTables.CONFIGURATION.keySet());

    private final PeerChannel channel;
    private final RowCodec codec;
    private final Executor planner;
    /** The zones as they are while nobody but {@link #changeZones} writes; empty when not known. */
    private Optional<ZoneRows> zoneRows = Optional.empty();
    private CompletableFuture<ApplyResult> last = CompletableFuture.completedFuture(null);

    /**
     * Creates one.
     *
     * @param planner runs the comparison, which takes milliseconds and would delay other nodes on the event loop
     */
    SpecApplier(final PeerChannel channel, final RowCodec codec, final Executor planner) {
        this.channel = channel;
        this.codec = codec;
        this.planner = planner;
    }

    synchronized CompletableFuture<ApplyResult> apply(final BridgeSpec spec) {
        last = last.handle((result, error) -> spec).thenCompose(next -> round(next, 1, 0));
        // A copy: a caller that cancels or completes it must not disturb those who wait behind.
        return last.copy();
    }

    /** See {@link NodeSession#change}. */
    synchronized CompletableFuture<ApplyResult> change(final BridgeSpec before, final BridgeSpec after) {
        if (!after.differsInZonesOnly(before)) {
            return apply(after);
        }
        last = last.handle((result, error) -> after).thenCompose(next -> changeZones(before, after));
        return last.copy();
    }

    private CompletableFuture<ApplyResult> changeZones(final BridgeSpec before, final BridgeSpec after) {
        return readZones().thenComposeAsync(rows -> {
            zoneRows = rows;
            return rows.map(known -> ZonePlanner.planChange(known, before.zones(), after.zones()))
                .map(changes -> write(after, 0, 0, new BridgePlan(changes, Map.of())))
                .orElseGet(() -> round(after, 1, 0));
        }, planner);
    }

    private CompletableFuture<Optional<ZoneRows>> readZones() {
        // Old rows do no harm: what is planned from them fails, and all is read.
        return zoneRows.isPresent() ? CompletableFuture.completedFuture(zoneRows)
            : read(ZoneRows.TABLES).thenApply(ZoneRows::of);
    }

    private CompletableFuture<DatabaseView> read(final List<String> tables) {
        return channel.transact(codec.schema(), codec.selects(tables)).thenApply(rows -> {
            checkAccepted(rows);
            return codec.view(tables, rows);
        });
    }

    /** See {@link NodeSession#report}. */
    CompletableFuture<NodeReport> report(final String bridgeName) {
        return read(NodeReport.TABLES).thenApplyAsync(view -> NodeReport.of(view, bridgeName), planner);
    }

    /** See {@link NodeSession#report(int)}. */
    CompletableFuture<Optional<ZoneReport>> report(final int zone) {
        return read(ZoneRows.TABLES).thenApplyAsync(view -> ZoneRows.of(view).flatMap(rows -> rows.zone(zone)), planner)
            .thenCompose(row -> row.map(this::reportOf).orElse(CompletableFuture.completedFuture(Optional.empty())));
    }

    private CompletableFuture<Optional<ZoneReport>> reportOf(final Ref row) {
        return channel.transact(codec.schema(), List.of(codec.select(OvsTables.ZONE, row))).thenApply(rows -> {
            checkAccepted(rows);
            return codec.view(List.of(OvsTables.ZONE), rows).row(OvsTables.ZONE, row).map(each ->
                ZoneReport.of(each.map(OvsTables.EXTERNAL_IDS))).filter(report -> !report.isEmpty());
        });
    }

    private CompletableFuture<ApplyResult> round(final BridgeSpec spec, final int number, final int changesBefore) {
        zoneRows = Optional.empty();
        return read(TABLES).thenComposeAsync(view -> {
            final BridgePlan plan = BridgePlanner.plan(view, spec);
            if (plan.changes().isEmpty()) {
                zoneRows = ZoneRows.of(view);
                return CompletableFuture.completedFuture(new ApplyResult(changesBefore, plan.refusedPorts()));
            }
            return write(spec, number, changesBefore, plan);
        }, planner);
    }

    private CompletableFuture<ApplyResult> write(final BridgeSpec spec, final int number, final int changesBefore,
            final BridgePlan plan) {
        final List<Operation<?>> operations = new ArrayList<>();
        plan.changes().forEach(change -> operations.add(codec.operation(change)));
        return channel.transact(codec.schema(), operations).thenCompose(results -> {
            final boolean aborted = results.stream().anyMatch(result -> result.getError() != null
                && STALE.contains(result.getError()));
            if (!aborted) {
                checkAccepted(results);
            }
            final int changes = changesBefore + (aborted ? 0 : plan.changes().size());
            if (!aborted && !missedRow(plan, results)) {
                zoneRows = zoneRows.map(rows -> rows.after(plan.changes(), RowCodec.inserted(results)));
                return CompletableFuture.completedFuture(new ApplyResult(changes, plan.refusedPorts()));
            }
            if (number == MAX_ROUNDS) {
                return CompletableFuture.failedFuture(new OvsdbException("the database did not accept the change in "
                    + MAX_ROUNDS + " attempts, the last with " + errors(results)));
            }
            return round(spec, number + 1, changes);
        });
    }

    /** Whether a row that was to be changed was gone: the rest is done, but the database is not as specified. */
    private static boolean missedRow(final BridgePlan plan, final List<OperationResult> results) {
        for (int i = 0; i < plan.changes().size(); i++) {
            if (!(plan.changes().get(i) instanceof RowChange.Insert) && results.get(i).getCount() == 0) {
                return true;
            }
        }
        return false;
    }

    static void checkAccepted(final List<OperationResult> results) {
        final Map<Integer, String> errors = errors(results);
        if (!errors.isEmpty()) {
            throw new OvsdbException("the database refused the transaction, by operation: " + errors);
        }
    }

    private static Map<Integer, String> errors(final List<OperationResult> results) {
        final Map<Integer, String> errors = new HashMap<>();
        for (int i = 0; i < results.size(); i++) {
            final OperationResult result = results.get(i);
            if (result.getError() != null) {
                errors.put(i, result.getError() + (result.getDetails() == null ? "" : ": " + result.getDetails()));
            }
        }
        return errors;
    }
}
