// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static java.util.Objects.requireNonNull;

import io.penstock.base.chain.Segments;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The segments of a journal as files, read while the journal is written. Stateless. */
final class JournalFiles {
    /** Bytes that are read at once: less than Akka sends in one frame. */
    static final int PIECE = 128 << 10;

    private static final Pattern NAME = Pattern.compile(
        NatJournal.PREFIX + "-([0-9]{12})" + Pattern.quote(Segments.OPEN) + "(?:\\.gz)?");

    private final Path directory;

    JournalFiles(final Path directory) {
        this.directory = requireNonNull(directory);
    }

    /** The names of all segments in their order. */
    List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).filter(JournalFiles::isSegment).sorted().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /**
     * Reads from a segment on, at most {@link #PIECE} bytes.
     *
     * @return nothing behind its end
     * @throws IOException when there is no such segment, or not any more: it may have been compressed
     */
    byte[] read(final String name, final long offset) throws IOException {
        if (!isSegment(name) || offset < 0) {
            throw new NoSuchFileException(name);
        }
        try (InputStream file = Files.newInputStream(directory.resolve(name))) {
            return file.skip(offset) < offset ? new byte[0] : file.readNBytes(PIECE);
        }
    }

    static boolean isSegment(final String name) {
        return NAME.matcher(name).matches();
    }

    /** The number of the first line of a segment. */
    static long number(final String name) {
        final var matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(name + " is no segment");
        }
        return Long.parseLong(matcher.group(1));
    }

    static boolean isClosed(final String name) {
        return name.endsWith(Segments.CLOSED);
    }

    /** The names as one text, and back. */
    static byte[] text(final List<String> names) {
        return String.join("\n", names).getBytes(StandardCharsets.US_ASCII);
    }

    static List<String> parse(final byte[] text) {
        return new String(text, StandardCharsets.US_ASCII).lines().filter(JournalFiles::isSegment).sorted().toList();
    }
}
