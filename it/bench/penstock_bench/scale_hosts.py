# SPDX-License-Identifier: Apache-2.0
"""Hosts of many tenants on one dummy node, each of which gets one lease.

A host asks at once for an address that is free (RFC 2131, section 4.3.2, SELECTING, here without the offer before): the
server stores the lease, and its flows are on the switch before the answer. That is the part of an exchange that costs
something. The frame enters the switch by a command at its control socket, and the answer is seen as the message that
has the switch send it.
"""

import collections
import dataclasses
import select
import time
from collections.abc import Iterable
from typing import Self

from penstock_base.errors import PenstockError

from . import host_frames, json_peer
from .dummy_nodes import ACCESS, DummyNode
from .json_peer import JsonPeer
from .snoop import Snoop, frames

PATIENCE_SECONDS = 10
"""A host without an answer for so long has no lease, and is counted with this time."""


@dataclasses.dataclass(frozen=True)
class Wish:
    """A host that wants a lease. number: unlike that of all others."""
    number: int
    vlan: int
    address: str

    @property
    def mac(self) -> bytes:
        """Its MAC address."""
        return b"\x02\x5c" + self.number.to_bytes(4, "big")

    def frame(self) -> bytes:
        """Its REQUEST."""
        frame: bytes = host_frames.dhcp(host_frames.REQUEST, self.mac, self.vlan, self.number, self.address,
                                        host_frames.GATEWAY)
        return frame


@dataclasses.dataclass(frozen=True)
class Series:
    """Seconds of all leases, and how many hosts got none."""
    seconds: list[float]
    failed: int


class ScaleHosts:
    """All hosts of one node, as a context manager."""

    def __init__(self, node: DummyNode) -> None:
        self._control = JsonPeer(node.ovs.control_socket)
        self._snoop = Snoop(node.ovs.directory)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._control.close()
        self._snoop.close()

    def play(self, wishes: Iterable[Wish], at_once: int) -> Series:
        """Has all hosts get their leases, so many at the same time; returns when the last has its own or gave up."""
        left = collections.deque(wishes)
        asked: dict[int, float] = {}
        seconds: list[float] = []
        failed = 0
        while left or asked:
            while left and len(asked) < at_once:
                wish = left.popleft()
                asked[wish.number] = time.monotonic()
                self._send(wish)
            seconds += [time.monotonic() - asked.pop(number) for number in self._answered() if number in asked]
            for number in [number for number, at in asked.items() if time.monotonic() - at > PATIENCE_SECONDS]:
                del asked[number]
                failed += 1
        return Series(seconds + [PATIENCE_SECONDS] * failed, failed)

    def _send(self, wish: Wish) -> None:
        self._control.send(method="netdev-dummy/receive", params=[ACCESS, wish.frame().hex()], id=wish.number)

    def _answered(self) -> list[int]:
        """Waits a moment for answers; returns the numbers of hosts that have leases now."""
        control, snoop = self._control.fileno(), self._snoop.fileno()
        readable, _, _ = select.select([control, snoop], [], [], 0.1)
        if control in readable:
            for message in self._control.receive():
                json_peer.result(message)
        return acknowledged(frames(self._snoop.receive())) if snoop in readable else []


def acknowledged(sent: Iterable[bytes]) -> list[int]:
    """Numbers of the hosts that frames tell that they have leases. Raises if one tells a host that it gets none."""
    found = []
    for key, message in map(host_frames.parse, sent):
        if isinstance(key, tuple) and key[0] == "dhcp":
            if message.kind != host_frames.ACK:
                raise PenstockError(f"host {key[1]}: the answer to its REQUEST is no ACK, but of type {message.kind}")
            found.append(key[1])
    return found
