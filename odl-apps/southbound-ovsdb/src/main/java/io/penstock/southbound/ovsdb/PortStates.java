// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Reads the states of a bridge's ports from monitored rows. Stateless. */
final class PortStates {
    private PortStates() {
        // Stateless.
    }

    /** The states by port name, without the local port. */
    static Map<String, PortState> of(final DatabaseView view, final String bridgeName) {
        final Map<String, PortState> result = new HashMap<>();
        final Set<?> ports = view.named(OvsTables.BRIDGE, bridgeName).map(bridge -> bridge.set("ports"))
            .orElse(Set.of());
        for (final Object port : ports) {
            view.row(OvsTables.PORT, port).filter(row -> !row.text("name").equals(bridgeName))
                .flatMap(row -> row.set("interfaces").stream()
                    .flatMap(link -> view.row(OvsTables.INTERFACE, link).stream()).findFirst())
                .ifPresent(row -> result.put(row.text("name"), state(row)));
        }
        return Map.copyOf(result);
    }

    private static PortState state(final TableRow row) {
        final boolean up = row.optional("link_state").filter("up"::equals).isPresent()
            && row.optional("admin_state").filter("down"::equals).isEmpty();
        final int ofport = row.optional("ofport").map(number -> ((Long) number).intValue()).orElse(-1);
        return new PortState(row.text("name"), ofport, up, row.optional("error").map(Object::toString).orElse(""));
    }
}
