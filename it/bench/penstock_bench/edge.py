# SPDX-License-Identifier: Apache-2.0
"""Penstock under load: the controller and a node of bed.py, with the generator at the node's ports."""

import contextlib
import pathlib
import struct
import time
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import profile
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs

from . import bed, configuration, private_controller, switch, traffic
from .generator import Generator
from .results import Results, Say

NAME = "psbench"
PMD_CORE = 1
LINKS = ("acc", "up")
"""The generator's ends of the node's ports, by their names there."""

_MEMORY_MB = 1024
# Table nat_sessions, and the bit of register 0 that tells the ways apart: docs/pipeline.md.
_SESSIONS = 74
_FROM_BACKBONE = 1 << 24
_ARP_RATE = 2000
_WARM_SECONDS = 240
# Sessions end after some minutes and are learned again, so a few of many are always missing.
_WARM_SHARE = 0.98
_ETH_ARP, _REQUEST = 0x0806, 1


def sockets_of(directory: pathlib.Path, node: str, links: Iterable[str]) -> dict[str, pathlib.Path]:
    """The sockets of links to a node, in a directory that has nothing else: the switch of the node sees all of it."""
    return {link: directory / f"links-{node}" / f"{link}.sock" for link in links}


class NodeUnderLoad:
    """A node whose ports have the generator at their other ends.

    links: the generator's ends of the access port and of the uplink
    """
    directory: pathlib.Path
    ovs: Ovs
    links: Sequence[str] = LINKS
    backbone_address = configuration.BACKBONE_ADDRESS

    def learn(self, generator: Generator, load: traffic.Load) -> None:
        """Lets the transit router and every host speak, so that the switch knows their MAC addresses."""
        transit = self.directory / "transit.pcap"
        traffic.write_pcap(transit, [arp(traffic.TRANSIT_MAC, "192.0.2.1", self.backbone_address)])
        hosts = self.directory / "hosts.pcap"
        frames = [arp(traffic.host_mac(tenant), traffic.HOST, "10.0.0.1", traffic.place(tenant)[1])
                  for tenant in range(load.tenants)]
        traffic.write_pcap(hosts, frames)
        access, uplink = self.links
        for link, path, count in ((uplink, transit, 3), (access, hosts, len(frames))):
            generator.load(link, path)
            generator.run(2 + count / _ARP_RATE, [link], rate=_ARP_RATE, burst=count)

    def forget_sessions(self) -> None:
        """Every connection is tracked again, until it has a new session."""
        run("ovs-ofctl", "-O", "OpenFlow13", "del-flows", BRIDGE, f"table={_SESSIONS}",
            environment=self.ovs.environment)

    def warm(self, generator: Generator, links: Sequence[str], flows: int, say: Say | None = None) -> float:
        """Sends on `links` until nearly all of `flows` flows have sessions. Returns the seconds it took."""
        begun = time.monotonic()
        while (found := self.sessions()) < _WARM_SHARE * flows:
            if time.monotonic() - begun > _WARM_SECONDS:
                raise PenstockError(f"after {_WARM_SECONDS} s the switch has {found} sessions for {flows} flows")
            generator.run(2, links)
        took = time.monotonic() - begun
        if say:
            say(f"{found} sessions after {took:.0f} s")
        return took

    def sessions(self) -> int:
        """Number of sessions, by their flows towards the backbone; those of the other way go when nothing answers."""
        text = run("ovs-ofctl", "-O", "OpenFlow13", "dump-aggregate", BRIDGE,
                   f"table={_SESSIONS},reg0=0/{_FROM_BACKBONE:#x}", environment=self.ovs.environment)
        return int(text.rpartition("flow_count=")[2])


class Edge(NodeUnderLoad, bed.Bed):
    """One controller, one node with a polling thread, one access port and one uplink.

    pmd_cores: with several cores as many polling threads
    """

    SETTINGS: ClassVar[dict[str, Any]] = {"pmd-maxsleep-us": 0}
    """What the profile of the node has beside ports, cores and memory that a node does not have by default: polling
    threads do not sleep, so that bare forwarding and others are compared at their fastest."""

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path, links: Sequence[str] = LINKS,
                 pmd_cores: Sequence[int] = (PMD_CORE,)) -> None:
        super().__init__(directory, distribution, name=NAME)
        self.sockets = sockets_of(pathlib.Path(directory), NAME, links)
        self.profile = profile.parse({
            "name": NAME, "namespace": self.namespace, "run-directory": str(self.directory / "nodes"),
            "pmd-cores": list(pmd_cores), "hugepage-memory-mb": _MEMORY_MB, **self.SETTINGS,
            "management": {"controller-address": bed.ADDRESS},
            "controller": {"ovsdb-port": private_controller.PORTS.ovsdb}, **self._ports()})
        self.ovs = Ovs(self.profile.directory)

    def _ports(self) -> Results:
        """The part of the profile that says what ports there are."""
        return {"access-ports": [self._port("acc0", 0, "acc")], "uplink-ports": [self._port("up0", 1, "up")]}

    def _port(self, name: str, number: int, link: str) -> Results:
        return {"name": name, "type": "dpdk", "devargs": switch.vhost_port(number, self.sockets[link])}

    def _lay_cables(self, undo: contextlib.ExitStack) -> None:  # noqa: ARG002  (the directory goes with that of the bed)
        """The generator is at the other end."""
        for socket in self.sockets.values():
            socket.parent.mkdir(parents=True, exist_ok=True)


def arp(mac: str, address: str, asked: str, vlan: int | None = None) -> bytes:
    """An ARP request (RFC 826), which tells who is at an address."""
    source = bytes.fromhex(mac.replace(":", ""))
    tag = b"" if vlan is None else struct.pack("!HH", 0x8100, vlan)
    frame = b"\xff" * 6 + source + tag + struct.pack("!HHHBBH", _ETH_ARP, 1, 0x0800, 6, 4, _REQUEST) + source \
        + _address(address) + bytes(6) + _address(asked)
    return frame.ljust(60, b"\0")


def _address(text: str) -> bytes:
    return bytes(int(part) for part in text.split("."))
