// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A port of a switch and what it has counted since the port was added. What is received comes into the switch.
 *
 * @param linkResets how often the link went up or down
 * @param error why the switch could not open the port; empty if it could
 * @param counters by the names of the model, such as {@code rx-packets}; of each type of port some are missing
 */
public record PortLine(String name, boolean up, long linkResets, String error, SortedMap<String, Long> counters) {
    /** Copies what is given. */
    public PortLine {
        counters = Collections.unmodifiableSortedMap(new TreeMap<>(counters));
    }
}
