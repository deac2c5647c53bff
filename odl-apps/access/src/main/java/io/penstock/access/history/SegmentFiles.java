// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import io.penstock.access.audit.AuditLog;
import io.penstock.base.chain.Segments;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** The segments of an audit log that is written meanwhile, the latest first. Stateless. */
final class SegmentFiles {
    private static final Pattern NAME = Pattern.compile(AuditLog.PREFIX + "-(\\d{12,18})("
        + Pattern.quote(Segments.OPEN) + "|" + Pattern.quote(Segments.CLOSED) + ")");

    /** A segment, by the number of its first line. */
    record Segment(long first, Path open, Path closed) {
        /** Its lines. It may be compressed at any moment: its other file is there first. */
        Lines lines() throws IOException {
            try {
                return new Lines(Files.newInputStream(open));
            } catch (NoSuchFileException e) {
                return new Lines(new BufferedInputStream(new GZIPInputStream(Files.newInputStream(closed))));
            }
        }

        String name() {
            return AuditLog.PREFIX + "-" + first;
        }
    }

    private SegmentFiles() {
        // Only functions.
    }

    static List<Segment> of(final Path directory) throws IOException {
        final Map<Long, Segment> found = new TreeMap<>(Comparator.reverseOrder());
        try (Stream<Path> files = Files.list(directory)) {
            files.forEach(file -> {
                final Matcher name = NAME.matcher(file.getFileName().toString());
                if (name.matches()) {
                    final long first = Long.parseLong(name.group(1));
                    final String stem = AuditLog.PREFIX + "-" + name.group(1);
                    found.put(first, new Segment(first, directory.resolve(stem + Segments.OPEN),
                        directory.resolve(stem + Segments.CLOSED)));
                }
            });
        } catch (NoSuchFileException e) {
            // Nothing was changed since the controller was made.
            return List.of();
        }
        return new ArrayList<>(found.values());
    }
}
