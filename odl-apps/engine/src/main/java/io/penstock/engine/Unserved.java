// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices nodes whose database is connected and whose switch is not, and has the controller elected for the switch
 * once more: after six seconds, and each time after twice as long. Only for some at once: where many switches connect
 * at the same time most of them wait for their turn, and an election for each would delay all of them. For one thread.
 */
final class Unserved {
    /** Time between two looks. */
    static final Duration PAUSE = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(Unserved.class);
    private static final int LOOKS = 2;
    private static final int MOST_AT_ONCE = 4;

    private final Consumer<String> elect;
    private final Map<String, Waiting> waiting = new TreeMap<>();

    /** How often a node was seen without its switch, and how often it has to be seen before the next election. */
    private record Waiting(int looks, int due) {
        Waiting seen() {
            return new Waiting(looks + 1, due);
        }

        boolean isDue() {
            return looks >= due;
        }

        Waiting elected() {
            return new Waiting(looks, 2 * looks);
        }
    }

    /**
     * Has seen nothing.
     *
     * @param elect has the controller elected for the switch of a node
     */
    Unserved(final Consumer<String> elect) {
        this.elect = requireNonNull(elect);
    }

    /** Looks at those of the moment. */
    void look(final Set<String> nodes) {
        waiting.keySet().retainAll(nodes);
        nodes.forEach(node -> waiting.put(node, waiting.getOrDefault(node, new Waiting(0, LOOKS)).seen()));
        final List<String> due = waiting.entrySet().stream().filter(node -> node.getValue().isDue())
            .sorted(Comparator.comparing(node -> -node.getValue().looks())).limit(MOST_AT_ONCE).map(Map.Entry::getKey)
            .toList();
        for (final String node : due) {
            LOG.warn("Node {}: its database has been connected for {} s and its switch is not; the controller is "
                + "elected for it again", node, requireNonNull(waiting.get(node)).looks() * PAUSE.toSeconds());
            elect.accept(node);
            waiting.computeIfPresent(node, (name, each) -> each.elected());
        }
    }
}
