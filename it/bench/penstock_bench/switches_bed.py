# SPDX-License-Identifier: Apache-2.0
"""Several nodes under one controller, each with an Open vSwitch of its own, whose polling threads share a core.

Only the node that is measured polls without a pause. The polling threads of all others sleep for up to a millisecond at
a time, so a turn of one node can follow that of another within seconds.
"""

import contextlib
import pathlib
import shutil
from collections.abc import Iterator, Sequence
from typing import Self

import penstock_controller
from penstock_base import namespaces, processes
from penstock_node import node, profile, switch_faults, switch_program
from penstock_node.ovs import Ovs

from . import bed, configuration, edge, plan, switch
from .configuration import NETWORK
from .private_controller import PORTS, READY_SECONDS, PrivateController

_MEMORY_MB = 1024
_ASLEEP_MICROSECONDS = 1000


class SwitchNode(edge.NodeUnderLoad):
    """A node with one access port and one uplink; started by its bed.

    number:  of the node among those of the bed
    switch:  root of the Debian whose Open vSwitch it runs
    with_peer: whether the generator has links for an OVN on it too
    """

    def __init__(self, directory: pathlib.Path, number: int, switch_root: pathlib.Path, with_peer: bool) -> None:
        self.directory = directory
        self.name = f"{edge.NAME}{number}"
        self.namespace = f"{self.name}-node"
        self.links = tuple(f"{link}{number}" for link in edge.LINKS)
        self.peer_links = tuple(f"{link}{number}-" for link in plan.OVN_LINKS) if with_peer else ()
        self.sockets = edge.sockets_of(directory, self.name, (*self.links, *self.peer_links))
        self.backbone_address = f"192.0.2.{2 + number}"
        self.open_vswitch, self.dpdk = switch_program.version(switch_root)
        access, uplink = (switch.vhost_port(port, self.sockets[link]) for port, link in enumerate(self.links))
        self.profile = profile.parse({
            "name": self.name, "namespace": self.namespace, "run-directory": str(directory / "nodes"),
            "pmd-cores": [edge.PMD_CORE], "hugepage-memory-mb": _MEMORY_MB, "pmd-maxsleep-us": _ASLEEP_MICROSECONDS,
            "switch-root": str(switch_root), "management": {"controller-address": bed.ADDRESS},
            "accepted-switch-faults": [fault.name for fault in switch_faults.of(self.open_vswitch) if fault.refused],
            "controller": {"ovsdb-port": PORTS.ovsdb},
            "access-ports": [{"name": configuration.ACCESS_PORTS[0], "type": "dpdk", "devargs": access}],
            "uplink-ports": [{"name": configuration.UPLINK, "type": "dpdk", "devargs": uplink}]})
        self.ovs = Ovs(self.profile.directory)

    @property
    def switch_log(self) -> pathlib.Path:
        """What ovs-vswitchd writes, until the node is taken away."""
        return self.profile.directory / "ovs-vswitchd.log"

    @property
    def peer_ports(self) -> dict[str, list[str]]:
        """Settings of OVN's ports."""
        return plan.ovn_ports({link: self.sockets[own]
                               for link, own in zip(plan.OVN_LINKS, self.peer_links, strict=True)})

    @contextlib.contextmanager
    def awake(self) -> Iterator[None]:
        """For the body its polling thread does not sleep."""
        self.ovs.set_map("other_config", {"pmd-maxsleep": 0})
        try:
            yield
        finally:
            self.ovs.set_map("other_config", {"pmd-maxsleep": _ASLEEP_MICROSECONDS})


class SwitchesBed(PrivateController):
    """One controller and its nodes, private, from nothing; everything is taken away at the end.

    nodes: the switch of each, and whether it has an OVN. Those with one have no tenants of Penstock.
    """

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path,
                 nodes: Sequence[tuple[pathlib.Path, bool]]) -> None:
        super().__init__(directory, distribution, penstock_controller.Settings(
            listen_address=bed.ADDRESS, ports=PORTS, flow_check_seconds=0, nodes="any"))
        self.nodes = [SwitchNode(directory, number, root, with_peer) for number, (root, with_peer) in enumerate(nodes)]
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(shutil.rmtree, self.directory, ignore_errors=True)
            for each in self.nodes:
                namespaces.delete(each.namespace)
                namespaces.create(each.namespace)
                undo.callback(namespaces.delete, each.namespace)
                namespaces.execute(each.namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
                for socket in each.sockets.values():
                    socket.parent.mkdir(parents=True, exist_ok=True)
                undo.callback(node.down, each.name, each.profile.run_directory)
                node.up(each.profile)
            undo.callback(self.controller.kill)
            self.boot()
            processes.wait_until(self._registered, "the nodes are registered", READY_SECONDS)
            self.restconf.replace(configuration.ACLS, configuration.acls())
            self.put(0)
            processes.wait_until(self.is_applied, "the switches are connected", READY_SECONDS)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def put(self, count: int) -> None:
        """Puts `count` tenants on each node without an OVN, in the place of all there are."""
        entries = [entry for each in self.nodes
                   for entry in self.restconf.read(f"{NETWORK}/node={each.name}")["penstock:node"]]
        addresses = {each.name: each.backbone_address for each in self.nodes if not each.peer_links}
        self.restconf.replace(NETWORK, configuration.of_several(entries, addresses, count))

    def _registered(self) -> bool:
        return all(self.restconf.read(f"{NETWORK}/node={each.name}") is not None for each in self.nodes)
