// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.util.List;
import java.util.stream.Collectors;

/** Bodies of RESTCONF requests, with single quotes, about nodes with the ports {@code acc0} and {@code up0}. */
public final class Documents {
    /** Where the configuration is. */
    public static final String NETWORK = "penstock:network";
    public static final String ACLS = "ietf-access-control-list:acls";
    /** Gateway of every tenant's only subnet. */
    public static final String GATEWAY = "10.0.0.1";
    /** Ports of every node. */
    public static final String ACCESS = "acc0";
    public static final String UPLINK = "up0";
    /** Address of every node in its own transit network. */
    public static final String BACKBONE_ADDRESS = "192.0.2.2";
    /** Pools of the two nodes' public prefixes, and one with two addresses. */
    public static final String FIRST_POOL = "first";
    public static final String SECOND_POOL = "second";
    public static final String SMALL_POOL = "small";
    public static final String FIRST_PREFIX = "203.0.113.0/25";
    public static final String SECOND_PREFIX = "203.0.113.128/25";
    /** A list that permits everything. */
    public static final String LIST = "all";

    private static final String SMALL_PREFIX = "198.51.100.0/31";

    private Documents() {
        // Only functions.
    }

    /** Path of a tenant. */
    public static String path(final String tenant) {
        return NETWORK + "/tenant=" + tenant;
    }

    /** A tenant as {@link #tenant} makes it, with another entry in the place of its {@code nat}, or with none. */
    public static String translated(final String tenant, final String nat) {
        return tenant.replaceFirst(", 'nat': \\{[^}]*}", nat.isEmpty() ? "" : ", 'nat': " + nat);
    }

    /** A tenant on one VLAN, with 10.0.0.0/24 and an address of a pool. */
    public static String tenant(final String name, final String node, final int vlan, final String pool) {
        return tenant(name, node, vlan, pool, "");
    }

    /** The same with further leaves, such as {@code 'chain': 'c'}. */
    public static String tenant(final String name, final String node, final int vlan, final String pool,
            final String more) {
        return """
            {'name': '%s', 'attachment': [{'name': 'lan', 'node': '%s', 'port': '%s', 'vlan': %d}],
             'subnet': [{'name': 'lan', 'prefix': '10.0.0.0/24', 'gateway': '%s'}], 'nat': {'pool': '%s'}%s}"""
            .formatted(name, node, ACCESS, vlan, GATEWAY, pool, more.isEmpty() ? "" : ", " + more);
    }

    /** Tenants as the body of a PUT, or of a POST to the network. */
    public static String tenants(final List<String> tenants) {
        return list("tenant", tenants);
    }

    /** Entries of a list of the network, as the body of a PUT, or of a POST to the network. */
    public static String list(final String list, final List<String> entries) {
        return "{'penstock:%s': [%s]}".formatted(list, String.join(",", entries));
    }

    /** Entries of a list as the body of a PATCH of the network. */
    public static String patch(final String list, final List<String> entries) {
        return "{'penstock:network': {'%s': [%s]}}".formatted(list, String.join(",", entries));
    }

    /** A function of a node. */
    public static String function(final String name, final String node, final String failPolicy,
            final boolean shared) {
        return "{'name': '%s', 'node': '%s', 'fail-policy': '%s', 'shared': %s}"
            .formatted(name, node, failPolicy, shared);
    }

    /** A chain. */
    public static String chain(final String name, final String... functions) {
        return "{'name': '%s', 'function': ['%s']}".formatted(name, String.join("','", functions));
    }

    /** Nodes as they announced themselves, their uplinks and pools; no tenant. */
    public static String base(final String announcedNodes, final List<String> nodes) {
        final String interfaces = nodes.stream().map(node ->
            "{'node': '%s', 'port': '%s', 'prefix': '192.0.2.0/24', 'address': '%s'}"
                .formatted(node, UPLINK, BACKBONE_ADDRESS)).collect(Collectors.joining(","));
        return """
            {'penstock:network': {'node': %s,
             'backbone': {'interface': [%s], 'route': [{'prefix': '0.0.0.0/0', 'next-hop': '192.0.2.1'}]},
             'pool': [{'name': '%s', 'prefix': ['%s']}, {'name': '%s', 'prefix': ['%s']},
                      {'name': '%s', 'prefix': ['%s']}]}}"""
            .formatted(announcedNodes, interfaces, FIRST_POOL, FIRST_PREFIX, SECOND_POOL, SECOND_PREFIX, SMALL_POOL,
                SMALL_PREFIX);
    }

    /** The list {@link #LIST} alone. */
    public static String baseLists() {
        return """
            {'ietf-access-control-list:acls': {'acl': [{'name': '%s', 'aces': {'ace': [
              {'name': 'rest', 'actions': {'forwarding': 'ietf-access-control-list:accept'}}]}}]}}""".formatted(LIST);
    }
}
