// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a node last wrote about what it was ordered to do.
 *
 * @param zones by conntrack zone; without those that nothing was written about
 * @param functions how the functions behind ports are, such as {@code running}, by the name of the port; without those
 *     that nothing was written about
 * @param found names of functions that run on the node and that no port names, sorted
 */
public record NodeReport(Map<Integer, ZoneReport> zones, Map<String, String> functions, List<String> found) {
    /** Of a node that wrote nothing. */
    public static final NodeReport NONE = new NodeReport(Map.of(), Map.of(), List.of());

    /** What has to be read for it. */
    static final List<String> TABLES = List.of(OvsTables.ROOT, OvsTables.DATAPATH, OvsTables.ZONE, OvsTables.BRIDGE,
        OvsTables.INTERFACE);

    /** Copies what is given. */
    public NodeReport {
        zones = Map.copyOf(zones);
        functions = Map.copyOf(functions);
        found = List.copyOf(found);
    }

    /** Reads it from a view with {@link #TABLES}; what makes no sense is as if it were not there. */
    static NodeReport of(final DatabaseView view, final String bridgeName) {
        final Map<String, String> functions = new HashMap<>();
        // A name is that of one interface only, whichever bridge it is on.
        view.rows(OvsTables.INTERFACE).forEach(row -> {
            final String state = text(row, NodeKeys.FUNCTION_STATE);
            if (!state.isEmpty()) {
                functions.put(row.text("name"), state);
            }
        });
        return new NodeReport(ZoneRows.reports(view), functions, view.named(OvsTables.BRIDGE, bridgeName)
            .map(bridge -> names(text(bridge, NodeKeys.FUNCTIONS_FOUND))).orElse(List.of()));
    }

    private static List<String> names(final String list) {
        return Arrays.stream(list.split(",")).map(String::strip).filter(name -> !name.isEmpty()).distinct().sorted()
            .toList();
    }

    private static String text(final TableRow row, final String key) {
        return row.map(OvsTables.EXTERNAL_IDS).get(key) instanceof String text ? text.strip() : "";
    }
}
