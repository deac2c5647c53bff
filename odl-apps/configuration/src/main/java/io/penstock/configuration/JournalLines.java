// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import java.util.List;

/**
 * Lines of the journal of public addresses that are stored with what they tell of.
 *
 * @param first number of the first line
 */
public record JournalLines(long first, List<String> lines) {
    /** No line. */
    public static final JournalLines NONE = new JournalLines(0, List.of());

    /** Lines of one moment. */
    public JournalLines {
        lines = List.copyOf(lines);
    }
}
