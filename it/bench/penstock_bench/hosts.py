# SPDX-License-Identifier: Apache-2.0
"""Hosts of many tenants on one device: they get addresses by DHCP, ask for names and ping, and it is noted how long all
that takes.

One packet socket and one loop play all of them, with raw frames tagged for the tenants' VLANs. What is not answered
they repeat as real ones do (RFC 2131, section 4.1): after 4 s, and twice as long each time, give or take a second.
perfdhcp plays many clients too, but all through one socket of the kernel, so on one VLAN.
"""

import contextlib
import heapq
import itertools
import random
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from . import host_frames, host_frames as frames
from .results import Results

PATIENCE_SECONDS = 20
"""Who has waited so long for an address has none, and is counted with this time."""
ANSWER_SECONDS = 2
"""The same of an answer to a query or a ping."""

_RECEIVE_BYTES = 16 << 20
_ROUNDS_OF_RECEIVING = 64
_FIRST_REPEAT, _LONGEST_REPEAT = 4, 64


class Hosts:
    """The loop. Samples are dicts: kind (lease, query, ping), seconds, failed, repeats, and of a lease began (on the
    clock) and offer (seconds).

    device: the other end of the cable of an access port
    connection, clock: for tests
    """

    def __init__(self, device: str = "", seed: int = 1, connection: Any = None,
                 clock: Callable[[], float] = time.monotonic) -> None:
        self._socket = connection or _packet_socket(device)
        self._clock = clock
        self._random = random.Random(seed)
        self._timers: list[tuple[float, int, Callable[[], object]]] = []
        self._order = itertools.count()
        # What an answer is known by -> who waits for it.
        self._waiting: dict[tuple[str, int], Callable[..., object]] = {}
        self._own: dict[str, tuple[bytes, int]] = {}  # Addresses that answer ARP: {address: (MAC, VLAN)}.
        self._open = 0  # Leases and questions that have no end yet.
        self.samples: list[Results] = []
        self.frames = 0
        self.cpu_seconds = 0.0

    def close(self) -> None:
        """Gives the socket back."""
        self._socket.close()

    def resident(self, mac: bytes, vlan: int, address: str) -> None:
        """A host with a fixed address speaks up; it answers ARP from now on."""
        self._own[address] = mac, vlan
        self.send(frames.arp_request(mac, vlan, address, frames.GATEWAY))

    def lease(self, mac: bytes, vlan: int, at: float | None = None, release: bool = False) -> None:
        """Has a new host ask for an address, at this time."""
        _Lease(self, mac, vlan, release).begin(self._clock() if at is None else at)

    def query(self, host: str, name: str, at: float | None = None) -> None:
        """Has a resident host, by its address, ask the gateway for the address of a name."""
        _Question(self, "query", host, name).begin(self._clock() if at is None else at)

    def ping(self, host: str, at: float | None = None) -> None:
        """Has a resident host, by its address, ping its gateway."""
        _Question(self, "ping", host).begin(self._clock() if at is None else at)

    @property
    def busy(self) -> bool:
        """Whether anybody waits or is still to begin."""
        return self._open > 0

    def run(self, until: float) -> None:
        """Plays until that time, or until all have what they want or gave up. What goes on then is no sample."""
        begun = time.process_time()
        while self._open and self._clock() < until:
            self._due()
            self._receive(min(until, self._timers[0][0] if self._timers else until))
        self.cpu_seconds += time.process_time() - begun

    def forget(self) -> None:
        """Nobody waits for anything any more, and samples begin anew."""
        self._timers.clear()
        self._waiting.clear()
        self._open = 0
        self.samples, self.frames, self.cpu_seconds = [], 0, 0.0

    # For those who are played.

    def now(self) -> float:
        """Seconds of the clock."""
        return self._clock()

    def number(self) -> int:
        """32 random bits."""
        return self._random.getrandbits(32)

    def jitter(self) -> float:
        """Up to a second, more or less."""
        return self._random.uniform(-1, 1)

    def send(self, frame: bytes) -> None:
        """Sends one frame. What the cable does not take is lost, as on any."""
        self.frames += 1
        with contextlib.suppress(OSError):
            self._socket.send(frame)

    def begin_at(self, at: float, call: Callable[[], object]) -> None:
        """Has `call` called then; it is the begin of a sample."""
        self._open += 1
        self.call_at(at, call)

    def end(self, sample: Results) -> None:
        """Takes the sample of one that has begun."""
        self._open -= 1
        self.samples.append(sample)

    def call_at(self, at: float, call: Callable[[], object]) -> None:
        """Has `call` called then."""
        heapq.heappush(self._timers, (at, next(self._order), call))

    def wait_for(self, key: tuple[str, int], call: Callable[..., object]) -> None:
        """Has `call` called with whatever comes that is known by `key`."""
        self._waiting[key] = call

    def stop_waiting(self, key: tuple[str, int]) -> None:
        """That is over."""
        self._waiting.pop(key, None)

    def place_of(self, address: str) -> tuple[bytes, int]:
        """MAC and VLAN of a resident host."""
        return self._own[address]

    def _due(self) -> None:
        now = self._clock()
        while self._timers and self._timers[0][0] <= now:
            heapq.heappop(self._timers)[2]()

    def _receive(self, until: float) -> None:
        wait = max(0.0, until - self._clock())
        if not select.select([self._socket], [], [], wait)[0]:
            return
        for _ in range(_ROUNDS_OF_RECEIVING):
            try:
                frame = self._socket.recv(2048)
            except BlockingIOError:
                return
            self._take(frame)

    def _take(self, frame: bytes) -> None:
        key, content = frames.parse(frame)
        if key is None:
            return
        self.frames += 1
        if key == "arp":
            if content.asked in self._own:
                mac, vlan = self._own[content.asked]
                self.send(frames.arp_answer(mac, vlan, content))
        elif key in self._waiting:
            self._waiting[key](content)


class _Lease:
    """One host that wants an address: DISCOVER, OFFER, REQUEST, ACK."""

    def __init__(self, hosts: Hosts, mac: bytes, vlan: int, release: bool) -> None:
        self._hosts, self._mac, self._vlan, self._release = hosts, mac, vlan, release
        self._key: Any = None
        self._began = 0.0
        self._offered: float | None = None
        self._chosen: tuple[str, str] | None = None  # Address and server of the offer that was taken.
        self._repeats = -1
        self._turn: int | None = 0  # Timers of earlier steps are void.

    def begin(self, at: float) -> None:
        """Says DISCOVER then."""
        self._hosts.begin_at(at, self._start)

    def _start(self) -> None:
        self._began = self._hosts.now()
        self._key = "dhcp", self._hosts.number()
        self._hosts.wait_for(self._key, self._answer)
        self._hosts.call_at(self._began + PATIENCE_SECONDS, self._give_up)
        self._say(_FIRST_REPEAT, self._turn)

    def _say(self, pause: float, turn: int | None) -> None:
        if turn != self._turn:
            return
        self._repeats += 1
        kind = frames.REQUEST if self._chosen else frames.DISCOVER
        self._hosts.send(frames.dhcp(kind, self._mac, self._vlan, self._key[1], *(self._chosen or ())))
        self._hosts.call_at(self._hosts.now() + pause + self._hosts.jitter(),
                            lambda: self._say(min(2 * pause, _LONGEST_REPEAT), turn))

    def _answer(self, message: host_frames.Message) -> None:
        if message.mac != self._mac:
            return
        if message.kind == frames.OFFER and not self._chosen:
            self._offered = self._hosts.now() - self._began
            self._step((message.address, message.server))
        elif message.kind == frames.NAK and self._chosen:
            self._step(None)
        elif message.kind == frames.ACK and self._chosen:
            self._end(False)
            if self._release:
                self._hosts.send(frames.release(self._mac, self._vlan, self._hosts.number(), *self._chosen))

    def _step(self, chosen: tuple[str, str] | None) -> None:
        self._chosen = chosen
        self._turn = (self._turn or 0) + 1
        self._repeats -= 1  # What comes now is said for the first time.
        self._say(_FIRST_REPEAT, self._turn)

    def _give_up(self) -> None:
        if self._turn is not None:
            self._end(True)

    def _end(self, failed: bool) -> None:
        self._turn = None
        self._hosts.stop_waiting(self._key)
        self._hosts.end({"kind": "lease", "failed": failed, "repeats": self._repeats, "began": self._began,
                         "offer": self._offered, "seconds": self._hosts.now() - self._began})


class _Question:
    """One query or ping, which is not repeated."""

    def __init__(self, hosts: Hosts, kind: str, address: str, name: str = "") -> None:
        self._hosts, self._kind, self._address, self._name = hosts, kind, address, name
        self._key: tuple[str, int] | None = None
        self._began = 0.0

    def begin(self, at: float) -> None:
        """Asks then."""
        self._hosts.begin_at(at, self._ask)

    def _ask(self) -> None:
        mac, vlan = self._hosts.place_of(self._address)
        number = self._hosts.number() & 0xffff
        key = self._key = self._kind, number
        self._hosts.wait_for(key, lambda _: self._end(False))
        self._began = self._hosts.now()
        self._hosts.call_at(self._began + ANSWER_SECONDS, lambda: self._end(True))
        self._hosts.send(frames.query(mac, vlan, self._address, number, self._name) if self._kind == "query"
                         else frames.ping(mac, vlan, self._address, number))

    def _end(self, failed: bool) -> None:
        if self._key:
            self._hosts.stop_waiting(self._key)
            self._key = None
            self._hosts.end({"kind": self._kind, "failed": failed, "repeats": 0,
                             "seconds": self._hosts.now() - self._began})


def _packet_socket(device: str) -> socket.socket:
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    # All hosts may be answered in one moment. More than the system's limit needs the right to exceed it.
    made.setsockopt(socket.SOL_SOCKET, 33, _RECEIVE_BYTES)  # SO_RCVBUFFORCE
    made.bind((device, 0))
    made.setblocking(False)
    return made
