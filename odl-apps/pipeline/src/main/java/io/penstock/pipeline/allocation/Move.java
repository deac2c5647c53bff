// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Snapshot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Somebody who loses public addresses or ports by a change, and with them connections.
 *
 * @param subscriber who loses blocks; absent when the tenant loses the address of its source NAT
 * @param from the public address
 * @param to the one instead; absent when there is none, or one is given when it is needed
 * @param blocks what a subscriber loses
 */
public record Move(String tenant, OptionalLong subscriber, long from, OptionalLong to, List<Block> blocks) {
    public Move {
        blocks = List.copyOf(blocks);
    }

    /** Everybody who would lose something, if a snapshot that breaks no rule came next. */
    public static List<Move> of(final Snapshot next, final Allocations before) {
        final Allocations after = Allocator.allocate(next, before);
        final List<Move> moves = new ArrayList<>();
        before.tenants().entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> {
            final TenantAllocation had = entry.getValue();
            final TenantAllocation has = after.tenants().getOrDefault(entry.getKey(), new TenantAllocation(0, 0));
            if (had.publicAddress() != 0 && had.publicAddress() != has.publicAddress()) {
                moves.add(new Move(entry.getKey(), OptionalLong.empty(), had.publicAddress(),
                    has.publicAddress() == 0 ? OptionalLong.empty() : OptionalLong.of(has.publicAddress()),
                    List.of()));
            }
            final Map<Long, List<Block>> lost = new LinkedHashMap<>();
            had.blocks().stream().filter(block -> !has.blocks().contains(block))
                .forEach(block -> lost.computeIfAbsent(block.subscriber(), who -> new ArrayList<>()).add(block));
            lost.forEach((subscriber, blocks) -> moves.add(new Move(entry.getKey(), OptionalLong.of(subscriber),
                blocks.get(0).address(), OptionalLong.empty(), blocks)));
        });
        return moves;
    }
}
