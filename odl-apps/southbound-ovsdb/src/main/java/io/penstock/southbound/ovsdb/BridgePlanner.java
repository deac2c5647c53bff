// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Compares a database with a {@link BridgeSpec} and plans the difference. Pure: no connection, no clock.
 *
 * <p>Rows no longer referred to, such as those of a removed port, are not deleted: the database collects them. Columns
 * of a few values are written whole, ports and maps by what differs. Every step states the wanted value and none
 * depends on the old one, so a plan made from a view that is a moment old does no harm.
 */
final class BridgePlanner {
    /** How long the switch waits for a sign of the controller, ms. Long, as a reconnect makes it resend every flow. */
    static final long INACTIVITY_PROBE_MS = 30_000;
    /** Longest pause between two attempts to reach the controller, ms; the least there can be. */
    static final long MAX_BACKOFF_MS = 1_000;

    private static final String FLOW_TABLES = "flow_tables";

    private final DatabaseView view;
    private final BridgeSpec spec;
    private final PlanBuilder plan = new PlanBuilder();

    private BridgePlanner(final DatabaseView view, final BridgeSpec spec) {
        this.view = view;
        this.spec = spec;
    }

    /** Plans the way from the view to the specification. */
    static BridgePlan plan(final DatabaseView view, final BridgeSpec spec) {
        return new BridgePlanner(view, spec).plan();
    }

    private BridgePlan plan() {
        final TableRow root = view.root()
            .orElseThrow(() -> new OvsdbException("table Open_vSwitch is empty: the database was never initialised"));
        final PortPlanner ports = new PortPlanner(view, spec, plan);
        view.named(OvsTables.BRIDGE, spec.bridgeName())
            .ifPresentOrElse(bridge -> changeBridge(bridge, ports), () -> createBridge(root, ports));
        ZonePlanner.plan(view, spec.zones(), spec.keptZones(), plan);
        return new BridgePlan(plan.changes(), ports.refused());
    }

    private void createBridge(final TableRow root, final PortPlanner ports) {
        final Map<String, Object> columns = new HashMap<>(bridgeColumns());
        columns.put("name", spec.bridgeName());
        columns.put(OvsTables.OTHER_CONFIG, otherConfig());
        columns.put(OvsTables.EXTERNAL_IDS, spec.orders());
        columns.put("ports", Set.copyOf(ports.planNew()));
        columns.put("controller", controllers(List.of()));
        columns.put(FLOW_TABLES, flowTables(Map.of()));
        final Ref bridge = plan.insert(OvsTables.BRIDGE, columns);
        plan.mutateSet(OvsTables.ROOT, root, "bridges", Set.of(), Set.of(bridge));
    }

    private void changeBridge(final TableRow bridge, final PortPlanner ports) {
        plan.update(OvsTables.BRIDGE, bridge, bridgeColumns());
        plan.mutateMap(OvsTables.BRIDGE, bridge, OvsTables.OTHER_CONFIG, otherConfig(), key -> false);
        plan.mutateMap(OvsTables.BRIDGE, bridge, OvsTables.EXTERNAL_IDS, spec.orders(), key -> false);
        ports.planChange(bridge);
        changeControllers(bridge);
        plan.mutateMap(OvsTables.BRIDGE, bridge, FLOW_TABLES, flowTables(bridge.map(FLOW_TABLES)),
            key -> true);
    }

    private static Map<String, Object> bridgeColumns() {
        return Map.of("datapath_type", NodeKeys.DATAPATH, "fail_mode", Set.of("secure"),
            "protocols", Set.of("OpenFlow13"));
    }

    private Map<String, String> otherConfig() {
        return Map.of("datapath-id", String.format("%016x", spec.datapathId()), "disable-in-band", "true");
    }

    private Map<String, Object> controllerColumns(final String target) {
        return Map.of("target", target, "connection_mode", Set.of("out-of-band"),
            "inactivity_probe", Set.of(INACTIVITY_PROBE_MS), "max_backoff", Set.of(MAX_BACKOFF_MS),
            "controller_rate_limit",
            spec.controllerRateLimit() == 0 ? Set.of() : Set.of((long) spec.controllerRateLimit()));
    }

    private void changeControllers(final TableRow bridge) {
        plan.update(OvsTables.BRIDGE, bridge, Map.of("controller", controllers(bridge.set("controller").stream()
            .flatMap(ref -> view.row(OvsTables.CONTROLLER, ref).stream()).toList())));
    }

    /** The rows of the targets: those that are there, so that their connections stay, and new ones. */
    private Set<Ref> controllers(final List<TableRow> present) {
        final Set<Ref> result = new HashSet<>();
        for (final String target : spec.controllerTargets()) {
            final Optional<TableRow> same = present.stream()
                .filter(row -> row.text("target").equals(target)).findFirst();
            same.ifPresent(row -> plan.update(OvsTables.CONTROLLER, row, controllerColumns(target)));
            result.add(same.map(TableRow::ref)
                .orElseGet(() -> plan.insert(OvsTables.CONTROLLER, controllerColumns(target))));
        }
        return result;
    }

    /** The rows of the tables: the one that is there if all in it is right and no other table uses it. */
    private Map<Long, Ref> flowTables(final Map<?, ?> present) {
        final Map<Long, Ref> result = new HashMap<>();
        final Set<Object> used = new HashSet<>();
        spec.tables().forEach((number, table) -> {
            final long key = number;
            final Object ref = present.get(key);
            final boolean right = ref != null && view.row(OvsTables.FLOW_TABLE, ref)
                .filter(row -> row.set("name").equals(Set.of(table.name()))
                    && row.set("prefixes").equals(table.prefixes()))
                .isPresent();
            result.put(key, right && used.add(ref) ? (Ref) ref : plan.insert(OvsTables.FLOW_TABLE,
                Map.of("name", Set.of(table.name()), "prefixes", table.prefixes())));
        });
        return result;
    }
}
