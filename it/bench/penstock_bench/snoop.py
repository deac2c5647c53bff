# SPDX-License-Identifier: Apache-2.0
"""Copies of what a switch and its controller say to each other: OpenFlow 1.3, from the snoop socket of a bridge.

So the moment is seen in which the switch has got a frame to send, without a packet capture: the controller owns the
options of ports, and takes away what others set there.
"""

import contextlib
import pathlib
import select
import socket
import struct
from collections.abc import Iterable, Iterator

from penstock_base.errors import PenstockError
from penstock_node.node_protocol import BRIDGE

EXPERIMENTER, PACKET_OUT, FLOW_MOD, METER_MOD = 4, 13, 14, 29
"""Types of messages. Bundles, which flows come in, are messages of an experimenter."""

Message = tuple[int, bytes]
"""Type and body."""

_HEADER = struct.Struct("!BBHI")
_HELLO = _HEADER.pack(4, 0, _HEADER.size, 0)
_PACKET_OUT = struct.Struct("!IIH6x")


class Snoop:
    """One connection. Not for several threads. It shows what is said while a controller is connected."""

    def __init__(self, directory: pathlib.Path) -> None:
        path = directory / f"{BRIDGE}.snoop"
        self._path, self._data = path, b""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise PenstockError(f"{path}: {error.strerror}") from None
        self._socket.sendall(_HELLO)

    def fileno(self) -> int:
        """For select."""
        return self._socket.fileno()

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def receive(self) -> list[Message]:
        """The messages that have come since the last call, perhaps none; waits for the next part of one."""
        data = b""
        with contextlib.suppress(ConnectionError):
            data = self._socket.recv(1 << 18)
        if not data:
            raise PenstockError(f"{self._path}: the switch shows no more")
        messages, self._data = split(self._data + data)
        return messages

    def seen(self) -> list[Message]:
        """The messages that have come since the last call, perhaps none."""
        found: list[Message] = []
        while select.select([self], [], [], 0)[0]:
            found += self.receive()
        return found


def split(data: bytes) -> tuple[list[Message], bytes]:
    """The messages in what has come, and the part of one that is left."""
    found, at = [], 0
    while len(data) - at >= _HEADER.size:
        _, kind, length, _ = _HEADER.unpack_from(data, at)
        if len(data) - at < length:
            break
        found.append((kind, data[at + _HEADER.size:at + length]))
        at += max(length, _HEADER.size)
    return found, data[at:]


def frames(messages: Iterable[Message]) -> Iterator[bytes]:
    """The frames that the controller has the switch send."""
    for kind, body in messages:
        if kind == PACKET_OUT:
            _, _, actions = _PACKET_OUT.unpack_from(body)
            yield body[_PACKET_OUT.size + actions:]


def changes(messages: Iterable[Message]) -> int:
    """How many messages are for a change of flows or meters."""
    return sum(kind in {EXPERIMENTER, FLOW_MOD, METER_MOD} for kind, _ in messages)
