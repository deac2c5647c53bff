// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeCounts;
import io.penstock.pipeline.plan.NodePlan;
import java.time.Duration;
import java.util.Optional;

/** Is told how an engine fares, by its threads. Must not block. */
public interface EngineObserver {
    /** Takes no notice. */
    EngineObserver NONE = new EngineObserver() {
        @Override
        public void counted(final String node, final NodeCounts before, final NodeCounts now,
                final Optional<NodePlan> plan, final Desired desired) {
            // Nothing is kept.
        }

        @Override
        public void applied(final Duration taken) {
            // Nothing is kept.
        }
    };

    /** The counters of a node were read, {@link NodeCounts#NONE} before the first time. */
    void counted(String node, NodeCounts before, NodeCounts now, Optional<NodePlan> plan, Desired desired);

    /**
     * A node has confirmed a change.
     *
     * @param taken since the change was taken over
     */
    void applied(Duration taken);
}
