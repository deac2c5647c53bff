// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Everything that was configured at one moment. Maps are sorted by name, so the order of the input is irrelevant. */
public record Snapshot(SortedMap<String, Node> nodes, Backbone backbone, SortedMap<String, Pool> pools,
        SortedMap<String, NetworkFunction> functions, SortedMap<String, Chain> chains,
        SortedMap<String, Tenant> tenants, SortedMap<String, Acl> acls) {

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

    /** Whether nothing but tenants differs. */
    public boolean hasSameSharedPartAs(final Snapshot other) {
        return nodes.equals(other.nodes) && backbone.equals(other.backbone) && pools.equals(other.pools)
            && functions.equals(other.functions) && chains.equals(other.chains) && acls.equals(other.acls);
    }

    /** The same with other tenants. */
    public Snapshot withTenants(final List<Tenant> others) {
        return new Snapshot(nodes, backbone, pools, functions, chains, byName(others, Tenant::name), acls);
    }

    /** The same with a pool added, or instead of that of its name. */
    public Snapshot with(final Pool pool) {
        final SortedMap<String, Pool> others = new TreeMap<>(pools);
        others.put(pool.name(), pool);
        return new Snapshot(nodes, backbone, others, functions, chains, tenants, acls);
    }

    /** The same with a tenant added, or instead of that of its name. */
    public Snapshot with(final Tenant tenant) {
        final SortedMap<String, Tenant> others = new TreeMap<>(tenants);
        others.put(tenant.name(), tenant);
        return new Snapshot(nodes, backbone, pools, functions, chains, others, acls);
    }

    /** The same with other functions. */
    public Snapshot withFunctions(final List<NetworkFunction> others) {
        return new Snapshot(nodes, backbone, pools, byName(others, NetworkFunction::name), chains, tenants, acls);
    }

    private static <T> SortedMap<String, T> byName(final List<T> items, final Function<T, String> name) {
        final SortedMap<String, T> sorted = new TreeMap<>();
        items.forEach(item -> sorted.put(name.apply(item), item));
        return Collections.unmodifiableSortedMap(sorted);
    }

    /** Tenants that have an attachment on a node. */
    public List<Tenant> tenantsOn(final String node) {
        // Each plan asks all tenants of the network: streams in it took as long as the plan.
        final List<Tenant> found = new ArrayList<>();
        for (final Tenant tenant : tenants.values()) {
            for (final Tenant.Attachment attachment : tenant.attachments()) {
                if (attachment.node().equals(node)) {
                    found.add(tenant);
                    break;
                }
            }
        }
        return Collections.unmodifiableList(found);
    }

    /**
     * Names of the tenants that are other objects in another snapshot, or are in one of the two alone. Both are walked
     * side by side: to look each tenant up takes some ten times as long.
     */
    @SuppressWarnings("ReferenceEquality") // a tenant that did not change is the same object
    public Set<String> tenantsDifferingFrom(final Snapshot other) {
        final Set<String> names = new HashSet<>();
        if (tenants == other.tenants) {
            return names;
        }
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
}
