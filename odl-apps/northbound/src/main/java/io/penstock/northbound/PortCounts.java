// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.operations.PortLine;
import io.penstock.southbound.ovsdb.PortStatistics;
import java.util.List;
import java.util.TreeMap;

/** Counters of ports that the model has. DPDK has many more, with other names for each driver. */
final class PortCounts {
    private static final List<String> KINDS = List.of("packets", "bytes", "dropped", "errors");
    private static final List<String> DIRECTIONS = List.of("rx", "tx");

    private PortCounts() {
        // Only functions.
    }

    static PortLine line(final PortStatistics port) {
        final TreeMap<String, Long> counters = new TreeMap<>();
        for (final String direction : DIRECTIONS) {
            for (final String kind : KINDS) {
                final Long count = port.counters().get(direction + "_" + kind);
                if (count != null) {
                    counters.put(direction + "-" + kind, count);
                }
            }
        }
        return new PortLine(port.name(), port.linkUp(), port.linkResets(), port.error(), counters);
    }
}
