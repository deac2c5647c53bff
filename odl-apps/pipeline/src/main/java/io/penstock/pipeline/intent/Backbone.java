// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Optional;

/** The VRF between the tenants and the transit network. */
public record Backbone(List<Interface> interfaces, List<Route> routes) {
    /** No backbone: tenants stay among themselves. */
    public static final Backbone NONE = new Backbone(List.of(), List.of());

    public Backbone {
        interfaces = List.copyOf(interfaces);
        routes = List.copyOf(routes);
    }

    /** An uplink; VLAN 0 is untagged. */
    public record Interface(String node, String port, int vlan, Prefix prefix, long address,
            Optional<String> egressAcl) { }

    /** Interfaces of one node. */
    public List<Interface> on(final String node) {
        return interfaces.stream().filter(each -> each.node().equals(node)).toList();
    }
}
