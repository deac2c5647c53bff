// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Of the things that one tenant alone may have, the tenants that have them. Tenants claim them one after the other; of
 * two that claim the same, the later one is refused, and the earlier one keeps it. Stays from one check of the rules to
 * the next, so that a check costs what differs. Not for several threads.
 */
final class Claims {
    private static final String PUBLIC_ADDRESS = "nat / public-address";

    private final Map<Place, String> vlans = new HashMap<>();
    private final NavigableMap<Ipv4, String> addresses = new TreeMap<>();
    private final PrefixOwners mapped = new PrefixOwners();
    /** Packets to a public address of the network turn round here, whatever other network has the address too. */
    private final PrefixOwners twice = new PrefixOwners();
    private final Prefix6Owners prefixes6 = new Prefix6Owners();
    private final Map<String, String> functions = new HashMap<>();
    private final Map<String, Set<String>> poolUsers = new HashMap<>();
    private final PrefixOwners pools = new PrefixOwners();

    /** Nothing is claimed. Pools are those of a snapshot. */
    Claims(final Snapshot snapshot) {
        snapshot.pools().values().forEach(pool -> pool.prefixes().forEach(prefix -> pools.add(pool.name(), prefix)));
    }

    /** Where a frame comes in. */
    private record Place(String node, String port, int vlan) {
        static Place of(final Tenant.Attachment attachment) {
            return new Place(attachment.node(), attachment.port(), attachment.vlan());
        }
    }

    /**
     * Claims all that a tenant needs, after it has released all that it had.
     *
     * @param snapshot has the chains and functions of the tenant
     * @param refused takes leaf and rule of each thing that another one has
     */
    void claim(final Tenant tenant, final Snapshot snapshot, final BiConsumer<String, String> refused) {
        claimVlans(tenant, refused);
        tenant.nat().ifPresent(nat -> {
            nat.address().ifPresent(address -> claimAddress(tenant.name(), address, refused));
            nat.mappings().forEach(mapping -> claimMapping(tenant.name(), mapping, refused));
            nat.twice().forEach(mapping -> claimTwice(tenant.name(), mapping, refused));
            nat.pool().ifPresent(pool -> poolUsers.computeIfAbsent(pool, name -> new HashSet<>()).add(tenant.name()));
        });
        claimPrefixes6(tenant, refused);
        ofOneTenant(tenant, snapshot).forEach(function -> {
            final String user = functions.putIfAbsent(function, tenant.name());
            if (user != null) {
                refused.accept("chain", "function " + function + " is not shared, and tenant " + user + " uses it");
            }
        });
    }

    /** Gives back all that a tenant has. */
    void release(final Tenant tenant, final Snapshot snapshot) {
        tenant.attachments().forEach(attachment -> vlans.remove(Place.of(attachment), tenant.name()));
        tenant.nat().ifPresent(nat -> {
            nat.address().ifPresent(address -> addresses.remove(address, tenant.name()));
            nat.mappings().forEach(mapping -> mapped.remove(tenant.name(), mapping.outside()));
            nat.twice().forEach(mapping -> twice.remove(tenant.name(), mapping.outside()));
            nat.pool().ifPresent(pool -> poolUsers.computeIfPresent(pool, (name, users) -> {
                users.remove(tenant.name());
                return users.isEmpty() ? null : users;
            }));
        });
        prefixes6.release(tenant);
        ofOneTenant(tenant, snapshot).forEach(function -> functions.remove(function, tenant.name()));
    }

    /** The pool that an address is of. */
    Optional<String> poolOf(final Ipv4 address) {
        return pools.overlapping(Prefix.host(address)).map(PrefixOwners.Owned::owner);
    }

    /** Names of the tenants that are to have an address of a pool. */
    Set<String> usersOf(final String pool) {
        return poolUsers.getOrDefault(pool, Set.of());
    }

    /** The public addresses of a prefix that tenants have by hand. */
    Set<Ipv4> addressesIn(final Prefix prefix) {
        return addresses.subMap(prefix.address(), true, prefix.last(), true).keySet();
    }

    private void claimVlans(final Tenant tenant, final BiConsumer<String, String> refused) {
        for (final Tenant.Attachment attachment : tenant.attachments()) {
            final String owner = vlans.putIfAbsent(Place.of(attachment), tenant.name());
            if (owner != null) {
                refused.accept("attachment " + attachment.name() + " / vlan", attachment.vlan() + " on port "
                    + attachment.port() + " of node " + attachment.node() + " is taken by tenant " + owner);
            }
        }
    }

    private void claimAddress(final String tenant, final Ipv4 address, final BiConsumer<String, String> refused) {
        final String owner = addresses.putIfAbsent(address, tenant);
        if (owner != null) {
            refused.accept(PUBLIC_ADDRESS, address + " is taken by tenant " + owner);
        }
        final Prefix host = Prefix.host(address);
        mapped.overlapping(host).or(() -> twice.overlapping(host)).ifPresent(owned -> refused.accept(PUBLIC_ADDRESS,
            address + " is in " + owned.prefix() + " of tenant " + owned.owner()));
    }

    private void claimMapping(final String tenant, final Tenant.Mapping mapping,
            final BiConsumer<String, String> refused) {
        final String leaf = "nat / " + mapping.kind() + " " + mapping.inside() + " / public-prefix";
        if (isFree(mapping.outside(), leaf, refused)) {
            twice.overlapping(mapping.outside()).ifPresent(owned ->
                refused.accept(leaf, overlaps(mapping.outside(), owned)));
            mapped.add(tenant, mapping.outside());
        }
    }

    private void claimTwice(final String tenant, final Tenant.Twice mapping, final BiConsumer<String, String> refused) {
        isFree(mapping.outside(), "nat / twice " + mapping.seen() + " / outside-prefix", refused);
        twice.add(tenant, mapping.outside());
    }

    /** Whether no mapping has an address of a prefix; says so otherwise, and which addresses of it tenants have. */
    private boolean isFree(final Prefix outside, final String leaf, final BiConsumer<String, String> refused) {
        final Optional<PrefixOwners.Owned> overlapping = mapped.overlapping(outside);
        overlapping.ifPresent(owned -> refused.accept(leaf, overlaps(outside, owned)));
        addresses.subMap(outside.address(), true, outside.last(), true).forEach((address, name) ->
            refused.accept(leaf, outside + " contains the public address " + address + " of tenant " + name));
        return overlapping.isEmpty();
    }

    private static String overlaps(final Prefix outside, final PrefixOwners.Owned owned) {
        return outside + " overlaps " + owned.prefix() + " of tenant " + owned.owner();
    }

    private void claimPrefixes6(final Tenant tenant, final BiConsumer<String, String> refused) {
        if (tenant.ipv6().insidePrefixes().isEmpty()) {
            return;
        }
        final Set<Prefix6> subnets =
            tenant.ipv6().subnets().stream().map(Ipv6Side.Subnet::prefix).collect(Collectors.toSet());
        for (final Prefix6 prefix : tenant.ipv6().insidePrefixes()) {
            prefixes6.claim(tenant, prefix).ifPresent(owned -> refused.accept("ipv6 / "
                + (subnets.contains(prefix) ? "subnet " : "route ") + prefix + " / prefix", prefix + " overlaps "
                + owned.prefix() + " of tenant " + owned.tenant()));
        }
    }

    /** The functions of a tenant's chains that no other tenant may use. */
    private static List<String> ofOneTenant(final Tenant tenant, final Snapshot snapshot) {
        return tenant.chains().isEmpty() ? List.of() : snapshot.functionsOf(tenant).stream().filter(Objects::nonNull)
            .filter(function -> !function.shared()).map(NetworkFunction::name).toList();
    }
}
