// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.pool;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.NatUsage;
import io.penstock.operations.NatUsage.AddressUsage;
import io.penstock.operations.NatUsage.BlockUsage;
import io.penstock.operations.NatUsage.Drained;
import io.penstock.operations.NatUsage.PoolUsage;
import io.penstock.operations.NatUsage.Used;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.PoolUser;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Counts what is used of the public addresses. */
public final class Usage {
    private static final int TOP = 10;

    private Usage() {
        // Only functions.
    }

    /** The usage of all pools and port blocks. */
    public static NatUsage of(final Snapshot snapshot, final Allocations allocations, final PoolWatch watch) {
        final Map<String, List<PoolUser>> users = PoolUser.of(snapshot.pools().values(), allocations);
        final List<PoolUsage> pools = snapshot.pools().values().stream()
            .map(pool -> of(pool, requireNonNull(users.get(pool.name())))).toList();
        final List<BlockUsage> blocks = new ArrayList<>();
        for (final Tenant tenant : snapshot.tenants().values()) {
            final TenantAllocation given = allocations.tenants().get(tenant.name());
            if (given != null) {
                tenant.nat().stream().flatMap(nat -> nat.portBlocks().stream())
                    .forEach(mapping -> blocks.add(of(tenant.name(), mapping, given, watch)));
            }
        }
        return new NatUsage(pools, blocks);
    }

    private static PoolUsage of(final Pool pool, final List<PoolUser> users) {
        return new PoolUsage(pool.name(), pool.size(), users.size(),
            pool.drain().stream().map(prefix -> new Drained(prefix.toString(), users.stream()
                .filter(user -> prefix.contains(user.address())).map(PoolUser::tenant).sorted().toList())).toList());
    }

    private static BlockUsage of(final String tenant, final Tenant.PortBlocks mapping, final TenantAllocation given,
            final PoolWatch watch) {
        final List<Block> own = given.blocks().stream().filter(block -> block.isOf(mapping)).toList();
        final Map<Ipv4, Integer> byAddress = count(own, Block::address);
        final Map<Ipv4, Integer> bySubscriber = count(own, Block::subscriber);
        return new BlockUsage(tenant, mapping.inside().toString(), mapping.outside().toString(), bySubscriber.size(),
            blocks(mapping), own.size(),
            LongStream.range(0, mapping.outside().size()).mapToObj(mapping.outside().address()::plus)
                .map(address -> new AddressUsage(address.toString(), byAddress.getOrDefault(address, 0),
                    mapping.drains(address), watch.emptyInSeconds(tenant, mapping.inside(), address,
                        subscribers(own, address)))).toList(),
            bySubscriber.entrySet().stream()
                .sorted(Map.Entry.<Ipv4, Integer>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
                .limit(TOP).map(each -> new Used(each.getKey().toString(), each.getValue())).toList());
    }

    /** All blocks there are. */
    public static int blocks(final Tenant.PortBlocks mapping) {
        return (int) mapping.outside().size() * mapping.blocksOfAddress();
    }

    /** Subscribers that have a block of an address. */
    static int subscribers(final List<Block> blocks, final Ipv4 address) {
        return (int) blocks.stream().filter(block -> block.address().equals(address)).map(Block::subscriber).distinct()
            .count();
    }

    private static Map<Ipv4, Integer> count(final List<Block> blocks, final Function<Block, Ipv4> owner) {
        return blocks.stream().collect(Collectors.groupingBy(owner, Collectors.summingInt(block -> 1)));
    }
}
