// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static java.util.Objects.requireNonNull;

import io.penstock.base.chain.Line;
import io.penstock.base.chain.Segments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Append-only journal of who has which public addresses and ports, in the files of one directory. Lines are chained by
 * hashes, so that one that is changed or taken out shows. The journal is cut into segments: one that is long enough is
 * compressed, and the next begins with all that is held at that time. So one segment answers for its time alone, and
 * old ones can be moved away. docs/nat-journal.md has the format.
 *
 * <p>An entry is on disk when {@link #record} returns. Not for several threads.
 */
public final class NatJournal implements AutoCloseable {
    /** Changes in a segment, at least: a few megabytes, which are searched in some hundredths of a second. */
    static final int SEGMENT_CHANGES = 20_000;
    /** With which the names of segments begin. */
    static final String PREFIX = "nat";

    private static final String CANNOT_OPEN = "cannot open the NAT journal in ";
    private static final Duration BEHIND = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(NatJournal.class);

    private final Clock clock;
    private final int segmentChanges;
    private final Held held = new Held();
    private final Segments segments;
    /** Whether there is a segment. */
    private boolean begun;
    private long number;
    private Instant last = Instant.EPOCH;
    private int changes;
    /** Whether the log says that the clock is behind the last entry. */
    private boolean behind;

    /** Whether a batch of lines was written. */
    public enum Taken {
        /** The journal ends with these lines, or goes on behind them. */
        HAS,
        /** They do not follow from the last line: lines are missing, or the journal is another one. */
        DIFFERS
    }

    /**
     * Goes on with the journal of a directory, which is made when it is not there.
     *
     * @throws UncheckedIOException when it cannot be read or written
     */
    public NatJournal(final Path directory, final Clock clock) {
        this(directory, clock, SEGMENT_CHANGES);
    }

    NatJournal(final Path directory, final Clock clock, final int segmentChanges) {
        this(clock, segmentChanges, directory);
        try {
            if (!begun) {
                begin(now());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(CANNOT_OPEN + directory, e);
        }
    }

    private NatJournal(final Clock clock, final int segmentChanges, final Path directory) {
        this.clock = requireNonNull(clock);
        this.segmentChanges = segmentChanges;
        try {
            segments = new Segments(directory, PREFIX, "NAT journal");
            begun = segments.resume(this::replay);
        } catch (IOException e) {
            throw new UncheckedIOException(CANNOT_OPEN + directory, e);
        }
    }

    /** The same, where a new journal begins with its first change: those of all members have the same lines. */
    static NatJournal shared(final Path directory, final Clock clock, final int segmentChanges) {
        return new NatJournal(clock, segmentChanges, directory);
    }

    /** Writes what is assigned and released since the last time, of all tenants. */
    public List<Change> record(final Set<Assignment> wanted) {
        return write(plan(wanted));
    }

    /**
     * Writes what is assigned and released of some tenants since the last time. What is wanted may be used when this
     * returns.
     *
     * @param tenants names of the tenants for which something may differ
     * @param wanted all assignments of these tenants
     * @return what was written
     * @throws UncheckedIOException when it could not be written; nothing of it is then taken for written
     */
    public List<Change> record(final Set<String> tenants, final Set<Assignment> wanted) {
        return write(plan(tenants, wanted));
    }

    /** The lines that tell what is assigned and released since the last time, of all tenants. */
    Batch plan(final Set<Assignment> wanted) {
        final Set<String> tenants = new LinkedHashSet<>(held.tenants());
        wanted.forEach(each -> tenants.add(each.tenant()));
        return plan(tenants, wanted);
    }

    /** The same where only some tenants may differ. */
    Batch plan(final Set<String> tenants, final Set<Assignment> wanted) {
        final List<Assignment> released = tenants.stream().flatMap(tenant -> held.of(tenant).stream())
            .filter(each -> !wanted.contains(each)).toList();
        final List<Assignment> assigned = wanted.stream().filter(each -> !held.of(each.tenant()).contains(each))
            .toList();
        if (released.isEmpty() && assigned.isEmpty()) {
            return Batch.EMPTY;
        }
        final Instant now = now();
        final List<Entry> opening = opening(now, released.size() + assigned.size());
        final List<Entry> entries = new ArrayList<>();
        final long before = number + opening.size();
        released.forEach(each -> entries.add(entry(before, entries, now, Entry.Event.RELEASED, now,
            Optional.of(each))));
        assigned.forEach(each -> entries.add(entry(before, entries, now, Entry.Event.ASSIGNED, now,
            Optional.of(each))));
        return Batch.of(hashBehind(opening), entries);
    }

    /**
     * Writes lines that were planned for the place where this journal ends.
     *
     * @return the changes that they tell of
     * @throws UncheckedIOException when they could not be written; nothing of them is then taken for written
     * @throws IllegalStateException when they do not follow from the last line
     */
    List<Change> write(final Batch batch) {
        if (take(batch) == Taken.DIFFERS) {
            throw new IllegalStateException("the NAT journal has other lines before line " + batch.number());
        }
        return batch.changes();
    }

    /**
     * Writes lines unless they are there.
     *
     * @throws UncheckedIOException when they could not be written; nothing of them is then taken for written
     */
    Taken take(final Batch batch) {
        final List<Entry> entries = batch.entries();
        if (entries.isEmpty()) {
            return Taken.HAS;
        }
        if (batch.end() <= number) {
            return batch.end() < number || endsWith(batch) ? Taken.HAS : Taken.DIFFERS;
        }
        final Instant time = entries.get(0).time();
        final List<Entry> opening = opening(time, entries.size());
        if (batch.number() != number + opening.size() + 1 || !batch.follows(hashBehind(opening))) {
            return Taken.DIFFERS;
        }
        try {
            if (!opening.isEmpty()) {
                begin(time);
            }
            segments.append(batch.lines());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the NAT journal " + segments.segment(), e);
        }
        written(entries);
        changes += entries.size();
        entries.forEach(this::hold);
        return Taken.HAS;
    }

    /** Goes on behind lines that this journal does not have: the next batch begins a segment that holds nothing. */
    void skip(final Batch missing) {
        held.clear();
        number = missing.end();
        last = missing.time();
        changes = 0;
        begun = false;
        segments.follow(missing.last());
    }

    /** The last line; empty before the first. */
    Batch end() {
        return number == 0 ? Batch.EMPTY : Batch.parse(List.of(segments.last().text()));
    }

    /** Whether this journal ends with the last line of a batch. */
    boolean endsWith(final Batch batch) {
        return number == batch.end() && segments.last().hash().equals(batch.last().hash());
    }

    @Override
    public void close() {
        segments.close();
    }

    /** Learns from a line of the last segment how things stand. */
    private Line replay(final String line, final String before) {
        final Entry.Read read = Entry.parse(line, before);
        final Entry entry = read.entry();
        number = entry.number();
        last = entry.time();
        hold(entry);
        changes += entry.isChange() ? 1 : 0;
        return read.line();
    }

    private void hold(final Entry entry) {
        entry.assignment().ifPresent(each -> {
            if (entry.event() == Entry.Event.RELEASED) {
                held.remove(each);
            } else {
                held.put(each, entry.since());
            }
        });
    }

    /** The first lines of the new segment that so many changes need; empty if they go into this one. */
    private List<Entry> opening(final Instant now, final int more) {
        return begun && (changes == 0 || changes + more <= Math.max(segmentChanges, held.size())) ? List.of()
            : opening(now);
    }

    /** A new segment has all that is held. */
    private List<Entry> opening(final Instant now) {
        final List<Entry> entries = new ArrayList<>();
        entries.add(entry(number, entries, now, Entry.Event.OPENED, now, Optional.empty()));
        held.forEach((each, since) ->
            entries.add(entry(number, entries, now, Entry.Event.HELD, since, Optional.of(each))));
        return entries;
    }

    private String hashBehind(final List<Entry> entries) {
        String hash = segments.last().hash();
        for (final Entry entry : entries) {
            hash = entry.apply(hash).hash();
        }
        return hash;
    }

    /** Nothing has changed when the segment cannot be made. */
    private void begin(final Instant now) throws IOException {
        final List<Entry> entries = opening(now);
        segments.begin(number + 1, entries);
        begun = true;
        changes = 0;
        written(entries);
    }

    private void written(final List<Entry> entries) {
        number += entries.size();
        last = entries.get(entries.size() - 1).time();
    }

    private static Entry entry(final long after, final List<Entry> before, final Instant time,
            final Entry.Event event, final Instant since, final Optional<Assignment> assignment) {
        return new Entry(after + before.size() + 1, time, event, since, assignment);
    }

    /** Never before what was written last, whatever the clock says, so that a segment is searched by its times. */
    private Instant now() {
        final Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        if (!now.isBefore(last)) {
            behind = false;
            return now;
        }
        if (!behind && Duration.between(now, last).compareTo(BEHIND) >= 0) {
            behind = true;
            LOG.warn("NAT journal: the wall clock, {}, is behind the last entry. Entries have the time {} until the"
                + " clock has passed it", now, last);
        }
        return last;
    }
}
