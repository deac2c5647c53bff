# SPDX-License-Identifier: Apache-2.0
"""What the controller of the benchmark is told: a backbone, its access list, and any number of equal tenants."""

from collections.abc import Mapping
from typing import Any

from .results import Results

VLANS_PER_PORT = 4000
ACCESS_PORTS = ("acc0", "acc1")
UPLINK = "up0"
NETWORK = "penstock:network"
ACLS = "ietf-access-control-list:acls"
POOL = "100.64.0.0/16"
"""Public addresses."""

BACKBONE_ADDRESS = "192.0.2.2"
"""Of the node's interface there."""

QUOTA = {"sessions": "unlimited", "new-sessions": 1_000_000}
"""Of each tenant: loads have more connections than a tenant may have by default, and begin all of them at once. The
flows are those of a tenant without a quota."""

_MOST_OF_A_NODE = 4096
"""Tenants, where there are several nodes."""
_SPARE_VLAN = 4010
_SPARE_ADDRESSES = 250


def tenant(index: int, node_name: str, vlan: int | None = None, address: str | None = None, first: int = 0) -> Results:
    """Tenant number `index` of a node: one VLAN, 10.0.0.0/24, a public address of its own.

    first: number of the node's first tenant among those of all nodes
    """
    port, number = divmod(index, VLANS_PER_PORT)
    own = first + index
    return {
        "name": f"t{own:05}",
        "attachment": [{"name": "lan", "node": node_name, "port": ACCESS_PORTS[port],
                        "vlan": 2 + number if vlan is None else vlan}],
        "subnet": [{"name": "lan", "prefix": "10.0.0.0/24", "gateway": "10.0.0.1"}],
        "nat": {"public-address": address or f"100.64.{own >> 8}.{own & 255}"},
        "quota": dict(QUOTA)}


def changed(index: int, node_name: str) -> Results:
    """The same tenant on another VLAN and with another public address: the dearest change there is."""
    return tenant(index, node_name, _SPARE_VLAN + index % 50, f"100.64.{_SPARE_ADDRESSES}.{index % 256}")


def network(nodes: Any, node_name: str, count: int) -> Results:
    """The whole configuration with `count` tenants; `nodes` as the controller registered them."""
    return of_several(nodes, {node_name: BACKBONE_ADDRESS}, count)


def of_several(nodes: Any, addresses: Mapping[str, str], count: int) -> Results:
    """The same with `count` tenants on each of several nodes, by the addresses of these in the backbone."""
    return {NETWORK: {
        "node": nodes,
        "backbone": {
            "interface": [{"node": name, "port": UPLINK, "prefix": "192.0.2.0/24", "address": address,
                           "egress-acl": "backbone"} for name, address in addresses.items()],
            "route": [{"prefix": "0.0.0.0/0", "next-hop": "192.0.2.1"}]},
        "pool": [{"name": "public", "prefix": [POOL]}],
        "tenant": [tenant(index, name, first=number * _MOST_OF_A_NODE)
                   for number, name in enumerate(addresses) for index in range(count)]}}


def acls() -> Results:
    """The list of the backbone: nine prefixes that nobody may reach, and the rest."""
    entries = [{"name": f"no-{index}", "matches": {"ipv4": {"destination-ipv4-network": f"10.{index}.0.0/16"}},
                "actions": {"forwarding": "ietf-access-control-list:drop"}} for index in range(200, 209)]
    entries.append({"name": "rest", "actions": {"forwarding": "ietf-access-control-list:accept"}})
    return {ACLS: {"acl": [{"name": "backbone", "aces": {"ace": entries}}]}}
