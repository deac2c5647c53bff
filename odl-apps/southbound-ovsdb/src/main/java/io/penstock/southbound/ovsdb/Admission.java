// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import java.util.HashMap;
import java.util.Map;

/**
 * How many connections there may be, in all and from one address, how many of an address may send long messages, and
 * how much memory the rows of an address may take: what strangers can take of the memory is limited, and so is what one
 * address can take from others. Thread-safe.
 */
final class Admission {
    private final OvsdbServerOptions options;
    private final Map<String, Integer> connections = new HashMap<>();
    private final Map<String, Integer> nodes = new HashMap<>();
    private final Map<String, Long> rows = new HashMap<>();
    private int all;

    Admission(final OvsdbServerOptions options) {
        this.options = requireNonNull(options);
    }

    /** Takes a place for a connection, until {@link #leave}; false if there is none. */
    synchronized boolean enter(final String address) {
        if (all >= options.peers().most()
                || connections.getOrDefault(address, 0) >= options.peers().mostPerAddress()) {
            return false;
        }
        all++;
        connections.merge(address, 1, Integer::sum);
        return true;
    }

    /** Gives a place back. */
    synchronized void leave(final String address) {
        all--;
        decrement(connections, address);
    }

    /** Takes a place among those that may send long messages, until {@link #shrink}; false if there is none. */
    synchronized boolean grow(final String address) {
        if (nodes.getOrDefault(address, 0) >= options.peers().mostNodesPerAddress()) {
            return false;
        }
        nodes.merge(address, 1, Integer::sum);
        return true;
    }

    /** Gives such a place back. */
    synchronized void shrink(final String address) {
        decrement(nodes, address);
    }

    /** Counts memory of rows that are followed, negative when they are gone; false if it is too much. */
    synchronized boolean keep(final String address, final long bytes) {
        final long kept = rows.getOrDefault(address, 0L) + bytes;
        if (kept == 0) {
            rows.remove(address);
        } else {
            rows.put(address, kept);
        }
        return kept <= options.maxRowsBytesPerAddress();
    }

    private static void decrement(final Map<String, Integer> counts, final String address) {
        counts.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
    }
}
