// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.VrfId;
import java.util.Map;
import java.util.Optional;

/** Tells of one node what others do not know yet. For the tasks of the node. */
final class NodeNews {
    private final String node;
    private final NodeEvents events;
    private Map<String, ?> quarantined = Map.of();
    private Map<Optional<VrfId>, Integer> lacking = Map.of();

    NodeNews(final String node, final NodeEvents events) {
        this.node = requireNonNull(node);
        this.events = requireNonNull(events);
    }

    /** Something has changed. */
    void changed() {
        events.changed(node);
    }

    /** The switch has confirmed a state by this plan. */
    void confirmed(final Optional<NodePlan> plan) {
        final Map<String, ?> now = plan.<Map<String, ?>>map(NodePlan::quarantined).orElse(Map.of());
        if (now.equals(quarantined)) {
            events.applied(node);
        } else {
            quarantined = now;
            events.changed(node);
        }
    }

    /** What the node has counted was read. */
    void counted(final NodeCounts before, final NodeCounts now) {
        events.counted(node, before, now);
    }

    /** The switch was compared. */
    void compared(final DriftReport report) {
        if (!report.lacking().equals(lacking)) {
            lacking = report.lacking();
            events.changed(node);
        }
    }
}
