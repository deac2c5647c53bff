# SPDX-License-Identifier: Apache-2.0
"""Starts and stops the agent of a node, with no more rights than it needs."""

import importlib.util
import pathlib
import shutil
from collections.abc import Collection

from penstock_base import namespaces, processes
from penstock_base.errors import PenstockError

from . import agent_resolvers, ovs, resolver_network, sample_socket, supervision
from .confined import Confinement

_RIGHTS = ("chown", "dac_override", "kill", "setgid", "setpcap", "setuid", "sys_chroot")
"""To start resolvers as users of their own, to reach their sockets, and to end them. It is user 0, because the sockets
of database and switch are root's. Nothing else of root's, least of all its network and its files."""
NAME = "agent"
"""Of its service."""
_HOME = pathlib.Path(__file__).resolve().parent.parent


def start(directory: pathlib.Path, node_namespace: str, with_resolvers: bool, cores: Collection[int]) -> bool:
    """Starts the agent unless it runs. Returns True if it was started. cores: where it and the resolvers may run."""
    if is_running(directory):
        return False
    directory = directory.absolute()
    if importlib.util.find_spec("ovs") is None:
        raise PenstockError("the agent needs the package python3-openvswitch; install it")
    arguments = ["--resolvers"] if with_resolvers else []
    resolvers = directory / agent_resolvers.DIRECTORY
    writable: tuple[tuple[pathlib.Path, pathlib.Path], ...] = ()
    if with_resolvers:
        if not shutil.which("unbound"):
            raise PenstockError("the program unbound is not installed: install the package of that name")
        resolvers.mkdir(exist_ok=True)
        writable = ((resolvers, resolvers),)
    rights = Confinement(0, readable=(str(_HOME), str(directory)), writable=writable, capabilities=_RIGHTS,
                         hides=False)
    namespaces.set_up("lo", node_namespace)  # Samples take it.
    elsewhere = resolver_network.namespace_of(node_namespace) if with_resolvers else None
    supervision.Tree(directory).keep(supervision.Service(
        NAME,
        ("env", f"PYTHONPATH={_HOME}", *sample_socket.command(elsewhere),
         *(["taskset", "--cpu-list", ",".join(map(str, sorted(cores)))] if cores else []),
         *rights.words, "env", f"PYTHONPATH={_HOME}", "/usr/bin/python3", "-B", "-m", "penstock_node.agent",
         str(directory), *arguments),
        _process(directory), directory / "agent.log", namespace=node_namespace, nice=ovs.NICENESS))
    return True


def is_running(directory: pathlib.Path) -> bool:
    """Whether the agent of the node runs."""
    return processes.is_running(_process(directory))


def end(directory: pathlib.Path) -> None:
    """Ends the agent. The resolvers run on, and the next agent finds them."""
    supervision.Tree(directory).remove(NAME, _process(directory))


def stop(directory: pathlib.Path) -> None:
    """Ends the agent and the resolvers, and removes their files."""
    end(directory)
    agent_resolvers.stop_all(directory / agent_resolvers.DIRECTORY)
    shutil.rmtree(directory / agent_resolvers.DIRECTORY, ignore_errors=True)


def status(directory: pathlib.Path) -> dict[str, int | None]:
    """Whether the agent runs, and how many resolvers do."""
    return {"pid": processes.pid_of(_process(directory)),
            "resolvers": agent_resolvers.running(directory / agent_resolvers.DIRECTORY)}


def _process(directory: pathlib.Path) -> pathlib.Path:
    return directory / "agent.process"
