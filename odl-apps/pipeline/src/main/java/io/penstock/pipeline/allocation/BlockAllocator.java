// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.Place;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Hands out blocks of ports. Functions without state. */
public final class BlockAllocator {
    private BlockAllocator() {
        // Only functions.
    }

    /** The blocks that a tenant's configuration still has a place for; the same list when that is all of them. */
    static List<Block> kept(final Tenant tenant, final List<Block> blocks) {
        if (blocks.isEmpty()) {
            return blocks;
        }
        final List<Tenant.PortBlocks> mappings = tenant.nat().map(Tenant.Nat::portBlocks).orElse(List.of());
        final List<Block> kept =
            blocks.stream().filter(block -> mappings.stream().anyMatch(block::isOf)).toList();
        return kept.size() == blocks.size() ? blocks : kept;
    }

    /**
     * One more block for a subscriber. The first is of the public address that has most of them left, so that there is
     * room for more, and is not drained; the others are of the same address, drained or not (RFC 4787, REQ-2).
     *
     * @param taken all blocks of the tenant
     * @param resting places that nobody may get yet
     * @return nothing when the subscriber has as many as it may have, or none is left
     */
    public static Optional<Block> give(final Tenant.PortBlocks mapping, final List<Block> taken,
            final Set<Place> resting, final Ipv4 subscriber) {
        final Set<Place> used = new HashSet<>(resting);
        taken.forEach(block -> used.add(block.place()));
        final List<Block> had = taken.stream().filter(block -> block.subscriber().equals(subscriber)).toList();
        if (had.size() >= mapping.mostBlocks()) {
            return Optional.empty();
        }
        if (!had.isEmpty()) {
            return free(mapping, used, had.get(0).address(), subscriber);
        }
        return addressWithMostLeft(mapping, used).flatMap(address -> free(mapping, used, address, subscriber));
    }

    /** The lowest when there are several; none when all are drained. */
    private static Optional<Ipv4> addressWithMostLeft(final Tenant.PortBlocks mapping, final Set<Place> used) {
        final Ipv4 first = mapping.outside().address();
        final int[] counts = new int[(int) mapping.outside().size()];
        used.stream().filter(place -> mapping.outside().contains(place.address()))
            .forEach(place -> counts[(int) place.address().minus(first)]++);
        int best = -1;
        for (int index = 0; index < counts.length; index++) {
            if (!mapping.drains(first.plus(index)) && (best < 0 || counts[index] < counts[best])) {
                best = index;
            }
        }
        return best < 0 ? Optional.empty() : Optional.of(first.plus(best));
    }

    private static Optional<Block> free(final Tenant.PortBlocks mapping, final Set<Place> used, final Ipv4 address,
            final Ipv4 subscriber) {
        for (int index = 0; index < mapping.blocksOfAddress(); index++) {
            final int first = mapping.firstPort() + index * mapping.blockSize();
            if (!used.contains(new Place(address, first))) {
                return Optional.of(new Block(subscriber, address, first, mapping.blockSize()));
            }
        }
        return Optional.empty();
    }
}
