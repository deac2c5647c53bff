// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DiskSpace;
import io.penstock.base.disk.SegmentReserve;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.DatastoreException;
import io.penstock.configuration.JournalLines;
import io.penstock.configuration.Mastership;
import io.penstock.configuration.grant.Transition;
import io.penstock.journal.Assignment;
import io.penstock.journal.Batch;
import io.penstock.journal.Change;
import io.penstock.journal.MemberJournal;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Writes down what is handed out: in the datastore and in the journal, and tells the collectors. For the thread of the
 * engine; read before that begins.
 */
public final class AllocationWriter {
    private final ConfigurationStore store;
    private final JournalKeeper keeper;
    private final MemberJournal journal;
    private final DiskSpace space;
    private final SegmentReserve reserve;
    private final Consumer<List<Change>> exporters;
    @SuppressWarnings("NullAway.Init") // by claim()
    private Mastership mastership;
    /** What was stored the last time; empty when that is not known. */
    private Optional<Allocations> stored = Optional.empty();
    /** Whether the journal has all of the last state that was written. */
    private boolean journaled;

    /**
     * Has written nothing.
     *
     * @param exporters gets each change when it is in the journal; must not block
     */
    public AllocationWriter(final ConfigurationStore store, final JournalKeeper keeper, final DiskSpace space,
            final SegmentReserve reserve, final Consumer<List<Change>> exporters) {
        this.store = requireNonNull(store);
        this.keeper = requireNonNull(keeper);
        journal = keeper.journal();
        this.space = requireNonNull(space);
        this.reserve = requireNonNull(reserve);
        this.exporters = requireNonNull(exporters);
    }

    /** Claims the right to write, and reads what was written the last time, by this controller or one before. */
    Allocations claim(final String member, final Instant now) {
        mastership = store.claim(member, now);
        if (!journal.isShared()) {
            store.forgetJournal(mastership);
        }
        return read();
    }

    /** The right to write. */
    Mastership mastership() {
        return mastership;
    }

    private Allocations read() {
        final Allocations found = store.readAllocations();
        final Batch anchor = keeper.enter();
        if (!anchor.isEmpty()) {
            store(found, found, Optional.of(Set.of()), anchor);
        }
        stored = Optional.of(found);
        return found;
    }

    private void store(final Allocations from, final Allocations to, final Optional<Set<String>> tenants,
            final Batch batch) {
        store.writeAllocations(mastership, from, to, tenants, batch.isEmpty() || !journal.isShared()
            ? JournalLines.NONE : new JournalLines(batch.number(), batch.texts()));
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
        final Snapshot snapshot = transition.after().snapshot();
        final Optional<Set<String>> tenants = known ? Optional.of(transition.tenants()) : Optional.empty();
        final Batch batch = journal.plan(tenants, known
            ? Assignment.of(snapshot, allocations, transition.tenants()) : Assignment.of(snapshot, allocations));
        // Whatever fails from here on is written with all that differs.
        journaled = false;
        if (allocations != before || journal.isShared() && !batch.isEmpty()) {
            // Should this fail it is not known how much is stored, and the next attempt reads it.
            stored = Optional.empty();
            store(before, allocations, tenants, batch);
        }
        final List<Change> changes = journal.write(batch);
        stored = Optional.of(allocations);
        journaled = true;
        exporters.accept(changes);
    }

    /** Reserves what the datastore needs to go on when the disk is full. */
    void reserve() {
        reserve.look();
    }

    /** Why nothing can be written for want of room; empty when there is enough. For all threads. */
    Optional<String> shortage() {
        return space.shortage();
    }
}
