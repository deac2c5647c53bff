// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Plans the conntrack timeouts of the userspace datapath. Zones with the same timeouts share one row of table
 * {@code CT_Timeout_Policy}: a thousand tenants on the same defaults are one policy. Used once, by one thread.
 */
final class ZonePlanner {
    private static final String POLICY = "timeout_policy";

    private final DatabaseView view;
    private final PlanBuilder plan;
    private final Map<Map<?, ?>, Ref> policies = new HashMap<>();
    private final Set<Ref> used = new HashSet<>();

    ZonePlanner(final DatabaseView view, final PlanBuilder plan) {
        this.view = view;
        this.plan = plan;
        for (final TableRow row : view.rows(OvsTables.TIMEOUT_POLICY)) {
            policies.put(row.map("timeouts"), row.ref());
        }
    }

    void plan(final TableRow root, final List<ZoneTimeouts> zones) {
        final TableRow datapath = view.row(OvsTables.DATAPATH, root.map("datapaths").get(BridgeSpec.DATAPATH_TYPE))
            .orElse(null);
        final Map<?, ?> present = datapath == null ? Map.of() : datapath.map("ct_zones");
        final Map<Long, Ref> wanted = new HashMap<>();
        for (final ZoneTimeouts zone : zones) {
            final long number = zone.zone();
            wanted.put(number, zoneRow(zone, present.get(number)));
        }
        if (datapath != null) {
            plan.mutateMap(OvsTables.DATAPATH, datapath, "ct_zones", wanted, true);
        } else if (!wanted.isEmpty()) {
            // The switch never makes this row by itself; it fills in the datapath's capabilities.
            plan.mutateMap(OvsTables.ROOT, root, "datapaths", Map.of(BridgeSpec.DATAPATH_TYPE,
                plan.insert(OvsTables.DATAPATH, Map.of("ct_zones", wanted))), false);
        }
    }

    private Ref zoneRow(final ZoneTimeouts zone, final Object presentRef) {
        // A row that another zone uses already cannot hold this zone's timeouts as well.
        final TableRow present = view.row(OvsTables.ZONE, presentRef).filter(row -> used.add(row.ref())).orElse(null);
        final Map<String, Long> timeouts = new HashMap<>();
        zone.timeouts().forEach((name, seconds) -> timeouts.put(name, seconds.longValue()));
        if (present == null) {
            return plan.insert(OvsTables.ZONE, Map.of(POLICY, policy(timeouts)));
        }
        final boolean right = timeouts.isEmpty() ? present.set(POLICY).isEmpty()
            : present.optional(POLICY).flatMap(ref -> view.row(OvsTables.TIMEOUT_POLICY, ref))
                .filter(row -> row.map("timeouts").equals(timeouts)).isPresent();
        if (!right) {
            plan.update(OvsTables.ZONE, present, Map.of(POLICY, policy(timeouts)));
        }
        return present.ref();
    }

    private Set<Ref> policy(final Map<String, Long> timeouts) {
        return timeouts.isEmpty() ? Set.of() : Set.of(policies.computeIfAbsent(timeouts,
            content -> plan.insert(OvsTables.TIMEOUT_POLICY, Map.of("timeouts", content))));
    }
}
