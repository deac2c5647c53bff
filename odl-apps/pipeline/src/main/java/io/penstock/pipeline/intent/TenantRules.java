// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.registry.Constants;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The rules for one tenant among its surroundings, whoever the other tenants are. */
final class TenantRules {
    private static final int LAST_VLAN = 4094;

    private final Snapshot surroundings;
    private final Tenant tenant;
    private final List<Violation> violations = new ArrayList<>();

    private TenantRules(final Snapshot surroundings, final Tenant tenant) {
        this.surroundings = surroundings;
        this.tenant = tenant;
    }

    /** The rules a tenant breaks; the tenants of the snapshot are not looked at. */
    static List<Violation> check(final Snapshot surroundings, final Tenant tenant) {
        final TenantRules rules = new TenantRules(surroundings, tenant);
        rules.checkAttachments();
        rules.checkSubnets();
        rules.checkRoutes();
        rules.checkNat();
        rules.checkReferences();
        return List.copyOf(rules.violations);
    }

    private void checkAttachments() {
        for (final Tenant.Attachment attachment : tenant.attachments()) {
            final String leaf = "attachment " + attachment.name() + " / ";
            final Node node = surroundings.nodes().get(attachment.node());
            if (node == null) {
                add(leaf + "node", Validator.unknown("node", attachment.node(), surroundings.nodes()));
            } else if (!node.has(attachment.port(), Node.Role.ACCESS)) {
                add(leaf + "port", "node " + node.name() + " has no access port '" + attachment.port() + "'");
            }
            if (attachment.vlan() < 1 || attachment.vlan() > LAST_VLAN) {
                add(leaf + "vlan", attachment.vlan() + " is not in 1..4094");
            }
        }
        if (tenant.attachments().size() > Constants.MOST_ATTACHMENTS) {
            add("attachment", tenant.attachments().size() + " attachments are more than "
                + Constants.MOST_ATTACHMENTS);
        }
        final Set<String> nodes =
            tenant.attachments().stream().map(Tenant.Attachment::node).collect(Collectors.toSet());
        if (nodes.size() > 1) {
            add("attachment / node", "all attachments of a tenant have to be on one node, these are on "
                + nodes.stream().sorted().toList());
        }
    }

    private void checkSubnets() {
        final Set<String> names =
            tenant.attachments().stream().map(Tenant.Attachment::name).collect(Collectors.toSet());
        for (int index = 0; index < tenant.subnets().size(); index++) {
            final Tenant.Subnet subnet = tenant.subnets().get(index);
            final String leaf = "subnet " + subnet.name() + " / ";
            Validator.notInside(subnet.gateway(), subnet.prefix())
                .ifPresent(rule -> add(leaf + "gateway", rule));
            for (final Tenant.Subnet other : tenant.subnets().subList(0, index)) {
                if (other.prefix().overlaps(subnet.prefix())) {
                    add(leaf + "prefix",
                        subnet.prefix() + " overlaps " + other.prefix() + " of subnet " + other.name());
                }
            }
            for (final String attachment : subnet.attachments()) {
                if (!names.contains(attachment)) {
                    add(leaf + "attachment", "the tenant has no attachment '" + attachment + "'");
                }
            }
        }
    }

    private void checkRoutes() {
        final Set<Prefix> seen = new HashSet<>();
        for (final Route route : tenant.routes()) {
            final String leaf = "route " + route.prefix() + " / ";
            if (!seen.add(route.prefix())
                    || tenant.subnets().stream().anyMatch(subnet -> subnet.prefix().equals(route.prefix()))) {
                add(leaf + "prefix", "the VRF has a route for this prefix already");
            }
            if (tenant.subnets().stream().noneMatch(subnet -> subnet.prefix().contains(route.nextHop()))) {
                add(leaf + "next-hop", Ipv4.text(route.nextHop()) + " is not in a subnet of the tenant");
            }
            if (tenant.subnets().stream().anyMatch(subnet -> subnet.gateway() == route.nextHop())) {
                add(leaf + "next-hop", Ipv4.text(route.nextHop()) + " is the VRF's own gateway");
            }
            if (route.prefix().length() == 0 && tenant.nat().isPresent()) {
                add(leaf + "prefix", "a tenant with NAT has its default route to the backbone");
            }
        }
    }

    private void checkNat() {
        tenant.nat().flatMap(Tenant.Nat::pool).filter(pool -> !surroundings.pools().containsKey(pool))
            .ifPresent(pool -> add("nat / pool", Validator.unknown("pool", pool, surroundings.pools())));
        tenant.nat().flatMap(Tenant.Nat::address).ifPresent(address -> {
            final String leaf = "nat / public-address";
            if (surroundings.backbone().interfaces().stream().anyMatch(uplink -> uplink.address() == address)) {
                add(leaf, Ipv4.text(address) + " is an address of the backbone");
            }
            if (surroundings.backbone().routes().stream().anyMatch(route -> route.nextHop() == address)) {
                add(leaf, Ipv4.text(address) + " is a transit gateway");
            }
        });
    }

    private void checkReferences() {
        tenant.egressAcl().filter(name -> !surroundings.acls().containsKey(name))
            .ifPresent(name -> add("egress-acl", Validator.unknown("acl", name, surroundings.acls())));
        if (tenant.chain().isEmpty()) {
            return;
        }
        final Chain chain = surroundings.chains().get(tenant.chain().orElseThrow());
        if (chain == null) {
            add("chain", Validator.unknown("chain", tenant.chain().orElseThrow(), surroundings.chains()));
            return;
        }
        if (tenant.nat().isEmpty()) {
            add("chain", "a chain stands between the VRF and the backbone, and this tenant has no nat");
        }
        for (final NetworkFunction function : surroundings.chainOf(tenant)) {
            if (function != null
                    && tenant.attachments().stream().anyMatch(each -> !each.node().equals(function.node()))) {
                add("chain", "function " + function.name() + " is on node " + function.node()
                    + ", the tenant is not");
            }
        }
    }

    private void add(final String leaf, final String rule) {
        violations.add(new Violation("tenant " + tenant.name(), leaf, rule));
    }
}
