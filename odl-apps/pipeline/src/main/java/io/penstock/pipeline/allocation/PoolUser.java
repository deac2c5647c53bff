// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A tenant that has an address of a pool. */
public record PoolUser(String tenant, Ipv4 address) {
    /** The users of the pool that a prefix is of. */
    private record OfPrefix(Prefix prefix, List<PoolUser> users) { }

    /** For each pool, by name, its users in any order; by one walk over the tenants. Pools do not overlap. */
    public static Map<String, List<PoolUser>> of(final Collection<Pool> pools, final Allocations allocations) {
        final Map<String, List<PoolUser>> users = new HashMap<>();
        final NavigableMap<Ipv4, OfPrefix> byAddress = new TreeMap<>();
        for (final Pool pool : pools) {
            final List<PoolUser> ofPool = new ArrayList<>();
            users.put(pool.name(), ofPool);
            pool.prefixes().forEach(prefix -> byAddress.put(prefix.address(), new OfPrefix(prefix, ofPool)));
        }
        if (!byAddress.isEmpty()) {
            for (final Map.Entry<String, TenantAllocation> given : allocations.tenants().entrySet()) {
                if (given.getValue().publicAddress().isPresent()) {
                    final Ipv4 address = given.getValue().publicAddress().orElseThrow();
                    final Map.Entry<Ipv4, OfPrefix> last = byAddress.floorEntry(address);
                    if (last != null && last.getValue().prefix().contains(address)) {
                        last.getValue().users().add(new PoolUser(given.getKey(), address));
                    }
                }
            }
        }
        return users;
    }
}
