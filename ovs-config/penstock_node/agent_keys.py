# SPDX-License-Identifier: Apache-2.0
"""The keys of external_ids under which the controller and the agent of a node talk, and the words of the reports.

A module of its own, as other programs read the reports without the database library of Open vSwitch.
"""

SESSIONS, DNS, TRACE, CACHE = "penstock-sessions", "penstock-dns", "penstock-trace", "penstock-cache"
SESSION_FLOWS, ORDERS = "penstock-session-flows", "penstock-orders"
"""Keys that the controller writes."""
SESSIONS_SET, SESSIONS_COUNT, DNS_STATE = "penstock-sessions-set", "penstock-sessions-count", "penstock-dns-state"
TRACE_REPORT, CACHE_DONE, ORDERS_DONE = "penstock-trace-report", "penstock-cache-done", "penstock-orders-done"
FLOODS = "penstock-floods"
"""Keys that the agent writes."""
RESOLVER_OK = "ok"
"""DNS_STATE of a resolver that runs and answers."""
