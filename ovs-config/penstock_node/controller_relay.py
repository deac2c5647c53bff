# SPDX-License-Identifier: Apache-2.0
"""Relays the OpenFlow connections of a node's switch to controllers on other machines (docs/adr/0073).

The network namespace of the switch has no way to other machines, and the machine forwards nothing for it. What the
namespace itself sends to a controller's address arrives at a socket in it; each connection there is relayed, byte by
byte, over one that begins in the namespace of the machine. `ovs-config up` starts the relay, which is relay_program.py.
"""

import pathlib
from collections.abc import Collection, Sequence

from penstock_base import namespaces, processes
from penstock_base.commands import run

from . import ovs, supervision

NAME = "relay"
"""Of its service."""
HOME = pathlib.Path(__file__).resolve().parent.parent
"""Where the program finds its modules."""
_TABLE = _PREFERENCE = 72
"""Of the routing table with the addresses of controllers, and of the rule that has only the namespace itself look
there. For what comes in by a port they are not local: a tenant may have the same addresses."""
_LISTEN_SECONDS = 20


def start(directory: pathlib.Path, namespace: str, addresses: Sequence[str], port: int,
          cores: Collection[int]) -> bool:
    """Makes the relay of a node run, and none where there are no addresses. Returns True if anything was done.

    namespace: name of that of the switch
    addresses: of the controllers
    port:      their TCP port of OpenFlow
    cores:     where it may run, empty for all
    """
    if not addresses:
        return stop(directory, namespace)
    directory = directory.absolute()
    tree = supervision.Tree(directory)
    service = supervision.Service(
        NAME, ("env", f"PYTHONPATH={HOME}",
               *(["taskset", "--cpu-list", ",".join(map(str, sorted(cores)))] if cores else []),
               *words("open", namespace, port, *addresses)),
        process_of(directory), directory / "relay.log", nice=ovs.NICENESS)
    if processes.is_running(service.process) and tree.command(NAME) == [str(word) for word in service.command]:
        return False
    tree.remove(NAME, service.process)
    _route(namespace, addresses)
    tree.keep(service)
    # A switch that is refused waits for a second before it tries again.
    processes.wait_until(lambda: listens(namespace, addresses, port), NAME, _LISTEN_SECONDS, service.process,
                         service.log)
    return True


def listens(namespace: str, addresses: Collection[str], port: int) -> bool:
    """Whether a relay listens at all of the addresses in the namespace of the switch."""
    return set(namespaces.execute(namespace, "ss", "-Hltn").split()) >= {f"{address}:{port}" for address in addresses}


def stop(directory: pathlib.Path, namespace: str) -> bool:
    """Ends the relay and takes its routes away. Returns True if it was there."""
    tree = supervision.Tree(directory)
    if NAME not in tree.services():
        return False
    tree.remove(NAME, process_of(directory))
    if namespaces.exists(namespace):
        _route(namespace, ())
    return True


def process_of(directory: pathlib.Path) -> pathlib.Path:
    """The file that tells which process it is."""
    return directory / "relay.process"


def words(*arguments: object) -> list[str]:
    """The words that start the program. Its modules have to be found."""
    return ["/usr/bin/python3", "-B", "-m", "penstock_node.relay_program", *map(str, arguments)]


def _route(namespace: str, addresses: Collection[str]) -> None:
    """Has the namespace take the addresses, and no others, for its own in what it sends."""
    def ip(*words: object) -> str:
        return run("ip", "-n", namespace, "-4", *words)

    while f"{_PREFERENCE}:" in ip("rule", "show"):
        ip("rule", "delete", "pref", _PREFERENCE)
    # A table that was never written cannot be flushed.
    ip("route", "replace", "blackhole", "0.0.0.0/32", "table", _TABLE)
    ip("route", "flush", "table", _TABLE)
    for address in addresses:
        # The source is that of the switch's end: without it that would be the controller's address too.
        ip("route", "add", "local", address, "dev", "lo", "src", "127.0.0.1", "table", _TABLE)
    if addresses:
        ip("rule", "add", "pref", _PREFERENCE, "iif", "lo", "lookup", _TABLE)
