// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Optional;

/**
 * The VRF between the tenants and the transit network.
 *
 * @param resolvers who is asked for tenants that name no upstream resolver: IPv4 or IPv6, as text, the first one first
 */
public record Backbone(List<Interface> interfaces, List<Route> routes, List<String> resolvers) {
    /** No backbone: tenants stay among themselves. */
    public static final Backbone NONE = new Backbone(List.of(), List.of());

    public Backbone {
        interfaces = List.copyOf(interfaces);
        routes = List.copyOf(routes);
        resolvers = List.copyOf(resolvers);
    }

    /** Without resolvers. */
    public Backbone(final List<Interface> interfaces, final List<Route> routes) {
        this(interfaces, routes, List.of());
    }

    /** An uplink; VLAN 0 is untagged. */
    public record Interface(String node, String port, int vlan, Prefix prefix, long address,
            Optional<String> egressAcl) { }

    /** Interfaces of one node. */
    public List<Interface> on(final String node) {
        return interfaces.stream().filter(each -> each.node().equals(node)).toList();
    }
}
