// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.ChainRule;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules for one tenant among its surroundings, whoever the other tenants are. */
final class TenantRules {
    private static final int LAST_VLAN = 4094;
    private static final int LAST_PORT = 65535;
    /** The error names the first ones only; each costs memory while it is judged. */
    private static final int MOST_VIOLATIONS = 100;

    private final Snapshot surroundings;
    private final Tenant tenant;
    private final List<Prefix> inside;
    private final List<Violation> violations = new ArrayList<>();

    private TenantRules(final Snapshot surroundings, final Tenant tenant) {
        this.surroundings = surroundings;
        this.tenant = tenant;
        inside = tenant.insidePrefixes();
    }

    /** The rules a tenant breaks; the tenants of the snapshot are not looked at. */
    static List<Violation> check(final Snapshot surroundings, final Tenant tenant) {
        final List<Violation> tooLong = new ArrayList<>();
        SizeRules.check(tenant, (leaf, rule) -> {
            if (tooLong.size() < MOST_VIOLATIONS) {
                tooLong.add(new Violation("tenant " + tenant.name(), leaf, rule));
            }
        });
        if (!tooLong.isEmpty()) {
            // The rules below compare entries with each other: of a hundred thousand that takes minutes.
            return List.copyOf(tooLong);
        }
        final TenantRules rules = new TenantRules(surroundings, tenant);
        rules.checkAttachments();
        rules.checkSubnets();
        rules.checkRoutes();
        rules.checkNat();
        rules.checkReferences();
        Ipv6Rules.check(tenant, surroundings.backbone(), rules::add);
        DhcpRules.check(tenant, rules::add);
        DnsRules.check(tenant, rules::add);
        ProtectionRules.check(surroundings, tenant, rules::add);
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
        final Set<String> nodes =
            tenant.attachments().stream().map(Tenant.Attachment::node).collect(Collectors.toSet());
        if (nodes.size() > 1) {
            add("attachment / node", "all attachments of a tenant have to be on one node; these are on "
                + nodes.stream().sorted().toList());
        }
    }

    private void checkSubnets() {
        final Set<String> names =
            tenant.attachments().stream().map(Tenant.Attachment::name).collect(Collectors.toSet());
        for (int index = 0; index < tenant.subnets().size(); index++) {
            final Tenant.Subnet subnet = tenant.subnets().get(index);
            final String leaf = "subnet " + subnet.name() + " / ";
            Validator.wrongMtu(subnet.mtu()).ifPresent(rule -> add(leaf + "mtu", rule));
            checkOfHosts(leaf + "prefix", subnet.prefix());
            checkNotTransit(leaf + "prefix", subnet.prefix());
            Validator.notInside(subnet.gateway(), subnet.prefix())
                .ifPresent(rule -> add(leaf + "gateway", rule));
            tenant.subnets().subList(0, index).stream().filter(other -> other.prefix().overlaps(subnet.prefix()))
                .findFirst().ifPresent(other -> add(leaf + "prefix",
                    subnet.prefix() + " overlaps " + other.prefix() + " of subnet " + other.name()));
            for (final String attachment : subnet.attachments()) {
                if (!names.contains(attachment)) {
                    add(leaf + "attachment", "the tenant has no attachment '" + attachment + "'");
                }
            }
        }
    }

    /** Its hosts would not reach the transit gateways, nor these them. */
    private void checkNotTransit(final String leaf, final Prefix prefix) {
        surroundings.backbone().interfaces().stream().filter(uplink -> uplink.prefix().overlaps(prefix)
                && tenant.attachments().stream().anyMatch(each -> each.node().equals(uplink.node())))
            .findFirst().ifPresent(uplink -> add(leaf, prefix + " overlaps the transit network " + uplink.prefix()
                + " of port " + uplink.port() + " of node " + uplink.node()));
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
                add(leaf + "next-hop", route.nextHop() + " is not in a subnet of the tenant");
            }
            if (tenant.subnets().stream().anyMatch(subnet -> subnet.gateway().equals(route.nextHop()))) {
                add(leaf + "next-hop", route.nextHop() + " is the VRF's own gateway");
            }
            if (route.prefix().length() == 0 && tenant.nat().isPresent()) {
                add(leaf + "prefix", "a tenant with NAT has its default route to the backbone");
            }
        }
    }

    private void checkNat() {
        tenant.nat().flatMap(Tenant.Nat::pool).filter(pool -> !surroundings.pools().containsKey(pool))
            .ifPresent(pool -> add("nat / pool", Validator.unknown("pool", pool, surroundings.pools())));
        tenant.nat().map(Tenant.Nat::mappings).ifPresent(this::checkMappings);
        tenant.nat().ifPresent(this::checkForwards);
        tenant.nat().map(Tenant.Nat::twice).ifPresent(this::checkTwice);
        tenant.nat().filter(nat -> !nat.algs().isEmpty() && !nat.hasSource())
            .ifPresent(nat -> add("nat / alg", "needs a public-address or a pool in nat"));
        tenant.nat().filter(nat -> !nat.algs().isEmpty()).stream().flatMap(nat -> nat.mappings().stream())
            .filter(mapping -> !(mapping instanceof Tenant.OneToOne)).map(Tenant.Mapping::kind).distinct()
            .forEach(kind -> add("nat / alg", "has no gateway for " + kind));
        tenant.nat().flatMap(Tenant.Nat::address).ifPresent(address -> {
            final String leaf = "nat / public-address";
            checkOfHosts(leaf, Prefix.host(address));
            if (surroundings.backbone().interfaces().stream().anyMatch(uplink -> uplink.address().equals(address))) {
                add(leaf, address + " is an address of the backbone");
            }
            if (surroundings.backbone().routes().stream().anyMatch(route -> route.nextHop().equals(address))) {
                add(leaf, address + " is a transit gateway");
            }
        });
    }

    private void checkMappings(final List<Tenant.Mapping> mappings) {
        for (int index = 0; index < mappings.size() && !isFull(); index++) {
            final Tenant.Mapping mapping = mappings.get(index);
            final String entry = "nat / " + mapping.kind() + " " + mapping.inside() + " / ";
            final Prefix outside = mapping.outside();
            checkOfHosts(entry + "inside-prefix", mapping.inside());
            checkOfHosts(entry + "public-prefix", outside);
            if (mapping instanceof Tenant.PortBlocks blocks) {
                checkBlocks(blocks, entry);
            } else {
                checkLengths(mapping, entry);
            }
            if (inside.stream().noneMatch(prefix -> prefix.contains(mapping.inside()))) {
                add(entry + "inside-prefix", "is not in a subnet or route of the tenant");
            }
            mappings.subList(0, index).stream().filter(other -> other.inside().overlaps(mapping.inside())).findFirst()
                .ifPresent(other -> add(entry + "inside-prefix", "overlaps " + other.inside() + " of "
                    + other.kind()));
            surroundings.pools().values().forEach(pool -> pool.prefixes().stream().filter(outside::overlaps)
                .findFirst().ifPresent(prefix -> add(entry + "public-prefix", outside + " overlaps " + prefix
                    + " of pool " + pool.name())));
            surroundings.backbone().interfaces().stream().filter(uplink -> outside.contains(uplink.address()))
                .forEach(uplink -> add(entry + "public-prefix", outside + " contains the backbone address "
                    + uplink.address()));
            surroundings.backbone().routes().stream().filter(route -> outside.contains(route.nextHop()))
                .forEach(route -> add(entry + "public-prefix", outside + " contains the transit gateway "
                    + route.nextHop()));
        }
    }

    private void checkBlocks(final Tenant.PortBlocks blocks, final String entry) {
        PoolRules.check(List.of(blocks.outside()), blocks.drain(), blocks.thresholds(),
            (leaf, rule) -> add(entry + leaf, rule));
        if (blocks.inside().length() < Constants.SHORTEST_ON_DEMAND) {
            add(entry + "inside-prefix", "is shorter than /" + Constants.SHORTEST_ON_DEMAND);
        }
        if (blocks.outside().length() < Constants.SHORTEST_ONE_TO_ONE) {
            add(entry + "public-prefix", blocks.outside() + " is shorter than /" + Constants.SHORTEST_ONE_TO_ONE);
        }
        if (blocks.blockSize() < Constants.SMALLEST_BLOCK || blocks.blockSize() > Constants.LARGEST_BLOCK
                || Integer.bitCount(blocks.blockSize()) != 1) {
            add(entry + "block-size", blocks.blockSize() + " is not a power of two from " + Constants.SMALLEST_BLOCK
                + " to " + Constants.LARGEST_BLOCK);
        }
        if (blocks.mostBlocks() < 1 || blocks.mostBlocks() > Constants.MOST_BLOCKS) {
            add(entry + "most-blocks", blocks.mostBlocks() + " is not in 1.." + Constants.MOST_BLOCKS);
        }
    }

    private void checkLengths(final Tenant.Mapping mapping, final String entry) {
        final boolean shared = mapping instanceof Tenant.Deterministic;
        final int shortest = shared ? Constants.SHORTEST_DETERMINISTIC : Constants.SHORTEST_ONE_TO_ONE;
        final int more = mapping.outside().length() - mapping.inside().length();
        if (mapping.inside().length() < shortest) {
            add(entry + "inside-prefix", "is shorter than /" + shortest + ": write it as several entries");
        }
        if (!shared && more != 0) {
            add(entry + "public-prefix", mapping.outside() + " is not as long as " + mapping.inside());
        }
        if (shared && (more < 0 || more > Constants.MOST_SHARING_BITS)) {
            add(entry + "public-prefix", mapping.outside() + " has to be 0 to " + Constants.MOST_SHARING_BITS
                + " bits longer than " + mapping.inside());
        }
    }

    private void checkForwards(final Tenant.Nat nat) {
        final Map<List<Integer>, String> taken = new HashMap<>();
        for (final Tenant.PortForward forward : nat.forwards()) {
            final String entry = "nat / port-forward " + forward.name() + " / ";
            if (!nat.hasSource()) {
                add(entry + "public-port", "needs a public-address or a pool in nat");
            }
            if (forward.publicPort() < 1 || forward.publicPort() > LAST_PORT) {
                add(entry + "public-port", forward.publicPort() + " is not in 1..65535");
            }
            if (forward.port() < 1 || forward.port() > LAST_PORT) {
                add(entry + "inside-port", forward.port() + " is not in 1..65535");
            }
            final String other =
                taken.putIfAbsent(List.of(forward.protocol(), forward.publicPort()), forward.name());
            if (other != null) {
                add(entry + "public-port", forward.publicPort() + " is taken by port-forward " + other);
            }
            checkForwardTarget(nat, forward, entry + "inside-address");
            if (isFull()) {
                return;
            }
        }
    }

    private void checkForwardTarget(final Tenant.Nat nat, final Tenant.PortForward forward, final String leaf) {
        final Ipv4 address = forward.address();
        if (inside.stream().noneMatch(prefix -> prefix.contains(address))) {
            add(leaf, address + " is not in a subnet or route of the tenant");
        }
        if (tenant.subnets().stream().anyMatch(subnet -> subnet.gateway().equals(address))) {
            add(leaf, address + " is the VRF's own gateway");
        }
        // Its answers would leave with the address that is its alone.
        nat.mappings().stream().filter(mapping -> mapping.inside().contains(address)).forEach(mapping ->
            add(leaf, address + " has a public address of its own by " + mapping.kind() + " " + mapping.inside()));
    }

    private void checkTwice(final List<Tenant.Twice> mappings) {
        for (int index = 0; index < mappings.size() && !isFull(); index++) {
            final Prefix seen = mappings.get(index).seen();
            final Prefix outside = mappings.get(index).outside();
            final String seenLeaf = "nat / twice " + seen + " / seen-prefix";
            final String outsideLeaf = "nat / twice " + seen + " / outside-prefix";
            if (seen.length() < Constants.SHORTEST_TWICE) {
                add(seenLeaf, "is shorter than /" + Constants.SHORTEST_TWICE);
            }
            if (outside.length() != seen.length()) {
                add(outsideLeaf, outside + " is not as long as " + seen);
            }
            checkOfHosts(seenLeaf, seen);
            checkOfHosts(outsideLeaf, outside);
            tenant.subnets().stream().filter(subnet -> subnet.prefix().overlaps(seen)).forEach(subnet ->
                add(seenLeaf, seen + " overlaps " + subnet.prefix() + " of subnet " + subnet.name()));
            tenant.routes().stream().map(Route::prefix).filter(seen::overlaps)
                .forEach(route -> add(seenLeaf, seen + " overlaps the route " + route));
            // An address that is both would mean two networks.
            mappings.stream().map(Tenant.Twice::outside).filter(seen::overlaps).findFirst()
                .ifPresent(other -> add(seenLeaf, seen + " overlaps the outside-prefix " + other));
            final List<Tenant.Twice> before = mappings.subList(0, index);
            before.stream().filter(other -> other.seen().overlaps(seen)).findFirst()
                .ifPresent(other -> add(seenLeaf, seen + " overlaps the seen-prefix " + other.seen()));
            before.stream().filter(other -> other.outside().overlaps(outside)).findFirst()
                .ifPresent(other -> add(outsideLeaf, outside + " overlaps " + other.outside() + ", which is seen at "
                    + other.seen()));
            surroundings.pools().values().forEach(pool -> pool.prefixes().stream().filter(outside::overlaps)
                .forEach(prefix -> add(outsideLeaf, outside + " overlaps " + prefix + " of pool " + pool.name())));
        }
    }

    /** Some prefixes are of no network (RFC 6890; RFC 5771 for multicast). */
    private void checkOfHosts(final String leaf, final Prefix prefix) {
        Validator.notOfHosts(prefix).ifPresent(rule -> add(leaf, rule));
    }

    private void checkReferences() {
        tenant.egressAcl().filter(name -> !surroundings.acls().containsKey(name))
            .ifPresent(name -> add("egress-acl", Validator.unknown("acl", name, surroundings.acls())));
        tenant.chain().ifPresent(name -> checkChain("chain", name));
        if (!tenant.chains().isEmpty() && tenant.nat().isEmpty() && !tenant.ipv6().isPresent()) {
            add("chain", "the tenant has no nat; a chain needs it, because it is between the VRF and the backbone");
        }
        checkChainRules();
    }

    private void checkChain(final String leaf, final String name) {
        if (!surroundings.chains().containsKey(name)) {
            add(leaf, Validator.unknown("chain", name, surroundings.chains()));
            return;
        }
        for (final NetworkFunction function : surroundings.functionsOf(name)) {
            if (function != null
                    && tenant.attachments().stream().anyMatch(each -> !each.node().equals(function.node()))) {
                add(leaf, "function " + function.name() + " is on node " + function.node()
                    + ", and the tenant has no attachment there");
            }
            if (function != null) {
                function.routed().ifPresent(routed -> checkRouter(leaf, function.name(), routed));
            }
        }
    }

    private void checkRouter(final String leaf, final String name, final NetworkFunction.Routed routed) {
        if (tenant.ipv6().isPresent()) {
            add(leaf, "function " + name + " routes IPv4 only, and the tenant has ipv6");
        }
        routed.links().values().stream().flatMap(link -> Stream.of(link.address(), link.gateway()))
            .forEach(address -> Stream.concat(inside.stream(),
                    tenant.nat().stream().flatMap(nat -> nat.twice().stream()).map(Tenant.Twice::seen))
                .filter(prefix -> prefix.contains(address))
                .forEach(prefix -> add(leaf, "function " + name + " has " + address + ", which is in "
                    + prefix + " of this tenant")));
    }

    private void checkChainRules() {
        int entries = 0;
        final Map<Integer, String> priorities = new HashMap<>();
        for (final ChainRule rule : tenant.chainRules()) {
            if (isFull()) {
                return;
            }
            final String leaf = "chain-rule " + rule.name();
            rule.chain().ifPresent(name -> checkChain(leaf + " / chain", name));
            final String other = priorities.putIfAbsent(rule.priority(), rule.name());
            if (other != null) {
                add(leaf + " / priority", "rule " + other + " has priority " + rule.priority()
                    + " as well; every rule of a tenant needs another priority");
            }
            final Acl acl = surroundings.acls().get(rule.acl());
            if (acl == null) {
                add(leaf + " / acl", Validator.unknown("acl", rule.acl(), surroundings.acls()));
                continue;
            }
            entries += acl.entries().size();
            acl.entries().stream().filter(entry -> !entry.permit()).limit(MOST_VIOLATIONS)
                .forEach(entry -> add(leaf + " / acl", "entry " + entry.name() + " of list " + acl.name()
                    + " does not accept; every entry of a chain-rule's list has to"));
        }
        if (entries > Priority.CHAIN_RULES) {
            add("chain-rule", entries + " entries in the lists of all rules are more than " + Priority.CHAIN_RULES);
        }
        if (tenant.chains().size() > Constants.MOST_CHAINS) {
            add("chain-rule", tenant.chains().size() + " chains are more than " + Constants.MOST_CHAINS);
        }
        if (!tenant.chainRules().isEmpty() && tenant.nat().stream().anyMatch(nat -> !nat.twice().isEmpty())) {
            add("chain-rule", "a tenant with nat / twice has one chain only");
        }
    }

    /** Further ones are not told, so they need not be found. */
    private boolean isFull() {
        return violations.size() >= MOST_VIOLATIONS;
    }

    private void add(final String leaf, final String rule) {
        if (!isFull()) {
            violations.add(new Violation("tenant " + tenant.name(), leaf, rule));
        }
    }
}
