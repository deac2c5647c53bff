// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DiskSpace;
import io.penstock.base.disk.SegmentReserve;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.DatastoreException;
import io.penstock.configuration.grant.Transition;
import io.penstock.journal.Assignment;
import io.penstock.journal.Change;
import io.penstock.journal.NatJournal;
import io.penstock.journal.export.UdpExporter;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/**
 * Writes down what is handed out: in the datastore and in the journal, and tells the collectors. For the thread of the
 * engine; read before that begins, and closed after it has been stopped.
 */
public final class AllocationWriter implements AutoCloseable {
    private final ConfigurationStore store;
    private final NatJournal journal;
    private final DiskSpace space;
    private final SegmentReserve reserve;
    private final List<UdpExporter<Change>> exporters;
    /** What was stored the last time; empty when that is not known. */
    private Optional<Allocations> stored = Optional.empty();
    /** Whether the journal has all of the last state that was written. */
    private boolean journaled;

    public AllocationWriter(final ConfigurationStore store, final NatJournal journal, final DiskSpace space,
            final SegmentReserve reserve, final List<UdpExporter<Change>> exporters) {
        this.store = requireNonNull(store);
        this.journal = requireNonNull(journal);
        this.space = requireNonNull(space);
        this.reserve = requireNonNull(reserve);
        this.exporters = List.copyOf(exporters);
    }

    /** What was written the last time, by this controller or one before. */
    Allocations read() {
        final Allocations found = store.readAllocations();
        stored = Optional.of(found);
        return found;
    }

    /**
     * Writes what differs from the last time, at the cost of what differs. It may be used when this returns: an id that
     * a switch knows must never be handed out a second time.
     *
     * @throws DatastoreException when the datastore does not take it
     * @throws UncheckedIOException when the journal cannot be written, or the disk has too little room
     */
    @SuppressWarnings("ReferenceEquality") // what was stored the last time is that object
    void write(final Transition transition) {
        shortage().ifPresent(reason -> {
            throw new UncheckedIOException(reason, new IOException("no room"));
        });
        final Allocations allocations = transition.after().allocations();
        final Allocations before = stored.isPresent() ? stored.orElseThrow() : read();
        final boolean known = before == transition.before().allocations() && journaled;
        if (allocations != before) {
            // Should this fail it is not known how much is stored, and the next attempt reads it.
            stored = Optional.empty();
            store.writeAllocations(before, allocations, known ? Optional.of(transition.tenants()) : Optional.empty());
            stored = Optional.of(allocations);
        }
        // Whatever fails from here on is written with all that differs.
        journaled = false;
        final Snapshot snapshot = transition.after().snapshot();
        final List<Change> changes = known ? journal.record(transition.tenants(),
            Assignment.of(snapshot, allocations, transition.tenants()))
            : journal.record(Assignment.of(snapshot, allocations));
        journaled = true;
        exporters.forEach(exporter -> exporter.accept(changes));
    }

    /** Reserves what the datastore needs to go on when the disk is full. */
    void reserve() {
        reserve.look();
    }

    /** Why nothing can be written for want of room; empty when there is enough. For all threads. */
    Optional<String> shortage() {
        return space.shortage();
    }

    @Override
    public void close() {
        journal.close();
        exporters.forEach(UdpExporter::close);
    }
}
