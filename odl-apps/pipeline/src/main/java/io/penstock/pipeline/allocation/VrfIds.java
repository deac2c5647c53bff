// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Hands out the ids of tenants. A tenant has one id in the network, and a VRF id on each of its nodes: the same number
 * where it can be one, so it differs only in networks with more tenants than there are VRF ids, or more of them with a
 * chain than there are tags, or where a tenant got its chain or its node later. An id that a tenant has is kept.
 */
final class VrfIds {
    /** Ids that are no VRF ids on any node begin here. */
    static final int FIRST_LARGE = 0x10000;

    private final Map<String, Integer> ids = new HashMap<>();
    private final Map<String, SortedMap<String, VrfId>> others = new HashMap<>();
    /** VRF ids in use, by node. */
    private final Map<String, Set<Integer>> taken = new HashMap<>();
    /** Limits up to which every VRF id is the id of a tenant. */
    private final Set<Integer> exhausted = new HashSet<>();
    private int lastVrf;
    private int lastLarge;

    /**
     * Hands out the ids for a snapshot that breaks no rule, given what tenants had before.
     *
     * @param differing the tenants to which ids may be given, sorted by name; all others keep theirs
     * @param gone names of tenants that were removed
     */
    VrfIds(final Snapshot snapshot, final Allocations before, final List<Tenant> differing, final Set<String> gone) {
        lastVrf = before.lastVrf();
        lastLarge = before.lastLarge();
        handOutIds(before, differing, gone);
        takeOfOthers(snapshot, before, differing);
        handOutVrfs(differing, before);
    }

    /** The id of a tenant in the network. */
    int id(final String tenant) {
        return requireNonNull(ids.get(tenant), tenant);
    }

    /** VRF ids of a tenant by node, where they differ from its id. */
    SortedMap<String, VrfId> vrfs(final String tenant) {
        return others.getOrDefault(tenant, Collections.emptySortedMap());
    }

    /** The VRF id that was given out last as the id of a tenant. */
    int lastVrf() {
        return lastVrf;
    }

    /** The id that was given out last when no VRF id was left; 0 at first. */
    int lastLarge() {
        return lastLarge;
    }

    private void handOutIds(final Allocations before, final List<Tenant> differing, final Set<String> gone) {
        final List<Tenant> came = new ArrayList<>();
        for (final Tenant tenant : differing) {
            final TenantAllocation had = before.tenants().get(tenant.name());
            if (had == null) {
                came.add(tenant);
            } else {
                ids.put(tenant.name(), had.id());
            }
        }
        if (came.isEmpty()) {
            return;
        }
        final Set<Integer> used = new HashSet<>();
        for (final Map.Entry<String, TenantAllocation> had : before.tenants().entrySet()) {
            if (!gone.contains(had.getKey())) {
                used.add(had.getValue().id());
            }
        }
        // A tenant with a chain needs an id that is an 802.1Q tag, so it comes first.
        came.sort(Comparator.comparing(tenant -> !tenant.hasChain()));
        came.forEach(tenant -> ids.put(tenant.name(), nextId(used, tenant.hasChain())));
    }

    /** On each node to which ids may be given, the VRF ids of the tenants that keep theirs are in use. */
    private void takeOfOthers(final Snapshot snapshot, final Allocations before, final List<Tenant> differing) {
        if (differing.size() == snapshot.tenants().size()) {
            return;
        }
        for (final Tenant tenant : differing) {
            for (final String node : tenant.nodes()) {
                if (!taken.containsKey(node)) {
                    final Set<Integer> ofNode = of(node);
                    for (final Tenant other : snapshot.tenantsOn(node)) {
                        if (!ids.containsKey(other.name())) {
                            requireNonNull(before.tenants().get(other.name()), other.name()).vrf(node)
                                .ifPresent(vrf -> ofNode.add(vrf.number()));
                        }
                    }
                }
            }
        }
    }

    private int nextId(final Set<Integer> used, final boolean tag) {
        // The first round stays below the limit of chain tags for as long as it can.
        final boolean small = tag || used.size() < VrfId.LAST_TAG - VrfId.FIRST;
        for (final int limit : small ? List.of(VrfId.LAST_TAG, VrfId.LAST)
                : List.of(VrfId.LAST)) {
            // Once there is none, the next tenants need not look again.
            final OptionalInt next = exhausted.contains(limit) ? OptionalInt.empty() : next(lastVrf, used, limit);
            if (next.isPresent()) {
                lastVrf = next.getAsInt();
                return lastVrf;
            }
            exhausted.add(limit);
        }
        do {
            lastLarge = lastLarge < FIRST_LARGE || lastLarge == Integer.MAX_VALUE ? FIRST_LARGE : lastLarge + 1;
        } while (!used.add(lastLarge));
        return lastLarge;
    }

    /** The next free id; goes round instead of taking the lowest: a freed id, and with it its zone, rests a while. */
    private static OptionalInt next(final int last, final Set<Integer> used, final int limit) {
        int candidate = last;
        for (int tries = VrfId.FIRST; tries <= limit; tries++) {
            candidate = candidate >= limit ? VrfId.FIRST : Math.max(candidate + 1, VrfId.FIRST);
            if (used.add(candidate)) {
                return OptionalInt.of(candidate);
            }
        }
        return OptionalInt.empty();
    }

    /**
     * First the VRF ids that tenants have, then those of tenants with a chain, for which there are fewer, then others.
     */
    private void handOutVrfs(final List<Tenant> tenants, final Allocations before) {
        final IdentityHashMap<Tenant, TenantAllocation> kept = new IdentityHashMap<>();
        tenants.forEach(tenant ->
            Optional.ofNullable(before.tenants().get(tenant.name())).ifPresent(had -> kept.put(tenant, had)));
        kept.forEach((tenant, had) -> had.vrfs().forEach((node, vrf) -> {
            // Another one may have it meanwhile if this tenant was without attachments for a while.
            if (tenant.nodes().contains(node) && vrf.number() <= limit(tenant)
                    && !of(node).contains(vrf.number())) {
                give(tenant, node, vrf);
            }
        }));
        final IdentityHashMap<Tenant, List<String>> left = new IdentityHashMap<>();
        for (final Tenant tenant : tenants) {
            for (final String node : tenant.nodes()) {
                if (!vrfs(tenant.name()).containsKey(node) && !(kept.containsKey(tenant) && takeId(tenant, node))) {
                    left.computeIfAbsent(tenant, key -> new ArrayList<>()).add(node);
                }
            }
        }
        left.keySet().stream().sorted(Comparator.comparing((Tenant tenant) -> !tenant.hasChain())
            .thenComparing(Tenant::name)).forEach(tenant -> requireNonNull(left.get(tenant)).stream()
                .filter(node -> !takeId(tenant, node)).forEach(node -> takeOther(tenant, node)));
    }

    /** Takes the id of a tenant as its VRF id on a node, if that is possible. */
    private boolean takeId(final Tenant tenant, final String node) {
        return id(tenant.name()) <= limit(tenant) && of(node).add(id(tenant.name()));
    }

    private void takeOther(final Tenant tenant, final String node) {
        final int limit = limit(tenant);
        // Neighbouring ids begin at different places, so an id that was freed rests here, too.
        final int last = VrfId.FIRST + id(tenant.name()) % (limit - VrfId.FIRST + 1);
        give(tenant, node, new VrfId(next(last, of(node), limit).orElseThrow(() ->
            new IllegalStateException("every VRF id up to " + limit + " is in use on node " + node))));
    }

    private void give(final Tenant tenant, final String node, final VrfId vrf) {
        of(node).add(vrf.number());
        others.computeIfAbsent(tenant.name(), name -> new TreeMap<>()).put(node, vrf);
    }

    private Set<Integer> of(final String node) {
        return taken.computeIfAbsent(node, name -> new HashSet<>());
    }

    private static int limit(final Tenant tenant) {
        return tenant.hasChain() ? VrfId.LAST_TAG : VrfId.LAST;
    }
}
