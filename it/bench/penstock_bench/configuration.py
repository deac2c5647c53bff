# SPDX-License-Identifier: Apache-2.0
"""What the controller of the benchmark is told: a backbone, its access list, and any number of equal tenants."""

from typing import Any

from .results import Results

VLANS_PER_PORT = 4000
ACCESS_PORTS = ("acc0", "acc1")
UPLINK = "up0"
NETWORK = "penstock:network"
ACLS = "ietf-access-control-list:acls"
POOL = "100.64.0.0/16"
"""Public addresses."""

QUOTA = {"sessions": "unlimited", "new-sessions": 1_000_000}
"""Of each tenant: loads have more connections than a tenant may have by default, and begin all of them at once. The
flows are those of a tenant without a quota."""

_SPARE_VLAN = 4010
_SPARE_ADDRESSES = 250


def tenant(index: int, node_name: str, vlan: int | None = None, address: str | None = None) -> Results:
    """Tenant number `index`: one VLAN, 10.0.0.0/24, a public address of its own."""
    port, number = divmod(index, VLANS_PER_PORT)
    return {
        "name": f"t{index:05}",
        "attachment": [{"name": "lan", "node": node_name, "port": ACCESS_PORTS[port],
                        "vlan": 2 + number if vlan is None else vlan}],
        "subnet": [{"name": "lan", "prefix": "10.0.0.0/24", "gateway": "10.0.0.1"}],
        "nat": {"public-address": address or f"100.64.{index >> 8}.{index & 255}"},
        "quota": dict(QUOTA)}


def changed(index: int, node_name: str) -> Results:
    """The same tenant on another VLAN and with another public address: the dearest change there is."""
    return tenant(index, node_name, _SPARE_VLAN + index % 50, f"100.64.{_SPARE_ADDRESSES}.{index % 256}")


def network(nodes: Any, node_name: str, count: int) -> Results:
    """The whole configuration with `count` tenants; `nodes` as the controller registered them."""
    return {NETWORK: {
        "node": nodes,
        "backbone": {
            "interface": [{"node": node_name, "port": UPLINK, "prefix": "192.0.2.0/24", "address": "192.0.2.2",
                           "egress-acl": "backbone"}],
            "route": [{"prefix": "0.0.0.0/0", "next-hop": "192.0.2.1"}]},
        "pool": [{"name": "public", "prefix": [POOL]}],
        "tenant": [tenant(index, node_name) for index in range(count)]}}


def acls() -> Results:
    """The list of the backbone: nine prefixes that nobody may reach, and the rest."""
    entries = [{"name": f"no-{index}", "matches": {"ipv4": {"destination-ipv4-network": f"10.{index}.0.0/16"}},
                "actions": {"forwarding": "ietf-access-control-list:drop"}} for index in range(200, 209)]
    entries.append({"name": "rest", "actions": {"forwarding": "ietf-access-control-list:accept"}})
    return {ACLS: {"acl": [{"name": "backbone", "aces": {"ace": entries}}]}}
