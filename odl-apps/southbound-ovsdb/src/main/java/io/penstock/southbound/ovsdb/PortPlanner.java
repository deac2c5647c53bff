// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Plans the ports of the bridge, each with one interface of the same name. A port whose name another bridge of the node
 * uses is refused, not taken away from there, and the others go on. Used once, by one thread.
 */
final class PortPlanner {
    private final DatabaseView view;
    private final PlanBuilder plan;
    private final String bridgeName;
    /** By port name. The local port is wanted too: without it the switch invents one. */
    private final Map<String, Wanted> wanted = new LinkedHashMap<>();
    private final Map<String, String> refused = new TreeMap<>();

    /**
     * What the interface of a port should have.
     *
     * @param columns whole ones
     * @param settings what of {@code other_config} is this side's
     * @param orders what of {@code external_ids} is this side's
     */
    private record Wanted(Map<String, Object> columns, Map<String, String> settings, Map<String, String> orders) { }

    PortPlanner(final DatabaseView view, final BridgeSpec spec, final PlanBuilder plan) {
        this.view = view;
        this.plan = plan;
        bridgeName = spec.bridgeName();
        wanted.put(spec.bridgeName(), new Wanted(Map.of("type", "internal", "options", Map.of(),
            "ofport_request", Set.of()), Map.of(), Map.of()));
        for (final PortSpec port : spec.ports()) {
            final Map<String, Object> columns = new HashMap<>(Map.of("type", port.type().interfaceType(),
                "options", port.options(), "ofport_request", Set.of((long) port.ofport())));
            port.mtu().ifPresent(mtu -> columns.put("mtu_request", Set.of(mtu.longValue())));
            wanted.put(port.name(), new Wanted(columns, port.settings(), port.orders()));
        }
        refuseForeign();
    }

    Map<String, String> refused() {
        return refused;
    }

    /** Plans all ports of a bridge that does not exist yet. */
    List<Ref> planNew() {
        final List<Ref> result = new ArrayList<>();
        wanted.forEach((name, link) -> result.add(insertPort(name, link)));
        return result;
    }

    /** Plans the difference to the ports the bridge has. */
    void planChange(final TableRow bridge) {
        final Map<String, TableRow> present = new HashMap<>();
        final List<Object> remove = new ArrayList<>();
        for (final Object ref : bridge.set("ports")) {
            view.row(OvsTables.PORT, ref).ifPresent(port -> {
                if (wanted.containsKey(port.text("name"))) {
                    present.put(port.text("name"), port);
                } else if (!port.text("name").startsWith(NodeKeys.CAPTURE_PORT)) {
                    remove.add(ref);
                }
            });
        }
        final List<Object> add = new ArrayList<>();
        wanted.forEach((name, link) -> {
            final TableRow port = present.get(name);
            if (port == null) {
                add.add(insertPort(name, link));
            } else {
                changePort(port, link);
            }
        });
        plan.mutateSet(OvsTables.BRIDGE, bridge, "ports", remove, add);
    }

    private Ref insertPort(final String name, final Wanted link) {
        return plan.insert(OvsTables.PORT, Map.of("name", name, "interfaces", Set.of(insertInterface(name, link))));
    }

    private Ref insertInterface(final String name, final Wanted link) {
        final Map<String, Object> row = new HashMap<>(link.columns());
        row.put("name", name);
        row.put(OvsTables.OTHER_CONFIG, link.settings());
        row.put(OvsTables.EXTERNAL_IDS, link.orders());
        return plan.insert(OvsTables.INTERFACE, row);
    }

    private void changePort(final TableRow port, final Wanted link) {
        final TableRow same = port.set("interfaces").stream()
            .flatMap(ref -> view.row(OvsTables.INTERFACE, ref).stream())
            .filter(row -> row.text("name").equals(port.text("name"))).findFirst().orElse(null);
        final Ref interfaceRef;
        if (same == null) {
            interfaceRef = insertInterface(port.text("name"), link);
        } else {
            interfaceRef = same.ref();
            plan.update(OvsTables.INTERFACE, same, link.columns());
            // An operator may give functions' ports a core by hand.
            final boolean planned = OvsPortType.DPDK.interfaceType().equals(link.columns().get("type"));
            plan.mutateMap(OvsTables.INTERFACE, same, OvsTables.OTHER_CONFIG, link.settings(),
                key -> planned && PortSpec.SETTINGS.contains(key));
            plan.mutateMap(OvsTables.INTERFACE, same, OvsTables.EXTERNAL_IDS, link.orders(),
                PortSpec.ORDERS::contains);
        }
        plan.update(OvsTables.PORT, port, Map.of("interfaces", Set.of(interfaceRef)));
    }

    private void refuseForeign() {
        for (final TableRow bridge : view.rows(OvsTables.BRIDGE)) {
            if (bridge.text("name").equals(bridgeName)) {
                continue;
            }
            for (final Object ref : bridge.set("ports")) {
                view.row(OvsTables.PORT, ref).ifPresent(port -> {
                    refuse(port.text("name"), bridge);
                    port.set("interfaces").forEach(link -> view.row(OvsTables.INTERFACE, link)
                        .ifPresent(row -> refuse(row.text("name"), bridge)));
                });
            }
        }
    }

    private void refuse(final String name, final TableRow bridge) {
        if (wanted.containsKey(name)) {
            if (name.equals(bridgeName)) {
                throw new OvsdbException("bridge " + bridge.text("name") + " has a port " + name
                    + ", which must be the local port of bridge " + bridgeName);
            }
            wanted.remove(name);
            refused.put(name, "in use on bridge " + bridge.text("name"));
        }
    }
}
