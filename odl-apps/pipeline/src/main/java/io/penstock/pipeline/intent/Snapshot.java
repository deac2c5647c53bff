// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

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
        return java.util.Collections.unmodifiableSortedMap(sorted);
    }

    /** Tenants that have an attachment on a node. */
    public List<Tenant> tenantsOn(final String node) {
        return tenants.values().stream()
            .filter(tenant -> tenant.attachments().stream().anyMatch(at -> at.node().equals(node)))
            .toList();
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
