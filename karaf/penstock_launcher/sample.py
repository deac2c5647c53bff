# SPDX-License-Identifier: Apache-2.0
"""The sample network as the launcher needs it: what to provision, and which hosts and routers to put around it."""

import dataclasses
import ipaddress
import json
import pathlib
import typing

from penstock_base import places
from penstock_base.errors import PenstockError

_SHARED_HOST = 10
_OWN_HOST = 101


@dataclasses.dataclass(frozen=True)
class Tenant:
    """A tenant and its one host. `address` may be the same for all tenants; `own_address` no other tenant has."""
    name: str
    vlan: int
    gateway: str
    address: str
    own_address: str
    prefix_length: int
    chain: str | None


@dataclasses.dataclass(frozen=True)
class Sample:
    """The sample. `network` and `acls` are RESTCONF documents; `functions` are the names of those that nodes start."""
    network: dict[str, typing.Any]
    acls: dict[str, typing.Any]
    functions: tuple[str, ...]
    node: str
    access_port: str
    uplink_port: str
    tenants: tuple[Tenant, ...]
    backbone_address: str
    transit_address: str
    public_prefixes: tuple[str, ...]

    @property
    def used_chains(self) -> list[str]:
        """Names of the chains that have a tenant."""
        return sorted({tenant.chain for tenant in self.tenants if tenant.chain})


def load(directory: pathlib.Path = places.SAMPLE) -> Sample:
    """Reads the sample. Raises PenstockError if it is more than one machine with one node can show."""
    documents = {name: json.loads((directory / f"{name}.json").read_text(encoding="utf-8"))
                 for name in ("network", "acls")}
    network = documents["network"]["penstock:network"]
    uplink = network["backbone"]["interface"][0]
    default = next(route for route in network["backbone"]["route"] if route["prefix"] == "0.0.0.0/0")
    if ipaddress.ip_address(default["next-hop"]) not in ipaddress.ip_network(uplink["prefix"]):
        raise PenstockError(f"the sample's default route leads to {default['next-hop']}, not within {uplink['prefix']}")
    places_ = {(at["node"], at["port"]) for tenant in network["tenant"] for at in tenant["attachment"]}
    if len(places_) != 1 or next(iter(places_))[0] != uplink["node"]:
        raise PenstockError("the sample's tenants have to be on one access port of the node with the uplink")
    pools = [prefix for pool in network.get("pool", []) for prefix in pool["prefix"]]
    fixed = [f"{tenant['nat']['public-address']}/32" for tenant in network["tenant"]
             if "public-address" in tenant.get("nat", {})]
    functions = tuple(function["name"] for function in network.get("function", []) if "start" in function)
    return Sample(
        network=documents["network"], acls=documents["acls"], functions=functions, node=uplink["node"],
        access_port=next(iter(places_))[1], uplink_port=uplink["port"],
        tenants=tuple(_tenant(index, entry) for index, entry in enumerate(network["tenant"])),
        backbone_address=uplink["address"], transit_address=default["next-hop"], public_prefixes=tuple(pools + fixed))


def _tenant(index: int, entry: dict[str, typing.Any]) -> Tenant:
    subnet = entry["subnet"][0]
    network = ipaddress.ip_network(subnet["prefix"])
    if network.num_addresses <= _OWN_HOST + index + 1:
        raise PenstockError(f"the sample's tenant {entry['name']}: subnet {network} has no room for its host")
    return Tenant(entry["name"], entry["attachment"][0]["vlan"], subnet["gateway"], str(network[_SHARED_HOST]),
                  str(network[_OWN_HOST + index]), network.prefixlen, entry.get("chain"))
