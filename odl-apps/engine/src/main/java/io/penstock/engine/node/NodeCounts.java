// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a node has counted, as it was read in one round of the comparison with the plan.
 *
 * @param counts by VRF, without those that are zero
 * @param shared of flows that tenants share
 * @param zones what the agent has written of the VRFs, by VRF id
 * @param drops what each flow has dropped, without those that have dropped nothing
 */
public record NodeCounts(Map<VrfId, Count> counts, Count shared, Map<Integer, ZoneReport> zones,
        Map<FlowSpec.Key, Long> drops) {
    /** Of a node that was not read. */
    public static final NodeCounts NONE = new NodeCounts(Map.of(), Count.NOTHING, Map.of(), Map.of());

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
        drops = Map.copyOf(drops);
    }

    /** What was dropped of a VRF. */
    public Count of(final VrfId vrf) {
        return counts.getOrDefault(vrf, Count.NOTHING);
    }

    /** Tracked connections of a VRF; nothing when they are not counted. */
    public OptionalLong sessions(final VrfId vrf) {
        return Optional.ofNullable(zones.get(vrf.number())).map(ZoneReport::connections).orElse(OptionalLong.empty());
    }

    /** VRFs of which anything is not the same. */
    public Set<VrfId> differing(final NodeCounts other) {
        final Set<VrfId> vrfs = new HashSet<>(counts.keySet());
        vrfs.addAll(other.counts.keySet());
        Stream.of(zones, other.zones).flatMap(each -> each.keySet().stream()).map(VrfId::of)
            .flatMap(Optional::stream).forEach(vrfs::add);
        vrfs.removeIf(vrf -> of(vrf).equals(other.of(vrf)) && sessions(vrf).equals(other.sessions(vrf)));
        return vrfs;
    }
}
