// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.packets.subscriber.CutBlocks;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** Hands out ids of nodes and tenants, port numbers, and public addresses, and takes back those that are gone. */
final class IdGrantor implements Grantor {
    private final BiConsumer<String, Set<TrackedConnections>> forget;
    /** The configuration for which ids were handed out the last time. */
    private Snapshot served = Snapshot.empty();
    private Map<String, Set<TrackedConnections>> cut = Map.of();

    /**
     * Has handed out nothing.
     *
     * @param forget has the switch of a node forget connections whose addresses were taken back
     */
    IdGrantor(final BiConsumer<String, Set<TrackedConnections>> forget) {
        this.forget = requireNonNull(forget);
    }

    @Override
    public String name() {
        return "ids and addresses";
    }

    @Override
    public boolean isEssential() {
        return true;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // an unchanged configuration is the same object
    public Allocations propose(final Snapshot snapshot, final Allocations before) {
        cut = Map.of();
        if (snapshot == served) {
            return before;
        }
        final Allocations allocations = Allocator.allocate(snapshot, before, served);
        final Set<String> changed = new HashSet<>(snapshot.tenantsDifferingFrom(served));
        changed.addAll(served.frozen());
        cut = CutBlocks.between(before, allocations, snapshot, changed);
        return allocations;
    }

    @Override
    public void stored(final Transition transition) {
        served = transition.after().snapshot();
        cut.forEach(forget);
        cut = Map.of();
    }
}
