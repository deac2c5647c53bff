// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import io.penstock.engine.trace.TraceAnswer.Leg;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Where a packet ends that a switch was asked about.
 *
 * @param ports by which it goes out, functions left out; none where it is dropped
 * @param table the last one that it meets
 */
public record PacketEnd(List<String> ports, Table table) {
    /** Copies what is given. */
    public PacketEnd {
        ports = List.copyOf(ports);
    }

    /** Reads it; nothing for a packet that ends in a function, behind which it is not followed. */
    static Optional<PacketEnd> of(final TraceAnswer answer, final Set<String> functions) {
        final Leg last = answer.legs().get(answer.legs().size() - 1);
        final List<String> ports = last.to().stream().filter(port -> !functions.contains(port)).toList();
        return ports.isEmpty() && !last.to().isEmpty() ? Optional.empty()
            : last.last().map(table -> new PacketEnd(ports, table));
    }
}
