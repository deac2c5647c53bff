// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Set;

/**
 * An OpenFlow table.
 *
 * @param prefixes fields, at most three, of which the switch finds out how many bits of an address it had to look at
 */
public record TableSpec(String name, Set<String> prefixes) {
    private static final int MOST_PREFIXES = 3;

    /** Checks the number of prefixes. */
    public TableSpec {
        prefixes = Set.copyOf(prefixes);
        if (prefixes.size() > MOST_PREFIXES) {
            throw new IllegalArgumentException("table " + name + " has more than " + MOST_PREFIXES + " prefixes");
        }
    }
}
