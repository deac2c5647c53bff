// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.subscriber;

import io.penstock.engine.api.Operations.BlockUsage;
import io.penstock.engine.api.Operations.NatUsage;
import io.penstock.engine.api.Operations.PoolUsage;
import io.penstock.engine.api.Operations.Used;
import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Allocations.Block;
import io.penstock.pipeline.intent.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
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
    public static NatUsage of(final Snapshot snapshot, final Allocations allocations) {
        final List<PoolUsage> pools = snapshot.pools().values().stream().map(pool -> new PoolUsage(pool.name(),
            pool.size(), allocations.tenants().values().stream()
                .filter(given -> pool.contains(given.publicAddress())).count())).toList();
        final List<BlockUsage> blocks = new ArrayList<>();
        for (final Tenant tenant : snapshot.tenants().values()) {
            final TenantAllocation given = allocations.tenants().get(tenant.name());
            if (given != null) {
                tenant.nat().stream().flatMap(nat -> nat.portBlocks().stream())
                    .forEach(mapping -> blocks.add(of(tenant.name(), mapping, given)));
            }
        }
        return new NatUsage(pools, blocks);
    }

    private static BlockUsage of(final String tenant, final Tenant.PortBlocks mapping, final TenantAllocation given) {
        final List<Block> own = given.blocks().stream().filter(mapping::fits).toList();
        final Map<Long, Integer> byAddress = count(own, Block::address);
        final Map<Long, Integer> bySubscriber = count(own, Block::subscriber);
        final int addresses = (int) (mapping.outside().end() - mapping.outside().address());
        return new BlockUsage(tenant, mapping.inside().toString(), mapping.outside().toString(), bySubscriber.size(),
            addresses * mapping.blocksOfAddress(), own.size(),
            LongStream.range(mapping.outside().address(), mapping.outside().end())
                .mapToObj(address -> new Used(Ipv4.text(address), byAddress.getOrDefault(address, 0))).toList(),
            bySubscriber.entrySet().stream()
                .sorted(Map.Entry.<Long, Integer>comparingByValue(Comparator.reverseOrder())
                    .thenComparing(Map.Entry.comparingByKey()))
                .limit(TOP).map(each -> new Used(Ipv4.text(each.getKey()), each.getValue())).toList());
    }

    private static Map<Long, Integer> count(final List<Block> blocks, final Function<Block, Long> owner) {
        return blocks.stream().collect(Collectors.groupingBy(owner, Collectors.summingInt(block -> 1)));
    }
}
