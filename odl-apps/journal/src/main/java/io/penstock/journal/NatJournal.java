// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DurableFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
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
    /** Ends of the names of segments. */
    static final String OPEN = ".jsonl";
    static final String CLOSED = ".jsonl.gz";
    /** Changes in a segment, at least: a few megabytes, which are searched in some hundredths of a second. */
    static final int SEGMENT_CHANGES = 20_000;

    private static final Duration BEHIND = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(NatJournal.class);

    private final Path directory;
    private final Clock clock;
    private final int segmentChanges;
    private final Held held = new Held();
    @SuppressWarnings("NullAway.Init") // by goOn()
    private FileChannel channel;
    @SuppressWarnings("NullAway.Init")
    private Path segment;
    /** Bytes of the segment up to the end of its last whole line. */
    private long length;
    private long number;
    private String hash = Entry.NOTHING;
    private Instant last = Instant.EPOCH;
    private int changes;
    /** Whether the log says that the clock is behind the last entry. */
    private boolean behind;

    /**
     * Goes on with the journal of a directory, which is made when it is not there.
     *
     * @throws UncheckedIOException when it cannot be read or written
     */
    public NatJournal(final Path directory, final Clock clock) {
        this(directory, clock, SEGMENT_CHANGES);
    }

    NatJournal(final Path directory, final Clock clock, final int segmentChanges) {
        this.directory = requireNonNull(directory);
        this.clock = requireNonNull(clock);
        this.segmentChanges = segmentChanges;
        try {
            Files.createDirectories(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            goOn();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot open the NAT journal in " + directory, e);
        }
    }

    /** Writes what is assigned and released since the last time, of all tenants. */
    public List<Change> record(final Set<Assignment> wanted) {
        final Set<String> tenants = new LinkedHashSet<>(held.tenants());
        wanted.forEach(each -> tenants.add(each.tenant()));
        return record(tenants, wanted);
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
        final List<Assignment> released = tenants.stream().flatMap(tenant -> held.of(tenant).stream())
            .filter(each -> !wanted.contains(each)).toList();
        final List<Assignment> assigned = wanted.stream().filter(each -> !held.of(each.tenant()).contains(each))
            .toList();
        if (released.isEmpty() && assigned.isEmpty()) {
            return List.of();
        }
        final Instant now = now();
        final List<Entry> entries = new ArrayList<>();
        released.forEach(each -> entries.add(entry(entries, now, Entry.Event.RELEASED, now, Optional.of(each))));
        assigned.forEach(each -> entries.add(entry(entries, now, Entry.Event.ASSIGNED, now, Optional.of(each))));
        try {
            if (changes > 0 && changes + entries.size() > Math.max(segmentChanges, held.size())) {
                cut(now);
                return record(tenants, wanted);
            }
            append(entries);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the NAT journal " + segment, e);
        }
        changes += entries.size();
        released.forEach(held::remove);
        assigned.forEach(each -> held.put(each, now));
        return entries.stream().map(entry -> new Change(now, entry.event() == Entry.Event.ASSIGNED,
            entry.assignment().orElseThrow())).toList();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("Cannot close the NAT journal {}", segment, e);
        }
    }

    private void goOn() throws IOException {
        final List<Path> segments;
        try (Stream<Path> files = Files.list(directory)) {
            segments = files.filter(file -> file.toString().endsWith(OPEN)).sorted().toList();
        }
        // A crash in cut() may leave one that is full beside the next.
        for (final Path full : segments.subList(0, Math.max(0, segments.size() - 1))) {
            compress(full);
        }
        if (segments.isEmpty()) {
            open(now());
            return;
        }
        segment = segments.get(segments.size() - 1);
        length = replay(Files.readString(segment, StandardCharsets.UTF_8));
        channel = FileChannel.open(segment, StandardOpenOption.WRITE);
        if (length < channel.size()) {
            LOG.warn("NAT journal {}: an incomplete last line is removed", segment);
        }
        channel.truncate(length);
    }

    /** Learns from the lines of the last segment how things stand. Returns where the last whole line ends. */
    private long replay(final String text) {
        int from = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            final Entry.Read read;
            try {
                read = Entry.parse(text.substring(from, end), hash);
            } catch (IllegalArgumentException e) {
                throw new UncheckedIOException(new IOException("NAT journal " + segment + ", line behind entry "
                    + number + ", " + e.getMessage() + ": move the file away, keep it, and start again", e));
            }
            final Entry entry = read.entry();
            hash = read.hash();
            number = entry.number();
            last = entry.time();
            entry.assignment().ifPresent(each -> {
                if (entry.event() == Entry.Event.RELEASED) {
                    held.remove(each);
                } else {
                    held.put(each, entry.since());
                }
            });
            changes += entry.event() == Entry.Event.ASSIGNED || entry.event() == Entry.Event.RELEASED ? 1 : 0;
            from = end + 1;
        }
        return text.substring(0, from).getBytes(StandardCharsets.UTF_8).length;
    }

    private void cut(final Instant now) throws IOException {
        final Path full = segment;
        final FileChannel fullChannel = channel;
        open(now);
        fullChannel.close();
        compress(full);
    }

    /** A new segment appears under its name with all that is held; nothing has changed when it cannot be made. */
    private void open(final Instant now) throws IOException {
        final List<Entry> entries = new ArrayList<>();
        entries.add(entry(entries, now, Entry.Event.OPENED, now, Optional.empty()));
        held.forEach((each, since) -> entries.add(entry(entries, now, Entry.Event.HELD, since, Optional.of(each))));
        final Path target = directory.resolve(String.format("nat-%012d%s", number + 1, OPEN));
        final Path made = directory.resolve(target.getFileName() + ".new");
        final FileChannel opened = FileChannel.open(made, StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        final String newHash;
        try {
            newHash = write(opened, 0, entries);
            DurableFiles.rename(made, target);
        } catch (IOException e) {
            opened.close();
            Files.deleteIfExists(made);
            throw e;
        }
        channel = opened;
        segment = target;
        changes = 0;
        written(entries, newHash);
    }

    private void append(final List<Entry> entries) throws IOException {
        // Half of what could not be written must not stand before what is written next.
        channel.truncate(length);
        final String newHash;
        try {
            newHash = write(channel, length, entries);
        } catch (IOException e) {
            channel.truncate(length);
            throw e;
        }
        written(entries, newHash);
    }

    /** Returns the hash of the last line. */
    private String write(final FileChannel target, final long from, final List<Entry> entries) throws IOException {
        final StringBuilder text = new StringBuilder();
        String before = hash;
        for (final Entry entry : entries) {
            final Entry.Line line = entry.line(before);
            text.append(line.text()).append('\n');
            before = line.hash();
        }
        final ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
        target.position(from);
        while (bytes.hasRemaining()) {
            target.write(bytes);
        }
        target.force(false);
        return before;
    }

    private void written(final List<Entry> entries, final String newHash) throws IOException {
        length = channel.position();
        hash = newHash;
        number += entries.size();
        last = entries.get(entries.size() - 1).time();
    }

    /** One that cannot be compressed, for want of room, stays as it is: it is complete. The next start tries again. */
    private static void compress(final Path full) throws IOException {
        final Path made = full.resolveSibling(full.getFileName() + ".gz.new");
        try {
            compress(full, made);
        } catch (IOException e) {
            LOG.warn("NAT journal: {} cannot be compressed, and stays as it is until the next start: {}", full,
                e.toString());
            Files.deleteIfExists(made);
        }
    }

    private static void compress(final Path full, final Path made) throws IOException {
        final Path target = full.resolveSibling(full.getFileName() + ".gz");
        try (FileChannel file = FileChannel.open(made, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
             GZIPOutputStream gzip = new GZIPOutputStream(Channels.newOutputStream(file))) {
            Files.copy(full, gzip);
            gzip.finish();
            file.force(false);
        }
        DurableFiles.rename(made, target);
        Files.delete(full);
    }

    private Entry entry(final List<Entry> before, final Instant time, final Entry.Event event, final Instant since,
            final Optional<Assignment> assignment) {
        return new Entry(number + before.size() + 1, time, event, since, assignment);
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
