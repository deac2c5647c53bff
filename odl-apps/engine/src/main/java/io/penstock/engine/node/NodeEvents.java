// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.events.RepairEvent;
import java.time.Duration;

/** Is told what happens to a node. Called by its tasks; must not block. */
public interface NodeEvents {
    /** Its switch was started and has its flows, so long after it connected, and nothing of what it had learned. */
    void switchStarted(String node, Duration sinceConnected);

    /** Its switch was repaired. */
    void repaired(RepairEvent repair);

    /** Something of it has changed that operators see: connections, ports, plan, differences, floods. */
    void changed(String node);

    /** What it has counted was read, in a round in which all of its switch was compared; first {@code NONE} before. */
    void counted(String node, NodeCounts before, NodeCounts now);

    /** Its switch has confirmed a state. */
    void applied(String node);
}
