# SPDX-License-Identifier: Apache-2.0
"""Marked datagrams of CrashMatrixIT: `host`, `stranger`, `server` or `backbone`. Each prints what it finds.

A mark is the VLAN of the host that has sent it. Wherever a frame with a mark is seen where it must not be, a line
begins with `leak`.
"""

import contextlib
import itertools
import re
import selectors
import socket
import struct
import sys
import time

_MARK = re.compile(rb"penstock-mark:(\d+):(\d+);")
_ALL_FRAMES = 0x0003
_OUTGOING = 4
_LOST_SECONDS = 5.0
_TELL_SECONDS = 0.25
_PORTS = (9007, 9008)


def say(*words):
    """A line for the test."""
    print(*words, flush=True)


def wide(link):
    """Room for what comes while others have the core."""
    link.setsockopt(socket.SOL_SOCKET, 33, 1 << 22)  # SO_RCVBUFFORCE
    return link


def sniffer():
    """A socket with all frames of all devices."""
    link = wide(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL_FRAMES)))
    link.setblocking(False)
    return link


def frames(link):
    """What has come in, not what goes out."""
    while True:
        try:
            frame, address = link.recvfrom(65535)
        except OSError:
            return
        if address[2] != _OUTGOING:
            yield frame


class Stream:
    """Numbered datagrams of a host to one port of the server, and their answers."""

    def __init__(self, mark, server, port):
        self.link = wide(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.link.bind(("", 40000 + port))
        self.link.connect((server, port))
        self.link.setblocking(False)
        self.sent = self.answered = 0
        self.source = "-"
        self._mark = mark
        self._waiting = {}

    def send(self):
        """One more."""
        self.sent += 1
        self._waiting[self.sent] = time.monotonic()
        try:
            self.link.send(b"penstock-mark:%d:%d;" % (self._mark, self.sent))
        except OSError:  # An ICMP error for a former one, or no neighbour now: it counts as lost.
            return

    def receive(self):
        """Takes the answers that are there."""
        while True:
            try:
                answer = self.link.recv(2000)
            except BlockingIOError:
                return
            except OSError:
                continue
            source, _, text = answer.partition(b"|")
            found = _MARK.search(text)
            if found and int(found[1]) == self._mark and self._waiting.pop(int(found[2]), None):
                self.answered += 1
                self.source = source.decode()

    def lost(self):
        """When those that will have no answer were sent."""
        early = time.monotonic() - _LOST_SECONDS
        numbers = list(itertools.takewhile(lambda number: self._waiting[number] < early, self._waiting))
        return [self._waiting.pop(number) for number in numbers]


def forged(source, target, port, text):
    """A datagram with whatever source address."""
    udp = struct.pack("!4H", 40001, port, 8 + len(text), 0) + text
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, socket.IPPROTO_UDP, 0,
                       socket.inet_aton(source), socket.inet_aton(target))
    return head + udp


class Attack:
    """Datagrams of a hostile host, with the public addresses of others as their source and as their target."""

    def __init__(self, mark, server, victims):
        self._link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self._text = b"penstock-mark:%d:0;" % mark
        self._next = itertools.cycle([*((victim, server) for victim in victims),
                                      *(("10.0.0.5", victim) for victim in victims)])

    def send(self):
        """One more."""
        source, target = next(self._next)
        with contextlib.suppress(OSError):
            self._link.sendto(forged(source, target, _PORTS[0], self._text), (target, 0))


def host(mark, server, rate, *victims):
    """Sends from a host; one with victims (public addresses of others) is hostile: it uses and attacks these."""
    mark, gap = int(mark), 1 / float(rate)
    streams = [Stream(mark, server, port) for port in _PORTS]
    senders = [*streams, Attack(mark, server, victims)] if victims else streams
    selector, listening = selectors.DefaultSelector(), sniffer()
    for link in (listening, *(stream.link for stream in streams)):
        selector.register(link, selectors.EVENT_READ)
    say("ready")
    due = told = time.monotonic()
    while True:
        now = time.monotonic()
        if now >= due:
            due = max(due + gap, now)  # Not made up for: a burst says nothing about the switch.
            for sender in senders:
                sender.send()
        selector.select(max(0.0, due - time.monotonic()))
        for stream in streams:
            stream.receive()
        say_foreign(listening, mark)
        if now - told >= _TELL_SECONDS:
            told = now
            tell(streams)


def say_foreign(listening, mark):
    """Says which marks of others have come."""
    for number in {int(found[1]) for frame in frames(listening) for found in _MARK.finditer(frame)} - {mark}:
        say("leak", f"a datagram of VLAN {number} is at the host of VLAN {mark}")


def stranger(mark):
    """Only looks, with the mark of another host than this."""
    listening, selector = sniffer(), selectors.DefaultSelector()
    selector.register(listening, selectors.EVENT_READ)
    say("ready")
    while True:
        selector.select()
        say_foreign(listening, int(mark))


def tell(streams):
    """Says how far the streams are, and what was lost."""
    for port, stream in zip(_PORTS, streams, strict=True):
        for when in stream.lost():
            say("lost", port, int(when * 1e9))
    say("state", *(word for stream in streams for word in (stream.sent, stream.answered, stream.source)))


def server():
    """Sends back what comes, with its source address before it."""
    selector = selectors.DefaultSelector()
    for port in _PORTS:
        link = wide(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        link.bind(("", port))
        selector.register(link, selectors.EVENT_READ)
    say("ready")
    while True:
        for key, _ in selector.select():
            text, address = key.fileobj.recvfrom(2000)
            key.fileobj.sendto(address[0].encode() + b"|" + text, address)


def backbone(own, *rules):
    """Looks at what comes from the node. own: the server's address; rules: VLAN=ADDRESS,ADDRESS."""
    allowed = {int(vlan): set(addresses.split(",")) for vlan, _, addresses in (rule.partition("=") for rule in rules)}
    listening, selector, seen = sniffer(), selectors.DefaultSelector(), dict.fromkeys(allowed, 0)
    selector.register(listening, selectors.EVENT_READ)
    say("ready")
    told = time.monotonic()
    while True:
        selector.select(0.25)
        for frame in frames(listening):
            found = _MARK.search(frame)
            if found is None or frame[12:14] != b"\x08\x00":
                continue
            source, vlan = socket.inet_ntoa(frame[26:30]), int(found[1])
            if source == own:  # An answer of the server on its way to the node.
                continue
            seen[vlan] = seen.get(vlan, 0) + 1
            if source not in allowed.get(vlan, ()):
                say("leak", f"a datagram of VLAN {vlan} comes to the backbone from {source}:", frame.hex())
        if time.monotonic() - told >= 1:
            told = time.monotonic()
            say("seen", *(f"{vlan}={number}" for vlan, number in sorted(seen.items())))


{"host": host, "stranger": stranger, "server": server, "backbone": backbone}[sys.argv[1]](*sys.argv[2:])
