// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.southbound.openflow.SwitchAdmission;
import io.penstock.southbound.openflow.SwitchId;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A node connects its own switch, and no other. A switch of a node that was removed may connect too, because its flows
 * are taken away then. Safe for all threads.
 */
public final class OwnSwitches implements SwitchAdmission {
    private final Supplier<Allocations> allocations;

    /** Judges by the datapath ids that were handed out. */
    public OwnSwitches(final Supplier<Allocations> allocations) {
        this.allocations = requireNonNull(allocations);
    }

    @Override
    public Optional<String> denies(final String node, final SwitchId id) {
        final Allocations now = allocations.get();
        final Optional<String> owner = now.nodeOf(id.datapathId());
        if (owner.isPresent()) {
            return owner.filter(name -> !name.equals(node)).map(name -> "its certificate is that of node " + node
                + ", and this is the datapath id of node " + name);
        }
        return now.wasOfNode(id.datapathId()) && !now.nodes().containsKey(node) ? Optional.empty()
            : Optional.of("its certificate is that of node " + node + ", which has another datapath id");
    }
}
