// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The rules for uplinks, backbone routes and pools. */
final class BackboneRules {
    private static final int LAST_VLAN = 4094;

    private final Snapshot snapshot;
    private final List<Violation> violations = new ArrayList<>();

    BackboneRules(final Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    List<Violation> validate() {
        final List<Backbone.Interface> interfaces = snapshot.backbone().interfaces();
        for (int index = 0; index < interfaces.size(); index++) {
            checkInterface(interfaces.get(index), interfaces.subList(0, index));
        }
        checkRoutes();
        checkPools();
        Backbone6Rules.check(snapshot, violations);
        snapshot.backbone().resolvers().forEach(address -> DnsRules.addressProblem(address)
            .ifPresent(rule -> add("resolver", "upstream", rule)));
        return violations;
    }

    private void checkInterface(final Backbone.Interface uplink, final List<Backbone.Interface> before) {
        final String entry = "backbone interface " + uplink.node() + "/" + uplink.port();
        final Node node = snapshot.nodes().get(uplink.node());
        if (node == null) {
            add(entry, "node", Validator.unknown("node", uplink.node(), snapshot.nodes()));
        } else if (!node.has(uplink.port(), Node.Role.UPLINK)) {
            add(entry, "port", "node " + node.name() + " has no uplink port '" + uplink.port() + "'");
        }
        if (uplink.vlan() < 0 || uplink.vlan() > LAST_VLAN) {
            add(entry, "vlan", uplink.vlan() + " is not in 1..4094");
        }
        Validator.wrongMtu(uplink.mtu()).ifPresent(rule -> add(entry, "mtu", rule));
        Validator.notOfRouters(uplink.prefix()).ifPresent(rule -> add(entry, "prefix", rule));
        Validator.notInside(uplink.address(), uplink.prefix()).ifPresent(rule -> add(entry, "address", rule));
        before.stream()
            .filter(other -> other.node().equals(uplink.node()) && other.prefix().overlaps(uplink.prefix()))
            .findFirst().ifPresent(other -> add(entry, "prefix", uplink.prefix() + " overlaps " + other.prefix()
                + " of port " + other.port()));
        uplink.egressAcl().filter(name -> !snapshot.acls().containsKey(name))
            .ifPresent(name -> add(entry, "egress-acl", Validator.unknown("acl", name, snapshot.acls())));
    }

    private void checkRoutes() {
        final Set<String> seen = new HashSet<>();
        for (final Route route : snapshot.backbone().routes()) {
            final String entry = "backbone route " + route.prefix();
            final List<String> nodes = snapshot.backbone().interfaces().stream()
                .filter(uplink -> uplink.prefix().contains(route.nextHop())).map(Backbone.Interface::node).toList();
            if (nodes.isEmpty()) {
                add(entry, "next-hop", route.nextHop() + " is not in the subnet of any backbone interface");
            }
            for (final String node : nodes) {
                if (!seen.add(node + " " + route.prefix())) {
                    add(entry, "next-hop", "node " + node + " has a second next hop for this prefix");
                }
            }
            snapshot.backbone().interfaces().stream()
                .filter(uplink -> uplink.prefix().equals(route.prefix()) && nodes.contains(uplink.node()))
                .forEach(uplink -> add(entry, "prefix", "it is the subnet of interface " + uplink.node() + "/"
                    + uplink.port()));
            snapshot.backbone().interfaces().stream().filter(uplink -> uplink.address().equals(route.nextHop()))
                .forEach(uplink -> add(entry, "next-hop", "it is the node's own address on " + uplink.node()));
        }
    }

    private void checkPools() {
        final List<Prefix> before = new ArrayList<>();
        for (final Pool pool : snapshot.pools().values()) {
            final String entry = "pool " + pool.name();
            PoolRules.check(pool.prefixes(), pool.drain(), pool.thresholds(),
                (leaf, rule) -> add(entry, leaf, rule));
            for (final Prefix prefix : pool.prefixes()) {
                Validator.notOfHosts(prefix).ifPresent(rule -> add(entry, "prefix", rule));
                before.stream().filter(prefix::overlaps).findFirst()
                    .ifPresent(other -> add(entry, "prefix", prefix + " overlaps pool prefix " + other));
                snapshot.backbone().interfaces().stream().filter(uplink -> prefix.contains(uplink.address()))
                    .forEach(uplink -> add(entry, "prefix", prefix + " contains the backbone address "
                        + uplink.address()));
                snapshot.backbone().routes().stream().filter(route -> prefix.contains(route.nextHop()))
                    .forEach(route -> add(entry, "prefix", prefix + " contains the transit gateway "
                        + route.nextHop()));
                before.add(prefix);
            }
        }
    }

    private void add(final String entry, final String leaf, final String rule) {
        if (violations.size() < Violation.MOST) {
            violations.add(new Violation(entry, leaf, rule));
        }
    }
}
