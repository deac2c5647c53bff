// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A request that has changed the configuration.
 *
 * @param number of its line in the audit log
 * @param time before the change was made
 * @param source IP address of the client
 * @param status of HTTP; empty while the request runs, and if the controller ended meanwhile
 */
public record ConfigurationChange(long number, Instant time, String user, String role, String source,
        OptionalInt status, List<Entry> entries) {
    /**
     * A changed entry.
     *
     * @param kind name of its list or container; empty if the log does not tell it
     * @param name empty if the kind has no names
     * @param path of the changed part below the entry; empty for the entry
     * @param before different leaves as JSON; empty if nothing was there
     * @param after different leaves as JSON; empty if nothing is there
     * @param notLogged bytes of the values, where they were too many for the log
     */
    public record Entry(String kind, String name, String path, Optional<String> before, Optional<String> after,
            OptionalLong notLogged) {
        long length() {
            return (long) path.length() + before.map(String::length).orElse(0) + after.map(String::length).orElse(0);
        }
    }

    /** Copies what is given. */
    public ConfigurationChange {
        entries = List.copyOf(entries);
    }

    /** Characters, about. */
    long length() {
        final long fixed = 200;
        return fixed + entries.stream().mapToLong(entry -> entry.length() + fixed).sum();
    }
}
