// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import static java.util.Objects.requireNonNull;

import io.penstock.access.audit.AuditSettings;
import io.penstock.access.history.SegmentFiles.Segment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Changes of the configuration that this controller has accepted, read from its audit log. A question reads some
 * segments at most, and its answer says where to go on. It blocks on the disk. Safe for all threads.
 */
@Component(service = History.class, configurationPid = "io.penstock")
public final class History {
    /** Segments that are read for one answer: some 30 MB of lines, about a second. */
    static final int MOST_SEGMENTS = 4;

    /** Reads a segment, or a part of it. */
    @FunctionalInterface
    private interface Reading {
        void read(Segment segment) throws IOException;
    }

    private final Path directory;
    private final String member;

    /** The history of this controller. */
    @Activate
    public History(final BundleContext bundles, final AuditSettings settings) {
        this(Path.of(bundles.getProperty("karaf.base")).resolve(settings.audit$_$log()), settings.member());
    }

    /**
     * The history that an audit log in a directory tells.
     *
     * @param member name of the controller in its cluster
     */
    public History(final Path directory, final String member) {
        this.directory = requireNonNull(directory);
        this.member = requireNonNull(member);
    }

    /**
     * Answers a question.
     *
     * @throws IOException when the directory of the log cannot be read
     */
    public Page page(final Question question) throws IOException {
        final List<Segment> segments = SegmentFiles.of(directory);
        final SegmentReader reader = new SegmentReader(question);
        final List<String> problems = new ArrayList<>();
        int at = 0;
        while (at < segments.size() && segments.get(at).first() >= question.before()) {
            at++;
        }
        final int end = Math.min(segments.size(), at + MOST_SEGMENTS);
        boolean isBehind = false;
        for (; at < end && !reader.isFull() && !isBehind; at++) {
            final Segment segment = segments.get(at);
            attempt(segment, reader::read, problems);
            isBehind = reader.isBehind();
            if (reader.isOpen() && at > 0) {
                attempt(segments.get(at - 1), reader::readResults, problems);
            }
            reader.end();
        }
        if (reader.damagedLines() > 0) {
            problems.add(reader.damagedLines() + " lines of the audit log are no entries; look with ./penstock audit"
                + " verify");
        }
        final boolean hasMore = reader.hasLeftOut() || at < segments.size() && !isBehind;
        final OptionalLong before = !hasMore ? OptionalLong.empty() : OptionalLong.of(reader.isFull()
            ? reader.changes().firstKey() : segments.get(at - 1).first());
        return new Page(member, new ArrayList<>(reader.changes().descendingMap().values()), before, problems);
    }

    /** Reads a segment. One that cannot be read does not hide the others. */
    private static void attempt(final Segment segment, final Reading reading, final List<String> problems) {
        try {
            reading.read(segment);
        } catch (IOException e) {
            problems.add("segment " + segment.name() + " of the audit log cannot be read: " + e);
        }
    }
}
