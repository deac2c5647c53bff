// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rules for tenants among each other, after those for each alone. */
final class AmongTenantsRules {
    /** Where a frame comes in. */
    private record Place(String node, String port, int vlan) { }

    /** Who has public addresses of his own. */
    private record Mapped(String tenant, Tenant.Mapping mapping) { }

    private final Snapshot snapshot;
    private final Snapshot before;
    private final Allocations allocations;
    private final boolean stored;
    private final List<Violation> violations = new ArrayList<>();
    private final Map<Place, String> vlanOwners = new HashMap<>();
    private final NavigableMap<Long, String> addressOwners = new TreeMap<>();
    /** By first address; they do not overlap. */
    private final NavigableMap<Long, Mapped> prefixOwners = new TreeMap<>();
    private final Prefix6Owners prefix6Owners = new Prefix6Owners();
    private final Map<Long, String> addressesFromPools = new HashMap<>();
    private final Map<String, String> functionUsers = new HashMap<>();
    private final Map<String, Long> poolUsers = new HashMap<>();
    private final Map<String, Long> poolSizes = new HashMap<>();
    private final SortedMap<String, Integer> movedByPool = new TreeMap<>();

    /**
     * Rules for a snapshot after another one.
     *
     * @param stored whether the snapshot was accepted before, so that tenants may have drained addresses
     */
    AmongTenantsRules(final Snapshot snapshot, final Snapshot before, final Allocations allocations,
            final boolean stored) {
        this.snapshot = snapshot;
        this.before = before;
        this.allocations = allocations;
        this.stored = stored;
    }

    /**
     * All rules that are broken.
     *
     * @param alone the rules that a tenant breaks by itself
     */
    List<Violation> validate(final Function<Tenant, List<Violation>> alone) {
        final List<Tenant> tenants = oldestFirst();
        tenants.forEach(this::noteAddresses);
        for (final Tenant tenant : tenants) {
            violations.addAll(alone.apply(tenant));
            checkVlans(tenant);
            checkAddress(tenant);
            checkMappings(tenant);
            checkTwice(tenant);
            checkBlocks(tenant);
            checkLeases(tenant);
            checkPrefixes6(tenant);
            checkPool(tenant);
            checkChain(tenant);
        }
        checkIds(tenants);
        movedByPool.forEach((pool, moved) -> violations.add(new Violation("pool " + pool, "prefix",
            "the change takes the addresses of " + count(moved, "tenant")
                + " and ends their connections; set force to true to permit it")));
        return violations;
    }

    /** Whoever was there first keeps what two want, so that the error names the one that came. */
    private List<Tenant> oldestFirst() {
        final List<Tenant> tenants = new ArrayList<>(snapshot.tenants().size());
        final List<Tenant> came = new ArrayList<>();
        for (final Tenant tenant : snapshot.tenants().values()) {
            (allocations.tenants().containsKey(tenant.name()) ? tenants : came).add(tenant);
        }
        tenants.addAll(came);
        return tenants;
    }

    private void noteAddresses(final Tenant tenant) {
        prefix6Owners.note(tenant);
        if (tenant.nat().isEmpty()) {
            return;
        }
        final Tenant.Nat nat = tenant.nat().orElseThrow();
        nat.address().ifPresent(address -> addressOwners.putIfAbsent(address, tenant.name()));
        nat.mappings().stream().filter(mapping -> owner(mapping.outside()) == null)
            .forEach(mapping -> prefixOwners.put(mapping.outside().address(), new Mapped(tenant.name(), mapping)));
        final TenantAllocation given = allocations.tenants().get(tenant.name());
        if (given != null && nat.pool().map(snapshot.pools()::get)
                .filter(pool -> pool.contains(given.publicAddress())).isPresent()) {
            addressesFromPools.put(given.publicAddress(), tenant.name());
        }
    }

    private void checkVlans(final Tenant tenant) {
        for (final Tenant.Attachment attachment : tenant.attachments()) {
            final String owner = vlanOwners.putIfAbsent(
                new Place(attachment.node(), attachment.port(), attachment.vlan()), tenant.name());
            if (owner != null) {
                add(tenant, "attachment " + attachment.name() + " / vlan", attachment.vlan() + " on port "
                    + attachment.port() + " of node " + attachment.node() + " is taken by tenant " + owner);
            }
        }
    }

    private void checkAddress(final Tenant tenant) {
        tenant.nat().flatMap(Tenant.Nat::address).ifPresent(address -> {
            final String owner = addressOwners.get(address);
            final String leaf = "nat / public-address";
            if (!tenant.name().equals(owner)) {
                add(tenant, leaf, Ipv4.text(address) + " is taken by tenant " + owner);
            }
            final String keeper = addressesFromPools.get(address);
            if (keeper != null) {
                add(tenant, leaf, Ipv4.text(address) + " is allocated to tenant " + keeper + " from its pool");
            }
        });
    }

    /** Who has an address of a prefix by a mapping; null when nobody has. */
    private @Nullable Mapped owner(final Prefix prefix) {
        final Map.Entry<Long, Mapped> last = prefixOwners.lowerEntry(prefix.end());
        return last != null && last.getValue().mapping().outside().overlaps(prefix) ? last.getValue() : null;
    }

    private void checkMappings(final Tenant tenant) {
        for (final Tenant.Mapping mapping : tenant.nat().map(Tenant.Nat::mappings).orElse(List.of())) {
            checkUnowned(tenant, "nat / " + mapping.kind() + " " + mapping.inside() + " / public-prefix",
                mapping.outside(), Optional.of(new Mapped(tenant.name(), mapping)));
        }
    }

    /** What goes to a public address of ours turns round here, whatever network has it too. */
    private void checkTwice(final Tenant tenant) {
        for (final Tenant.Twice mapping : tenant.nat().map(Tenant.Nat::twice).orElse(List.of())) {
            checkUnowned(tenant, "nat / twice " + mapping.seen() + " / outside-prefix", mapping.outside(),
                Optional.empty());
        }
    }

    /** Nobody but {@code self} has an address of a prefix. */
    private void checkUnowned(final Tenant tenant, final String leaf, final Prefix outside,
            final Optional<Mapped> self) {
        final Mapped owner = owner(outside);
        if (owner != null && !self.equals(Optional.of(owner))) {
            add(tenant, leaf, outside + " overlaps " + owner.mapping().outside() + " of tenant " + owner.tenant());
        }
        addressOwners.subMap(outside.address(), outside.end()).forEach((address, name) -> add(tenant, leaf,
            outside + " contains the public address " + Ipv4.text(address) + " of tenant " + name));
    }

    /** Blocks of an entry that is gone are meant to go; those of one that is changed may have been overlooked. */
    private void checkBlocks(final Tenant tenant) {
        final TenantAllocation given = allocations.tenants().get(tenant.name());
        if (given == null || given.blocks().isEmpty() || tenant.nat().isEmpty()) {
            return;
        }
        for (final Tenant.PortBlocks mapping : tenant.nat().orElseThrow().portBlocks()) {
            final List<Allocations.Block> cut = mapping.force() ? List.of() : given.blocks().stream()
                .filter(block -> mapping.inside().contains(block.subscriber()) && !block.isOf(mapping)).toList();
            if (!cut.isEmpty()) {
                final String leaf = cut.stream().allMatch(block -> mapping.outside().contains(block.address()))
                    ? "block-size" : "public-prefix";
                add(tenant, "nat / port-block " + mapping.inside() + " / " + leaf, "the change takes "
                    + count(cut.size(), "port block") + " from "
                    + count(cut.stream().map(Allocations.Block::subscriber).distinct().count(), "subscriber")
                    + " and ends their connections; set force to true to permit it");
            }
        }
    }

    private void checkPrefixes6(final Tenant tenant) {
        if (tenant.ipv6().insidePrefixes().isEmpty()) {
            return;
        }
        final Set<Prefix6> subnets =
            tenant.ipv6().subnets().stream().map(Ipv6Side.Subnet::prefix).collect(Collectors.toSet());
        for (final Prefix6 prefix : tenant.ipv6().insidePrefixes()) {
            prefix6Owners.other(tenant, prefix).ifPresent(owned -> add(tenant, "ipv6 / "
                + (subnets.contains(prefix) ? "subnet " : "route ") + prefix + " / prefix", prefix + " overlaps "
                + owned.prefix() + " of tenant " + owned.tenant()));
        }
    }

    private void checkLeases(final Tenant tenant) {
        final TenantAllocation given = allocations.tenants().get(tenant.name());
        if (given != null) {
            ProtectionRules.checkUse(tenant, given.leases(), (leaf, rule) -> add(tenant, leaf, rule));
        }
    }

    private static String count(final long number, final String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private void checkPool(final Tenant tenant) {
        final Pool pool = tenant.nat().flatMap(Tenant.Nat::pool).map(snapshot.pools()::get).orElse(null);
        if (pool == null) {
            return;
        }
        final TenantAllocation given = allocations.tenants().get(tenant.name());
        final boolean keeps = given != null && pool.contains(given.publicAddress());
        if (given != null && keeps && pool.drains(given.publicAddress())) {
            return;
        }
        final long drained = stored ? 0 : pool.drain().stream().mapToLong(Prefix::size).sum();
        final long free = poolSizes.computeIfAbsent(pool.name(), name -> pool.size() - drained - addressOwners.keySet()
            .stream().filter(each -> pool.contains(each) && (stored || !pool.drains(each))).count());
        if (poolUsers.merge(pool.name(), 1L, Long::sum) > free) {
            add(tenant, "nat / pool", "pool " + pool.name() + " is exhausted: its size is " + pool.size()
                + (drained == 0 ? "" : ", less " + drained + " drained"));
        }
        final Tenant was = before.tenants().get(tenant.name());
        if (!keeps && given != null && !pool.force() && was != null && wasOf(pool, was, given)) {
            movedByPool.merge(pool.name(), 1, Integer::sum);
        }
    }

    /** Whether a tenant had its address from a pool before the pool was changed. */
    private boolean wasOf(final Pool pool, final Tenant was, final TenantAllocation given) {
        final Pool old = before.pools().get(pool.name());
        return old != null && old.contains(given.publicAddress())
            && was.nat().flatMap(Tenant.Nat::pool).equals(Optional.of(pool.name()));
    }

    private void checkChain(final Tenant tenant) {
        if (tenant.chains().isEmpty()) {
            return;
        }
        final List<NetworkFunction> functions =
            snapshot.functionsOf(tenant).stream().filter(Objects::nonNull).toList();
        final long keeping = functions.stream().filter(NetworkFunction::keepsConnections).count();
        if (keeping > Constants.MOST_KEEPING) {
            add(tenant, "chain", keeping + " functions with instances or a second output are more than "
                + Constants.MOST_KEEPING);
        }
        for (final NetworkFunction function : functions) {
            final String user = functionUsers.putIfAbsent(function.name(), tenant.name());
            if (user != null && !function.shared()) {
                add(tenant, "chain",
                    "function " + function.name() + " is not shared, and tenant " + user + " uses it");
            }
        }
    }

    /**
     * Each node has so many VRF ids, and so many of them that can be 802.1Q tags, which tenants with a chain need. One
     * without a chain that has such an id keeps it.
     */
    private void checkIds(final List<Tenant> tenants) {
        final Map<String, Integer> ids = new HashMap<>();
        final Map<String, Integer> tags = new HashMap<>();
        for (final Tenant tenant : tenants) {
            final TenantAllocation kept = allocations.tenants().get(tenant.name());
            for (final String node : tenant.nodes()) {
                ids.merge(node, 1, Integer::sum);
                if (tenant.hasChain() || kept != null && hasTag(kept, node)) {
                    tags.merge(node, 1, Integer::sum);
                }
            }
        }
        // Nearly always no node has too many, and then no tenant needs to be looked at.
        if (ids.values().stream().allMatch(number -> number <= VrfId.LAST - VrfId.FIRST + 1)
                && tags.values().stream().allMatch(number -> number <= VrfId.LAST_TAG - VrfId.FIRST + 1)) {
            return;
        }
        for (final Tenant tenant : tenants) {
            final TenantAllocation kept = allocations.tenants().get(tenant.name());
            for (final String node : tenant.nodes()) {
                if (ids.getOrDefault(node, 0) > VrfId.LAST - VrfId.FIRST + 1) {
                    add(tenant, "attachment", "node " + node + " has more tenants than there are VRF ids, which are "
                        + (VrfId.LAST - VrfId.FIRST + 1));
                }
                final boolean hasTag = kept != null && wasOn(tenant, node) && hasTag(kept, node);
                if (tenant.hasChain() && !hasTag
                        && tags.getOrDefault(node, 0) > VrfId.LAST_TAG - VrfId.FIRST + 1) {
                    add(tenant, "chain", "every VRF id of node " + node + " up to " + VrfId.LAST_TAG
                        + " is in use, and no other can be an 802.1Q tag");
                }
            }
        }
    }

    private static boolean hasTag(final TenantAllocation kept, final String node) {
        return kept.vrf(node).filter(VrfId::isTag).isPresent();
    }

    /** Whether a tenant was on a node before; its id may be another one's VRF id on a node that it comes to. */
    private boolean wasOn(final Tenant tenant, final String node) {
        final Tenant was = before.tenants().get(tenant.name());
        return was == null || was.nodes().contains(node);
    }

    private void add(final Tenant tenant, final String leaf, final String rule) {
        if (violations.size() < Violation.MOST) {
            violations.add(new Violation("tenant " + tenant.name(), leaf, rule));
        }
    }
}
