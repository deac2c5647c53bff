// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Mtu;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** The rules for the IPv6 half of the backbone. */
final class Backbone6Rules {
    private final Snapshot snapshot;
    private final List<Violation> violations;

    private Backbone6Rules(final Snapshot snapshot, final List<Violation> violations) {
        this.snapshot = snapshot;
        this.violations = violations;
    }

    /** Adds the rules that are broken. */
    static void check(final Snapshot snapshot, final List<Violation> violations) {
        new Backbone6Rules(snapshot, violations).check();
    }

    private void check() {
        final List<Backbone6.Interface> interfaces = snapshot.backbone().ipv6().interfaces();
        for (int index = 0; index < interfaces.size(); index++) {
            final Backbone6.Interface uplink = interfaces.get(index);
            final BiConsumer<String, String> add =
                add("backbone ipv6 interface " + uplink.node() + "/" + uplink.port());
            if (snapshot.backbone().at(uplink.node(), uplink.port()).isEmpty()) {
                add.accept("port", "the backbone has no interface on port '" + uplink.port() + "' of node '"
                    + uplink.node() + "'; add one, its VLAN applies to IPv6 as well");
            }
            snapshot.backbone().at(uplink.node(), uplink.port()).map(Backbone.Interface::mtu)
                .filter(mtu -> mtu < Mtu.LEAST_IPV6).ifPresent(mtu -> add.accept("port", "its interface has mtu " + mtu
                    + "; IPv6 needs at least " + Mtu.LEAST_IPV6));
            Ipv6Rules.notOfHosts(uplink.prefix()).ifPresent(rule -> add.accept("prefix", rule));
            if (!uplink.prefix().contains(uplink.address())) {
                add.accept("address", uplink.address() + " is outside its subnet " + uplink.prefix());
            }
            interfaces.subList(0, index).stream()
                .filter(other -> other.node().equals(uplink.node()) && other.prefix().overlaps(uplink.prefix()))
                .forEach(other -> add.accept("prefix", uplink.prefix() + " overlaps " + other.prefix() + " of port "
                    + other.port()));
        }
        checkRoutes(interfaces);
    }

    private void checkRoutes(final List<Backbone6.Interface> interfaces) {
        final Set<String> seen = new HashSet<>();
        for (final Route6 route : snapshot.backbone().ipv6().routes()) {
            final BiConsumer<String, String> add = add("backbone ipv6 route " + route.prefix());
            final List<Backbone6.Interface> via =
                interfaces.stream().filter(uplink -> uplink.prefix().contains(route.nextHop())).toList();
            if (via.isEmpty()) {
                add.accept("next-hop", route.nextHop() + " is not in the subnet of any IPv6 interface of the backbone");
            }
            for (final Backbone6.Interface uplink : via) {
                if (!seen.add(uplink.node() + " " + route.prefix())) {
                    add.accept("next-hop", "node " + uplink.node() + " has a second next hop for this prefix");
                }
                if (uplink.address().equals(route.nextHop())) {
                    add.accept("next-hop", "it is the node's own address on " + uplink.node());
                }
                if (uplink.prefix().equals(route.prefix())) {
                    add.accept("prefix", "it is the subnet of interface " + uplink.node() + "/" + uplink.port());
                }
            }
        }
    }

    private BiConsumer<String, String> add(final String entry) {
        return (leaf, rule) -> {
            if (violations.size() < Violation.MOST) {
                violations.add(new Violation(entry, leaf, rule));
            }
        };
    }
}
