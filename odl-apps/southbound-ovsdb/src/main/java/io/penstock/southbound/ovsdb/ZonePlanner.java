// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plans the conntrack zones of the userspace datapath: their timeouts, and the orders to the agent of the node. Zones
 * with the same timeouts share one row of table {@code CT_Timeout_Policy}: a thousand tenants on the same defaults are
 * one policy. The row of a zone stays as long as the zone, for the agent writes there too. Used once, by one thread.
 */
final class ZonePlanner {
    private final PlanBuilder plan;
    private final Map<Object, Ref> policies;
    private final Set<Ref> used = new HashSet<>();

    private ZonePlanner(final Map<?, Ref> policies, final PlanBuilder plan) {
        this.plan = plan;
        this.policies = new HashMap<>(policies);
    }

    /** Plans the way from some zones to others in a database that has the first, which is not looked at. */
    static List<RowChange> planChange(final ZoneRows rows, final List<ZoneSpec> before, final List<ZoneSpec> after) {
        final PlanBuilder plan = new PlanBuilder();
        final ZonePlanner planner = new ZonePlanner(rows.policies(), plan);
        final Map<Integer, ZoneSpec> old = new HashMap<>();
        before.forEach(zone -> old.put(zone.zone(), zone));
        final Map<Long, Ref> add = new HashMap<>();
        for (final ZoneSpec zone : after) {
            final ZoneSpec was = old.remove(zone.zone());
            final Ref row = was == null ? null : rows.zone(zone.zone()).orElse(null);
            if (row == null) {
                add.put((long) zone.zone(), planner.newRow(zone));
            } else if (was != null && !zone.equals(was)) {
                planner.change(row, was, zone);
            }
        }
        // Also those to come: inserting into a map keeps the value of a key that is there.
        final Set<Long> remove = new HashSet<>(add.keySet());
        old.keySet().forEach(zone -> remove.add((long) zone));
        plan.mutate(OvsTables.DATAPATH, rows.datapath(), ZoneRows.ZONES, remove, add);
        return plan.changes();
    }

    /** Plans the way from what a view shows to some zones; those to be kept are not looked at. */
    static void plan(final DatabaseView view, final List<ZoneSpec> zones, final Set<Integer> kept,
            final PlanBuilder plan) {
        final ZonePlanner planner = new ZonePlanner(ZoneRows.policies(view), plan);
        final TableRow root = view.root().orElseThrow();
        final TableRow datapath = view.row(OvsTables.DATAPATH, root.map("datapaths").get(NodeKeys.DATAPATH))
            .orElse(null);
        final Map<?, ?> present = datapath == null ? Map.of() : datapath.map(ZoneRows.ZONES);
        final Map<Long, Ref> wanted = new HashMap<>();
        for (final ZoneSpec zone : zones) {
            final long number = zone.zone();
            wanted.put(number, planner.zoneRow(view, zone, present.get(number)));
        }
        if (datapath != null) {
            plan.mutateMap(OvsTables.DATAPATH, datapath, ZoneRows.ZONES, wanted,
                key -> !kept.contains(Math.toIntExact((long) key)));
        } else if (!wanted.isEmpty()) {
            // The switch never makes this row by itself; it fills in the datapath's capabilities.
            plan.mutateMap(OvsTables.ROOT, root, "datapaths", Map.of(NodeKeys.DATAPATH,
                plan.insert(OvsTables.DATAPATH, Map.of(ZoneRows.ZONES, wanted))), key -> false);
        }
    }

    private Ref zoneRow(final DatabaseView view, final ZoneSpec zone, final @Nullable Object presentRef) {
        // A row that another zone uses already cannot hold this zone's timeouts as well.
        final TableRow present = view.row(OvsTables.ZONE, presentRef).filter(row -> used.add(row.ref())).orElse(null);
        if (present == null) {
            return newRow(zone);
        }
        final Map<String, Long> timeouts = seconds(zone);
        final boolean right = timeouts.isEmpty() ? present.set(ZoneRows.POLICY).isEmpty()
            : present.optional(ZoneRows.POLICY).flatMap(ref -> view.row(OvsTables.TIMEOUT_POLICY, ref))
                .filter(row -> row.map(ZoneRows.TIMEOUTS).equals(timeouts)).isPresent();
        if (!right) {
            plan.set(OvsTables.ZONE, present.ref(), Map.of(ZoneRows.POLICY, policy(timeouts)));
        }
        plan.mutateMap(OvsTables.ZONE, present, OvsTables.EXTERNAL_IDS, zone.orders(), ZoneSpec.ORDERS::contains);
        return present.ref();
    }

    private void change(final Ref row, final ZoneSpec before, final ZoneSpec after) {
        if (!after.timeouts().equals(before.timeouts())) {
            plan.set(OvsTables.ZONE, row, Map.of(ZoneRows.POLICY, policy(seconds(after))));
        }
        final Set<String> remove = new HashSet<>(ZoneSpec.ORDERS);
        remove.removeIf(key -> Objects.equals(before.orders().get(key), after.orders().get(key)));
        final Map<String, String> add = new HashMap<>(after.orders());
        add.keySet().retainAll(remove);
        plan.mutate(OvsTables.ZONE, row, OvsTables.EXTERNAL_IDS, remove, add);
    }

    private static Map<String, Long> seconds(final ZoneSpec zone) {
        final Map<String, Long> timeouts = new HashMap<>();
        zone.timeouts().forEach((name, seconds) -> timeouts.put(name, seconds.longValue()));
        return timeouts;
    }

    private Ref newRow(final ZoneSpec zone) {
        return plan.insert(OvsTables.ZONE, Map.of(ZoneRows.POLICY, policy(seconds(zone)),
            OvsTables.EXTERNAL_IDS, zone.orders()));
    }

    private Set<Ref> policy(final Map<String, Long> timeouts) {
        return timeouts.isEmpty() ? Set.of() : Set.of(policies.computeIfAbsent(timeouts,
            content -> plan.insert(OvsTables.TIMEOUT_POLICY, Map.of(ZoneRows.TIMEOUTS, content))));
    }
}
