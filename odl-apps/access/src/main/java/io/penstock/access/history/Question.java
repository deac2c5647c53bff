// SPDX-License-Identifier: Apache-2.0
package io.penstock.access.history;

import java.time.Instant;
import java.util.Optional;

/**
 * Which changes are wanted.
 *
 * @param kind of changed entries
 * @param name of the changed entry
 * @param since time of the earliest change
 * @param before a number that is higher than that of each change; Long.MAX_VALUE for all
 * @param last largest number of changes
 */
public record Question(Optional<String> kind, Optional<String> name, Optional<Instant> since, long before, int last) {
    /** Changes that an answer has at most. */
    public static final int MOST = 500;

    /**
     * Checks what is given.
     *
     * @throws IllegalArgumentException when it is no question
     */
    public Question {
        if (name.isPresent() && kind.isEmpty()) {
            throw new IllegalArgumentException("name: needs kind, such as tenant");
        }
        if (last < 1 || last > MOST) {
            throw new IllegalArgumentException("last: is not in 1.." + MOST);
        }
    }

    /** Whether an entry is wanted. One that the log does not name may be. */
    boolean takes(final ConfigurationChange.Entry entry) {
        return entry.kind().isEmpty() || kind.map(entry.kind()::equals).orElse(true)
            && name.map(entry.name()::equals).orElse(true);
    }
}
