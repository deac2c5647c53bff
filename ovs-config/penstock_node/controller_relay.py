# SPDX-License-Identifier: Apache-2.0
"""Relays the OpenFlow connections of a node's switch to controllers on other machines (docs/adr/0073).

The network namespace of the switch has no way to other machines, and the machine forwards nothing for it. What the
namespace itself sends to a controller's address arrives at a socket in it; each connection there is relayed, byte by
byte, over one that begins in the namespace of the machine. `ovs-config up` starts the relay, as `python3 -m
penstock_node.controller_relay open NAMESPACE PORT ADDRESS...`. It opens the sockets, and goes on without rights.
"""

import asyncio
import contextlib
import ctypes
import os
import pathlib
import socket
import sys
import time
from collections.abc import Collection, Sequence

from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError

from . import ovs, supervision, user_ids
from .confined import Confinement

NAME = "relay"
"""Of its service."""
_HOME = pathlib.Path(__file__).resolve().parent.parent
_TABLE = _PREFERENCE = 72
"""Of the routing table with the addresses of controllers, and of the rule that has only the namespace itself look
there. For what comes in by a port they are not local: a tenant may have the same addresses."""
_NEWNET = 0x40000000
_TRANSPARENT = 19  # IP_TRANSPARENT, which the module socket does not name: to answer from an address of another table.
_LISTEN_SECONDS = 20
_CONNECT_SECONDS = 10
_CHUNK = 1 << 16
_BACKLOG = 16


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
        NAME, ("env", f"PYTHONPATH={_HOME}",
               *(["taskset", "--cpu-list", ",".join(map(str, sorted(cores)))] if cores else []),
               *_words("open", namespace, port, *addresses)),
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


def _words(*arguments: object) -> list[str]:
    return ["/usr/bin/python3", "-B", "-m", "penstock_node.controller_relay", *map(str, arguments)]


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


def main() -> None:
    """Opens the sockets (`open`), or relays what comes to them (`serve`)."""
    step, *arguments = sys.argv[1:]
    if step == "serve":
        asyncio.run(_serve(arguments))
        return
    namespace, port, *addresses = arguments
    sockets = _listening(namespace, addresses, int(port))
    words = Confinement(user_ids.RELAY, readable=(str(_HOME),)).words
    served = _words("serve", *(f"{each.fileno()}:{address}:{port}"
                               for each, address in zip(sockets, addresses, strict=True)))
    os.execvp(words[0], [*words, "env", f"PYTHONPATH={_HOME}", *served])


def _listening(namespace: str, addresses: Sequence[str], port: int) -> list[socket.socket]:
    """Sockets in the namespace of the switch; this process stays where it is."""
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(path: str) -> int:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    home, there = enter("/proc/self/ns/net"), enter(f"/run/netns/{namespace}")
    sockets = []
    for place in (there, home):
        if libc.setns(place, _NEWNET):
            raise PenstockError(f"network namespace {namespace}: {os.strerror(ctypes.get_errno())}")
        if place == home:
            break
        for address in addresses:
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.SOL_IP, _TRANSPARENT, 1)
            listener.bind((address, port))
            listener.listen(_BACKLOG)
            listener.set_inheritable(True)
            sockets.append(listener)
    return sockets


async def _serve(descriptions: Sequence[str]) -> None:
    for description in descriptions:
        number, address, port = description.split(":")
        relay = _Relay(address, int(port))
        await asyncio.start_server(relay.connected, sock=socket.socket(fileno=int(number)), limit=_CHUNK)
    await asyncio.get_running_loop().create_future()


class _Relay:
    """The relay to one controller. The log gets a line when the reason changes for which it cannot be reached."""

    def __init__(self, address: str, port: int) -> None:
        self._address = address
        self._port = port
        self._trouble: str | None = None

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection of the switch until either side ends it, and ends both then.

        One to a controller that is not reached ends too, so the switch tries again, as after a refusal.
        """
        with contextlib.closing(writer):
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    answers, requests = await asyncio.open_connection(self._address, self._port, limit=_CHUNK)
            except OSError as error:
                self._tell(str(error) or "no answer")
                return
            self._tell(None)
            with contextlib.closing(requests):
                ways = [asyncio.create_task(_copy(reader, requests)), asyncio.create_task(_copy(answers, writer))]
                _, waiting = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in waiting:
                    way.cancel()

    def _tell(self, trouble: str | None) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            print(time.strftime("%Y-%m-%d %H:%M:%S"), f"controller {self._address}:{self._port}:",
                  trouble or "is reached", file=sys.stderr, flush=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await source.read(_CHUNK):
            target.write(data)
            await target.drain()


if __name__ == "__main__":
    main()
