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
import typing

from . import host_frames as frames

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

    def __init__(self, device=None, seed=1, connection=None, clock=time.monotonic):
        self._socket = connection or _packet_socket(device)
        self._clock = clock
        self._random = random.Random(seed)
        self._timers = []
        self._order = itertools.count()
        self._waiting = {}  # What an answer is known by -> who waits for it.
        self._own = {}  # Addresses that answer ARP: {address: (MAC, VLAN)}.
        self._open = 0  # Leases and questions that have no end yet.
        self.samples = []
        self.frames = 0
        self.cpu_seconds = 0.0

    def close(self):
        """Gives the socket back."""
        self._socket.close()

    def resident(self, mac, vlan, address):
        """A host with a fixed address speaks up; it answers ARP from now on."""
        self._own[address] = mac, vlan
        self.send(frames.arp_request(mac, vlan, address, frames.GATEWAY))

    def lease(self, mac, vlan, at=None, release=False):
        """Has a new host ask for an address, at this time."""
        _Lease(self, mac, vlan, release).begin(self._clock() if at is None else at)

    def query(self, host, name, at=None):
        """Has a resident host, by its address, ask the gateway for the address of a name."""
        _Question(self, "query", host, name).begin(self._clock() if at is None else at)

    def ping(self, host, at=None):
        """Has a resident host, by its address, ping its gateway."""
        _Question(self, "ping", host, None).begin(self._clock() if at is None else at)

    @property
    def busy(self):
        """Whether anybody waits or is still to begin."""
        return self._open > 0

    def run(self, until):
        """Plays until that time, or until all have what they want or gave up. What goes on then is no sample."""
        begun = time.process_time()
        while self._open and self._clock() < until:
            self._due()
            self._receive(min(until, self._timers[0][0] if self._timers else until))
        self.cpu_seconds += time.process_time() - begun

    def forget(self):
        """Nobody waits for anything any more, and samples begin anew."""
        self._timers.clear()
        self._waiting.clear()
        self._open = 0
        self.samples, self.frames, self.cpu_seconds = [], 0, 0.0

    # For those who are played.

    def now(self):
        """Seconds of the clock."""
        return self._clock()

    def number(self):
        """32 random bits."""
        return self._random.getrandbits(32)

    def jitter(self):
        """Up to a second, more or less."""
        return self._random.uniform(-1, 1)

    def send(self, frame):
        """Sends one frame. What the cable does not take is lost, as on any."""
        self.frames += 1
        with contextlib.suppress(OSError):
            self._socket.send(frame)

    def begin_at(self, at, call):
        """Has `call` called then; it is the begin of a sample."""
        self._open += 1
        self.call_at(at, call)

    def end(self, sample):
        """Takes the sample of one that has begun."""
        self._open -= 1
        self.samples.append(sample)

    def call_at(self, at, call):
        """Has `call` called then."""
        heapq.heappush(self._timers, (at, next(self._order), call))

    def wait_for(self, key, call):
        """Has `call` called with whatever comes that is known by `key`."""
        self._waiting[key] = call

    def stop_waiting(self, key):
        """That is over."""
        self._waiting.pop(key, None)

    def place_of(self, address):
        """MAC and VLAN of a resident host."""
        return self._own[address]

    def _due(self):
        now = self._clock()
        while self._timers and self._timers[0][0] <= now:
            heapq.heappop(self._timers)[2]()

    def _receive(self, until):
        wait = max(0.0, until - self._clock())
        if not select.select([self._socket], [], [], wait)[0]:
            return
        for _ in range(_ROUNDS_OF_RECEIVING):
            try:
                frame = self._socket.recv(2048)
            except BlockingIOError:
                return
            self._take(frame)

    def _take(self, frame):
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

    def __init__(self, hosts, mac, vlan, release):
        self._hosts, self._mac, self._vlan, self._release = hosts, mac, vlan, release
        self._key: typing.Any = None
        self._began = self._offered = None
        self._chosen = None  # Address and server of the offer that was taken.
        self._repeats = -1
        self._turn: int | None = 0  # Timers of earlier steps are void.

    def begin(self, at):
        """Says DISCOVER then."""
        self._hosts.begin_at(at, self._start)

    def _start(self):
        self._began = self._hosts.now()
        self._key = "dhcp", self._hosts.number()
        self._hosts.wait_for(self._key, self._answer)
        self._hosts.call_at(self._began + PATIENCE_SECONDS, self._give_up)
        self._say(_FIRST_REPEAT, self._turn)

    def _say(self, pause, turn):
        if turn != self._turn:
            return
        self._repeats += 1
        kind = frames.REQUEST if self._chosen else frames.DISCOVER
        self._hosts.send(frames.dhcp(kind, self._mac, self._vlan, self._key[1], *(self._chosen or ())))
        self._hosts.call_at(self._hosts.now() + pause + self._hosts.jitter(),
                            lambda: self._say(min(2 * pause, _LONGEST_REPEAT), turn))

    def _answer(self, message):
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

    def _step(self, chosen):
        self._chosen = chosen
        self._turn = (self._turn or 0) + 1
        self._repeats -= 1  # What comes now is said for the first time.
        self._say(_FIRST_REPEAT, self._turn)

    def _give_up(self):
        if self._turn is not None:
            self._end(True)

    def _end(self, failed):
        self._turn = None
        self._hosts.stop_waiting(self._key)
        self._hosts.end({"kind": "lease", "failed": failed, "repeats": self._repeats, "began": self._began,
                         "offer": self._offered, "seconds": self._hosts.now() - self._began})


class _Question:
    """One query or ping, which is not repeated."""

    def __init__(self, hosts, kind, address, name):
        self._hosts, self._kind, self._address, self._name = hosts, kind, address, name
        self._key = self._began = None

    def begin(self, at):
        """Asks then."""
        self._hosts.begin_at(at, self._ask)

    def _ask(self):
        mac, vlan = self._hosts.place_of(self._address)
        number = self._hosts.number() & 0xffff
        self._key = self._kind, number
        self._hosts.wait_for(self._key, lambda _: self._end(False))
        self._began = self._hosts.now()
        self._hosts.call_at(self._began + ANSWER_SECONDS, lambda: self._end(True))
        self._hosts.send(frames.query(mac, vlan, self._address, number, self._name) if self._kind == "query"
                         else frames.ping(mac, vlan, self._address, number))

    def _end(self, failed):
        if self._key:
            self._hosts.stop_waiting(self._key)
            self._key = None
            self._hosts.end({"kind": self._kind, "failed": failed, "repeats": 0,
                             "seconds": self._hosts.now() - self._began})


def _packet_socket(device):
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    # All hosts may be answered in one moment. More than the system's limit needs the right to exceed it.
    made.setsockopt(socket.SOL_SOCKET, 33, _RECEIVE_BYTES)  # SO_RCVBUFFORCE
    made.bind((device, 0))
    made.setblocking(False)
    return made
