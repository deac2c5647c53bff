// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

/**
 * What the controller and the programs of a node have to name alike in the node's database. The definition, with the
 * values of the keys, is {@code odl-apps/model/src/main/protocol}; a test compares. The programs have the same names in
 * {@code ovs-config/penstock_node/node_protocol.py}. A key is never renamed: nodes have it in their databases.
 */
public final class NodeKeys {
    /**
     * Version of the protocol. It is raised when a key or a value changes its meaning, or when one side needs what the
     * other did not write before.
     */
    public static final int VERSION = 1;

    /**
     * Keys of {@code external_ids} in {@code Open_vSwitch}: who the node is, the version that its agent speaks, and the
     * faults of its switch that its profile accepts.
     */
    public static final String NODE = "penstock-node";
    public static final String PORTS = "penstock-ports";
    public static final String VHOST_DIR = "penstock-vhost-dir";
    public static final String PROTOCOL = "penstock-protocol";
    public static final String ACCEPTED_FAULTS = "penstock-accepted-faults";

    /** Keys of a row in {@code CT_Zone}: orders for a tenant, and reports. */
    public static final String TENANT = "penstock-tenant";
    public static final String SESSIONS = "penstock-sessions";
    public static final String DNS = "penstock-dns";
    public static final String SESSIONS_SET = "penstock-sessions-set";
    public static final String SESSIONS_COUNT = "penstock-sessions-count";
    public static final String DNS_STATE = "penstock-dns-state";
    public static final String DNS_SILENT = "penstock-dns-silent";

    /** Keys of the row of the bridge: orders for the node, and reports. */
    public static final String SESSION_FLOWS = "penstock-session-flows";
    public static final String TRACE = "penstock-trace";
    public static final String TRACE_REPORT = "penstock-trace-report";
    public static final String CACHE = "penstock-cache";
    public static final String CACHE_DONE = "penstock-cache-done";
    public static final String ORDERS = "penstock-orders";
    public static final String ORDERS_DONE = "penstock-orders-done";
    public static final String FLOODS = "penstock-floods";
    public static final String FUNCTIONS_FOUND = "penstock-functions-found";
    public static final String NODE_FUNCTIONS = "penstock-node-functions";
    public static final String FUNCTIONS_PROTOCOL = "penstock-functions-protocol";

    /** Keys of a row in {@code Interface}, that of the first port of an instance: an order, and the report. */
    public static final String FUNCTION = "penstock-function";
    public static final String FUNCTION_STATE = "penstock-function-state";

    /** The bridge of every node. */
    public static final String BRIDGE = "br-penstock";
    /** Type of its datapath, the userspace one, and key of its row in {@code datapaths} of {@code Open_vSwitch}. */
    public static final String DATAPATH = "netdev";

    /** Names of ports of captures begin with it: the programs of the node make and remove them. */
    public static final String CAPTURE_PORT = "pscap-";

    /** Roles and types of ports that a node announces. */
    public static final String ROLE_ACCESS = "access";
    public static final String ROLE_UPLINK = "uplink";
    public static final String ROLE_SERVICE = "service";
    public static final String TYPE_SYSTEM = "system";
    public static final String TYPE_DPDK = "dpdk";

    /** {@link #DNS_STATE} of a resolver that runs and answers. */
    public static final String RESOLVER_OK = "ok";

    private NodeKeys() {
        // Names only.
    }
}
