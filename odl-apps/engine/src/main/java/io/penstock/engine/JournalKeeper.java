// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.DatastoreException;
import io.penstock.journal.Batch;
import io.penstock.journal.JournalCopy;
import io.penstock.journal.JournalSource;
import io.penstock.journal.MemberJournal;
import io.penstock.journal.MemberJournal.Standing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the journal of public addresses of this member the same as that of all others, whether the engine runs here or
 * not. Lines come from the datastore; a member that has missed some copies the segments of another one. Safe for all
 * threads.
 */
public final class JournalKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JournalKeeper.class);
    private static final Duration LOOK = Duration.ofSeconds(30);

    private final MemberJournal journal;
    private final ConfigurationStore store;
    private final Supplier<List<JournalSource>> others;
    private final JournalCopy copy;
    private final TaskThread thread = new TaskThread("penstock-journal");
    private final Optional<Runnable> following;
    /** The trouble that was logged last; empty when there is none. */
    private String trouble = "";

    /**
     * Begins to follow.
     *
     * @param others the journals of the other members, the first of which is asked first
     */
    public JournalKeeper(final MemberJournal journal, final ConfigurationStore store,
            final Supplier<List<JournalSource>> others) {
        this.journal = requireNonNull(journal);
        this.store = requireNonNull(store);
        this.others = requireNonNull(others);
        copy = new JournalCopy(journal);
        if (journal.isShared()) {
            following = Optional.of(store.followJournal(lines -> thread.run(() -> heard(lines))));
            thread.every(LOOK, LOOK, this::look);
        } else {
            following = Optional.empty();
        }
    }

    /** The journal itself. */
    public MemberJournal journal() {
        return journal;
    }

    private static List<Batch> batches(final List<List<String>> lines) {
        return lines.stream().map(Batch::parse).toList();
    }

    private void heard(final List<List<String>> lines) {
        try {
            if (journal.follow(batches(lines)) == Standing.DIFFERS) {
                look();
            }
        } catch (UncheckedIOException e) {
            say("Lines of the NAT journal are not written here, and will be tried again: " + e.getMessage());
        }
    }

    /** Compares with what is stored, and copies what is missing. */
    private void look() {
        try {
            final long before = journal.end().end();
            final List<Batch> stored = batches(store.journal());
            final Standing standing = journal.follow(stored);
            final Batch own = journal.end();
            final long end = stored.isEmpty() ? 0 : stored.get(stored.size() - 1).end();
            // Lines that were written here meanwhile have been stored after this was read.
            if (standing == Standing.DIFFERS || standing == Standing.AHEAD && end > 0 && before > end) {
                say(copyNewest(stored, own) ? "" : "The NAT journal here lacks lines, and no other member gives them");
            } else {
                say("");
            }
            copyOlder();
        } catch (DatastoreException e) {
            LOG.debug("The journal is compared later", e);
        } catch (UncheckedIOException e) {
            say("The NAT journal is not written here, and will be tried again: " + e.getMessage());
        }
    }

    private synchronized boolean copyNewest(final List<Batch> stored, final Batch own) {
        if (thread.isClosed()) {
            return false;
        }
        for (final JournalSource other : others.get()) {
            try {
                if (copy.newest(other, stored, own)) {
                    LOG.info("The newest segment of the NAT journal was copied from another member, up to line {}",
                        journal.end().end());
                    return true;
                }
            } catch (IOException e) {
                LOG.debug("No journal from a member", e);
            }
        }
        return false;
    }

    private synchronized void copyOlder() {
        if (thread.isClosed()) {
            return;
        }
        for (final JournalSource other : others.get()) {
            try {
                final int count = copy.older(other);
                if (count > 0) {
                    LOG.info("{} segments of the NAT journal were copied from another member", count);
                }
                return;
            } catch (IOException e) {
                LOG.debug("No segments from a member", e);
            }
        }
    }

    /**
     * Has this journal end where the stored lines do, for the engine, which writes from then on. Waits for no other
     * member while it has all lines.
     *
     * @return lines that have to be stored first, so that the other members know where this journal is; may be empty
     */
    Batch enter() {
        if (!journal.isShared()) {
            return Batch.EMPTY;
        }
        final List<Batch> stored = batches(store.journal());
        if (stored.isEmpty()) {
            if (journal.end().isEmpty()) {
                copyNewest(stored, Batch.EMPTY);
            }
            return journal.end();
        }
        final Standing standing = journal.follow(stored);
        if (standing == Standing.DIFFERS && !copyNewest(stored, journal.end())) {
            final Batch last = stored.get(stored.size() - 1);
            LOG.error("The NAT journal of this member lacks lines before line {}, and no other member gives them now."
                + " It goes on behind that line, and copies the missing segments when it can", last.end());
            skip(last);
        }
        return standing == Standing.AHEAD ? journal.end() : Batch.EMPTY;
    }

    private void skip(final Batch last) {
        try {
            copy.doubt(last);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        journal.skip(last);
    }

    private void say(final String text) {
        if (!text.equals(trouble)) {
            trouble = text;
            if (text.isEmpty()) {
                LOG.info("The NAT journal is that of the other members again");
            } else {
                LOG.warn("NAT journal: {}", text);
            }
        }
    }

    @Override
    public void close() {
        following.ifPresent(Runnable::run);
        thread.close();
        // A copy that is under way ends first: the next keeper of this directory has to be the only one that writes.
        synchronized (this) {
            journal.close();
        }
    }
}
