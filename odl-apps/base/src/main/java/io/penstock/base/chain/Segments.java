// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.chain;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a journal: segments of chained lines in one directory, of which the last is written and the others are
 * compressed. Only the owner may read them. Not for several threads.
 */
public final class Segments implements AutoCloseable {
    /** Ends of the names of segments. */
    public static final String OPEN = ".jsonl";
    /** The end of the name of one that is complete. */
    public static final String CLOSED = ".jsonl.gz";

    private static final Logger LOG = LoggerFactory.getLogger(Segments.class);
    private static final Set<StandardOpenOption> ANOTHER = Set.of(StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
    /** The directory of files that are no part of the journal any more. */
    private static final String ASIDE = "aside";
    private static final FileAttribute<?> OWNER_ONLY =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<?> PRIVATE =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;
    private final String prefix;
    private final String title;
    @SuppressWarnings("NullAway.Init") // by resume() or begin()
    private FileChannel channel;
    @SuppressWarnings("NullAway.Init")
    private Path segment;
    /** Bytes of the segment up to the end of its last whole line. */
    private long length;
    private Line last = Line.NONE;

    /** Takes the lines of the last segment, when a journal goes on. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Reads a line.
         *
         * @param before hash of the line before
         * @throws IllegalArgumentException when it is none of this journal
         */
        Line read(String line, String before);
    }

    /**
     * The files of a directory, which is made when it is not there.
     *
     * @param prefix with which the names of segments begin
     * @param title of the journal, for the log
     */
    public Segments(final Path directory, final String prefix, final String title) throws IOException {
        this.directory = requireNonNull(directory);
        this.prefix = requireNonNull(prefix);
        this.title = requireNonNull(title);
        Files.createDirectories(directory, OWNER_ONLY);
    }

    /**
     * Goes on with the last segment; to be called once.
     *
     * @return false when there is none: one has to begin
     * @throws UncheckedIOException when a line is none of this journal
     */
    public boolean resume(final Reader reader) throws IOException {
        final List<Path> segments = named(OPEN);
        // A crash in begin() may leave one that is full beside the next.
        for (final Path full : segments.subList(0, Math.max(0, segments.size() - 1))) {
            compress(full);
        }
        if (segments.isEmpty()) {
            return false;
        }
        segment = segments.get(segments.size() - 1);
        length = replay(Files.readString(segment, StandardCharsets.UTF_8), reader);
        channel = FileChannel.open(segment, StandardOpenOption.WRITE);
        if (length < channel.size()) {
            LOG.warn("{} {}: an incomplete last line is removed", title, segment);
        }
        channel.truncate(length);
        return true;
    }

    /**
     * Reads the newest complete segment, for a journal of which the one that was written is not there any more: the
     * next one goes on behind it, and so gets a name that no other has.
     *
     * @return false when there is none
     * @throws UncheckedIOException when a line is none of this journal
     */
    public boolean resumeBehindClosed(final Reader reader) throws IOException {
        final List<Path> segments = named(CLOSED);
        if (segments.isEmpty()) {
            return false;
        }
        segment = segments.get(segments.size() - 1);
        try (InputStream file = new GZIPInputStream(Files.newInputStream(segment))) {
            replay(new String(file.readAllBytes(), StandardCharsets.UTF_8), reader);
        }
        return true;
    }

    private List<Path> named(final String end) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix + "-")
                && file.toString().endsWith(end)).sorted().toList();
        }
    }

    /** Returns where the last whole line ends. */
    private long replay(final String text, final Reader reader) {
        int from = 0;
        int number = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
            number++;
            try {
                last = reader.read(text.substring(from, end), last.hash());
            } catch (IllegalArgumentException e) {
                throw new UncheckedIOException(new IOException(title + " " + segment + ", line " + number + ", "
                    + e.getMessage() + ": move the file away, keep it, and start again", e));
            }
            from = end + 1;
        }
        return text.substring(0, from).getBytes(StandardCharsets.UTF_8).length;
    }

    /**
     * Makes a new segment, which appears under its name with its first lines, and compresses the one before. Nothing
     * has changed when it cannot be made.
     *
     * @param number of the first line, which gives the segment its name
     * @param lines each makes itself behind the hash of the line before
     */
    public void begin(final long number, final List<? extends Function<String, Line>> lines) throws IOException {
        final Path target = directory.resolve(String.format("%s-%012d%s", prefix, number, OPEN));
        final Path made = directory.resolve(target.getFileName() + ".new");
        final FileChannel opened = FileChannel.open(made, ANOTHER, PRIVATE);
        final Line newLast;
        try {
            newLast = write(opened, 0, lines);
            opened.force(false);
            DurableFiles.rename(made, target);
        } catch (IOException e) {
            opened.close();
            Files.deleteIfExists(made);
            throw e;
        }
        final Path full = segment;
        final FileChannel fullChannel = channel;
        channel = opened;
        segment = target;
        length = opened.position();
        last = newLast;
        if (fullChannel != null) {
            fullChannel.close();
            compress(full);
        }
    }

    /** Writes lines; they are on the disk when this returns. Nothing of them is there when it fails. */
    public void append(final List<? extends Function<String, Line>> lines) throws IOException {
        appendLazily(lines);
        channel.force(false);
    }

    /** Writes lines, which are on the disk when the next ones that are appended are. */
    public void appendLazily(final List<? extends Function<String, Line>> lines) throws IOException {
        // Half of what could not be written must not stand before what is written next.
        channel.truncate(length);
        final Line newLast;
        try {
            newLast = write(channel, length, lines);
        } catch (IOException e) {
            channel.truncate(length);
            throw e;
        }
        length = channel.position();
        last = newLast;
    }

    /** The last line. */
    public Line last() {
        return last;
    }

    /** Has the next segment go on behind a line that is not here. */
    public void follow(final Line line) {
        last = requireNonNull(line);
    }

    /** Bytes of the segment that is written. */
    public long length() {
        return length;
    }

    /** The segment that is written. */
    public Path segment() {
        return segment;
    }

    /** Moves a file into a directory beside the journal, where it is no part of it and is kept. */
    public static void setAside(final Path directory, final Path file) throws IOException {
        final Path aside = Files.createDirectories(directory.resolve(ASIDE), OWNER_ONLY);
        final String name = file.getFileName().toString();
        int number = 0;
        while (Files.exists(aside.resolve(name + "." + number))) {
            number++;
        }
        DurableFiles.rename(file, aside.resolve(name + "." + number));
    }

    @Override
    public void close() {
        if (channel == null) {
            return;
        }
        try {
            channel.force(false);
            channel.close();
        } catch (IOException e) {
            LOG.warn("Cannot close the {} {}", title, segment, e);
        }
    }

    /** Returns the last line. */
    private Line write(final FileChannel target, final long from, final List<? extends Function<String, Line>> lines)
            throws IOException {
        final StringBuilder text = new StringBuilder();
        Line before = last;
        for (final Function<String, Line> each : lines) {
            before = each.apply(before.hash());
            text.append(before.text()).append('\n');
        }
        final ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
        target.position(from);
        while (bytes.hasRemaining()) {
            target.write(bytes);
        }
        return before;
    }

    /** One that cannot be compressed, for want of room, stays as it is: it is complete. The next start tries again. */
    private void compress(final Path full) throws IOException {
        final Path made = full.resolveSibling(full.getFileName() + ".gz.new");
        try {
            compress(full, made);
        } catch (IOException e) {
            LOG.warn("{}: {} cannot be compressed, and stays as it is until the next start: {}", title, full,
                e.toString());
            Files.deleteIfExists(made);
        }
    }

    private static void compress(final Path full, final Path made) throws IOException {
        final Path target = full.resolveSibling(full.getFileName() + ".gz");
        try (FileChannel file = FileChannel.open(made, ANOTHER, PRIVATE);
             GZIPOutputStream gzip = new GZIPOutputStream(Channels.newOutputStream(file))) {
            Files.copy(full, gzip);
            gzip.finish();
            file.force(false);
        }
        DurableFiles.rename(made, target);
        Files.delete(full);
    }
}
