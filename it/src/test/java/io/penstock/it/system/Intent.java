// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import java.util.List;
import java.util.stream.Collectors;

/** Documents for RESTCONF, with single quotes. */
final class Intent {
    /** Where the configuration is. */
    static final String NETWORK = "penstock:network";
    static final String ACLS = "ietf-access-control-list:acls";
    /** Gateway of every tenant's only subnet. */
    static final String GATEWAY = "10.0.0.1";
    /** Pools of the two nodes' public prefixes, and one with two addresses. */
    static final String FIRST_POOL = "first";
    static final String SECOND_POOL = "second";
    static final String SMALL_POOL = "small";
    static final String FIRST_PREFIX = "203.0.113.0/25";
    static final String SECOND_PREFIX = "203.0.113.128/25";
    /** A list that permits everything. */
    static final String LIST = "all";

    private static final String SMALL_PREFIX = "198.51.100.0/31";

    private Intent() {
        // Only functions.
    }

    /** Path of a tenant. */
    static String path(final String tenant) {
        return NETWORK + "/tenant=" + tenant;
    }

    /** A tenant as {@link #tenant} makes it, with another entry in the place of its {@code nat}, or with none. */
    static String translated(final String tenant, final String nat) {
        return tenant.replaceFirst(", 'nat': \\{[^}]*}", nat.isEmpty() ? "" : ", 'nat': " + nat);
    }

    /** A tenant on one VLAN, with 10.0.0.0/24 and an address of a pool. */
    static String tenant(final String name, final EdgeNode node, final int vlan, final String pool) {
        return tenant(name, node, vlan, pool, "");
    }

    /** The same with further leaves, such as {@code 'chain': 'c'}. */
    static String tenant(final String name, final EdgeNode node, final int vlan, final String pool,
            final String more) {
        return """
            {'name': '%s', 'attachment': [{'name': 'lan', 'node': '%s', 'port': '%s', 'vlan': %d}],
             'subnet': [{'name': 'lan', 'prefix': '10.0.0.0/24', 'gateway': '%s'}], 'nat': {'pool': '%s'}%s}"""
            .formatted(name, node.name(), EdgeNode.ACCESS, vlan, GATEWAY, pool, more.isEmpty() ? "" : ", " + more);
    }

    /** Tenants as the body of a PUT, or of a POST to the network. */
    static String tenants(final List<String> tenants) {
        return list("tenant", tenants);
    }

    /** Entries of a list of the network, as the body of a PUT, or of a POST to the network. */
    static String list(final String list, final List<String> entries) {
        return "{'penstock:%s': [%s]}".formatted(list, String.join(",", entries));
    }

    /** Entries of a list as the body of a PATCH of the network. */
    static String patch(final String list, final List<String> entries) {
        return "{'penstock:network': {'%s': [%s]}}".formatted(list, String.join(",", entries));
    }

    /** A function of a node. */
    static String function(final String name, final EdgeNode node, final String failPolicy, final boolean shared) {
        return "{'name': '%s', 'node': '%s', 'fail-policy': '%s', 'shared': %s}"
            .formatted(name, node.name(), failPolicy, shared);
    }

    /** A chain. */
    static String chain(final String name, final String... functions) {
        return "{'name': '%s', 'function': ['%s']}".formatted(name, String.join("','", functions));
    }

    /** Nodes as they announced themselves, their uplinks and pools; no tenant. */
    static String base(final String announcedNodes, final List<EdgeNode> nodes) {
        final String interfaces = nodes.stream().map(node ->
            "{'node': '%s', 'port': 'up0', 'prefix': '192.0.2.0/24', 'address': '%s'}"
                .formatted(node.name(), EdgeNode.BACKBONE_ADDRESS)).collect(Collectors.joining(","));
        return """
            {'penstock:network': {'node': %s,
             'backbone': {'interface': [%s], 'route': [{'prefix': '0.0.0.0/0', 'next-hop': '192.0.2.1'}]},
             'pool': [{'name': '%s', 'prefix': ['%s']}, {'name': '%s', 'prefix': ['%s']},
                      {'name': '%s', 'prefix': ['%s']}]}}"""
            .formatted(announcedNodes, interfaces, FIRST_POOL, FIRST_PREFIX, SECOND_POOL, SECOND_PREFIX, SMALL_POOL,
                SMALL_PREFIX);
    }

    /** The list {@link #LIST} alone. */
    static String baseLists() {
        return """
            {'ietf-access-control-list:acls': {'acl': [{'name': '%s', 'aces': {'ace': [
              {'name': 'rest', 'actions': {'forwarding': 'ietf-access-control-list:accept'}}]}}]}}""".formatted(LIST);
    }
}
