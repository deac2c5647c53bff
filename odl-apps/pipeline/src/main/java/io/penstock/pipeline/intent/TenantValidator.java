// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.intent.Allocations.TenantAllocation;
import io.penstock.pipeline.registry.Constants;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The rules for tenants, alone and among each other. */
final class TenantValidator {
    private final Snapshot snapshot;
    private final Allocations allocations;
    private final List<Violation> violations = new ArrayList<>();
    private final Map<String, String> vlanOwners = new HashMap<>();
    private final Map<Long, String> addressOwners = new HashMap<>();
    private final Map<String, String> functionUsers = new HashMap<>();

    TenantValidator(final Snapshot snapshot, final Allocations allocations) {
        this.snapshot = snapshot;
        this.allocations = allocations;
    }

    List<Violation> validate() {
        for (final Tenant tenant : oldestFirst()) {
            checkAttachments(tenant);
            checkSubnets(tenant);
            checkRoutes(tenant);
            checkAddress(tenant);
            checkReferences(tenant);
        }
        checkPools();
        if (snapshot.tenants().size() > Constants.LAST_VRF - Constants.FIRST_VRF + 1) {
            violations.add(new Violation("tenants", "name", "there are more tenants than VRF ids"));
        }
        return violations;
    }

    /** Whoever was there first keeps what two want, so that the error names the one that came. */
    private List<Tenant> oldestFirst() {
        return snapshot.tenants().values().stream()
            .sorted(Comparator.comparing((Tenant tenant) -> !allocations.tenants().containsKey(tenant.name())))
            .toList();
    }

    private void checkAttachments(final Tenant tenant) {
        for (final Tenant.Attachment attachment : tenant.attachments()) {
            final String leaf = "attachment " + attachment.name() + " / ";
            final Node node = snapshot.nodes().get(attachment.node());
            if (node == null) {
                add(tenant, leaf + "node", Validator.unknown("node", attachment.node(), snapshot.nodes()));
            } else if (!node.has(attachment.port(), Node.Role.ACCESS)) {
                add(tenant, leaf + "port", "node " + node.name() + " has no access port '" + attachment.port() + "'");
            }
            if (attachment.vlan() < 1 || attachment.vlan() > 4094) {
                add(tenant, leaf + "vlan", attachment.vlan() + " is not in 1..4094");
            }
            final String owner = vlanOwners.putIfAbsent(
                attachment.node() + " " + attachment.port() + " " + attachment.vlan(), tenant.name());
            if (owner != null) {
                add(tenant, leaf + "vlan", attachment.vlan() + " on port " + attachment.port() + " of node "
                    + attachment.node() + " is taken by tenant " + owner);
            }
        }
        if (tenant.attachments().size() > Constants.MOST_ATTACHMENTS) {
            add(tenant, "attachment", tenant.attachments().size() + " attachments are more than "
                + Constants.MOST_ATTACHMENTS);
        }
        final Set<String> nodes =
            tenant.attachments().stream().map(Tenant.Attachment::node).collect(Collectors.toSet());
        if (nodes.size() > 1) {
            add(tenant, "attachment / node", "all attachments of a tenant have to be on one node, these are on "
                + nodes.stream().sorted().toList());
        }
    }

    private void checkSubnets(final Tenant tenant) {
        final Set<String> names =
            tenant.attachments().stream().map(Tenant.Attachment::name).collect(Collectors.toSet());
        for (int index = 0; index < tenant.subnets().size(); index++) {
            final Tenant.Subnet subnet = tenant.subnets().get(index);
            final String leaf = "subnet " + subnet.name() + " / ";
            Validator.notInside(subnet.gateway(), subnet.prefix())
                .ifPresent(rule -> add(tenant, leaf + "gateway", rule));
            for (final Tenant.Subnet other : tenant.subnets().subList(0, index)) {
                if (other.prefix().overlaps(subnet.prefix())) {
                    add(tenant, leaf + "prefix",
                        subnet.prefix() + " overlaps " + other.prefix() + " of subnet " + other.name());
                }
            }
            for (final String attachment : subnet.attachments()) {
                if (!names.contains(attachment)) {
                    add(tenant, leaf + "attachment", "the tenant has no attachment '" + attachment + "'");
                }
            }
        }
    }

    private void checkRoutes(final Tenant tenant) {
        final Set<Prefix> seen = new HashSet<>();
        for (final Route route : tenant.routes()) {
            final String leaf = "route " + route.prefix() + " / ";
            if (!seen.add(route.prefix())
                    || tenant.subnets().stream().anyMatch(subnet -> subnet.prefix().equals(route.prefix()))) {
                add(tenant, leaf + "prefix", "the VRF has a route for this prefix already");
            }
            if (tenant.subnets().stream().noneMatch(subnet -> subnet.prefix().contains(route.nextHop()))) {
                add(tenant, leaf + "next-hop", Ipv4.text(route.nextHop()) + " is not in a subnet of the tenant");
            }
            if (tenant.subnets().stream().anyMatch(subnet -> subnet.gateway() == route.nextHop())) {
                add(tenant, leaf + "next-hop", Ipv4.text(route.nextHop()) + " is the VRF's own gateway");
            }
            if (route.prefix().length() == 0 && tenant.nat().isPresent()) {
                add(tenant, leaf + "prefix", "a tenant with NAT has its default route to the backbone");
            }
        }
    }

    private void checkAddress(final Tenant tenant) {
        tenant.nat().flatMap(Tenant.Nat::address).ifPresent(address -> {
            final String owner = addressOwners.putIfAbsent(address, tenant.name());
            final String leaf = "nat / public-address";
            if (owner != null) {
                add(tenant, leaf, Ipv4.text(address) + " is taken by tenant " + owner);
            }
            fromPool(address).ifPresent(other -> add(tenant, leaf,
                Ipv4.text(address) + " was given to tenant " + other + " from its pool"));
            if (snapshot.backbone().interfaces().stream().anyMatch(uplink -> uplink.address() == address)) {
                add(tenant, leaf, Ipv4.text(address) + " is an address of the backbone");
            }
            if (snapshot.backbone().routes().stream().anyMatch(route -> route.nextHop() == address)) {
                add(tenant, leaf, Ipv4.text(address) + " is a transit gateway");
            }
        });
    }

    /** The tenant that has this address from a pool and keeps it. */
    private Optional<String> fromPool(final long address) {
        return snapshot.tenants().values().stream()
            .filter(tenant -> tenant.nat().flatMap(Tenant.Nat::pool).map(snapshot.pools()::get)
                .filter(pool -> pool.prefixes().stream().anyMatch(prefix -> prefix.contains(address))).isPresent())
            .map(Tenant::name)
            .filter(name -> allocations.tenants().containsKey(name)
                && allocations.tenants().get(name).publicAddress() == address)
            .findFirst();
    }

    private void checkReferences(final Tenant tenant) {
        tenant.egressAcl().filter(name -> !snapshot.acls().containsKey(name))
            .ifPresent(name -> add(tenant, "egress-acl", Validator.unknown("acl", name, snapshot.acls())));
        if (tenant.chain().isEmpty()) {
            return;
        }
        final Chain chain = snapshot.chains().get(tenant.chain().orElseThrow());
        if (chain == null) {
            add(tenant, "chain", Validator.unknown("chain", tenant.chain().orElseThrow(), snapshot.chains()));
            return;
        }
        if (tenant.nat().isEmpty()) {
            add(tenant, "chain", "a chain stands between the VRF and the backbone, and this tenant has no nat");
        }
        final TenantAllocation allocation = allocations.tenants().get(tenant.name());
        if (allocation != null && allocation.vrf() > Constants.LAST_CHAIN_VRF) {
            add(tenant, "chain", "VRF id " + allocation.vrf() + " is above " + Constants.LAST_CHAIN_VRF
                + " and cannot be an 802.1Q tag");
        }
        for (final String name : chain.functions()) {
            checkFunction(tenant, snapshot.functions().get(name));
        }
    }

    private void checkFunction(final Tenant tenant, final NetworkFunction function) {
        if (function == null) {
            return;
        }
        if (tenant.attachments().stream().anyMatch(each -> !each.node().equals(function.node()))) {
            add(tenant, "chain", "function " + function.name() + " is on node " + function.node()
                + ", the tenant is not");
        }
        final String user = functionUsers.putIfAbsent(function.name(), tenant.name());
        if (user != null && !function.shared()) {
            add(tenant, "chain", "function " + function.name() + " is not shared, and tenant " + user + " has it");
        }
    }

    private void checkPools() {
        final Map<String, Long> used = new HashMap<>();
        final Map<String, Long> reserved = new HashMap<>();
        for (final Tenant tenant : oldestFirst()) {
            final String pool = tenant.nat().flatMap(Tenant.Nat::pool).orElse(null);
            if (pool == null) {
                continue;
            }
            if (!snapshot.pools().containsKey(pool)) {
                add(tenant, "nat / pool", Validator.unknown("pool", pool, snapshot.pools()));
                continue;
            }
            final long taken = reserved.computeIfAbsent(pool, this::takenByHand);
            final long size = Snapshot.size(snapshot.pools(), pool);
            if (used.merge(pool, 1L, Long::sum) + taken > size) {
                add(tenant, "nat / pool", "pool " + pool + " is exhausted: it has " + size + " addresses");
            }
        }
    }

    private long takenByHand(final String pool) {
        return addressOwners.keySet().stream().filter(address -> snapshot.pools().get(pool).prefixes().stream()
            .anyMatch(prefix -> prefix.contains(address))).count();
    }

    private void add(final Tenant tenant, final String leaf, final String rule) {
        violations.add(new Violation("tenant " + tenant.name(), leaf, rule));
    }
}
