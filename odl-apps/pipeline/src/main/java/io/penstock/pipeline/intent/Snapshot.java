// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was configured at one moment. Maps are sorted by name, so the order of the input is irrelevant. Does
 * not change; safe for all threads. What a change leaves as it was is the same object in the snapshot after it, and
 * most of what is done for a change looks at the objects that differ alone.
 */
public final class Snapshot {
    private final SortedMap<String, Node> nodes;
    private final Backbone backbone;
    private final SortedMap<String, Pool> pools;
    private final SortedMap<String, NetworkFunction> functions;
    private final SortedMap<String, Chain> chains;
    private final SortedMap<String, Tenant> tenants;
    private final SortedMap<String, Acl> acls;
    /** Tenants by node, sorted by name. */
    private final Map<String, List<Tenant>> places;
    private final Set<String> frozen;
    /** The tenants that these are made of, and the names of those that were changed. */
    private final Origin origin;

    /** Holds no snapshot, so that a chain of changes keeps one map of tenants more than the last one. */
    private record Origin(SortedMap<String, Tenant> tenants, Set<String> changed) {
        static final Origin NONE = new Origin(Collections.emptySortedMap(), Set.of());
    }

    /** A snapshot of these maps, which must not change. */
    public Snapshot(final SortedMap<String, Node> nodes, final Backbone backbone, final SortedMap<String, Pool> pools,
            final SortedMap<String, NetworkFunction> functions, final SortedMap<String, Chain> chains,
            final SortedMap<String, Tenant> tenants, final SortedMap<String, Acl> acls) {
        this(nodes, backbone, pools, functions, chains, tenants, acls, places(tenants.values()), Set.of(), Origin.NONE);
    }

    private Snapshot(final SortedMap<String, Node> nodes, final Backbone backbone,
            final SortedMap<String, Pool> pools, final SortedMap<String, NetworkFunction> functions,
            final SortedMap<String, Chain> chains, final SortedMap<String, Tenant> tenants,
            final SortedMap<String, Acl> acls, final Map<String, List<Tenant>> places, final Set<String> frozen,
            final Origin origin) {
        this.nodes = requireNonNull(nodes);
        this.backbone = requireNonNull(backbone);
        this.pools = requireNonNull(pools);
        this.functions = requireNonNull(functions);
        this.chains = requireNonNull(chains);
        this.tenants = requireNonNull(tenants);
        this.acls = requireNonNull(acls);
        this.places = places;
        this.frozen = Set.copyOf(frozen);
        this.origin = origin;
    }

    private static Map<String, List<Tenant>> places(final Collection<Tenant> sorted) {
        final Map<String, List<Tenant>> places = new HashMap<>();
        for (final Tenant tenant : sorted) {
            tenant.nodes().forEach(node -> places.computeIfAbsent(node, name -> new ArrayList<>()).add(tenant));
        }
        places.replaceAll((node, found) -> List.copyOf(found));
        return places;
    }

    /** A snapshot from lists in any order. */
    public static Snapshot of(final List<Node> nodes, final Backbone backbone, final List<Pool> pools,
            final List<NetworkFunction> functions, final List<Chain> chains, final List<Tenant> tenants,
            final List<Acl> acls) {
        return new Snapshot(byName(nodes, Node::name), backbone, byName(pools, Pool::name),
            byName(functions, NetworkFunction::name), byName(chains, Chain::name), byName(tenants, Tenant::name),
            byName(acls, Acl::name));
    }

    /** Nothing at all. */
    public static Snapshot empty() {
        return of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(), List.of(), List.of());
    }

    /** Nodes by name. */
    public SortedMap<String, Node> nodes() {
        return nodes;
    }

    /** The way to other networks. */
    public Backbone backbone() {
        return backbone;
    }

    /** Pools of public addresses by name. */
    public SortedMap<String, Pool> pools() {
        return pools;
    }

    /** Network functions by name. */
    public SortedMap<String, NetworkFunction> functions() {
        return functions;
    }

    /** Chains of functions by name. */
    public SortedMap<String, Chain> chains() {
        return chains;
    }

    /** Tenants by name. */
    public SortedMap<String, Tenant> tenants() {
        return tenants;
    }

    /** Access lists by name. */
    public SortedMap<String, Acl> acls() {
        return acls;
    }

    /** Names of tenants that keep what was handed out to them, and to which nothing is handed out. */
    public Set<String> frozen() {
        return frozen;
    }

    /** The same with other frozen tenants. */
    public Snapshot freezing(final Set<String> names) {
        return new Snapshot(nodes, backbone, pools, functions, chains, tenants, acls, places, names, origin);
    }

    /** Whether nothing but tenants differs. */
    public boolean hasSameSharedPartAs(final Snapshot other) {
        return nodes.equals(other.nodes) && backbone.equals(other.backbone) && pools.equals(other.pools)
            && functions.equals(other.functions) && chains.equals(other.chains) && acls.equals(other.acls);
    }

    /** The same with other tenants. */
    public Snapshot withTenants(final List<Tenant> others) {
        final SortedMap<String, Tenant> sorted = byName(others, Tenant::name);
        return new Snapshot(nodes, backbone, pools, functions, chains, sorted, acls, places(sorted.values()), frozen,
            Origin.NONE);
    }

    /** The same with a pool added, or instead of that of its name. */
    public Snapshot with(final Pool pool) {
        final SortedMap<String, Pool> others = new TreeMap<>(pools);
        others.put(pool.name(), pool);
        return new Snapshot(nodes, backbone, others, functions, chains, tenants, acls, places, frozen, origin);
    }

    /** The same with a node added, or instead of that of its name. */
    public Snapshot with(final Node node) {
        final SortedMap<String, Node> others = new TreeMap<>(nodes);
        others.put(node.name(), node);
        return new Snapshot(others, backbone, pools, functions, chains, tenants, acls, places, frozen, origin);
    }

    /** The same with a tenant added, or instead of that of its name. */
    public Snapshot with(final Tenant tenant) {
        return with(List.of(tenant), Set.of());
    }

    /**
     * The same with some tenants added, or instead of those of their names, and without others. Costs little for the
     * tenants that stay.
     *
     * @param gone names
     */
    public Snapshot with(final Collection<Tenant> others, final Set<String> gone) {
        final SortedMap<String, Tenant> after = new TreeMap<>(tenants);
        after.keySet().removeAll(gone);
        others.forEach(tenant -> after.put(tenant.name(), tenant));
        final Set<String> names = new HashSet<>(gone);
        others.forEach(tenant -> names.add(tenant.name()));
        return new Snapshot(nodes, backbone, pools, functions, chains, Collections.unmodifiableSortedMap(after), acls,
            placesAfter(names, after), frozen, new Origin(tenants, names));
    }

    private Map<String, List<Tenant>> placesAfter(final Set<String> names, final SortedMap<String, Tenant> after) {
        final Map<String, SortedMap<String, Tenant>> changed = new HashMap<>();
        final Function<String, SortedMap<String, Tenant>> ofNode = node -> changed.computeIfAbsent(node,
            name -> new TreeMap<>(byName(places.getOrDefault(name, List.of()), Tenant::name)));
        for (final String name : names) {
            Optional.ofNullable(tenants.get(name)).ifPresent(tenant ->
                tenant.nodes().forEach(node -> ofNode.apply(node).remove(name)));
            Optional.ofNullable(after.get(name)).ifPresent(tenant ->
                tenant.nodes().forEach(node -> ofNode.apply(node).put(name, tenant)));
        }
        final Map<String, List<Tenant>> next = new HashMap<>(places);
        changed.forEach((node, ofIt) -> next.put(node, List.copyOf(ofIt.values())));
        return next;
    }

    /** The same with other functions. */
    public Snapshot withFunctions(final List<NetworkFunction> others) {
        return new Snapshot(nodes, backbone, pools, byName(others, NetworkFunction::name), chains, tenants, acls,
            places, frozen, origin);
    }

    private static <T> SortedMap<String, T> byName(final List<T> items, final Function<T, String> name) {
        final SortedMap<String, T> sorted = new TreeMap<>();
        items.forEach(item -> sorted.put(name.apply(item), item));
        return Collections.unmodifiableSortedMap(sorted);
    }

    /** Tenants that have an attachment on a node, sorted by name. */
    public List<Tenant> tenantsOn(final String node) {
        return places.getOrDefault(node, List.of());
    }

    /**
     * Names of the tenants that are other objects in another snapshot, or are in one of the two alone. Both are walked
     * side by side: to look each tenant up takes some ten times as long.
     */
    @SuppressWarnings("ReferenceEquality") // a tenant that did not change is the same object
    public Set<String> tenantsDifferingFrom(final Snapshot other) {
        if (tenants == other.tenants) {
            return Set.of();
        }
        if (origin.tenants() == other.tenants) {
            return differing(origin.changed(), other);
        }
        if (other.origin.tenants() == tenants) {
            return differing(other.origin.changed(), other);
        }
        final Set<String> names = new HashSet<>();
        final Iterator<Tenant> ours = tenants.values().iterator();
        final Iterator<Tenant> theirs = other.tenants.values().iterator();
        Tenant our = next(ours);
        Tenant their = next(theirs);
        while (our != null || their != null) {
            final int order = our == null ? 1 : their == null ? -1 : our == their ? 0
                : our.name().compareTo(their.name());
            if (order != 0 || our != their) {
                names.add(requireNonNull(order <= 0 ? our : their).name());
            }
            our = order <= 0 ? next(ours) : our;
            their = order >= 0 ? next(theirs) : their;
        }
        return names;
    }

    @SuppressWarnings("ReferenceEquality") // a tenant that did not change is the same object
    private Set<String> differing(final Set<String> names, final Snapshot other) {
        return names.stream().filter(name -> tenants.get(name) != other.tenants.get(name))
            .collect(Collectors.toUnmodifiableSet());
    }

    private static @Nullable Tenant next(final Iterator<Tenant> tenants) {
        return tenants.hasNext() ? tenants.next() : null;
    }

    /** Functions of a node, sorted by name. */
    public List<NetworkFunction> functionsOn(final String node) {
        return functions.values().stream().filter(function -> function.node().equals(node)).toList();
    }

    /** Ports of the functions of a node, by instance. */
    public SortedMap<String, List<String>> functionPortsOn(final String node) {
        final SortedMap<String, List<String>> ports = new TreeMap<>();
        functionsOn(node).forEach(function -> function.instances().forEach(
            instance -> ports.put(instance.name(), function.ports(instance))));
        return ports;
    }

    /** The functions of a chain from the tenant to the backbone, without those of its branch. */
    public List<NetworkFunction> functionsOf(final String chain) {
        return named(Optional.ofNullable(chains.get(chain)).map(Chain::functions).orElse(List.of()));
    }

    /** The functions of all chains of a tenant, each once. */
    public List<NetworkFunction> functionsOf(final Tenant tenant) {
        return tenant.chains().stream().map(chains::get).filter(Objects::nonNull)
            .flatMap(chain -> named(chain.all()).stream()).distinct().toList();
    }

    /** The functions of these names, in their order. */
    public List<NetworkFunction> named(final List<String> names) {
        return names.stream().map(functions::get).toList();
    }

    /** Where connections of a chain leave its functions for others. */
    public Optional<Chain.Branch> branchOf(final String chain) {
        return Optional.ofNullable(chains.get(chain)).flatMap(Chain::branch);
    }

    @Override
    public boolean equals(final @Nullable Object other) {
        return this == other || other instanceof Snapshot snapshot && hasSameSharedPartAs(snapshot)
            && tenants.equals(snapshot.tenants) && frozen.equals(snapshot.frozen);
    }

    @Override
    public int hashCode() {
        return Objects.hash(nodes, backbone, pools, functions, chains, tenants, acls, frozen);
    }

    @Override
    public String toString() {
        return "tenants " + tenants.keySet() + " on nodes " + nodes.keySet();
    }
}
