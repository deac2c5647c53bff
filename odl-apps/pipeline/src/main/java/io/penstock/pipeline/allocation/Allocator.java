// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Hands out ids and addresses: who has one keeps it, who is new gets one, who is gone gives it back. A function without
 * state; the snapshot must not break a rule.
 */
public final class Allocator {
    private static final int FIRST_PORT = 1;
    /** An id is one of a node that was removed as late as possible: that node's switch may still be there. */
    private static final int LAST_NODE = 65_535;

    private Allocator() {
        // Only functions.
    }

    /** The allocations for a snapshot, given the ones before. Equal to those when nothing is to change. */
    public static Allocations allocate(final Snapshot snapshot, final Allocations before) {
        return allocate(snapshot, before, Snapshot.empty());
    }

    /**
     * The same, which costs less for each tenant that is the same object as in another snapshot.
     *
     * @param served the snapshot for which {@code before} was allocated
     */
    public static Allocations allocate(final Snapshot snapshot, final Allocations before, final Snapshot served) {
        final SortedMap<String, Integer> nodes =
            number(snapshot.nodes().keySet(), before.nodes(), before.lastNode() % LAST_NODE + 1);
        final SortedMap<String, SortedMap<String, Integer>> ports = new TreeMap<>();
        for (final Node node : snapshot.nodes().values()) {
            final List<String> names = Stream.concat(
                node.ports().stream().map(Node.Port::name),
                snapshot.functionPortsOn(node.name()).values().stream().flatMap(List::stream)).toList();
            ports.put(node.name(), number(names, before.ports().getOrDefault(node.name(), new TreeMap<>()),
                FIRST_PORT));
        }
        return allocateTenants(snapshot, before, nodes, ports, Unchanged.between(served, snapshot));
    }

    private static SortedMap<String, Integer> number(final Iterable<String> names,
            final SortedMap<String, Integer> before, final int first) {
        final SortedMap<String, Integer> numbers = new TreeMap<>();
        for (final String name : names) {
            if (before.containsKey(name)) {
                numbers.put(name, before.get(name));
            }
        }
        final Set<Integer> taken = new HashSet<>(numbers.values());
        int next = first;
        for (final String name : names) {
            if (!numbers.containsKey(name)) {
                while (!taken.add(next)) {
                    next = next % LAST_NODE + 1;
                }
                numbers.put(name, next);
            }
        }
        return numbers;
    }

    private static Allocations allocateTenants(final Snapshot snapshot, final Allocations before,
            final SortedMap<String, Integer> nodes, final SortedMap<String, SortedMap<String, Integer>> ports,
            final Unchanged unchanged) {
        final IdentityHashMap<Tenant, TenantAllocation> kept = new IdentityHashMap<>(snapshot.tenants().size());
        final Set<Long> byHand = new HashSet<>();
        snapshot.tenants().values().forEach(tenant -> tenant.nat().flatMap(Tenant.Nat::address).ifPresent(byHand::add));
        final Set<Long> addresses = new HashSet<>(byHand);
        for (final Tenant tenant : snapshot.tenants().values()) {
            final TenantAllocation had = before.tenants().get(tenant.name());
            if (had != null) {
                kept.put(tenant, had);
            }
            if (unchanged.keeps(tenant, had, byHand)) {
                addresses.add(requireNonNull(had).publicAddress());
            } else {
                keptAddress(snapshot, tenant, had, byHand).ifPresent(addresses::add);
            }
        }
        final VrfIds ids = new VrfIds(snapshot, before);
        final Map<String, TenantAllocation> tenants = new HashMap<>(2 * snapshot.tenants().size());
        final Map<String, Free> free = new HashMap<>();
        for (final Tenant tenant : snapshot.tenants().values()) {
            final TenantAllocation had = kept.get(tenant);
            if (unchanged.keeps(tenant, had, byHand) && requireNonNull(had).vrfs().equals(ids.vrfs(tenant.name()))) {
                tenants.put(tenant.name(), had);
                continue;
            }
            final long address = publicAddress(snapshot, tenant, had, byHand, addresses, free);
            final List<Allocations.Block> blocks = had == null ? List.of() : BlockAllocator.kept(tenant, had.blocks());
            final TenantAllocation now = new TenantAllocation(ids.id(tenant.name()), address, blocks,
                keptLeases(tenant, had),
                number(keepingFunctions(snapshot, tenant), had == null ? new TreeMap<>() : had.places(), 0),
                ids.vrfs(tenant.name()));
            tenants.put(tenant.name(), now.equals(had) ? had : now);
        }
        final SortedMap<String, List<CanaryResult>> canaries = new TreeMap<>(before.canaries());
        canaries.keySet().retainAll(snapshot.functions().keySet());
        return new Allocations(ids.lastVrf(), nodes, ports, Collections.unmodifiableMap(tenants),
            Collections.unmodifiableSortedMap(canaries), before.secret(), lastNode(nodes, before),
            ids.lastLarge());
    }

    /** Tells which tenants keep all that they have: nearly all of them, at nearly every change. */
    private record Unchanged(Set<String> differing, boolean shared) {
        static Unchanged between(final Snapshot served, final Snapshot snapshot) {
            return new Unchanged(snapshot.tenantsDifferingFrom(served), served.pools().equals(snapshot.pools())
                && served.functions().equals(snapshot.functions()) && served.chains().equals(snapshot.chains()));
        }

        boolean keeps(final Tenant tenant, final @Nullable TenantAllocation had, final Set<Long> byHand) {
            return shared && had != null && !differing.contains(tenant.name())
                && (!byHand.contains(had.publicAddress()) || tenant.nat().flatMap(Tenant.Nat::address).isPresent());
        }
    }

    private static int lastNode(final SortedMap<String, Integer> nodes, final Allocations before) {
        return nodes.entrySet().stream().filter(node -> !before.nodes().containsKey(node.getKey()))
            .reduce((one, later) -> later).map(Map.Entry::getValue).orElse(before.lastNode());
    }

    /** A lease goes with the subnet that it is of, and not with its pool: its host has been told that it has it. */
    private static List<Lease> keptLeases(final Tenant tenant, final @Nullable TenantAllocation had) {
        if (had == null || had.leases().isEmpty() || tenant.services().dhcp().isEmpty()) {
            return List.of();
        }
        final Dhcp dhcp = tenant.services().dhcp().orElseThrow();
        return had.leases().stream().filter(lease -> dhcp.subnetOf(lease.address()).isPresent()).toList();
    }

    private static List<String> keepingFunctions(final Snapshot snapshot, final Tenant tenant) {
        return snapshot.functionsOf(tenant).stream().filter(NetworkFunction::keepsConnections)
            .map(NetworkFunction::name).toList();
    }

    /**
     * The address that is fixed for a tenant: by hand, or because it has it from its pool already. What another tenant
     * has been given by hand meanwhile is that one's: the address may have been handed out between check and commit.
     */
    private static Optional<Long> keptAddress(final Snapshot snapshot, final Tenant tenant,
            final @Nullable TenantAllocation had, final Set<Long> byHand) {
        return tenant.nat().flatMap(nat -> nat.address().or(() -> nat.pool().map(snapshot.pools()::get)
            .filter(pool -> had != null && pool.contains(had.publicAddress())
                && !byHand.contains(had.publicAddress()))
            .map(pool -> requireNonNull(had).publicAddress())));
    }

    private static long publicAddress(final Snapshot snapshot, final Tenant tenant,
            final @Nullable TenantAllocation had, final Set<Long> byHand, final Set<Long> taken,
            final Map<String, Free> free) {
        if (!tenant.nat().map(Tenant.Nat::hasSource).orElse(false)) {
            return 0;
        }
        return keptAddress(snapshot, tenant, had, byHand).orElseGet(() -> free.computeIfAbsent(
            tenant.nat().flatMap(Tenant.Nat::pool).orElseThrow(),
            pool -> new Free(requireNonNull(snapshot.pools().get(pool)), taken)).next());
    }

    /**
     * The addresses of a pool that are free, one after the other; drained ones when there are no others. The check
     * counts only those that are not drained, but a tenant that had a drained one may have been removed and stored anew
     * between check and commit.
     */
    private static final class Free {
        private final Pool pool;
        private final Set<Long> taken;
        private boolean drained;
        private int prefix;
        private long offset;

        Free(final Pool pool, final Set<Long> taken) {
            this.pool = pool;
            this.taken = taken;
        }

        long next() {
            while (prefix < pool.prefixes().size()) {
                final long address = pool.prefixes().get(prefix).address() + offset;
                if (address == pool.prefixes().get(prefix).end()) {
                    prefix++;
                    offset = 0;
                } else {
                    offset++;
                    if (pool.drains(address) == drained && taken.add(address)) {
                        return address;
                    }
                }
                if (prefix == pool.prefixes().size() && !drained) {
                    drained = true;
                    prefix = 0;
                }
            }
            throw new IllegalStateException("pool " + pool.name() + " is exhausted");
        }
    }
}
