// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Node;
import java.util.List;

/** The rules for ports of nodes. */
final class NodeRules {
    private NodeRules() {
        // Only functions.
    }

    static void check(final Node node, final List<Violation> violations) {
        for (final Node.Port port : node.ports()) {
            if (violations.size() >= Violation.MOST) {
                return;
            }
            final Node.Queues queues = port.queues();
            final String entry = "node " + node.name();
            final String leaf = "port " + port.name() + " / ";
            if (port.type() == Node.PortType.SYSTEM && queues.number() > 1) {
                violations.add(new Violation(entry, leaf + "receive-queues",
                    "a port of type system has one receive queue"));
            }
            if (port.type() == Node.PortType.SYSTEM && !queues.cores().isEmpty()) {
                violations.add(new Violation(entry, leaf + "queue-core",
                    "no polling core reads the queue of a port of type system"));
            }
            queues.cores().tailMap(queues.number()).keySet().forEach(queue -> violations.add(new Violation(entry,
                leaf + "queue-core " + queue, "the port has %d receive queues, 0..%d".formatted(queues.number(),
                    queues.number() - 1))));
        }
    }
}
