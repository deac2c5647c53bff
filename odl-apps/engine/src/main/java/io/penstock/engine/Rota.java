// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import io.penstock.base.tasks.TaskThread;
import io.penstock.engine.node.NodeWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * Gives each node its turn once in a period, and spreads the turns over the period: work that is due for all of many
 * nodes at once would hold up the changes of the moment. For one thread.
 */
final class Rota {
    /** Into how many parts a period is cut, in which each node has its turn. */
    private static final int TURNS = 10;

    private final int ticks;
    private final Set<String> queue = new LinkedHashSet<>();
    private double owed;

    /** A period has so many ticks. */
    Rota(final int ticks) {
        this.ticks = ticks;
    }

    /** Has a thread do something with each node of a fleet once in a period. */
    static void each(final TaskThread thread, final Fleet fleet, final Duration period,
            final BiConsumer<String, NodeWorker> work) {
        final Rota rota = new Rota(TURNS);
        final Duration tick = Duration.ofMillis(Math.max(1, period.dividedBy(TURNS).toMillis()));
        thread.every(tick, tick, () -> rota.next(fleet.workers().keySet()).forEach(node ->
            fleet.worker(node).ifPresent(worker -> work.accept(node, worker))));
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
