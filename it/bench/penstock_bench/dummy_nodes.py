# SPDX-License-Identifier: Apache-2.0
"""Nodes without packets of their own: each has a private ovsdb-server and a private ovs-vswitchd with dummy ports.

They announce themselves to a controller as real nodes do (penstock_node/node.py). Each takes some 20 MB of memory, and
nearly no processor time when idle. OvsSandbox and DummyNode of the Java tests are the same.
"""

import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
from collections.abc import Iterator
from typing import Any, Self

from penstock_base import commands, processes
from penstock_node import node_protocol, switch_program, switch_root
from penstock_node.ovs import Ovs

from . import ovn_database
from .configuration import ACCESS_PORTS, UPLINK

PACKAGES = ("openvswitch-switch",)
ACCESS = ACCESS_PORTS[0]
AT_ONCE = 8
"""So many nodes are started at the same time."""

_DUMMY = ("--enable-dummy=override", "--disable-system")
_READY_SECONDS = 60
_BACKOFF_MILLISECONDS = 1000
_PORTS = [{"name": ACCESS, "role": node_protocol.ROLE_ACCESS, "type": node_protocol.TYPE_SYSTEM},
          {"name": UPLINK, "role": node_protocol.ROLE_UPLINK, "type": node_protocol.TYPE_SYSTEM}]


class DummyNode:
    """One node. Its files are in a directory of its name."""

    def __init__(self, directory: pathlib.Path, name: str) -> None:
        self.name = name
        self.ovs = Ovs(pathlib.Path(directory) / name)
        self._database = ovn_database.Database(self.ovs.socket, "Open_vSwitch")

    def begin_database(self, empty: pathlib.Path) -> None:
        """Starts its database with the content of a file."""
        self.ovs.directory.mkdir(parents=True)
        content = shutil.copyfile(empty, self.ovs.directory / "conf.db")
        self._begin(self.ovs.database_process, "ovsdb-server", content, f"--remote=punix:{self.ovs.socket}",
                    "--remote=db:Open_vSwitch,Open_vSwitch,manager_options")

    def begin_switch(self) -> None:
        """Waits for the database and starts the switch, which has no bridge yet."""
        processes.wait_until(self._database.connects, f"database of {self.name}", _READY_SECONDS,
                             self.ovs.database_process, self._log(self.ovs.database_process))
        self._database.transact(ovn_database.insert("Open_vSwitch", "root"))
        program = switch_program.words_without_dpdk(switch_root.ensure().directory)
        self._begin(self.ovs.switch_process, *program, f"unix:{self.ovs.socket}", *_DUMMY)

    def wait(self) -> None:
        """Waits for the switch."""
        processes.wait_until(self.ovs.control_socket.exists, f"switch of {self.name}", _READY_SECONDS,
                             self.ovs.switch_process, self._log(self.ovs.switch_process))

    def announce(self, controller: str) -> None:
        """Has it connect to the controller at `controller`, such as tcp:127.0.0.1:6640, as a node."""
        self._database.transact(
            ovn_database.insert("Manager", "manager", target=controller, max_backoff=_BACKOFF_MILLISECONDS),
            {"op": "update", "table": "Open_vSwitch", "where": [], "row": {
                "ovs_version": switch_program.version_without_dpdk(switch_root.ensure().directory),
                "manager_options": ovn_database.named("manager"), "external_ids": ovn_database.map_of({
                    node_protocol.NODE: self.name, node_protocol.PORTS: json.dumps(_PORTS),
                    node_protocol.VHOST_DIR: str(self.ovs.directory / "vhost")})}})

    def cpu(self) -> float:
        """Processor seconds that both programs have used."""
        return float(sum(processes.cpu_seconds(processes.pid_of(process)) for process in self.processes()))

    def processes(self) -> Iterator[pathlib.Path]:
        """The files that name its processes, in the order of their end."""
        yield self.ovs.switch_process
        yield self.ovs.database_process

    def close(self) -> None:
        """Ends what is open to its programs."""
        self._database.close()

    def _begin(self, process: pathlib.Path, *command: Any) -> None:
        processes.start([*command, "--verbose=console:warn"], process, self._log(process),
                        environment=self.ovs.environment)

    @staticmethod
    def _log(process: pathlib.Path) -> pathlib.Path:
        return process.with_suffix(".log")


class Fleet:
    """Any number of nodes in a directory; a context manager, which ends all of them. It begins with an empty directory,
    so it first ends what a killed run has left there."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = pathlib.Path(directory)
        self.nodes: list[DummyNode] = []

    def __enter__(self) -> Self:
        _end(sorted(self._directory.glob("*/*.process")))
        shutil.rmtree(self._directory, ignore_errors=True)
        self._directory.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        _end([process for node in self.nodes for process in node.processes()])
        for node in self.nodes:
            node.close()

    def grow(self, count: int) -> list[DummyNode]:
        """Starts nodes until there are so many. Returns the new ones, which have not announced themselves yet."""
        empty = self._directory / "empty.db"
        if not empty.exists():
            commands.run("ovsdb-tool", "create", empty, switch_program.schema(switch_root.ensure().directory))
        new = [DummyNode(self._directory, f"s{number:03}") for number in range(len(self.nodes), count)]
        for batch in _batched(new, AT_ONCE):
            self.nodes += batch
            for node in batch:
                node.begin_database(empty)
            for node in batch:
                node.begin_switch()
            for node in batch:
                node.wait()
        return new

    def cpu(self) -> float:
        """Processor seconds that the programs of all nodes have used."""
        return sum(node.cpu() for node in self.nodes)


def _end(files: list[pathlib.Path]) -> None:
    """Ends the processes that files name. All are told first: to wait for each before the next one would take long."""
    pids = [pid for process in files if (pid := processes.pid_of(process)) is not None]
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    for process in files:
        processes.stop(process)
    for pid in pids:
        with contextlib.suppress(ChildProcessError):  # Those that had ended before stop() waited for them.
            os.waitpid(pid, os.WNOHANG)


def _batched(nodes: list[DummyNode], size: int) -> Iterator[list[DummyNode]]:
    source = iter(nodes)
    while batch := list(itertools.islice(source, size)):
        yield batch
