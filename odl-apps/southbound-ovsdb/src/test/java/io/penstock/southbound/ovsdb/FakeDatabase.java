// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import io.penstock.southbound.ovsdb.RowChange.Insert;
import io.penstock.southbound.ovsdb.RowChange.Mutate;
import io.penstock.southbound.ovsdb.RowChange.Update;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Enough of an OVSDB in memory to carry out plans: inserts, updates, mutations, and collection of orphaned rows. */
final class FakeDatabase {
    private final Map<String, Map<Ref, TableRow>> tables = new HashMap<>();
    private int nextUuid;

    FakeDatabase() {
        put(OvsTables.ROOT, new Ref("root"), Map.of("bridges", Set.of(), "datapaths", Map.of()));
    }

    DatabaseView view() {
        return new DatabaseView(tables);
    }

    /** Plans and carries out; returns the plan. */
    BridgePlan bringTo(final BridgeSpec spec) {
        final BridgePlan plan = BridgePlanner.plan(view(), spec);
        execute(plan.changes());
        return plan;
    }

    /** Changes a column behind the planner's back. */
    void drift(final String table, final String name, final String column, final Object value) {
        final TableRow row = view().named(table, name).orElseThrow();
        put(table, row.ref(), Map.of(column, value));
    }

    /** Adds a bridge of somebody else with one port. */
    void addForeignBridge(final String bridge, final String port) {
        execute(List.of(
            new Insert(OvsTables.INTERFACE, new Ref("i"), Map.of("name", port)),
            new Insert(OvsTables.PORT, new Ref("p"), Map.of("name", port, "interfaces", Set.of(new Ref("i")))),
            new Insert(OvsTables.BRIDGE, new Ref("b"), Map.of("name", bridge, "ports", Set.of(new Ref("p")))),
            new Mutate(OvsTables.ROOT, new Ref("root"), "bridges", Set.of(), Set.of(new Ref("b")))));
    }

    /** Carries out; returns the UUIDs of inserted rows by change, of others an empty one. */
    List<Ref> execute(final List<RowChange> changes) {
        final Map<Ref, Ref> uuids = new HashMap<>();
        for (final RowChange change : changes) {
            if (change instanceof Insert insert) {
                uuids.put(insert.row(), new Ref("uuid-" + ++nextUuid));
            }
        }
        for (final RowChange change : changes) {
            if (change instanceof Insert insert) {
                put(insert.table(), uuids.get(insert.row()), resolveRow(insert.columns(), uuids));
            } else if (change instanceof Update update) {
                put(update.table(), update.row(), resolveRow(update.columns(), uuids));
            } else if (change instanceof Mutate mutate) {
                mutate(mutate, uuids);
            }
        }
        collect();
        return changes.stream().map(change -> change instanceof Insert insert ? uuids.get(insert.row()) : new Ref(""))
            .toList();
    }

    /** Lets the agent write into the row of a zone, beside what is there. */
    void agentWrites(final Ref zone, final String key, final String value) {
        nodeWrites(OvsTables.ZONE, zone, key, value);
    }

    /** Lets the node write into a row, beside what is there. */
    void nodeWrites(final String table, final Ref row, final String key, final String value) {
        execute(List.of(new Mutate(table, row, OvsTables.EXTERNAL_IDS, Set.of(key), Map.of(key, value))));
    }

    private void mutate(final Mutate mutate, final Map<Ref, Ref> uuids) {
        final Object old = tables.get(mutate.table()).get(mutate.row()).columns().get(mutate.column());
        final Object add = resolve(mutate.add(), uuids);
        if (add instanceof Map<?, ?> entries) {
            final Map<Object, Object> map = new HashMap<>(old == null ? Map.of() : (Map<?, ?>) old);
            map.keySet().removeAll(mutate.remove());
            entries.forEach(map::putIfAbsent);
            put(mutate.table(), mutate.row(), Map.of(mutate.column(), map));
        } else {
            final Set<Object> set = new HashSet<>(old == null ? Set.of() : (Set<?>) old);
            set.removeAll(mutate.remove());
            set.addAll((Set<?>) add);
            put(mutate.table(), mutate.row(), Map.of(mutate.column(), set));
        }
    }

    private void put(final String table, final Ref ref, final Map<String, Object> columns) {
        final Map<Ref, TableRow> rows = tables.computeIfAbsent(table, key -> new HashMap<>());
        final Map<String, Object> merged = new HashMap<>(rows.containsKey(ref) ? rows.get(ref).columns() : Map.of());
        merged.putAll(columns);
        rows.put(ref, new TableRow(ref, merged));
    }

    private void collect() {
        boolean removed = true;
        while (removed) {
            final Set<Object> referred = new HashSet<>(Set.of(new Ref("root")));
            tables.values().forEach(rows -> rows.values().forEach(row -> row.columns().values().forEach(value -> {
                if (value instanceof Set<?> set) {
                    referred.addAll(set);
                } else if (value instanceof Map<?, ?> map) {
                    referred.addAll(map.values());
                }
            })));
            removed = false;
            for (final Map<Ref, TableRow> rows : tables.values()) {
                removed |= rows.keySet().removeIf(ref -> !referred.contains(ref));
            }
        }
    }

    private static Map<String, Object> resolveRow(final Map<String, Object> columns, final Map<Ref, Ref> uuids) {
        return columns.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> resolve(entry.getValue(), uuids)));
    }

    private static Object resolve(final Object value, final Map<Ref, Ref> uuids) {
        if (value instanceof Set<?> set) {
            return set.stream().map(member -> resolve(member, uuids)).collect(Collectors.toUnmodifiableSet());
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().collect(Collectors.toUnmodifiableMap(Map.Entry::getKey,
                entry -> resolve(entry.getValue(), uuids)));
        }
        return value instanceof Ref ref ? uuids.getOrDefault(ref, ref) : value;
    }
}
