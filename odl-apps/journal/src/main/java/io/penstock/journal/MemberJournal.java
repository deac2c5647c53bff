// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.penstock.base.chain.Segments;
import io.penstock.base.disk.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal of this member of a cluster. The engine writes it where that runs; elsewhere it takes the same lines from
 * the datastore, so that each member has the same journal. Safe for all threads.
 */
public final class MemberJournal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemberJournal.class);
    private static final String LIST = "segments";
    private static final String READ = "read ";

    private final Path directory;
    private final Clock clock;
    private final boolean shared;
    private final int segmentChanges;
    private final JournalFiles files;
    private NatJournal journal;

    /** How the lines of this journal and those of the datastore are to each other. */
    public enum Standing {
        /** It ends with the same line. */
        SAME,
        /** It has more lines than those that were compared. */
        AHEAD,
        /** Lines are missing, or are others. */
        DIFFERS
    }

    /**
     * Goes on with the journal of a directory, which is made when it is not there.
     *
     * @param shared whether there are other members
     * @throws UncheckedIOException when it cannot be read or written
     */
    public MemberJournal(final Path directory, final Clock clock, final boolean shared) {
        this(directory, clock, shared, NatJournal.SEGMENT_CHANGES);
    }

    MemberJournal(final Path directory, final Clock clock, final boolean shared, final int segmentChanges) {
        this.directory = requireNonNull(directory);
        this.clock = requireNonNull(clock);
        this.shared = shared;
        this.segmentChanges = segmentChanges;
        files = new JournalFiles(directory);
        journal = opened();
    }

    /** One that is damaged is an error for people where there is no other; else it is set aside and copied again. */
    private NatJournal opened() {
        if (!shared) {
            return new NatJournal(directory, clock, segmentChanges);
        }
        try {
            return NatJournal.shared(directory, clock, segmentChanges);
        } catch (UncheckedIOException e) {
            if (Throwables.getRootCause(e) instanceof IllegalArgumentException) {
                LOG.error("The newest segment of the NAT journal is damaged. It is set aside", e);
                setNewestAside();
                return NatJournal.shared(directory, clock, segmentChanges);
            }
            throw e;
        }
    }

    private void setNewestAside() {
        try {
            final List<String> names = files.names();
            Segments.setAside(directory, directory.resolve(names.get(names.size() - 1)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether there are other members. */
    public boolean isShared() {
        return shared;
    }

    /**
     * The lines that tell what is assigned and released since the last time.
     *
     * @param tenants names of the tenants for which something may differ; empty if that is not known
     * @param wanted all assignments of these tenants
     */
    public synchronized Batch plan(final Optional<Set<String>> tenants, final Set<Assignment> wanted) {
        return tenants.map(names -> journal.plan(names, wanted)).orElseGet(() -> journal.plan(wanted));
    }

    /**
     * Writes lines that were planned, unless they have come from the datastore already. What they tell of may be used
     * when this returns.
     *
     * @return the changes that they tell of
     * @throws UncheckedIOException when they could not be written; nothing of them is then taken for written
     */
    public synchronized List<Change> write(final Batch batch) {
        return journal.write(batch);
    }

    /**
     * Writes what is new of the lines of the datastore.
     *
     * @param batches in their order, some of which may be written already
     */
    public synchronized Standing follow(final List<Batch> batches) {
        return follow(journal, batches);
    }

    private static Standing follow(final NatJournal journal, final List<Batch> batches) {
        for (final Batch batch : batches) {
            if (journal.take(batch) == NatJournal.Taken.DIFFERS) {
                return Standing.DIFFERS;
            }
        }
        final Batch last = batches.isEmpty() ? Batch.EMPTY : batches.get(batches.size() - 1);
        return journal.endsWith(last) ? Standing.SAME
            : journal.end().end() > last.end() ? Standing.AHEAD : Standing.DIFFERS;
    }

    /** The last line; empty before the first. */
    public synchronized Batch end() {
        return journal.end();
    }

    /** Goes on behind lines that this journal does not have. */
    public synchronized void skip(final Batch missing) {
        journal.skip(missing);
    }

    /** Answers a question of another member. For all threads, and does not wait for what is written. */
    public byte[] answer(final String question) throws IOException {
        if (question.equals(LIST)) {
            return JournalFiles.text(files.names());
        }
        final String[] words = question.split(" ", -1);
        if (!question.startsWith(READ) || words.length != 3) {
            throw new IOException("no question: " + question);
        }
        return files.read(words[1], Long.parseLong(words[2]));
    }

    /** The segments of another member. */
    static List<String> segments(final JournalSource source) throws IOException {
        return JournalFiles.parse(source.ask(LIST));
    }

    /** A piece of one of them. */
    static byte[] read(final JournalSource source, final String name, final long offset) throws IOException {
        return source.ask(READ + name + " " + offset);
    }

    /** The segments of this journal. */
    List<String> names() throws IOException {
        return files.names();
    }

    Path directory() {
        return directory;
    }

    /**
     * Ends with the segment of another member in place of the lines here, unless that lacks lines.
     *
     * @param copies directory in this one where the segment is alone
     * @param name of the segment
     * @param batches with which the journal has to end
     * @param own the last line of this journal when this was decided
     * @return whether it did
     * @throws UncheckedIOException when the segment is damaged
     */
    synchronized boolean adopt(final Path copies, final String name, final List<Batch> batches, final Batch own)
            throws IOException {
        final Batch opening;
        try (Stream<String> lines = Files.lines(copies.resolve(name))) {
            opening = Batch.parse(List.of(lines.findFirst().orElseThrow(() -> new IOException(name + " is empty"))));
        }
        try (NatJournal copy = NatJournal.shared(copies, clock, segmentChanges)) {
            if (follow(copy, batches) == Standing.DIFFERS || !journal.endsWith(own)) {
                return false;
            }
        }
        journal.close();
        for (final String each : files.names()) {
            if (JournalFiles.number(each) >= opening.number()) {
                Segments.setAside(directory, directory.resolve(each));
            }
        }
        try (Stream<Path> segments = Files.list(copies)) {
            // The batches may have begun another one.
            for (final Path segment : segments.sorted().toList()) {
                DurableFiles.rename(segment, directory.resolve(segment.getFileName()));
            }
        }
        journal = opened();
        return true;
    }

    @Override
    public synchronized void close() {
        journal.close();
    }
}
