# SPDX-License-Identifier: Apache-2.0
"""The controller as it is shipped and many dummy nodes: the set-up and the configuration of ./penstock bench scale.

Each node connects from an address of its own, as nodes of different machines do: the controller limits the connections
of one address. The addresses are those of the loopback device; Linux connects from the address that it connects to.
"""

import contextlib
import pathlib
import shutil
import time
from typing import Any, Self

import penstock_controller
from penstock_base import commands, processes
from penstock_base.restconf import RestconfError

from . import configuration, traffic
from .configuration import NETWORK, UPLINK
from .dummy_agents import DummyAgents
from .dummy_nodes import ACCESS, DummyNode, Fleet
from .private_controller import PORTS, WAIT_MILLISECONDS, PrivateController

TENANTS_A_REQUEST = 500
LEASE_VLAN = 4002
"""Of the tenant with a DHCP server beside those without."""

_EVERY_ADDRESS = "0.0.0.0"
_SYNC_SECONDS = 600
_TRANSIT, _TRANSIT_ROUTER = "172.16.0.0/16", "172.16.255.254"
_DHCP_PREFIX, _DHCP_ADDRESSES = "10.0.0.0/16", 254 * 256
_SPARE_VLANS = 4000, 4001


class ScaleBed(PrivateController):
    """One controller, and nodes as they are asked for; everything is taken away at the end."""

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path) -> None:
        # Nodes without an entry of their own are believed; all else is as by default.
        super().__init__(directory, distribution, penstock_controller.Settings(
            listen_address=_EVERY_ADDRESS, ports=PORTS, nodes="any"))
        self.fleet = Fleet(self.directory / "nodes")
        self._agents = DummyAgents(self.directory / "agents.log")
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            self.controller.kill()  # Of a run that was killed.
            undo.callback(shutil.rmtree, self.directory, ignore_errors=True)
            undo.enter_context(self.fleet)
            undo.enter_context(self._agents)
            undo.callback(self.controller.kill)
            self.boot()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    @property
    def nodes(self) -> list[DummyNode]:
        """All nodes, the first one first."""
        return self.fleet.nodes

    def grow(self, count: int) -> float:
        """Adds nodes until there are so many, with uplinks, and waits until they are in sync.

        Returns the seconds from the first announcement of the new ones until they were; the start of their programs
        does not count.
        """
        first = len(self.nodes)
        new = self.fleet.grow(count)
        self._agents.follow([node.ovs.socket for node in new])
        commands.run("ip", "-batch", "-", standard_input="".join(
            f"address replace {address(number)}/32 dev lo\n" for number in range(first, count)))
        begun = time.monotonic()
        for number, node in enumerate(new, first):
            node.announce(f"tcp:{address(number)}:{self.settings.ports.ovsdb}")
        self.await_sync()
        seconds = time.monotonic() - begun
        self.restconf.merge(NETWORK, backbone([node.name for node in self.nodes]))
        self.await_sync()
        return seconds

    def await_sync(self) -> None:
        """Waits until every node is connected and has all that was committed."""
        wanted = dict.fromkeys([node.name for node in self.nodes], "applied")
        processes.wait_until(lambda: self._quiet_states() == wanted, f"{len(wanted)} nodes are in sync", _SYNC_SECONDS,
                             poll_seconds=0.1)

    def _quiet_states(self, milliseconds: int = WAIT_MILLISECONDS) -> dict[str, str] | None:
        """None while the controller does not answer, or not yet as it should."""
        try:
            return self.states(milliseconds=milliseconds)
        except (RestconfError, KeyError):
            return None

    def add(self, tenants: list[dict[str, Any]]) -> float:
        """Adds tenants, TENANTS_A_REQUEST in each request, and returns the seconds until all nodes have them."""
        begun = time.monotonic()
        for start in range(0, len(tenants), TENANTS_A_REQUEST):
            self.restconf.merge(NETWORK, {NETWORK: {"tenant": tenants[start:start + TENANTS_A_REQUEST]}})
        self.await_sync()
        return time.monotonic() - begun

    def remove(self, tenants: list[dict[str, Any]]) -> None:
        """Removes tenants, one after the other, and waits until all nodes have forgotten them."""
        for tenant in tenants:
            self.restconf.delete(f"{NETWORK}/tenant={tenant['name']}")
        self.await_sync()

    def flows(self) -> int:
        """Reads the switches of all nodes, one after the other; returns their flows. Raises if anything differs."""
        return sum(self.verified(node.name) for node in self.nodes)

    def cost(self) -> dict[str, int]:
        """Bytes as of heap(), and the number of threads of the controller."""
        return self.heap() | {"threads": len(list(pathlib.Path(f"/proc/{self.controller.pid}/task").iterdir()))}

    def cpu(self) -> dict[str, float]:
        """Processor seconds that the controller and the programs of all nodes have used so far."""
        return {"controller": processes.cpu_seconds(self.controller.pid), "nodes": self.fleet.cpu()}

    def restart(self) -> dict[str, float]:
        """Ends the controller at once, as a crash does, and starts it again, the configuration as it was.

        Returns seconds from its end until it answers, until all nodes are in sync, and until the switches of all nodes
        were read and found as planned.
        """
        begun = time.monotonic()
        self.controller.kill()
        self.controller.start(self.settings)
        processes.wait_until(lambda: self._quiet_states(milliseconds=0) is not None, "the controller answers",
                             _SYNC_SECONDS, poll_seconds=0.1)
        answered = time.monotonic() - begun
        self.await_sync()
        synced = time.monotonic() - begun
        self.flows()
        return {"answered": answered, "synced": synced, "verified": time.monotonic() - begun}


def address(number: int) -> str:
    """Address of a node, by its number."""
    return f"10.79.{number + 1 >> 8}.{number + 1 & 255}"


def backbone(names: list[str]) -> dict[str, Any]:
    """The uplinks of nodes, which are all in one transit network, and the pool of public addresses."""
    return {NETWORK: {
        "backbone": {
            "interface": [{"node": name, "port": UPLINK, "prefix": _TRANSIT,
                           "address": f"172.16.{number + 1 >> 8}.{number + 1 & 255}"}
                          for number, name in enumerate(names)],
            "route": [{"prefix": "0.0.0.0/0", "next-hop": _TRANSIT_ROUTER}]},
        "pool": [{"name": "public", "prefix": [configuration.POOL]}]}}


def tenant(name: str, node: str, vlan: int) -> dict[str, Any]:
    """A tenant with one attachment and 10.0.0.0/24, and a public address that the controller takes from the pool."""
    return {"name": name, "attachment": [{"name": "lan", "node": node, "port": ACCESS, "vlan": vlan}],
            "subnet": [{"name": "lan", "prefix": "10.0.0.0/24", "gateway": traffic.GATEWAY}], "nat": {"pool": "public"}}


def tenants_of(node: str, count: int) -> list[dict[str, Any]]:
    """The tenants of a node."""
    return [tenant(f"{node}-t{number:02}", node, traffic.FIRST_VLAN + number) for number in range(count)]


def spare(node: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """One tenant more of a node, as it comes and on another VLAN."""
    first, second = (tenant(f"{node}-spare", node, vlan) for vlan in _SPARE_VLANS)
    return first, second


def dhcp_tenant(name: str, node: str, vlan: int) -> dict[str, Any]:
    """A tenant with 10.0.0.0/16 and a DHCP server: see host_address().

    Where there are few tenants one of them has more leases a second than a quota lets pass by default.
    """
    return tenant(name, node, vlan) | {
        "subnet": [{"name": "lan", "prefix": _DHCP_PREFIX, "gateway": traffic.GATEWAY}],
        "dhcp": {"subnet": [{"prefix": _DHCP_PREFIX, "pool": [
            {"first": host_address(0), "last": host_address(_DHCP_ADDRESSES - 1)}]}]},
        "quota": {"controller-packets": 1000}}


def dhcp_tenants(node: str, group: int, count: int) -> list[dict[str, Any]]:
    """Tenants of a node with DHCP servers; those of each group have names of their own."""
    return [dhcp_tenant(f"d{group}-{number:04}", node, traffic.FIRST_VLAN + number) for number in range(count)]


def host_address(number: int) -> str:
    """An address in the pool of a DHCP server."""
    return f"10.0.{1 + (number >> 8)}.{number & 255}"
