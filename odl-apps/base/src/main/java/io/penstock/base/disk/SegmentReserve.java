// SPDX-License-Identifier: Apache-2.0
package io.penstock.base.disk;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the disk keep the room of the datastore's journal. Its segments are files with holes that are mapped into memory,
 * and every transaction writes to them, also one that only reads: without room for a page the whole process ends. So
 * the holes are filled, by the program fallocate (util-linux), which changes no content and is safe while the datastore
 * writes. Not for several threads.
 */
public final class SegmentReserve {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentReserve.class);

    private final Path directory;
    /** Segments that have their room, or cannot have it. */
    private final Set<Path> known = new HashSet<>();

    /**
     * The room of segments.
     *
     * @param directory that has a directory of segments for each shard, or is not there
     */
    public SegmentReserve(final Path directory) {
        this.directory = requireNonNull(directory);
    }

    /** Reserves the room of segments that are new. An error is logged. */
    public void look() {
        try {
            final List<Path> segments = segments();
            known.retainAll(segments);
            for (final Path segment : segments) {
                if (known.add(segment)) {
                    reserve(segment);
                }
            }
        } catch (IOException e) {
            LOG.warn("No room is reserved for the datastore's journal in {}: a full disk may end the controller",
                directory, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Path> segments() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(directory, 2)) {
            return files.filter(file -> file.toString().endsWith(".log")).toList();
        }
    }

    private static void reserve(final Path segment) throws IOException, InterruptedException {
        final Process program = new ProcessBuilder("fallocate", "--length", Long.toString(Files.size(segment)),
            segment.toString()).redirectErrorStream(true).start();
        final String words = new String(program.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (program.waitFor() != 0) {
            LOG.warn("No room is reserved for {}: a full disk may end the controller: {}", segment, words);
        }
    }
}
