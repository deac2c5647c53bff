// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A flow of a switch with its counters and what it is for; {@code tenant} is empty for flows of the node.
 *
 * @param lastDropped the last packet that it has dropped, if the node reports drops and it is known
 */
public record FlowLine(String node, String table, String label, String tenant, boolean drop, long packets, long bytes,
        String text, Optional<DroppedPacket> lastDropped) {
    public FlowLine {
        requireNonNull(lastDropped);
    }
}
