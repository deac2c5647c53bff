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
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
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
        final Differing differing = Differing.between(served, snapshot, before);
        final VrfIds ids = new VrfIds(snapshot, before, differing.tenants(), differing.gone());
        final SortedMap<String, List<CanaryResult>> canaries = new TreeMap<>(before.canaries());
        canaries.keySet().retainAll(snapshot.functions().keySet());
        return new Allocations(ids.lastVrf(), nodes, ports, tenants(snapshot, before, differing, ids),
            Collections.unmodifiableSortedMap(canaries), before.secret(), lastNode(nodes, before), ids.lastLarge());
    }

    /**
     * Whether a tenant has all that it needs, and no other one has any of it. Always so for one that is not frozen.
     *
     * @param allocations those of the snapshot
     */
    public static boolean suffices(final Snapshot snapshot, final Allocations allocations, final Tenant tenant) {
        final TenantAllocation given = allocations.tenants().get(tenant.name());
        if (given == null || tenant.nat().filter(Tenant.Nat::hasSource).isPresent()
                && !hasAddress(snapshot, allocations, tenant.name(), given)) {
            return false;
        }
        return tenant.nodes().stream().allMatch(node -> given.vrf(node).filter(vrf -> snapshot.tenantsOn(node).stream()
            .filter(other -> !other.name().equals(tenant.name()))
            .map(other -> allocations.tenants().get(other.name()))
            .noneMatch(other -> other != null && other.vrf(node).equals(Optional.of(vrf)))).isPresent());
    }

    private static boolean hasAddress(final Snapshot snapshot, final Allocations allocations, final String tenant,
            final TenantAllocation given) {
        return given.publicAddress().isPresent()
            && new Addresses(snapshot, allocations, new Differing(List.of(), Set.of()))
                .kept(requireNonNull(snapshot.tenants().get(tenant)).nat().orElseThrow(), given)
                .equals(given.publicAddress())
            && allocations.tenants().entrySet().stream().noneMatch(other -> !other.getKey().equals(tenant)
                && other.getValue().publicAddress().equals(given.publicAddress()));
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

    private static Map<String, TenantAllocation> tenants(final Snapshot snapshot, final Allocations before,
            final Differing differing, final VrfIds ids) {
        final Addresses addresses = new Addresses(snapshot, before, differing);
        final Map<String, TenantAllocation> tenants = new HashMap<>(before.tenants());
        differing.gone().forEach(tenants::remove);
        for (final Tenant tenant : differing.tenants()) {
            final TenantAllocation had = before.tenants().get(tenant.name());
            final List<Allocations.Block> blocks = had == null ? List.of() : BlockAllocator.kept(tenant, had.blocks());
            final TenantAllocation now = new TenantAllocation(ids.id(tenant.name()), addresses.of(tenant, had), blocks,
                keptLeases(tenant, had),
                number(keepingFunctions(snapshot, tenant), had == null ? new TreeMap<>() : had.places(), 0),
                ids.vrfs(tenant.name()));
            tenants.put(tenant.name(), now.equals(had) ? had : now);
        }
        return Collections.unmodifiableMap(tenants);
    }

    /**
     * The tenants to which something may be given, or from which something may be taken: few, at nearly every change.
     *
     * @param tenants sorted by name
     * @param gone names of those that were removed
     */
    private record Differing(List<Tenant> tenants, Set<String> gone) {
        static Differing between(final Snapshot served, final Snapshot snapshot, final Allocations before) {
            // After a start, tenants that are gone may have something; one that was frozen may have what is another's.
            if (served.tenants().isEmpty() || !served.frozen().isEmpty() || !served.pools().equals(snapshot.pools())
                    || !served.functions().equals(snapshot.functions())
                    || !served.chains().equals(snapshot.chains())) {
                return new Differing(snapshot.tenants().values().stream()
                    .filter(tenant -> !keeps(tenant.name(), snapshot, before)).toList(),
                    before.tenants().keySet().stream().filter(name -> !snapshot.tenants().containsKey(name))
                        .collect(Collectors.toSet()));
            }
            final SortedSet<String> names = new TreeSet<>(snapshot.tenantsDifferingFrom(served));
            losers(names, snapshot, before).forEach(names::add);
            names.removeIf(name -> keeps(name, snapshot, before));
            final Set<String> gone = new HashSet<>(names);
            gone.removeIf(snapshot.tenants()::containsKey);
            names.removeAll(gone);
            return new Differing(names.stream().map(snapshot.tenants()::get).toList(), gone);
        }

        private static boolean keeps(final String tenant, final Snapshot snapshot, final Allocations before) {
            return snapshot.frozen().contains(tenant) && before.tenants().containsKey(tenant);
        }

        /** Those that have an address from a pool that is now another one's by hand. */
        private static List<String> losers(final Set<String> names, final Snapshot snapshot,
                final Allocations before) {
            final Set<Ipv4> byHand = new HashSet<>();
            names.stream().map(snapshot.tenants()::get).filter(Objects::nonNull)
                .flatMap(tenant -> tenant.nat().flatMap(Tenant.Nat::address).stream())
                .filter(address -> snapshot.pools().values().stream().anyMatch(pool -> pool.contains(address)))
                .forEach(byHand::add);
            return byHand.isEmpty() ? List.of() : before.tenants().entrySet().stream()
                .filter(had -> had.getValue().publicAddress().filter(byHand::contains).isPresent())
                .map(Map.Entry::getKey).toList();
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

    /** Public addresses for the tenants of a snapshot. Looks at all tenants only when a pool has to give one. */
    private static final class Addresses {
        private final Snapshot snapshot;
        private final Allocations before;
        private final Differing differing;
        private final Map<String, Free> free = new HashMap<>();
        /** Two tenants had one address if one of them was frozen when the other one was given it by hand. */
        private final Set<Ipv4> keptOnce = new HashSet<>();
        private @Nullable Set<Ipv4> byHand;
        private @Nullable Set<Ipv4> taken;

        Addresses(final Snapshot snapshot, final Allocations before, final Differing differing) {
            this.snapshot = snapshot;
            this.before = before;
            this.differing = differing;
        }

        /** The address of a tenant; absent without source NAT. */
        Optional<Ipv4> of(final Tenant tenant, final @Nullable TenantAllocation had) {
            return tenant.nat().filter(Tenant.Nat::hasSource).map(nat -> kept(nat, had)
                .filter(address -> nat.address().isPresent() || keptOnce.add(address))
                .orElseGet(() -> free.computeIfAbsent(nat.pool().orElseThrow(),
                    name -> new Free(requireNonNull(snapshot.pools().get(name)), taken())).next()));
        }

        /**
         * The address that is fixed: by hand, or because the tenant has it from its pool already. An address that
         * another tenant has been given by hand meanwhile is that one's: it may have been handed out between check and
         * commit.
         */
        private Optional<Ipv4> kept(final Tenant.Nat nat, final @Nullable TenantAllocation had) {
            return nat.address().or(() -> had == null ? Optional.empty()
                : nat.pool().map(snapshot.pools()::get).flatMap(pool -> had.publicAddress()
                    .filter(address -> pool.contains(address) && !byHand().contains(address))));
        }

        /** Addresses that tenants have by hand and may not have had before. */
        private Set<Ipv4> byHand() {
            Set<Ipv4> known = byHand;
            if (known == null) {
                known = new HashSet<>();
                // Another tenant had its address before, so no pool has given that to a tenant.
                for (final Tenant tenant : differing.tenants()) {
                    tenant.nat().flatMap(Tenant.Nat::address).ifPresent(known::add);
                }
                byHand = known;
            }
            return known;
        }

        /** All that are by hand or kept. */
        private Set<Ipv4> taken() {
            Set<Ipv4> known = taken;
            if (known == null) {
                known = new HashSet<>(byHand());
                final Set<String> others = new HashSet<>(differing.gone());
                for (final Tenant tenant : differing.tenants()) {
                    others.add(tenant.name());
                    tenant.nat().flatMap(nat -> kept(nat, before.tenants().get(tenant.name()))).ifPresent(known::add);
                }
                for (final Map.Entry<String, TenantAllocation> had : before.tenants().entrySet()) {
                    if (had.getValue().publicAddress().isPresent() && !others.contains(had.getKey())) {
                        known.add(had.getValue().publicAddress().orElseThrow());
                    }
                }
                taken = known;
            }
            return known;
        }
    }

    /**
     * The addresses of a pool that are free, one after the other; drained ones when there are no others. The check
     * counts only those that are not drained, but a tenant that had a drained one may have been removed and stored anew
     * between check and commit.
     */
    private static final class Free {
        private final Pool pool;
        private final Set<Ipv4> taken;
        private boolean drained;
        private int prefix;
        private long offset;

        Free(final Pool pool, final Set<Ipv4> taken) {
            this.pool = pool;
            this.taken = taken;
        }

        Ipv4 next() {
            while (prefix < pool.prefixes().size()) {
                final Prefix current = pool.prefixes().get(prefix);
                if (offset == current.size()) {
                    prefix++;
                    offset = 0;
                } else {
                    final Ipv4 address = current.address().plus(offset);
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
