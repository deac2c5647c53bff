// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.operations.NatUsage;
import io.penstock.operations.NatUsage.AddressUsage;
import io.penstock.operations.NatUsage.BlockUsage;
import io.penstock.operations.NatUsage.Drained;
import io.penstock.operations.NatUsage.PoolUsage;
import io.penstock.operations.NatUsage.Used;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UsageTest {
    private static Tenant tenant(final String name, final List<Tenant.PortBlocks> blocks) {
        return new Tenant(name, List.of(), List.of(), List.of(), Optional.of(new Tenant.Nat(Optional.empty(),
            Optional.empty(), List.of(), List.of(), blocks, List.of(), Set.of())), Optional.empty(), Optional.empty());
    }

    private static Block block(final String subscriber, final String address, final int firstPort) {
        return new Block(Ipv4.parse(subscriber), Ipv4.parse(address), firstPort, 16384);
    }

    @Test
    void poolsAndBlocks() {
        final Snapshot snapshot = Snapshot.of(List.of(), Backbone.NONE,
            List.of(new Pool("public", List.of(Prefix.parse("203.0.113.0/30")),
                List.of(Prefix.parse("203.0.113.0/31")), false, Optional.empty())), List.of(), List.of(),
            List.of(tenant("blue", List.of()), tenant("red", List.of(new Tenant.PortBlocks(
                Prefix.parse("10.0.0.0/24"), Prefix.parse("198.51.100.0/31"), 16384, 2, false,
                List.of(Prefix.parse("198.51.100.1/32")), Optional.empty(), false)))), List.of());
        final Allocations allocations = new Allocations(3, new TreeMap<>(), new TreeMap<>(), Map.of(
            "blue", new TenantAllocation(2, Optional.of(Ipv4.parse("203.0.113.1"))),
            "red", new TenantAllocation(3, Optional.empty(), List.of(block("10.0.0.5", "198.51.100.1", 16384),
                block("10.0.0.9", "198.51.100.0", 16384), block("10.0.0.9", "198.51.100.0", 32768)))));
        final NatUsage usage = Usage.of(snapshot, allocations, new PoolWatch(Clock.systemUTC(), event -> { }));
        assertThat(usage.pools()).containsExactly(
            new PoolUsage("public", 4, 1, List.of(new Drained("203.0.113.0/31", List.of("blue")))));
        assertThat(usage.portBlocks()).containsExactly(new BlockUsage("red", "10.0.0.0/24", "198.51.100.0/31", 2, 6, 3,
            List.of(new AddressUsage("198.51.100.0", 2, false, OptionalLong.empty()),
                new AddressUsage("198.51.100.1", 1, true, OptionalLong.empty())),
            List.of(new Used("10.0.0.9", 2), new Used("10.0.0.5", 1))));
    }
}
