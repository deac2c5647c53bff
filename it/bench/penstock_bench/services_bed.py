# SPDX-License-Identifier: Apache-2.0
"""Penstock with services: the ports and the configuration of ./penstock bench services.

Every port but that of the resolvers is polled by the one PMD thread, so a flood at one of them meets all others.

| port | other end | who is there |
|---|---|---|
| acc0 | generator, link acc | the hostile tenant |
| acc1 | generator, link nbr | the neighbour's established stream |
| hosts0 | hosts.Hosts | hosts of any tenant: leases, queries, pings |
| names0 | names.Clients, when there are resolvers | namespaces that ask for names |
| up0 | generator, link up | what the neighbour sends to the world |
| up1 | generator, link far | what the hostile tenant sends to the world |
| svc0 | the node's resolvers | made by the node, when its profile has `dns` |
"""

import contextlib
import pathlib
from collections.abc import Sequence
from typing import Any, ClassVar

from penstock_base import namespaces

from . import configuration, edge, traffic
from .generator import Generator
from .results import Results
from .tagged import packet_port

PACKAGES = ("librte-net-af-packet23",)
LINKS = ("acc", "nbr", "up", "far")
HOSTS_PORT = "hosts0"
"""Name of the port for hosts, and the begin of the name of our end."""
NAMES_PORT = "names0"
NAMES_TRUNK = "names0-trunk"
"""Name of the port for namespaces, and of the other end of its cable, which is in the node's namespace too."""
HOSTILE, NEIGHBOUR = 0, 1
"""Numbers of the two tenants; see traffic.place() and traffic.public_address()."""
FAR_SERVER = "198.19.0.10"
"""Where the hostile tenant's packets go to: by the other uplink, so that what the neighbour loses can be counted."""
UPSTREAM = "198.18.53.1"
"""The provider's resolver, which we play."""
NEIGHBOUR_HOST = "10.0.0.11"
"""The neighbour's host that asks for names and pings."""

_RESOLVER_DEVICE, _RESOLVER_PEER, _RESOLVER_ADDRESS = "psbdns", "psbdns-up", "198.18.53.2"
TRANSIT = {"up": ("up0", "192.0.2.0/24", "192.0.2.2", "192.0.2.1"),
           "far": ("up1", "192.0.3.0/24", "192.0.3.2", "192.0.3.1")}
"""By the generator's link: name of the uplink, its prefix, the node's address there, and that of the router behind."""
FAR_PREFIX = "198.19.0.0/16"
"""What is behind the second uplink."""
_QUERIES_PER_SECOND = 100_000
_RECORDS = 100


class ServicesBed(edge.Edge):
    """One controller and one node with all the ports above. `with_dns`: whether the node has resolvers."""

    SETTINGS: ClassVar[dict[str, Any]] = {}
    """Polling threads are as in the product: what a tenant takes from its neighbour is to be true of a node."""

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path, with_dns: bool = True,
                 links: Sequence[str] = LINKS) -> None:
        self._with_dns = with_dns
        super().__init__(directory, distribution, links)

    def _ports(self) -> Results:
        ports: Results = {"access-ports": [self._port("acc0", 0, "acc"), self._port("acc1", 1, "nbr"),
                                  {"name": HOSTS_PORT, "type": "dpdk", "devargs": packet_port(0, f"{HOSTS_PORT}-sw")}],
                 "uplink-ports": [self._port("up0", 2, "up"), self._port("up1", 3, "far")]}
        if self._with_dns:
            ports["access-ports"].append({"name": NAMES_PORT, "type": "dpdk",
                                          "devargs": packet_port(1, f"{NAMES_PORT}-sw")})
            ports["dns"] = {"device": _RESOLVER_DEVICE, "upstream-address": f"{_RESOLVER_ADDRESS}/24"}
        return ports

    def _lay_cables(self, undo: contextlib.ExitStack) -> None:
        cables: list[tuple[str, str | None, str]] = [(f"{HOSTS_PORT}-sw", self.namespace, self.hosts_device)]
        cables += [(_RESOLVER_DEVICE, None, _RESOLVER_PEER)] if self._with_dns else []
        for device, namespace, peer in cables:
            namespaces.delete_link(peer)
            namespaces.add_veth(device, namespace, peer, None)
            undo.callback(namespaces.delete_link, peer)
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{peer}/disable_ipv6").write_text("1", "ascii")
        if self._with_dns:
            namespaces.add_veth(f"{NAMES_PORT}-sw", self.namespace, NAMES_TRUNK, self.namespace)
            namespaces.execute(None, "ip", "address", "replace", f"{UPSTREAM}/24", "dev", _RESOLVER_PEER)

    @property
    def hosts_device(self) -> str:
        """Our end of the cable of the port for hosts."""
        return self.peer(HOSTS_PORT)

    def provision(self, tenants: Sequence[Results]) -> None:
        """Puts these tenants in the place of all there are, in one request, and waits until the switch has them."""
        self.restconf.replace(configuration.NETWORK, self.network(tenants))
        self.applied()

    def network(self, tenants: Sequence[Results]) -> Results:
        """The whole configuration with these tenants."""
        content = configuration.network(self.nodes, self.name, 0)[configuration.NETWORK]
        content["backbone"] = {
            "interface": [{"node": self.name, "port": port, "prefix": prefix, "address": address}
                          for port, prefix, address, _ in TRANSIT.values()],
            "route": [{"prefix": "0.0.0.0/0", "next-hop": TRANSIT["up"][3]},
                      {"prefix": FAR_PREFIX, "next-hop": TRANSIT["far"][3]}]}
        if self._with_dns:
            content["resolver"] = {"upstream": [UPSTREAM]}
        content["tenant"] = tenants
        return {configuration.NETWORK: content}

    def meet_transit(self, generator: Generator) -> None:
        """Lets the routers behind both uplinks speak, so that the switch knows their MAC addresses."""
        for link, (_, _, ours, theirs) in TRANSIT.items():
            path = self.directory / f"transit-{link}.pcap"
            traffic.write_pcap(path, [edge.arp(traffic.TRANSIT_MAC, theirs, ours)])
            generator.load(link, path)
            generator.run(1, [link], rate=10, burst=3)

    def introduce(self, generator: Generator, link: str, number: int) -> None:
        """Lets the host of a tenant, which the generator plays on `link`, speak."""
        path = self.directory / f"host-{link}.pcap"
        traffic.write_pcap(path, [edge.arp(traffic.host_mac(number), traffic.HOST, traffic.GATEWAY,
                                           traffic.place(number)[1])])
        generator.load(link, path)
        generator.run(1, [link], rate=10, burst=3)


def tenant(number: int, node: str, ports: Sequence[str], prefix: str = "10.0.0.0/24",
           pool: tuple[str, str] = ("10.0.0.100", "10.0.0.250"), probe: int | None = None,
           dns: bool = False) -> Results:
    """A tenant with a DHCP server, on a VLAN of `ports`, with the default quotas, and with names if asked for.

    probe: milliseconds of `conflict-probe`; None is the default
    """
    entry = configuration.tenant(number, node)
    del entry["quota"]
    entry["attachment"] = [{"name": port, "node": node, "port": port, "vlan": traffic.place(number)[1]}
                           for port in ports]
    entry["subnet"] = [{"name": "lan", "prefix": prefix, "gateway": traffic.GATEWAY}]
    entry["dhcp"] = {"subnet": [{"prefix": prefix, "pool": [{"first": pool[0], "last": pool[1]}]}]}
    if probe is not None:
        entry["dhcp"]["conflict-probe"] = probe
    if dns:
        entry["dns"] = {"domain": zone(number), "queries-per-second": _QUERIES_PER_SECOND, "record": [
            {"name": f"host{index}", "type": "A", "data": f"10.0.0.{100 + index}"} for index in range(_RECORDS)]}
    return entry


def zone(number: int) -> str:
    """The domain of a tenant."""
    return f"t{number}.example"


def own_names(number: int) -> list[str]:
    """Names in a tenant's zone."""
    return [f"host{index}.{zone(number)}" for index in range(_RECORDS)]


def pair(node: str, with_dns: bool) -> list[Results]:
    """The hostile tenant and its neighbour, both as a tenant is without limits of its own.

    Without conflict probes: a wait of 200 ms in every lease would hide what the floods add. Both have a reservation:
    the switch looks at the MAC address of a sender only where an address is bound to one.
    """
    large: dict[str, Any] = {"prefix": "10.0.0.0/16", "pool": ("10.0.1.0", "10.0.255.254"), "probe": 0}
    tenants = [tenant(HOSTILE, node, ("acc0",), dns=with_dns, **large),
               tenant(NEIGHBOUR, node, ("acc1", HOSTS_PORT), dns=with_dns, **large)]
    for one in tenants:
        one.get("dns", {}).pop("queries-per-second", None)
        one["dhcp"]["subnet"][0]["reservation"] = [{"address": "10.0.0.30", "mac": "02:69:00:00:00:30"}]
    return tenants
