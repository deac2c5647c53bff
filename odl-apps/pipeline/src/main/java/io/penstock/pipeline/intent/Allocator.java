// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.intent.Allocations.TenantAllocation;
import io.penstock.pipeline.registry.Constants;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Hands out ids and addresses: who has one keeps it, who is new gets one, who is gone gives it back. A function without
 * state; the snapshot must have passed the {@link Validator}.
 */
public final class Allocator {
    private static final int FIRST_PORT = 1;

    private Allocator() {
        // Only functions.
    }

    /** The allocations for a snapshot, given the ones before. Equal to those when nothing is to change. */
    public static Allocations allocate(final Snapshot snapshot, final Allocations before) {
        final SortedMap<String, Integer> nodes = number(snapshot.nodes().keySet(), before.nodes(), 1);
        final SortedMap<String, SortedMap<String, Integer>> ports = new TreeMap<>();
        for (final Node node : snapshot.nodes().values()) {
            final List<String> names = Stream.concat(
                node.ports().stream().map(Node.Port::name),
                snapshot.functionsOn(node.name()).stream()
                    .flatMap(function -> Stream.of(function.insidePort(), function.outsidePort()))).toList();
            ports.put(node.name(), number(names, before.ports().getOrDefault(node.name(), new TreeMap<>()),
                FIRST_PORT));
        }
        return allocateTenants(snapshot, before, nodes, ports);
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
                    next++;
                }
                numbers.put(name, next);
            }
        }
        return numbers;
    }

    private static Allocations allocateTenants(final Snapshot snapshot, final Allocations before,
            final SortedMap<String, Integer> nodes, final SortedMap<String, SortedMap<String, Integer>> ports) {
        final Set<Integer> vrfs = new HashSet<>();
        final Set<Long> addresses = new HashSet<>();
        final SortedMap<String, TenantAllocation> tenants = new TreeMap<>();
        for (final Tenant tenant : snapshot.tenants().values()) {
            final TenantAllocation kept = before.tenants().get(tenant.name());
            if (kept != null) {
                vrfs.add(kept.vrf());
            }
            tenant.nat().flatMap(Tenant.Nat::address).ifPresent(addresses::add);
        }
        for (final Tenant tenant : snapshot.tenants().values()) {
            keptFromPool(snapshot, tenant, before).ifPresent(addresses::add);
        }
        int last = before.lastVrf();
        for (final Tenant tenant : snapshot.tenants().values()) {
            final TenantAllocation kept = before.tenants().get(tenant.name());
            final int vrf;
            if (kept != null) {
                vrf = kept.vrf();
            } else {
                vrf = nextVrf(last, vrfs);
                last = vrf;
            }
            tenants.put(tenant.name(),
                new TenantAllocation(vrf, publicAddress(snapshot, tenant, before, addresses)));
        }
        return new Allocations(last, nodes, ports, tenants);
    }

    private static int nextVrf(final int last, final Set<Integer> taken) {
        // Goes round instead of taking the lowest: a freed id, and with it its conntrack zone, rests for a while. The
        // first round stays below the limit of chain tags for as long as it can.
        final int limit = taken.size() < Constants.LAST_CHAIN_VRF - Constants.FIRST_VRF
            ? Constants.LAST_CHAIN_VRF : Constants.LAST_VRF;
        int candidate = last;
        do {
            candidate = candidate >= limit ? Constants.FIRST_VRF : Math.max(candidate + 1, Constants.FIRST_VRF);
        } while (!taken.add(candidate));
        return candidate;
    }

    private static java.util.Optional<Long> keptFromPool(final Snapshot snapshot, final Tenant tenant,
            final Allocations before) {
        final TenantAllocation kept = before.tenants().get(tenant.name());
        return tenant.nat().flatMap(Tenant.Nat::pool).map(snapshot.pools()::get)
            .filter(pool -> kept != null
                && pool.prefixes().stream().anyMatch(prefix -> prefix.contains(kept.publicAddress())))
            .map(pool -> kept.publicAddress());
    }

    private static long publicAddress(final Snapshot snapshot, final Tenant tenant, final Allocations before,
            final Set<Long> taken) {
        if (tenant.nat().isEmpty()) {
            return 0;
        }
        if (tenant.nat().orElseThrow().address().isPresent()) {
            return tenant.nat().orElseThrow().address().orElseThrow();
        }
        return keptFromPool(snapshot, tenant, before).orElseGet(() -> {
            final String pool = tenant.nat().flatMap(Tenant.Nat::pool).orElseThrow();
            for (final Prefix prefix : snapshot.pools().get(pool).prefixes()) {
                for (long address = prefix.address(); address < prefix.end(); address++) {
                    if (taken.add(address)) {
                        return address;
                    }
                }
            }
            throw new IllegalStateException("pool of tenant " + tenant.name() + " is exhausted");
        });
    }
}
