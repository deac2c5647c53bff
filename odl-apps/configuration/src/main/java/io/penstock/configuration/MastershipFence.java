// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import java.util.Optional;
import org.opendaylight.mdsal.binding.api.ReadOperations;
import org.opendaylight.mdsal.binding.api.ReadWriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.MastershipBuilder;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.common.QName;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier.NodeIdentifier;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNode;
import org.opendaylight.yangtools.yang.data.api.schema.NormalizedNodes;
import org.opendaylight.yangtools.yang.data.tree.api.DataTreeCandidateNode;
import org.opendaylight.yangtools.yang.data.tree.api.ModificationType;

/**
 * The stored mastership. A transaction that reads it writes it as well: the datastore looks for conflicts in what is
 * written alone, and so refuses the transaction when another mastership was stored since it was begun.
 *
 * <p>That is not enough for a transaction that is under way when the leader of the shard changes: its member repeats
 * its writes, but not its reads, in a new transaction of the next leader (tell-based protocol, {@code
 * AbstractProxyTransaction.replayMessages}, sal-distributed-datastore 7.0.11). It is {@link #refused} at commit.
 */
final class MastershipFence {
    private static final InstanceIdentifier<
        org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Mastership> PATH =
        InstanceIdentifier.create(Allocations.class)
            .child(org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Mastership.class);

    private static final NodeIdentifier PLACE = NodeIdentifier.create(
        org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Mastership.QNAME);
    private static final NodeIdentifier EPOCH = name("epoch");
    private static final NodeIdentifier MEMBER = name("member");

    private MastershipFence() {
        // Only functions.
    }

    private static NodeIdentifier name(final String name) {
        return NodeIdentifier.create(QName.create(PLACE.getNodeType(), name));
    }

    /**
     * The next mastership, as a part of a transaction.
     *
     * @param least its epoch is not smaller
     */
    static Mastership next(final ReadWriteTransaction transaction, final String member, final long least) {
        final Mastership next = new Mastership(
            read(transaction).map(last -> Math.max(least, last.epoch() + 1)).orElse(least), member);
        write(transaction, next);
        return next;
    }

    /**
     * Has a transaction fail unless a mastership is the stored one until it is committed.
     *
     * @throws DatastoreException when it is not now
     */
    static void require(final ReadWriteTransaction transaction, final Mastership own) {
        final Optional<Mastership> stored = read(transaction);
        if (!stored.equals(Optional.of(own))) {
            transaction.cancel();
            throw new DatastoreException("this controller is the master no more: epoch " + own.epoch() + " of "
                + own.member() + " was followed by " + stored.map(next -> next.epoch() + " of " + next.member())
                    .orElse("none"));
        }
        write(transaction, own);
    }

    /**
     * Why a change of the allocations is not that of the master; empty if it is, or if it stores the next mastership.
     *
     * @param allocations as they would be changed
     */
    static Optional<String> refused(final DataTreeCandidateNode allocations) {
        final Optional<DataTreeCandidateNode> written = allocations.getModifiedChild(PLACE)
            .filter(change -> change.getModificationType() != ModificationType.UNMODIFIED);
        final Optional<Mastership> after = written.flatMap(change -> decoded(change.getDataAfter()));
        if (after.isEmpty()) {
            return Optional.of("penstock-allocation is written by the controller alone");
        }
        final Mastership now = after.orElseThrow();
        return written.flatMap(change -> decoded(change.getDataBefore()))
            .filter(last -> last.epoch() > now.epoch() || last.epoch() == now.epoch() && !last.equals(now))
            .map(last -> now.member() + " is the master no more: epoch " + now.epoch() + " was followed by "
                + last.epoch() + " of " + last.member());
    }

    private static Optional<Mastership> decoded(final Optional<NormalizedNode> stored) {
        final Optional<Uint64> epoch = leaf(stored, EPOCH).map(Uint64.class::cast);
        final Optional<String> member = leaf(stored, MEMBER).map(String.class::cast);
        return epoch.flatMap(number -> member.map(name -> new Mastership(number.longValue(), name)));
    }

    private static Optional<Object> leaf(final Optional<NormalizedNode> stored, final NodeIdentifier name) {
        return NormalizedNodes.findNode(stored, name).map(NormalizedNode::body);
    }

    /** The stored one. */
    static Optional<Mastership> read(final ReadOperations transaction) {
        return Datastore.await(transaction.read(LogicalDatastoreType.CONFIGURATION, PATH), "cannot read the mastership")
            .filter(stored -> stored.getEpoch() != null && stored.getMember() != null)
            .map(stored -> new Mastership(stored.getEpoch().longValue(), stored.getMember()));
    }

    private static void write(final ReadWriteTransaction transaction, final Mastership mastership) {
        transaction.mergeParentStructurePut(LogicalDatastoreType.CONFIGURATION, PATH, new MastershipBuilder()
            .setEpoch(Uint64.valueOf(mastership.epoch())).setMember(mastership.member()).build());
    }
}
