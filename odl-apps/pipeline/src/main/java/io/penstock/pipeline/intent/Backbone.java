// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mtu;
import io.penstock.pipeline.net.Prefix;
import java.util.List;
import java.util.Optional;

/**
 * The VRF between the tenants and the transit network.
 *
 * @param resolvers who is asked for tenants that name no upstream resolver: IPv4 or IPv6, as text, the first one first
 */
public record Backbone(List<Interface> interfaces, List<Route> routes, List<String> resolvers, Backbone6 ipv6) {
    /** No backbone: tenants stay among themselves. */
    public static final Backbone NONE = new Backbone(List.of(), List.of());

    public Backbone {
        interfaces = List.copyOf(interfaces);
        routes = List.copyOf(routes);
        resolvers = List.copyOf(resolvers);
    }

    /** IPv4 alone. */
    public Backbone(final List<Interface> interfaces, final List<Route> routes, final List<String> resolvers) {
        this(interfaces, routes, resolvers, Backbone6.NONE);
    }

    /** IPv4 alone, without resolvers. */
    public Backbone(final List<Interface> interfaces, final List<Route> routes) {
        this(interfaces, routes, List.of(), Backbone6.NONE);
    }

    /** The same with another IPv6 half. */
    public Backbone with(final Backbone6 other) {
        return new Backbone(interfaces, routes, resolvers, other);
    }

    /**
     * An uplink.
     *
     * @param vlan 0 is untagged
     * @param mtu longest packet that the transit network takes, bytes of IP
     */
    public record Interface(String node, String port, int vlan, Prefix prefix, Ipv4 address,
            Optional<String> egressAcl, int mtu) {
        /** To a network of ordinary Ethernet. */
        public Interface(final String node, final String port, final int vlan, final Prefix prefix,
                final Ipv4 address, final Optional<String> egressAcl) {
            this(node, port, vlan, prefix, address, egressAcl, Mtu.DEFAULT);
        }

        /** The same with another MTU. */
        public Interface withMtu(final int other) {
            return new Interface(node, port, vlan, prefix, address, egressAcl, other);
        }
    }

    /** Interfaces of one node. */
    public List<Interface> on(final String node) {
        return interfaces.stream().filter(each -> each.node().equals(node)).toList();
    }

    /** The interface on a port of a node. */
    public Optional<Interface> at(final String node, final String port) {
        return on(node).stream().filter(each -> each.port().equals(port)).findFirst();
    }
}
