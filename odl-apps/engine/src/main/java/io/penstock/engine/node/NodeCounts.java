// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What a node has counted, as it was read in one round of the comparison with the plan.
 *
 * @param counts by VRF id, without those that are zero; those of flows that tenants share have the id
 *     {@link DriftReport#SHARED}
 * @param zones what the agent has written of the VRFs, by VRF id
 */
public record NodeCounts(Map<Integer, Count> counts, Map<Integer, ZoneReport> zones) {
    /** Of a node that was not read. */
    public static final NodeCounts NONE = new NodeCounts(Map.of(), Map.of());

    /**
     * What was dropped since its flows and meters were added.
     *
     * @param dropped packets that flows dropped
     * @param guarded those of them from addresses that are not their senders'
     * @param limited packets that meters dropped; without those that dropped none
     */
    public record Count(long dropped, long guarded, Map<TenantMeter, Long> limited) {
        static final Count NOTHING = new Count(0, 0, Map.of());

        public Count {
            limited = Map.copyOf(limited);
        }

        /** With more flows, or with what the meters have dropped. */
        Count plus(final Count more) {
            return new Count(dropped + more.dropped, guarded + more.guarded,
                more.limited.isEmpty() ? limited : more.limited);
        }
    }

    public NodeCounts {
        counts = Map.copyOf(counts);
        zones = Map.copyOf(zones);
    }

    /** What was dropped of a VRF. */
    public Count of(final int vrf) {
        return counts.getOrDefault(vrf, Count.NOTHING);
    }

    /** Tracked connections of a VRF; nothing when they are not counted. */
    public OptionalLong sessions(final int vrf) {
        return Optional.ofNullable(zones.get(vrf)).map(ZoneReport::connections).orElse(OptionalLong.empty());
    }

    /** VRF ids of which anything is not the same. */
    public Set<Integer> differing(final NodeCounts other) {
        final Set<Integer> vrfs = new HashSet<>(counts.keySet());
        vrfs.addAll(other.counts.keySet());
        vrfs.addAll(zones.keySet());
        vrfs.addAll(other.zones.keySet());
        vrfs.removeIf(vrf -> of(vrf).equals(other.of(vrf)) && sessions(vrf).equals(other.sessions(vrf)));
        return vrfs;
    }
}
