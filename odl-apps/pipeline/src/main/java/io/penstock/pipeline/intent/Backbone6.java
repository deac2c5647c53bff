// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import java.util.List;

/** The IPv6 half of the backbone. */
public record Backbone6(List<Interface> interfaces, List<Route6> routes) {
    /** The backbone has no IPv6. */
    public static final Backbone6 NONE = new Backbone6(List.of(), List.of());

    public Backbone6 {
        interfaces = List.copyOf(interfaces);
        routes = List.copyOf(routes);
    }

    /** IPv6 on an uplink that is a {@link Backbone.Interface}, which has its VLAN and its list. */
    public record Interface(String node, String port, Prefix6 prefix, Ipv6 address) { }

    /** Interfaces of one node. */
    public List<Interface> on(final String node) {
        return interfaces.stream().filter(each -> each.node().equals(node)).toList();
    }
}
