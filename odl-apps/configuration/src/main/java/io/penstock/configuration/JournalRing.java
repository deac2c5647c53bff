// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.opendaylight.mdsal.binding.api.ReadWriteTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.NatJournal;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.nat.journal.Batch;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.nat.journal.BatchBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.nat.journal.BatchKey;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.common.Uint64;

/**
 * The newest lines of the journal of public addresses in the datastore, which gives them to all members. A member that
 * misses more of them copies the journal of another one.
 */
final class JournalRing {
    static final InstanceIdentifier<NatJournal> PATH =
        InstanceIdentifier.create(Allocations.class).child(NatJournal.class);

    /** Lines that stay, in batches; the model says this number too. A line has some 250 bytes. */
    private static final int LINES = 500;

    private JournalRing() {
        // Only functions.
    }

    /** The batches in their order. */
    static List<List<String>> read(final Optional<NatJournal> stored) {
        return inOrder(stored).stream().map(Batch::requireLine).map(List::copyOf).toList();
    }

    /** Puts a batch into a transaction, and takes those out for which there is no room. */
    static void append(final ReadWriteTransaction transaction, final long firstLine, final List<String> lines) {
        final List<Batch> before = inOrder(Datastore.await(
            transaction.read(LogicalDatastoreType.CONFIGURATION, PATH), "cannot read the journal's newest lines"));
        int all = lines.size() + before.stream().mapToInt(batch -> batch.requireLine().size()).sum();
        for (final Batch batch : before) {
            if (all > LINES) {
                all -= batch.requireLine().size();
                transaction.delete(LogicalDatastoreType.CONFIGURATION, PATH.child(Batch.class, batch.key()));
            }
        }
        final BatchKey key = new BatchKey(Uint64.valueOf(firstLine));
        transaction.mergeParentStructurePut(LogicalDatastoreType.CONFIGURATION, PATH.child(Batch.class, key),
            new BatchBuilder().withKey(key).setLine(List.copyOf(lines)).build());
    }

    private static List<Batch> inOrder(final Optional<NatJournal> stored) {
        return stored.map(journal -> journal.nonnullBatch().values().stream()
            .sorted(Comparator.comparing(Batch::getFirstLine)).toList()).orElseGet(List::of);
    }
}
