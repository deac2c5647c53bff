// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import static java.util.Objects.requireNonNull;

import io.penstock.base.disk.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members as one of them sees them, in a file for {@code penstock-controller cluster status}, which also tells why
 * a member waits: it answers no request then. For one thread.
 *
 * <p>The first line is the last step of this member. Each other line is a member: name, state, cluster, version and
 * models.
 */
final class Report {
    private static final Logger LOG = LoggerFactory.getLogger(Report.class);
    private static final String UNKNOWN = "-";

    private final Path file;
    private String written = "";

    /** Will write below the directory of the member. */
    Report(final Path directory) {
        // The name is that of karaf/penstock_controller/standing.py.
        file = requireNonNull(directory).resolve("cluster-state");
    }

    /** Writes what has changed. A disk that is full keeps no member from joining. */
    void tell(final String step, final Collection<Peer> present, final Map<String, Release> releases) {
        final StringBuilder text = new StringBuilder(step).append('\n');
        for (final Peer peer : present) {
            final Release release = releases.getOrDefault(peer.name(), new Release(peer.name(), UNKNOWN, UNKNOWN));
            text.append(peer.text()).append(' ').append(release.version()).append(' ').append(release.models())
                .append('\n');
        }
        if (!written.contentEquals(text)) {
            try {
                DurableFiles.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
                written = text.toString();
            } catch (IOException e) {
                LOG.warn("Cannot write {}", file, e);
            }
        }
    }
}
