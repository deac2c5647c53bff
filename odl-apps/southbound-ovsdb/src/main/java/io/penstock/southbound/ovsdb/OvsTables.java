// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.List;
import java.util.Map;

/** The parts of the database {@code Open_vSwitch} this module reads: by table, the columns. */
final class OvsTables {
    static final String DATABASE = "Open_vSwitch";
    static final String UUID = "_uuid";
    /** Column of most tables, a map: its keys have many owners. */
    static final String EXTERNAL_IDS = "external_ids";
    /** Column of bridges and interfaces, a map of settings. */
    static final String OTHER_CONFIG = "other_config";

    static final String ROOT = "Open_vSwitch";
    static final String BRIDGE = "Bridge";
    static final String PORT = "Port";
    static final String INTERFACE = "Interface";
    static final String CONTROLLER = "Controller";
    static final String FLOW_TABLE = "Flow_Table";
    static final String DATAPATH = "Datapath";
    static final String ZONE = "CT_Zone";
    static final String TIMEOUT_POLICY = "CT_Timeout_Policy";

    /** Read before a transaction is planned. */
    static final Map<String, List<String>> CONFIGURATION = Map.of(
        ROOT, List.of(UUID, "bridges", "datapaths"),
        BRIDGE, List.of(UUID, "name", "datapath_type", "fail_mode", "protocols", OTHER_CONFIG, "ports", "controller",
            "flow_tables", EXTERNAL_IDS),
        PORT, List.of(UUID, "name", "interfaces"),
        INTERFACE, List.of(UUID, "name", "type", "options", "ofport_request", "mtu_request", OTHER_CONFIG,
            EXTERNAL_IDS),
        CONTROLLER, List.of(UUID, "target", "connection_mode", "controller_rate_limit", "inactivity_probe",
            "max_backoff"),
        FLOW_TABLE, List.of(UUID, "name", "prefixes"),
        DATAPATH, List.of(UUID, "ct_zones"),
        ZONE, List.of(UUID, "timeout_policy", EXTERNAL_IDS),
        TIMEOUT_POLICY, List.of(UUID, "timeouts"));

    /** Followed as long as the node is connected: who it is, what it has, and what became of its ports. */
    static final Map<String, List<String>> MONITORED = Map.of(
        ROOT, List.of(EXTERNAL_IDS, "ovs_version", "dpdk_version", "dpdk_initialized"),
        BRIDGE, List.of("name", "ports", EXTERNAL_IDS),
        PORT, List.of("name", "interfaces"),
        INTERFACE, List.of("name", "ofport", "link_state", "admin_state", "error"));

    /** Columns of interfaces that are read when asked for: counters change every five seconds. */
    static final List<String> COUNTED = List.of(UUID, "name", "link_state", "link_resets", "error", "mtu",
        "statistics");

    private OvsTables() {
        // Names only.
    }
}
