// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import io.penstock.southbound.ovsdb.RowChange.Insert;
import io.penstock.southbound.ovsdb.RowChange.Mutate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Which rows of a database are its conntrack zones: all one has to know to change some of them. Immutable.
 *
 * @param datapath row of the userspace datapath
 * @param policies by their timeouts
 * @param zones by number
 */
record ZoneRows(Ref datapath, Map<?, Ref> policies, Map<?, ?> zones) {
    static final String POLICY = "timeout_policy";
    static final String TIMEOUTS = "timeouts";
    static final String ZONES = "ct_zones";

    /** What has to be read for it: three columns, of a few rows. */
    static final List<String> TABLES = List.of(OvsTables.ROOT, OvsTables.DATAPATH, OvsTables.TIMEOUT_POLICY);

    ZoneRows {
        policies = Map.copyOf(policies);
        zones = Map.copyOf(zones);
    }

    /** Reads it from a view with {@link #TABLES}; empty when there is no userspace datapath yet. */
    static Optional<ZoneRows> of(final DatabaseView view) {
        return view.root().flatMap(root -> view.row(OvsTables.DATAPATH,
            root.map("datapaths").get(NodeKeys.DATAPATH)))
            .map(row -> new ZoneRows(row.ref(), policies(view), row.map(ZONES)));
    }

    static Map<Map<?, ?>, Ref> policies(final DatabaseView view) {
        final Map<Map<?, ?>, Ref> result = new HashMap<>();
        for (final TableRow row : view.rows(OvsTables.TIMEOUT_POLICY)) {
            result.put(row.map(TIMEOUTS), row.ref());
        }
        return result;
    }

    /** What the agent wrote, by zone; from a view with the zones' rows. Zones it wrote nothing about are left out. */
    static Map<Integer, ZoneReport> reports(final DatabaseView view) {
        final Map<Integer, ZoneReport> result = new HashMap<>();
        of(view).ifPresent(rows -> rows.zones().forEach((zone, ref) -> view.row(OvsTables.ZONE, ref)
            .map(row -> ZoneReport.of(row.map(OvsTables.EXTERNAL_IDS))).filter(report -> !report.isEmpty())
            .ifPresent(report -> result.put(((Long) zone).intValue(), report))));
        return Map.copyOf(result);
    }

    Optional<Ref> zone(final int number) {
        return Optional.ofNullable((Ref) zones.get((long) number));
    }

    /**
     * The same after changes of zones.
     *
     * @param inserted by change, the row's UUID; looked at for inserts only
     */
    ZoneRows after(final List<RowChange> changes, final List<Ref> inserted) {
        final Map<Object, Ref> policiesThen = new HashMap<>(policies);
        final Map<Object, Object> zonesThen = new HashMap<>(zones);
        final Map<Object, Ref> uuids = new HashMap<>();
        IntStream.range(0, changes.size()).filter(i -> changes.get(i) instanceof Insert)
            .forEach(i -> uuids.put(((Insert) changes.get(i)).row(), inserted.get(i)));
        for (final RowChange change : changes) {
            if (change instanceof Insert insert && insert.table().equals(OvsTables.TIMEOUT_POLICY)) {
                policiesThen.put(insert.columns().get(TIMEOUTS), uuids.get(insert.row()));
            } else if (change instanceof Mutate mutate && mutate.table().equals(OvsTables.DATAPATH)) {
                zonesThen.keySet().removeAll(mutate.remove());
                ((Map<?, ?>) mutate.add()).forEach((zone, row) -> zonesThen.put(zone, uuids.get(row)));
            }
        }
        return new ZoneRows(datapath, policiesThen, zonesThen);
    }
}
