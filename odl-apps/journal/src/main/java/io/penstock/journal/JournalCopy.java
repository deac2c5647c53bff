// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import io.penstock.base.chain.Line;
import io.penstock.base.chain.Segments;
import io.penstock.base.disk.DurableFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies what the journal of this member lacks from that of another one. The newest segment comes first: it has all
 * that is held, so that this member can go on. Lines here that are others are set aside, and never removed. For one
 * thread.
 */
public final class JournalCopy {
    /** In the marker: this journal was empty, so all segments are missing. */
    private static final long ALL = 0;

    private static final Logger LOG = LoggerFactory.getLogger(JournalCopy.class);

    private final MemberJournal journal;
    private final Path directory;
    /** Is there while complete segments may be missing or others. Has the number of the one before which they are. */
    private final Path marker;

    /** Copies to a journal. */
    public JournalCopy(final MemberJournal journal) {
        this.journal = requireNonNull(journal);
        directory = journal.directory().resolve("copy");
        marker = journal.directory().resolve("copying");
    }

    /**
     * Has {@link #older} look at complete segments too, since lines are missing.
     *
     * @param last the last of them
     */
    public void doubt(final Batch last) throws IOException {
        mark(last.end() + 1);
    }

    /**
     * Copies the newest segment.
     *
     * @param batches with which the journal has to end then
     * @param own the last line of this journal; nothing is copied when it has another one by then
     * @return false when the other member has not these lines either
     * @throws IOException when it does not answer, or what it has is damaged
     */
    public boolean newest(final JournalSource source, final List<Batch> batches, final Batch own)
            throws IOException {
        final List<String> theirs = MemberJournal.segments(source);
        if (theirs.isEmpty() || JournalFiles.isClosed(theirs.get(theirs.size() - 1))) {
            return false;
        }
        final String name = theirs.get(theirs.size() - 1);
        final byte[] content = content(source, name);
        int end = content.length;
        while (end > 0 && content[end - 1] != '\n') {
            end--; // The other member is about to write this line.
        }
        clear();
        Files.createDirectories(directory);
        DurableFiles.replace(directory.resolve(name), Arrays.copyOf(content, end));
        if (!missing().equals(Optional.of(ALL))) {
            mark(journal.names().isEmpty() ? ALL : JournalFiles.number(name));
        }
        try {
            return journal.adopt(directory, name, batches, own);
        } finally {
            clear();
        }
    }

    /**
     * Copies complete segments that are missing here, the newest first. Those from before the oldest one are not
     * missing: they may have been taken away.
     *
     * @return how many were copied
     * @throws IOException when the other member does not answer, or what it has is damaged
     */
    public int older(final JournalSource source) throws IOException {
        int all = 0;
        int count;
        do {
            // With segments that were missing it shows whether those before lead to the newest one.
            count = copyOlder(source);
            all += count;
        } while (count > 0 && Files.exists(marker));
        return all;
    }

    private int copyOlder(final JournalSource source) throws IOException {
        final Optional<Long> missing = missing();
        final boolean doubted = missing.isPresent() && !missing.equals(Optional.of(ALL));
        final List<String> theirs = MemberJournal.segments(source);
        final List<String> own = journal.names();
        final long since = own.isEmpty() || missing.equals(Optional.of(ALL)) ? -1
            : doubted ? setOthersAside(own, theirs, missing.orElseThrow()) : JournalFiles.number(own.get(0));
        final Set<Long> numbers = journal.names().stream().map(JournalFiles::number).collect(Collectors.toSet());
        final List<String> copied = theirs.stream().filter(name -> JournalFiles.isClosed(name)
            && JournalFiles.number(name) > since && !numbers.contains(JournalFiles.number(name))).toList();
        for (final String name : Lists.reverse(copied)) {
            final byte[] content = content(source, name);
            lines(new ByteArrayInputStream(content), name);
            DurableFiles.replace(journal.directory().resolve(name), content);
        }
        if (doubted && !copied.isEmpty()) {
            mark(JournalFiles.number(copied.get(0)));
        } else {
            Files.deleteIfExists(marker);
        }
        return copied.size();
    }

    private Optional<Long> missing() throws IOException {
        return Files.exists(marker)
            ? Optional.of(Long.parseLong(Files.readString(marker, StandardCharsets.US_ASCII))) : Optional.empty();
    }

    private void mark(final long number) throws IOException {
        DurableFiles.replace(marker, Long.toString(number).getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Sets complete segments aside that do not lead to one, where the other member has others for them.
     *
     * @param target number of that segment; the newest one if it is not there
     * @return number of the newest one that stays: those after it may be missing; -1 when there is none
     */
    private long setOthersAside(final List<String> own, final List<String> theirs, final long target)
            throws IOException {
        final List<Long> numbers = theirs.stream().map(JournalFiles::number).toList();
        final int found = own.stream().map(JournalFiles::number).toList().indexOf(target);
        final int position = found < 0 ? own.size() - 1 : found;
        final String next = own.get(position);
        for (final String name : Lists.reverse(own.subList(0, position))) {
            final long number = JournalFiles.number(name);
            final boolean reached = numbers.stream().anyMatch(each -> each <= number);
            final boolean between =
                numbers.stream().anyMatch(each -> each > number && each < JournalFiles.number(next));
            if (between || !reached || leadsTo(name, next)) {
                return number;
            }
            Segments.setAside(journal.directory(), journal.directory().resolve(name));
        }
        return -1;
    }

    /** Whether the last line of a segment is the one before another segment. */
    private boolean leadsTo(final String name, final String next) {
        try {
            final Batch last = Batch.parse(List.of(Iterables.getLast(lines(own(name), name))));
            final Batch first = Batch.parse(List.of(lines(own(next), next).get(0)));
            return last.end() == first.number() - 1 && first.follows(last.last().hash());
        } catch (IOException e) {
            LOG.warn("A segment of the NAT journal is set aside: {}", e.getMessage());
            return false;
        }
    }

    private InputStream own(final String name) throws IOException {
        return Files.newInputStream(journal.directory().resolve(name));
    }

    private void clear() throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> files = Files.list(directory)) {
                for (final Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        }
    }

    private static byte[] content(final JournalSource source, final String name) throws IOException {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] piece = MemberJournal.read(source, name, 0); piece.length > 0;
                piece = MemberJournal.read(source, name, content.size())) {
            content.write(piece);
        }
        return content.toByteArray();
    }

    /** The lines of a segment, each of which follows from the one before. */
    private static List<String> lines(final InputStream content, final String name) throws IOException {
        try (InputStream text = JournalFiles.isClosed(name) ? new GZIPInputStream(content) : content) {
            final List<String> lines = new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
            String hash = Line.NOTHING;
            for (final String line : lines) {
                hash = Entry.parse(line, hash).line().hash();
            }
            return lines;
        } catch (IllegalArgumentException e) {
            throw new IOException(name + " is damaged: " + e.getMessage(), e);
        }
    }
}
