# SPDX-License-Identifier: Apache-2.0
"""The relay of controller_relay.py: `python3 -m penstock_node.relay_program open NAMESPACE PORT ADDRESS...`.

It opens the sockets, and goes on without rights, as `serve`.
"""

import asyncio
import contextlib
import ctypes
import os
import socket
import sys
import time
from collections.abc import Sequence

from penstock_base.errors import PenstockError

from . import controller_relay, user_ids
from .confined import Confinement

_NEWNET = 0x40000000
_TRANSPARENT = 19  # IP_TRANSPARENT, which the module socket does not name: to answer from an address of another table.
_CONNECT_SECONDS = 10
_CHUNK = 1 << 16
_BACKLOG = 16


def main() -> None:
    """Opens the sockets (`open`), or relays what comes to them (`serve`)."""
    step, *arguments = sys.argv[1:]
    if step == "serve":
        asyncio.run(_serve(arguments))
        return
    namespace, port, *addresses = arguments
    sockets = _listening(namespace, addresses, int(port))
    words = Confinement(user_ids.RELAY, readable=(str(controller_relay.HOME),)).words
    served = controller_relay.words("serve", *(f"{each.fileno()}:{address}:{port}"
                               for each, address in zip(sockets, addresses, strict=True)))
    os.execvp(words[0], [*words, "env", f"PYTHONPATH={controller_relay.HOME}", *served])


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
