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
    /** By port name, the interface's columns. The local port is wanted too: without it the switch invents one. */
    private final Map<String, Map<String, Object>> wanted = new LinkedHashMap<>();
    private final Map<String, String> refused = new TreeMap<>();

    PortPlanner(final DatabaseView view, final BridgeSpec spec, final PlanBuilder plan) {
        this.view = view;
        this.plan = plan;
        bridgeName = spec.bridgeName();
        wanted.put(spec.bridgeName(), Map.of("type", "internal", "options", Map.of(), "ofport_request", Set.of()));
        for (final PortSpec port : spec.ports()) {
            wanted.put(port.name(), Map.of("type", port.type().interfaceType(), "options", port.options(),
                "ofport_request", Set.of((long) port.ofport())));
        }
        refuseForeign();
    }

    Map<String, String> refused() {
        return refused;
    }

    /** Plans all ports of a bridge that does not exist yet. */
    List<Ref> planNew() {
        final List<Ref> result = new ArrayList<>();
        wanted.forEach((name, columns) -> result.add(insertPort(name, columns)));
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
                } else {
                    remove.add(ref);
                }
            });
        }
        final List<Object> add = new ArrayList<>();
        wanted.forEach((name, columns) -> {
            final TableRow port = present.get(name);
            if (port == null) {
                add.add(insertPort(name, columns));
            } else {
                changePort(port, columns);
            }
        });
        plan.mutateSet(OvsTables.BRIDGE, bridge, "ports", remove, add);
    }

    private Ref insertPort(final String name, final Map<String, Object> columns) {
        return plan.insert(OvsTables.PORT, Map.of("name", name, "interfaces", Set.of(insertInterface(name, columns))));
    }

    private Ref insertInterface(final String name, final Map<String, Object> columns) {
        final Map<String, Object> row = new HashMap<>(columns);
        row.put("name", name);
        return plan.insert(OvsTables.INTERFACE, row);
    }

    private void changePort(final TableRow port, final Map<String, Object> columns) {
        final TableRow same = port.set("interfaces").stream()
            .flatMap(ref -> view.row(OvsTables.INTERFACE, ref).stream())
            .filter(row -> row.text("name").equals(port.text("name"))).findFirst().orElse(null);
        final Ref interfaceRef;
        if (same == null) {
            interfaceRef = insertInterface(port.text("name"), columns);
        } else {
            interfaceRef = same.ref();
            plan.update(OvsTables.INTERFACE, same, columns);
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
