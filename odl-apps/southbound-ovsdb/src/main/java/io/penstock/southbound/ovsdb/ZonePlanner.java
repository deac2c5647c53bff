// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    /**
     * Plans the way from some zones to others in a database that has the first, which is not looked at: only the root
     * and the policies need be in the view. Empty when there is no row to change.
     */
    static Optional<List<RowChange>> planChange(final DatabaseView view, final List<ZoneTimeouts> before,
            final List<ZoneTimeouts> after) {
        final PlanBuilder plan = new PlanBuilder();
        final ZonePlanner planner = new ZonePlanner(view, plan);
        return view.root().map(root -> root.map("datapaths").get(BridgeSpec.DATAPATH_TYPE)).map(datapath -> {
            final Map<Integer, ZoneTimeouts> old = new HashMap<>();
            before.forEach(zone -> old.put(zone.zone(), zone));
            final Map<Long, Ref> add = new HashMap<>();
            for (final ZoneTimeouts zone : after) {
                if (!zone.equals(old.remove(zone.zone()))) {
                    add.put((long) zone.zone(), planner.newRow(seconds(zone)));
                }
            }
            // Also those to come: inserting into a map keeps the value of a key that is there.
            final Set<Long> remove = new HashSet<>(add.keySet());
            old.keySet().forEach(zone -> remove.add((long) zone));
            plan.mutate(OvsTables.DATAPATH, (Ref) datapath, "ct_zones", remove, add);
            return plan.changes();
        });
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
        final Map<String, Long> timeouts = seconds(zone);
        if (present == null) {
            return newRow(timeouts);
        }
        final boolean right = timeouts.isEmpty() ? present.set(POLICY).isEmpty()
            : present.optional(POLICY).flatMap(ref -> view.row(OvsTables.TIMEOUT_POLICY, ref))
                .filter(row -> row.map("timeouts").equals(timeouts)).isPresent();
        if (!right) {
            plan.update(OvsTables.ZONE, present, Map.of(POLICY, policy(timeouts)));
        }
        return present.ref();
    }

    private static Map<String, Long> seconds(final ZoneTimeouts zone) {
        final Map<String, Long> timeouts = new HashMap<>();
        zone.timeouts().forEach((name, seconds) -> timeouts.put(name, seconds.longValue()));
        return timeouts;
    }

    private Ref newRow(final Map<String, Long> timeouts) {
        return plan.insert(OvsTables.ZONE, Map.of(POLICY, policy(timeouts)));
    }

    private Set<Ref> policy(final Map<String, Long> timeouts) {
        return timeouts.isEmpty() ? Set.of() : Set.of(policies.computeIfAbsent(timeouts,
            content -> plan.insert(OvsTables.TIMEOUT_POLICY, Map.of("timeouts", content))));
    }
}
