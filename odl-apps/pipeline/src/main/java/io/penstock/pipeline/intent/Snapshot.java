// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
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

    /** Instances of the functions of a node, by function. */
    public List<NetworkFunction.Instance> instancesOn(final String node) {
        return functionsOn(node).stream().flatMap(function -> function.instances().stream()).toList();
    }

    /** The functions of a chain from the tenant to the backbone. */
    public List<NetworkFunction> functionsOf(final String chain) {
        return Optional.ofNullable(chains.get(chain)).map(Chain::functions).orElse(List.of()).stream()
            .map(functions::get).toList();
    }

    /** The functions of all chains of a tenant, each once. */
    public List<NetworkFunction> functionsOf(final Tenant tenant) {
        return tenant.chains().stream().flatMap(chain -> functionsOf(chain).stream()).distinct().toList();
    }
}
