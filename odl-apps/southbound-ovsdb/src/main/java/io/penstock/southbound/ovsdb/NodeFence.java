// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.opendaylight.ovsdb.lib.operations.Assert;
import org.opendaylight.ovsdb.lib.operations.Operation;
import org.opendaylight.ovsdb.lib.operations.OperationResult;
import org.opendaylight.ovsdb.lib.operations.Select;

/**
 * Has a node's database take orders of one controller alone. Its engine steals the lock of the database (RFC 7047,
 * 4.1.8), unless the database has served an engine of a greater epoch, and stores its own epoch. Each transaction that
 * writes asserts that the lock is held still (5.2.10), so that a former engine writes nothing, whatever it believes.
 */
final class NodeFence {
    /** Name of the lock in the database. */
    static final String LOCK = "penstock";
    /** Key of {@code external_ids} in {@code Open_vSwitch}, for controllers alone. */
    private static final String EPOCH = "penstock-epoch";

    private final PeerChannel channel;
    private final RowCodec codec;

    NodeFence(final PeerChannel channel, final RowCodec codec) {
        this.channel = requireNonNull(channel);
        this.codec = requireNonNull(codec);
    }

    /**
     * Takes the database for an engine.
     *
     * @return complete when orders of this engine alone are taken; fails if the database has served a later one, from
     *     which it does not take the lock
     */
    CompletableFuture<@Nullable Void> take(final long epoch) {
        return check(epoch).thenCompose(root -> channel.steal(LOCK)).thenCompose(held -> check(epoch))
            .thenCompose(root -> channel.transact(codec.schema(), List.of(codec.operation(new RowChange.Mutate(
                OvsTables.ROOT, root.ref(), OvsTables.EXTERNAL_IDS, Set.of(EPOCH),
                Map.of(EPOCH, Long.toString(epoch)))))))
            .thenAccept(SpecApplier::checkAccepted);
    }

    /** The row that tells the epoch, unless it is a later one. */
    private CompletableFuture<TableRow> check(final long epoch) {
        return channel.transact(codec.schema(), codec.identity()).thenApply(results -> {
            SpecApplier.checkAccepted(results);
            final TableRow root = codec.identity(results)
                .orElseThrow(() -> new OvsdbException("table Open_vSwitch is empty"));
            epoch(root).filter(served -> served > epoch).ifPresent(served -> {
                throw new OvsdbException("has served a later controller: epoch " + served + ", and this one has "
                    + epoch);
            });
            return root;
        });
    }

    private static String text(final TableRow root) {
        return root.map(OvsTables.EXTERNAL_IDS).get(EPOCH) instanceof String text ? text : "";
    }

    /** The epoch that a database has; nothing for one that no engine wrote, or that is no number. */
    static Optional<Long> epoch(final TableRow root) {
        try {
            return Optional.of(text(root)).filter(text -> !text.isEmpty()).map(Long::parseLong);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The operations of a transaction, with the assertion in front if they write. */
    static List<Operation<?>> asserted(final List<Operation<?>> operations) {
        if (operations.stream().allMatch(Select.class::isInstance)) {
            return operations;
        }
        final List<Operation<?>> result = new ArrayList<>();
        result.add(new Assert(LOCK));
        result.addAll(operations);
        return result;
    }

    /**
     * The results of the operations alone.
     *
     * @throws OvsdbException when the assertion failed: another controller has the lock
     */
    static List<OperationResult> withoutAssertion(final List<OperationResult> results) {
        if (results.get(0).getError() != null) {
            throw new OvsdbException("the node takes orders of another controller: " + results.get(0).getError());
        }
        return results.subList(1, results.size());
    }
}
