# SPDX-License-Identifier: Apache-2.0
"""What the programs of a node and the controller have to name alike: keys of the node's database, words, addresses.

odl-apps/model/src/main/protocol defines them, with the values of the keys; a test compares. The controller has the same
names in io.penstock.southbound.ovsdb.NodeKeys. This module imports nothing, as programs use it that have no library of
the database.
"""

VERSION = 1
"""Of the protocol. Raise it when a key or a value changes its meaning, or when one side needs what the other did not
write before: the controller tells the operator of nodes with another version."""

NODE, PORTS, VHOST_DIR, PROTOCOL = "penstock-node", "penstock-ports", "penstock-vhost-dir", "penstock-protocol"
ACCEPTED_FAULTS = "penstock-accepted-faults"
"""Keys of external_ids of the row in Open_vSwitch: who the node is, the version that its agent speaks, and the faults
of its switch that its profile accepts."""
TENANT, SESSIONS, DNS = "penstock-tenant", "penstock-sessions", "penstock-dns"
SESSIONS_SET, SESSIONS_COUNT = "penstock-sessions-set", "penstock-sessions-count"
DNS_STATE, DNS_SILENT = "penstock-dns-state", "penstock-dns-silent"
"""Of a row in CT_Zone: orders for a tenant, and reports."""
SESSION_FLOWS, TRACE, CACHE, ORDERS = "penstock-session-flows", "penstock-trace", "penstock-cache", "penstock-orders"
TRACE_REPORT, CACHE_DONE, ORDERS_DONE = "penstock-trace-report", "penstock-cache-done", "penstock-orders-done"
FLOODS, FUNCTIONS_FOUND, NODE_FUNCTIONS = "penstock-floods", "penstock-functions-found", "penstock-node-functions"
FUNCTIONS_PROTOCOL = "penstock-functions-protocol"
"""Of the row of the bridge: orders for the node, and reports."""
FUNCTION, FUNCTION_STATE = "penstock-function", "penstock-function-state"
"""Of a row in Interface, that of the first port of an instance: an order, and the report."""

BRIDGE, DATAPATH = "br-penstock", "netdev"
"""The bridge that the controller owns, and the datapath that has the rows of CT_Zone."""
CAPTURE_PORT = "pscap-"
"""Names of ports of captures begin with it. The programs of the node make and remove them, and the controller leaves
them alone."""
ROLE_ACCESS, ROLE_UPLINK, ROLE_SERVICE = "access", "uplink", "service"
TYPE_SYSTEM, TYPE_DPDK = "system", "dpdk"
"""Of ports that a node announces."""
RESOLVER_OK = "ok"
"""DNS_STATE of a resolver that runs and answers."""

SERVICE_IPV4, SERVICE_IPV6 = "240.0.0.0/8", "fd50:7300::/48"
"""By which resolvers are reached; the number of a tenant is in them."""
SWITCH_MAC, RESOLVER_MAC = "02:50:53:00:00:01", "02:50:53:00:00:02"
"""The two ends of the link between switch and resolvers."""
SIDE_INSIDE, SIDE_OUTSIDE, SIDE_SECOND = "in", "out", "alt"
"""Behind the name of an instance and a dash for its ports."""
ROUTER_INSIDE_MAC, ROUTER_INSIDE_ADDRESS, ROUTER_INSIDE_GATEWAY = "02:50:53:ff:01:01", "169.254.81.2", "169.254.81.1"
ROUTER_OUTSIDE_MAC, ROUTER_OUTSIDE_ADDRESS, ROUTER_OUTSIDE_GATEWAY = "02:50:53:ff:01:02", "169.254.82.2", "169.254.82.1"
"""The links of a function that routes: its MAC address, its address, and the switch's."""
