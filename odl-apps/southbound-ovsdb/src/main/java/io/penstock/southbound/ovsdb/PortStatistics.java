// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What the switch has counted of one port since the port was added.
 *
 * @param name name of the port
 * @param linkUp whether the link is up
 * @param linkResets how often the link went up or down
 * @param error what the switch says went wrong, empty if nothing
 * @param mtu longest packet that the port takes, bytes of IP; nothing if the switch does not tell
 * @param counters by the names of Open vSwitch, such as {@code rx_packets}; of each type of port some are missing
 */
public record PortStatistics(String name, boolean linkUp, long linkResets, String error, OptionalLong mtu,
        Map<String, Long> counters) {
    /** Copies what is given. */
    public PortStatistics {
        counters = Map.copyOf(counters);
    }

    /** Those of some ports, by name. */
    static List<PortStatistics> of(final Collection<TableRow> rows, final Set<String> ports) {
        return rows.stream().filter(row -> ports.contains(row.text("name"))).map(PortStatistics::of)
            .sorted(Comparator.comparing(PortStatistics::name)).toList();
    }

    private static PortStatistics of(final TableRow row) {
        final Map<String, Long> counters = new HashMap<>();
        row.map("statistics").forEach((name, value) -> {
            if (name instanceof String text && value instanceof Long count) {
                counters.put(text, count);
            }
        });
        return new PortStatistics(row.text("name"), row.optional("link_state").filter("up"::equals).isPresent(),
            row.optional("link_resets").map(count -> (Long) count).orElse(0L),
            row.optional("error").map(Object::toString).orElse(""),
            row.optional("mtu").map(value -> OptionalLong.of((Long) value)).orElse(OptionalLong.empty()), counters);
    }
}
