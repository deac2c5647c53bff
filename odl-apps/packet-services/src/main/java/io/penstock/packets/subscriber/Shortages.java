// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static java.util.Objects.requireNonNull;

import io.penstock.events.PoolEvent;
import io.penstock.events.PoolEvent.Kind;
import io.penstock.events.PoolEvent.OfPortBlock;
import io.penstock.events.Troubles;
import io.penstock.packets.pool.Usage;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Entries of port-block that had no block for a subscriber: a subscriber without one asks again with each packet. For
 * one thread.
 */
final class Shortages {
    static final Duration LEAST = Duration.ofMinutes(10);

    private final Troubles<OfPortBlock> troubles;
    private final Consumer<PoolEvent> events;
    /** Who got no block last. */
    private final Map<OfPortBlock, Ipv4> denied = new HashMap<>();

    Shortages(final Clock clock, final Consumer<PoolEvent> events) {
        troubles = new Troubles<>(clock, LEAST);
        this.events = requireNonNull(events);
    }

    /** A subscriber needs a block and there is none for it. */
    void begins(final String tenant, final Tenant.PortBlocks mapping, final List<Block> taken, final Ipv4 subscriber) {
        final OfPortBlock owner = new OfPortBlock(tenant, mapping.inside());
        denied.put(owner, subscriber);
        if (troubles.begins(owner)) {
            tell(Kind.EXHAUSTED, owner, mapping, taken);
        }
    }

    /** Entries with a shortage, and who got no block last. */
    Map<OfPortBlock, Ipv4> lasting() {
        return Map.copyOf(denied);
    }

    /** Whether that subscriber could get one already, and none was denied one since; it may have it by now. */
    boolean isOver(final OfPortBlock owner) {
        return troubles.isOver(owner);
    }

    /** That subscriber would get one now, or has got it. */
    void ends(final OfPortBlock owner, final Tenant.PortBlocks mapping, final List<Block> taken) {
        if (troubles.ends(owner)) {
            denied.remove(owner);
            tell(Kind.AVAILABLE, owner, mapping, taken);
        }
    }

    /** Forgets other entries. */
    void keep(final Set<OfPortBlock> configured) {
        denied.keySet().retainAll(configured);
        troubles.keep(configured::contains);
    }

    private void tell(final Kind kind, final OfPortBlock owner, final Tenant.PortBlocks mapping,
            final List<Block> taken) {
        final long used = taken.stream().filter(block -> block.isOf(mapping)).count();
        events.accept(new PoolEvent(kind, owner, Optional.empty(), used, Usage.blocks(mapping)));
    }
}
