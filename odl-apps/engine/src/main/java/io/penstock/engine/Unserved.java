// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices nodes whose database is connected and whose switch is not, and has the controller elected for the switch
 * once more: after six seconds, and each time after twice as long. For one thread.
 */
final class Unserved {
    /** Time between two looks. */
    static final Duration PAUSE = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(Unserved.class);
    private static final int LOOKS = 2;

    private final Consumer<String> elect;
    private final Map<String, Integer> looks = new HashMap<>();

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
        looks.keySet().retainAll(nodes);
        nodes.stream().filter(node -> isDue(looks.merge(node, 1, Integer::sum))).forEach(node -> {
            LOG.warn("Node {}: its database has been connected for {} s and its switch is not; the controller is "
                + "elected for it again", node, requireNonNull(looks.get(node)) * PAUSE.toSeconds());
            elect.accept(node);
        });
    }

    private static boolean isDue(final int looks) {
        return looks % LOOKS == 0 && Integer.bitCount(looks / LOOKS) == 1;
    }
}
