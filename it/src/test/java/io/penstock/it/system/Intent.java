// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Documents;
import java.util.List;

/** {@link Documents} about the nodes of the system. */
final class Intent {
    static final String NETWORK = Documents.NETWORK;
    static final String ACLS = Documents.ACLS;
    static final String GATEWAY = Documents.GATEWAY;
    static final String FIRST_POOL = Documents.FIRST_POOL;
    static final String SECOND_POOL = Documents.SECOND_POOL;
    static final String SMALL_POOL = Documents.SMALL_POOL;
    static final String FIRST_PREFIX = Documents.FIRST_PREFIX;
    static final String SECOND_PREFIX = Documents.SECOND_PREFIX;
    static final String LIST = Documents.LIST;

    private Intent() {
        // Only functions.
    }

    static String path(final String tenant) {
        return Documents.path(tenant);
    }

    static String translated(final String tenant, final String nat) {
        return Documents.translated(tenant, nat);
    }

    static String tenant(final String name, final EdgeNode node, final int vlan, final String pool) {
        return Documents.tenant(name, node.name(), vlan, pool);
    }

    static String tenant(final String name, final EdgeNode node, final int vlan, final String pool,
            final String more) {
        return Documents.tenant(name, node.name(), vlan, pool, more);
    }

    static String tenants(final List<String> tenants) {
        return Documents.tenants(tenants);
    }

    static String list(final String list, final List<String> entries) {
        return Documents.list(list, entries);
    }

    static String patch(final String list, final List<String> entries) {
        return Documents.patch(list, entries);
    }

    static String function(final String name, final EdgeNode node, final String failPolicy, final boolean shared) {
        return Documents.function(name, node.name(), failPolicy, shared);
    }

    static String chain(final String name, final String... functions) {
        return Documents.chain(name, functions);
    }

    static String base(final String announcedNodes, final List<EdgeNode> nodes) {
        return Documents.base(announcedNodes, nodes.stream().map(EdgeNode::name).toList());
    }

    static String baseLists() {
        return Documents.baseLists();
    }
}
