// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Gives each node its turn once in a period, and spreads the turns over the period: work that is due for all of many
 * nodes at once would hold up the changes of the moment. For one thread.
 */
final class Rota {
    private final int ticks;
    private final Set<String> queue = new LinkedHashSet<>();
    private double owed;

    /** A period has so many ticks. */
    Rota(final int ticks) {
        this.ticks = ticks;
    }

    /** The nodes that have their turn at this tick; to be called once a tick with all nodes that there are. */
    List<String> next(final Set<String> nodes) {
        queue.retainAll(nodes);
        queue.addAll(nodes);
        owed += (double) queue.size() / ticks;
        final List<String> turns = queue.stream().limit((long) owed).toList();
        owed -= turns.size();
        queue.removeAll(turns);
        queue.addAll(new ArrayList<>(turns));
        return turns;
    }
}
