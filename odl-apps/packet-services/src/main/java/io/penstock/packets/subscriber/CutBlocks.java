// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Connections that end because a change of the configuration took their blocks. Whoever is idle has none, and whoever
 * leaves a node loses all by other means.
 */
public final class CutBlocks {
    /** For each of these addresses the switch looks at all connections of the zone; for more, all of them may go. */
    private static final int MOST_ADDRESSES = 16;

    private CutBlocks() {
        // Only functions.
    }

    /**
     * By node, what its switch has to forget.
     *
     * @param changed names of the tenants that are configured otherwise, or are gone
     */
    @SuppressWarnings("ReferenceEquality") // a tenant whose allocation did not change keeps the object
    public static Map<String, Set<TrackedConnections>> between(final Allocations before, final Allocations after,
            final Snapshot snapshot, final Set<String> changed) {
        final Map<String, Set<TrackedConnections>> cut = new HashMap<>();
        changed.forEach(name -> {
            final Tenant tenant = snapshot.tenants().get(name);
            final TenantAllocation had = before.tenants().get(name);
            final TenantAllocation has = after.tenants().get(name);
            if (tenant != null && had != null && has != null && has != had) {
                // Where it has another VRF id now, it loses all connections by other means.
                tenant.nodes().stream().filter(node -> has.vrf(node).equals(had.vrf(node))).forEach(node ->
                    has.vrf(node).ifPresent(vrf ->
                        cut.computeIfAbsent(node, key -> new HashSet<>()).addAll(lost(had, has, vrf.natZone()))));
            }
        });
        cut.values().removeIf(Set::isEmpty);
        return cut;
    }

    private static Set<TrackedConnections> lost(final TenantAllocation had, final TenantAllocation has,
            final int zone) {
        final Set<Block> kept = new HashSet<>(has.blocks());
        final Set<Ipv4> addresses = had.blocks().stream().filter(block -> !kept.contains(block)).map(Block::address)
            .collect(Collectors.toSet());
        return addresses.size() > MOST_ADDRESSES ? Set.of(TrackedConnections.ofZone(zone))
            : addresses.stream().map(address -> new TrackedConnections(zone, Optional.of(address)))
                .collect(Collectors.toSet());
    }
}
