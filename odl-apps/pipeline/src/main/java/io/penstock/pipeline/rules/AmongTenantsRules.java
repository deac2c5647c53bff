// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rules for tenants among each other, after those for each alone. Those that differ are judged; an error names the
 * tenant that came, and not the one that it is in conflict with.
 */
final class AmongTenantsRules {
    private static final int IDS = VrfId.LAST - VrfId.FIRST + 1;
    private static final int TAGS = VrfId.LAST_TAG - VrfId.FIRST + 1;

    private final Snapshot snapshot;
    private final Snapshot before;
    private final Allocations allocations;
    private final boolean stored;
    private final Claims claims;
    private final List<Violation> violations = new ArrayList<>();
    private final SortedMap<String, Integer> movedByPool = new TreeMap<>();
    private @Nullable Map<Ipv4, String> fromPools;

    /**
     * Rules for a snapshot after another one.
     *
     * @param stored whether the snapshot was accepted before, so that tenants may have drained addresses
     * @param claims those of the tenants that are not judged
     */
    AmongTenantsRules(final Snapshot snapshot, final Snapshot before, final Allocations allocations,
            final boolean stored, final Claims claims) {
        this.snapshot = snapshot;
        this.before = before;
        this.allocations = allocations;
        this.stored = stored;
        this.claims = claims;
    }

    /**
     * All rules that tenants break. They claim what they need, too.
     *
     * @param tenants those that are judged
     * @param alone the rules that a tenant breaks by itself
     */
    List<Violation> validate(final List<Tenant> tenants, final Function<Tenant, List<Violation>> alone) {
        final List<Tenant> judged = oldestFirst(tenants);
        for (final Tenant tenant : judged) {
            violations.addAll(alone.apply(tenant));
            claims.claim(tenant, snapshot, (leaf, rule) -> add(tenant, leaf, rule));
            checkAddress(tenant);
            checkBlocks(tenant);
            checkLeases(tenant);
            checkMove(tenant);
            checkChain(tenant);
        }
        checkPools(judged);
        checkIds(judged);
        movedByPool.forEach((pool, moved) -> violations.add(new Violation("pool " + pool, "prefix",
            "the change takes the addresses of " + count(moved, "tenant")
                + " and ends their connections; set force to true to permit it")));
        return violations;
    }

    /** A tenant that was there first keeps what two want, so that the error names the one that came. */
    private List<Tenant> oldestFirst(final List<Tenant> tenants) {
        final List<Tenant> sorted = new ArrayList<>(tenants.size());
        final List<Tenant> came = new ArrayList<>();
        for (final Tenant tenant : tenants) {
            (allocations.tenants().containsKey(tenant.name()) ? sorted : came).add(tenant);
        }
        sorted.addAll(came);
        return sorted;
    }

    private void checkAddress(final Tenant tenant) {
        tenant.nat().flatMap(Tenant.Nat::address).ifPresent(address -> {
            final String keeper = claims.poolOf(address).isPresent() ? fromPools().get(address) : null;
            if (keeper != null) {
                add(tenant, "nat / public-address",
                    address + " is allocated to tenant " + keeper + " from its pool");
            }
        });
    }

    /** Tenants by the address that they have from their pool. */
    private Map<Ipv4, String> fromPools() {
        Map<Ipv4, String> known = fromPools;
        if (known == null) {
            known = new HashMap<>();
            for (final Map.Entry<String, TenantAllocation> given : allocations.tenants().entrySet()) {
                final Tenant tenant = snapshot.tenants().get(given.getKey());
                final Ipv4 address = given.getValue().publicAddress().orElse(null);
                if (tenant != null && address != null
                        && poolOf(tenant).filter(pool -> pool.contains(address)).isPresent()) {
                    known.put(address, given.getKey());
                }
            }
            fromPools = known;
        }
        return known;
    }

    private Optional<Pool> poolOf(final Tenant tenant) {
        return tenant.nat().flatMap(Tenant.Nat::pool).map(snapshot.pools()::get);
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

    private void checkLeases(final Tenant tenant) {
        final TenantAllocation given = allocations.tenants().get(tenant.name());
        if (given != null) {
            ProtectionRules.checkUse(tenant, given.leases(), (leaf, rule) -> add(tenant, leaf, rule));
        }
    }

    private static String count(final long number, final String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private void checkMove(final Tenant tenant) {
        final TenantAllocation given = allocations.tenants().get(tenant.name());
        final Tenant was = before.tenants().get(tenant.name());
        if (given != null && was != null) {
            poolOf(tenant).filter(pool -> !has(pool, given) && !pool.force()
                && wasOf(pool, was, given)).ifPresent(pool -> movedByPool.merge(pool.name(), 1, Integer::sum));
        }
    }

    private static boolean has(final Pool pool, final TenantAllocation given) {
        return given.publicAddress().filter(pool::contains).isPresent();
    }

    /** Whether a tenant had its address from a pool before the pool was changed. */
    private boolean wasOf(final Pool pool, final Tenant was, final TenantAllocation given) {
        final Pool old = before.pools().get(pool.name());
        return old != null && has(old, given)
            && was.nat().flatMap(Tenant.Nat::pool).equals(Optional.of(pool.name()));
    }

    /** Of a pool that has too few addresses, the last tenants that want one, or take one away by hand, are refused. */
    private void checkPools(final List<Tenant> judged) {
        final SortedMap<String, List<Tenant>> wanting = new TreeMap<>();
        judged.forEach(tenant -> tenant.nat().flatMap(this::wanted).ifPresent(pool -> {
            if (tenant.nat().flatMap(Tenant.Nat::address).isPresent() || !keepsDrained(tenant.name(), pool)) {
                wanting.computeIfAbsent(pool.name(), name -> new ArrayList<>()).add(tenant);
            }
        }));
        wanting.forEach((name, tenants) -> {
            final Pool pool = requireNonNull(snapshot.pools().get(name));
            final long drained = stored ? 0 : pool.drain().stream().mapToLong(Prefix::size).sum();
            final long missing = Math.max(0, users(pool) - (pool.size() - drained - byHand(pool)));
            tenants.stream().skip(Math.max(0, tenants.size() - missing)).forEach(tenant -> add(tenant,
                tenant.nat().flatMap(Tenant.Nat::pool).isPresent() ? "nat / pool" : "nat / public-address",
                "pool " + name + " is exhausted: its size is " + pool.size()
                    + (drained == 0 ? "" : ", less " + drained + " drained")));
        });
    }

    /** The pool that an address is taken of, by the allocator or by hand. */
    private Optional<Pool> wanted(final Tenant.Nat nat) {
        return nat.pool().map(snapshot.pools()::get).or(() -> nat.address().flatMap(address -> claims.poolOf(address)
            .map(snapshot.pools()::get).filter(pool -> stored || !pool.drains(address))));
    }

    /** Whether a tenant goes on with a drained address, which no other one has been given by hand meanwhile. */
    private boolean keepsDrained(final String tenant, final Pool pool) {
        final TenantAllocation given = allocations.tenants().get(tenant);
        return given != null && given.publicAddress().filter(address -> pool.contains(address) && pool.drains(address)
            && claims.addressesIn(Prefix.host(address)).isEmpty()).isPresent();
    }

    private long users(final Pool pool) {
        final Set<String> users = claims.usersOf(pool.name());
        return pool.drain().isEmpty() ? users.size()
            : users.stream().filter(tenant -> !keepsDrained(tenant, pool)).count();
    }

    private long byHand(final Pool pool) {
        return pool.prefixes().stream().flatMap(prefix -> claims.addressesIn(prefix).stream())
            .filter(address -> stored || !pool.drains(address)).count();
    }

    private void checkChain(final Tenant tenant) {
        if (tenant.chains().isEmpty()) {
            return;
        }
        final long keeping = snapshot.functionsOf(tenant).stream().filter(Objects::nonNull)
            .filter(NetworkFunction::keepsConnections).count();
        if (keeping > Constants.MOST_KEEPING) {
            add(tenant, "chain", keeping + " functions with instances or a second output are more than "
                + Constants.MOST_KEEPING);
        }
    }

    /**
     * Each node has so many VRF ids, and so many of them that can be 802.1Q tags, which tenants with a chain need. One
     * without a chain that has such an id keeps it.
     */
    private void checkIds(final List<Tenant> judged) {
        final Set<String> nodes = new HashSet<>();
        judged.forEach(tenant -> nodes.addAll(tenant.nodes()));
        final Map<String, Long> tags = new HashMap<>();
        // Nearly always no node has too many, and then no tenant needs to be looked at.
        nodes.removeIf(node -> snapshot.tenantsOn(node).size() <= TAGS);
        nodes.forEach(node -> tags.put(node, snapshot.tenantsOn(node).stream()
            .filter(tenant -> tenant.hasChain() || hasTag(tenant, node)).count()));
        if (nodes.isEmpty()) {
            return;
        }
        for (final Tenant tenant : judged) {
            for (final String node : tenant.nodes()) {
                if (snapshot.tenantsOn(node).size() > IDS) {
                    add(tenant, "attachment", "node " + node + " has more tenants than there are VRF ids, which are "
                        + IDS);
                }
                if (tenant.hasChain() && tags.getOrDefault(node, 0L) > TAGS
                        && !(wasOn(tenant, node) && hasTag(tenant, node))) {
                    add(tenant, "chain", "every VRF id of node " + node + " up to " + VrfId.LAST_TAG
                        + " is in use, and no other can be an 802.1Q tag");
                }
            }
        }
    }

    private boolean hasTag(final Tenant tenant, final String node) {
        final TenantAllocation kept = allocations.tenants().get(tenant.name());
        return kept != null && kept.vrf(node).filter(VrfId::isTag).isPresent();
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
