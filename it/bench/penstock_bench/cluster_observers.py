# SPDX-License-Identifier: Apache-2.0
"""What clients of a cluster see: hosts that ask for leases and ping, and programs that write by RESTCONF.

Each observer has a thread of its own, and is read when it has ended or by the functions that say so.
"""

import contextlib
import dataclasses
import itertools
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Self

from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf, RestconfError

from . import configuration, host_frames

NAT_TENANT = "steady"
LEASE_TENANT = "leases"
PUBLIC_ADDRESS = "203.0.113.1"

_SERVER_ERROR = 500
_PING_SECONDS = 0.01
_ASK_SECONDS, _HURRY_SECONDS = 1.0, 0.1
_HOST = bytes.fromhex("0a0000000001")
_ADDRESS = "10.0.0.10"


@dataclasses.dataclass(frozen=True)
class Lease:
    """An acknowledgement, and when its host began to ask (monotonic clock, seconds)."""
    mac: bytes
    address: str
    asked: float
    acknowledged: float


class _Observer:
    """Works in a thread until it is left."""

    def __init__(self) -> None:
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _work(self) -> None:
        raise NotImplementedError


class Hosts(_Observer):
    """A host that pings its gateway 100 times a second, and a new host a second that asks for a lease, or ten."""

    def __init__(self, device: str, lease_vlan: int, steady_vlan: int) -> None:
        super().__init__()
        self._device, self._lease_vlan, self._steady_vlan = device, lease_vlan, steady_vlan
        self._asked: dict[int, tuple[bytes, float]] = {}
        self.leases: list[Lease] = []
        self.hurry = False
        """Whether ten new hosts a second ask. For some seconds: each lease has two flows, which stay."""
        self.sent: dict[int, float] = {}
        """When each ping was sent, by number."""
        self.answered: set[int] = set()

    def _work(self) -> None:
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as link:
            link.bind((self._device, 0))
            link.settimeout(_PING_SECONDS / 4)
            ping = ask = time.monotonic()
            number = 0
            while not self._ends.is_set():
                now = time.monotonic()
                if now >= ping:
                    ping += _PING_SECONDS
                    number += 1
                    self.sent[number] = now
                    link.send(host_frames.ping(_HOST, self._steady_vlan, _ADDRESS, number & 0xffff))
                if now >= ask + (_HURRY_SECONDS if self.hurry else _ASK_SECONDS):
                    ask = now
                    self._ask(link, now)
                with contextlib.suppress(TimeoutError):
                    frame, address = link.recvfrom(2048)
                    if address[2] != socket.PACKET_OUTGOING:
                        self._receive(link, frame)

    def _ask(self, link: socket.socket, now: float) -> None:
        number = len(self._asked) + 1
        mac = b"\x0a\x01" + struct.pack("!I", number)
        self._asked[number] = mac, now
        link.send(host_frames.dhcp(host_frames.DISCOVER, mac, self._lease_vlan, number))

    def _receive(self, link: socket.socket, frame: bytes) -> None:
        key, content = host_frames.parse(frame)
        if key is None:
            return
        if key[0] == "ping":
            self.answered.add(whole_number(key[1], len(self.sent)))
        elif key == "arp" and content.asked == _ADDRESS:
            link.send(host_frames.arp_answer(_HOST, self._steady_vlan, content))
        elif key[0] == "dhcp":
            mac, asked = self._asked.get(key[1], (b"", 0.0))
            if content.kind == host_frames.OFFER:
                link.send(host_frames.dhcp(host_frames.REQUEST, mac, self._lease_vlan, key[1], content.address,
                                           content.server))
            elif content.kind == host_frames.ACK:
                self.leases.append(Lease(mac, content.address, asked, time.monotonic()))

    def lease_after(self, moment: float) -> Lease | None:
        """The first lease of a host that began to ask after a moment."""
        return min((lease for lease in list(self.leases) if lease.asked >= moment),
                   key=lambda lease: lease.acknowledged, default=None)

    def lost(self, begin: float, end: float) -> tuple[int, int]:
        """(lost, sent) pings of a time that is over for a second."""
        sent = [number for number, moment in list(self.sent.items()) if begin <= moment < end]
        return sum(number not in self.answered for number in sent), len(sent)

    def addresses_in_two_hands(self) -> dict[str, set[bytes]]:
        """Addresses that more than one host got an acknowledgement for."""
        hands: dict[str, set[bytes]] = {}
        for lease in self.leases:
            hands.setdefault(lease.address, set()).add(lease.mac)
        return {address: macs for address, macs in hands.items() if len(macs) > 1}


def whole_number(low: int, last: int) -> int:
    """The number of a ping of which the packet has the low 16 bits: the newest one up to the last, since none waits
    for the 11 minutes in which they come again."""
    return last - (last - low) % 0x10000


@dataclasses.dataclass(frozen=True)
class Write:
    """A PUT of a value to a place; ended is None without an answer, and accepted tells what the answer was."""
    place: str
    value: int
    begun: float
    ended: float
    accepted: bool


class Writer(_Observer):
    """Puts ever new values to some places, by one member, one after the other."""

    _PLACES = 10

    def __init__(self, number: int, client: Callable[[], Restconf], pause_seconds: float = 0.05) -> None:
        super().__init__()
        self._number, self._client, self._pause_seconds = number, client, pause_seconds
        self.writes: list[Write] = []

    def _work(self) -> None:
        value = 0
        while not self._ends.is_set():
            value += 1
            place = f"w{self._number}-{value % self._PLACES}"
            begun = time.monotonic()
            accepted = False
            with contextlib.suppress(PenstockError, OSError):
                self._client().replace(f"ietf-access-control-list:acls/acl={place}", _document(place, value))
                accepted = True
            self.writes.append(Write(place, value, begun, time.monotonic(), accepted))
            self._ends.wait(self._pause_seconds)

    def accepted_after(self, moment: float) -> Write | None:
        """The first write that was begun after a moment and accepted."""
        return next((write for write in list(self.writes) if write.begun >= moment and write.accepted), None)

    def lost(self, client: Restconf) -> list[str]:
        """Places that have an older value than the last accepted one, or one that was never written."""
        wrong = []
        for place in sorted({write.place for write in self.writes}):
            own = [write for write in self.writes if write.place == place]
            last = max((write.value for write in own if write.accepted), default=0)
            allowed = {write.value for write in own if write.value >= last}
            stored = _value(client.read(f"ietf-access-control-list:acls/acl={place}"))
            if stored not in allowed and (stored or last):
                wrong.append(f"{place} has {stored}, and {last} was accepted")
        return wrong


class Forwards(_Observer):
    """Changes a port forward of the tenant with NAT by each member in turn, so that the journal grows."""

    _PATH = f"{configuration.NETWORK}/tenant={NAT_TENANT}/nat/port-forward=web"

    def __init__(self, clients: list[Callable[[], Restconf]]) -> None:
        super().__init__()
        self._clients = clients
        self._accepted = 0
        self._unanswered: set[int] = set()

    def _work(self) -> None:
        for value in itertools.count(1):
            if self._ends.wait(0.3):
                return
            try:
                self._clients[value % len(self._clients)]().replace(self._PATH, {"penstock:port-forward": [{
                    "name": "web", "protocol": "tcp", "public-port": 80, "inside-address": "10.0.0.10",
                    "inside-port": value}]})
                self._accepted = value
            except OSError:
                self._unanswered.add(value)
            except RestconfError as error:
                if error.status is None or error.status >= _SERVER_ERROR:
                    self._unanswered.add(value)

    def allowed(self) -> set[int]:
        """The ports of which one is forwarded to at last.

        That is the last that was accepted, or any without an answer: a member that was stopped with a request carries
        it out when it goes on, after requests that others have accepted meanwhile.
        """
        return self._unanswered | {self._accepted}


def _document(place: str, value: int) -> dict[str, object]:
    return {"ietf-access-control-list:acl": [{"name": place, "aces": {"ace": [{
        "name": f"v{value}", "actions": {"forwarding": "ietf-access-control-list:accept"}}]}}]}


def _value(document: object) -> int:
    if not isinstance(document, dict):
        return 0
    return int(document["ietf-access-control-list:acl"][0]["aces"]["ace"][0]["name"][1:])
