// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Ipv4;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Somebody who loses public addresses or ports by a change, and with them connections.
 *
 * @param subscriber who loses blocks; absent when the tenant loses the address of its source NAT
 * @param from the public address
 * @param to the one instead; absent when there is none, or one is given when it is needed
 * @param blocks what a subscriber loses
 */
public record Move(String tenant, Optional<Ipv4> subscriber, Ipv4 from, Optional<Ipv4> to, List<Block> blocks) {
    private static final TenantAllocation NOTHING = new TenantAllocation(0, Optional.empty());

    public Move {
        blocks = List.copyOf(blocks);
    }

    /** Everybody who would lose something, if a snapshot that breaks no rule came next. */
    public static List<Move> of(final Snapshot next, final Allocations before) {
        final Allocations after = Allocator.allocate(next, before);
        final List<Move> moves = new ArrayList<>();
        before.tenants().entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> {
            final TenantAllocation had = entry.getValue();
            final TenantAllocation has = after.tenants().getOrDefault(entry.getKey(), NOTHING);
            had.publicAddress().filter(from -> !has.publicAddress().equals(had.publicAddress())).ifPresent(from ->
                moves.add(new Move(entry.getKey(), Optional.empty(), from, has.publicAddress(), List.of())));
            final Map<Ipv4, List<Block>> lost = new LinkedHashMap<>();
            had.blocks().stream().filter(block -> !has.blocks().contains(block))
                .forEach(block -> lost.computeIfAbsent(block.subscriber(), who -> new ArrayList<>()).add(block));
            lost.forEach((subscriber, blocks) -> moves.add(new Move(entry.getKey(), Optional.of(subscriber),
                blocks.get(0).address(), Optional.empty(), blocks)));
        });
        return moves;
    }
}
