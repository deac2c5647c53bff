// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which connection speaks for which node name, and which wait for a name that is taken. Thread-safe. */
final class NodeRegistry {
    private final Map<String, NodeConnection> holders = new HashMap<>();
    private final Map<String, Set<NodeConnection>> waiting = new HashMap<>();

    /**
     * Asks for a name.
     *
     * @return the holder: the one that asks if it has the name now; otherwise it waits and is told when it is free
     */
    synchronized NodeConnection claim(final String name, final NodeConnection connection) {
        final NodeConnection holder = holders.computeIfAbsent(name, key -> connection);
        if (holder != connection) {
            waiting.computeIfAbsent(name, key -> new HashSet<>()).add(connection);
        }
        return holder;
    }

    /** Gives up whatever the connection holds or waits for, and tells those who wait for a name that is free now. */
    void release(final NodeConnection connection) {
        final Set<NodeConnection> next = new HashSet<>();
        synchronized (this) {
            waiting.values().forEach(queue -> queue.remove(connection));
            waiting.values().removeIf(Set::isEmpty);
            for (final String name : List.copyOf(holders.keySet())) {
                if (holders.remove(name, connection)) {
                    final Set<NodeConnection> queue = waiting.remove(name);
                    next.addAll(queue == null ? Set.of() : queue);
                }
            }
        }
        next.forEach(NodeConnection::reconsider);
    }
}
