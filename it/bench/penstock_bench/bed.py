# SPDX-License-Identifier: Apache-2.0
"""Where Penstock is measured: the built controller and a real node, both private, and nothing else.

The node's ports are veths in the main thread of the switch, so no polling thread takes a core.
"""

import contextlib
import pathlib
import shutil
from collections.abc import Sequence
from typing import Self

import penstock_controller
from penstock_base import namespaces, processes
from penstock_node import node, profile
from penstock_node.ovs import Ovs

from . import configuration
from .configuration import ACCESS_PORTS, NETWORK, UPLINK
from .private_controller import PORTS, READY_SECONDS, PrivateController

ADDRESS = "169.254.79.1"
"""Where the private node finds the private controller."""


class Bed(PrivateController):
    """One controller and one node, private, from nothing; everything is taken away at the end."""

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path, java_options: Sequence[str] = (),
                 name: str = "psctl") -> None:
        super().__init__(directory, distribution, penstock_controller.Settings(
            # Bare forwarding is measured by flows that the controller would remove.
            listen_address=ADDRESS, ports=PORTS, java_options=tuple(java_options), flow_check_seconds=0,
            nodes="any"))
        self.name = name
        self.namespace = f"{name}-node"
        self.profile = profile.parse({
            "name": name, "namespace": self.namespace, "run-directory": str(self.directory / "nodes"),
            "pmd-cores": [1], "hugepage-memory-mb": 832, "pmd-maxsleep-us": 1000,
            "access-ports": [{"name": port} for port in ACCESS_PORTS], "uplink-ports": [{"name": UPLINK}],
            "management": {"controller-address": ADDRESS}, "controller": {"ovsdb-port": PORTS.ovsdb}})
        self.ovs = Ovs(self.profile.directory)
        self.nodes = None
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(shutil.rmtree, self.directory, ignore_errors=True)
            namespaces.delete(self.namespace)
            namespaces.create(self.namespace)
            undo.callback(namespaces.delete, self.namespace)
            self._lay_cables(undo)
            namespaces.execute(self.namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
            undo.callback(node.down, self.name, self.profile.run_directory)
            node.up(self.profile)
            undo.callback(self.controller.kill)
            self.boot()
            processes.wait_until(self._registered, "the node is registered", READY_SECONDS)
            self.nodes = self.restconf.read(f"{NETWORK}/node={self.name}")["penstock:node"]
            self.restconf.replace(configuration.ACLS, configuration.acls())
            self.put(0)
            processes.wait_until(self.is_applied, "the switch is connected", READY_SECONDS)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def _lay_cables(self, undo: contextlib.ExitStack) -> None:
        for port in (*ACCESS_PORTS, UPLINK):
            namespaces.delete_link(self.peer(port))
            namespaces.add_veth(port, self.namespace, self.peer(port), None)
            undo.callback(namespaces.delete_link, self.peer(port))
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{self.peer(port)}/disable_ipv6").write_text("1", "ascii")

    def _registered(self) -> bool:
        return self.restconf.read(f"{NETWORK}/node={self.name}") is not None

    def peer(self, port: str) -> str:
        """Our end of the cable of a port."""
        return f"{self.name}-{port}"

    @property
    def switch_log(self) -> pathlib.Path:
        """What ovs-vswitchd writes, until the bed is taken away."""
        return self.profile.directory / "ovs-vswitchd.log"

    def put(self, count: int) -> None:
        """Puts `count` tenants in the place of all there are."""
        self.restconf.replace(NETWORK, configuration.network(self.nodes, self.name, count))

    # Cost

    def cpu(self) -> dict[str, float]:
        """Processor seconds that controller and switch have used so far."""
        return {"controller": processes.cpu_seconds(self.controller.pid),
                "switch": processes.cpu_seconds(processes.pid_of(self.ovs.switch_process)),
                "database": processes.cpu_seconds(processes.pid_of(self.ovs.database_process))}

    def memory(self) -> dict[str, int]:
        """Bytes: those of heap(), and the resident memory of the switch."""
        return self.heap() | {"switch_resident": 1_000_000 * processes.resident_megabytes(
            processes.pid_of(self.ovs.switch_process))}
