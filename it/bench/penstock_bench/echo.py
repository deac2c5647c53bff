# SPDX-License-Identifier: Apache-2.0
"""What must not notice that the network is changed: datagrams and TCP connections of a host, and the server that sends
all of it back.

    python3 -m penstock_bench.echo serve ADDRESS PORT
    python3 -m penstock_bench.echo datagrams|connections ADDRESS PORT [ARGUMENT...]

Each obeys lines of JSON on standard input and answers with lines of JSON; the end of the input is the end. See
Datagrams.begin() and Connections.obey() for what they take.
"""

import contextlib
import errno
import json
import os
import selectors
import socket
import struct
import sys
import time
from collections.abc import Callable, Collection

from .results import Results

PAUSE_SECONDS = 0.02
"""Between two datagrams of a port: 50 a second, so a gap in answers is known to about so much."""
ANSWER_SECONDS = 2
"""A datagram without an answer for so long is lost."""
TALK_SECONDS = 0.5
"""Between two messages on a TCP connection."""

_MESSAGE = struct.Struct("!QQ")  # Port and number, or number and 0.
_CONNECT_SECONDS = 20
_MOST = 65536


class Loop:
    """Sockets, and lines of JSON from standard input."""

    def __init__(self, address: str, port: int) -> None:
        self.server = address, port
        self.selector = selectors.DefaultSelector()
        self.selector.register(sys.stdin, selectors.EVENT_READ, None)
        os.set_blocking(sys.stdin.fileno(), False)
        self._unread = b""

    def run(self) -> None:
        """Does what the lines ask for, until they end."""
        raise NotImplementedError

    def tell(self, answer: Results) -> None:
        """Answers."""
        print(json.dumps(answer), flush=True)

    def lines(self, wait: float) -> list[Results] | None:
        """Serves what is ready within `wait` seconds; returns commands that came, or None at the end of the input."""
        found = []
        for key, events in self.selector.select(max(0.0, wait)):
            if key.data is not None:
                key.data(events)
                continue
            some = os.read(sys.stdin.fileno(), _MOST)
            if not some:
                return None
            *whole, self._unread = (self._unread + some).split(b"\n")
            found += [json.loads(line) for line in whole]
        return found


class Server(Loop):
    """Sends back what it gets, by UDP and by TCP."""

    def run(self) -> None:
        """Serves until the end of the input."""
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(self.server)
        self.selector.register(udp, selectors.EVENT_READ, lambda _: self._datagram(udp))
        tcp = socket.create_server(self.server, backlog=1024)
        self.selector.register(tcp, selectors.EVENT_READ, lambda _: self._accept(tcp))
        self.tell({})
        while self.lines(1) is not None:
            pass

    @staticmethod
    def _datagram(udp: socket.socket) -> None:
        with contextlib.suppress(OSError):
            udp.sendto(*udp.recvfrom(_MOST))

    def _accept(self, tcp: socket.socket) -> None:
        link, _ = tcp.accept()
        self.selector.register(link, selectors.EVENT_READ, lambda _: self._stream(link))

    def _stream(self, link: socket.socket) -> None:
        try:
            some = link.recv(_MOST)
            if some:
                link.sendall(some)
                return
        except OSError:
            pass
        self.selector.unregister(link)
        link.close()


class _Port:
    """A source port of the datagrams."""

    def __init__(self, link: socket.socket, ends: float | None) -> None:
        self.link, self.ends = link, ends
        self.waiting: dict[int, float] = {}  # Number of a datagram: when it was sent.
        self.last: float | None = None  # When the last answer came.


class Datagrams(Loop):
    """Some ports that send at a time, each 50 datagrams a second."""

    def __init__(self, address: str, port: int) -> None:
        super().__init__(address, port)
        self._ports: list[_Port] = []
        self._old: list[_Port] = []  # Send no more, and may still be answered.
        self._next = 0
        self._sent = self._before = self._lost = 0
        self._gap = self._pause = 0.0
        self._used = 0

    def run(self) -> None:
        """Takes {"begin": {...}} and {"end": true} in turns."""
        while (lines := self.lines(1)) is not None:
            for line in lines:
                if self.begin(**line["begin"]) is None:
                    return

    def begin(self, first: int, ports: int, life: float | None = None,
              patience: float = _CONNECT_SECONDS) -> Results | None:
        """Sends from `ports` ports, every second one from `first` on, until the next line; the answer says all.

        life:     seconds after which a port is given up for the next one; None for never
        patience: seconds until each of the first ports has to have an answer; the program ends when one has none

        Answers {} when they have; what was sent until then does not count. At the end sent,
        lost, gap (longest time that a port waited for an answer to come after another), pause (longest time that this
        program did not run when it wanted to), used (ports in all).
        """
        self._next, self._used, self._ports, self._old = first, 0, [], []
        now = time.monotonic()
        for number in range(ports):
            # They end one after the other.
            self._open(now + life * (1 + number / ports) if life else None)
        self._meet(patience)
        self._before, self._lost = self._sent, 0  # Late answers to those before have numbers of their own.
        self._gap = self._pause = 0.0
        self.tell({})
        due = time.monotonic()
        lines: list[Results] | None = []
        while not lines:
            now = time.monotonic()
            if now >= due:
                self._pause = max(self._pause, now - due)
                due += PAUSE_SECONDS
                self._send(now, life)
            lines = self.lines(due - time.monotonic())
            if lines is None:
                return None
        return self._finish()

    def _meet(self, seconds: float) -> None:
        """Sends from every port until it has an answer: hosts and routers meet, connections begin."""
        until = time.monotonic() + seconds
        while silent := [port for port in self._ports if port.last is None]:
            if time.monotonic() > until:
                sys.exit(f"{len(silent)} of {len(self._ports)} ports have no answer after {seconds} s")
            for port in silent:
                self._send_one(port, time.monotonic())
            self.lines(0.1)
        for port in self._ports:
            port.waiting.clear()

    def _open(self, ends: float | None) -> None:
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", self._next))
        link.connect(self.server)
        link.setblocking(False)
        self._next += 2
        self._used += 1
        port = _Port(link, ends)
        self.selector.register(link, selectors.EVENT_READ, lambda _: self._receive(port))
        self._ports.append(port)

    def _send(self, now: float, life: float | None) -> None:
        for port in list(self._ports):
            if port.ends is not None and now >= port.ends:
                self._ports.remove(port)
                self._old.append(port)
                self._open(now + life if life else None)
        for port in self._ports:
            self._send_one(port, now)
        for port in list(self._old):
            if not port.waiting or now - max(port.waiting.values()) > ANSWER_SECONDS:
                self._close(port)
                self._old.remove(port)

    def _send_one(self, port: _Port, now: float) -> None:
        self._sent += 1
        port.waiting[self._sent] = now
        with contextlib.suppress(OSError):  # An ICMP error for one before, or a full queue: no answer will come.
            port.link.send(_MESSAGE.pack(self._sent, 0))

    def _receive(self, port: _Port) -> None:
        try:
            number, _ = _MESSAGE.unpack(port.link.recv(100))
        except (OSError, struct.error):
            return
        now = time.monotonic()
        port.waiting.pop(number, None)
        if port.last is not None:
            self._gap = max(self._gap, now - port.last)
        port.last = now

    def _close(self, port: _Port) -> None:
        self._lost += len(port.waiting)
        self.selector.unregister(port.link)
        port.link.close()

    def _finish(self) -> Results:
        ended = time.monotonic()
        gap = max([self._gap] + [ended - port.last for port in self._ports if port.last is not None])
        while time.monotonic() < ended + ANSWER_SECONDS and any(port.waiting for port in self._ports + self._old):
            self.lines(0.05)
        for port in self._ports + self._old:
            self._close(port)
        self.tell({"sent": self._sent - self._before, "lost": self._lost, "gap": gap, "pause": self._pause,
                   "used": self._used})
        return {}


class _Connection:
    """A TCP connection: numbered messages go out, and have to come back as they are."""

    def __init__(self, loop: Loop, port: int) -> None:
        self.port = port
        self.why: str | None = None
        self.answered = 0
        self._loop, self._sent, self._unread = loop, 0, b""
        self.due: float | None = None  # When the next message goes out; None until it is connected.
        self._link = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._link.bind(("", port))
        self._link.setblocking(False)
        if self._link.connect_ex(loop.server) not in (0, errno.EINPROGRESS):
            self.why = "refused"
        loop.selector.register(self._link, selectors.EVENT_READ | selectors.EVENT_WRITE, self._ready)

    def _ready(self, _: int) -> None:
        if self.due is None:
            problem = self._link.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if problem:
                self._break(os.strerror(problem))
                return
            self.due = time.monotonic()
            self._loop.selector.modify(self._link, selectors.EVENT_READ, self._ready)
            return
        try:
            some = self._link.recv(_MOST)
        except BlockingIOError:
            return
        except OSError as error:
            self._break(os.strerror(error.errno or 0))
            return
        if not some:
            self._break("closed by the other end")
            return
        self._unread += some
        while len(self._unread) >= _MESSAGE.size:
            found, self._unread = self._unread[:_MESSAGE.size], self._unread[_MESSAGE.size:]
            if _MESSAGE.unpack(found) != (self.port, self.answered):
                self._break("another answer than was expected")
                return
            self.answered += 1

    def talk(self, now: float) -> None:
        """Sends the next message if it is time."""
        if self.due is None or self.why or now < self.due:
            return
        self.due += TALK_SECONDS
        try:
            self._link.send(_MESSAGE.pack(self.port, self._sent))
            self._sent += 1
        except OSError as error:
            self._break(os.strerror(error.errno or 0))

    def _break(self, why: str) -> None:
        self.why = why
        self.close()

    def close(self) -> None:
        """Ends it in good order; nothing happens when it is closed."""
        with contextlib.suppress(KeyError, ValueError):
            self._loop.selector.unregister(self._link)
        self._link.close()


class Connections(Loop):
    """TCP connections that talk all the time."""

    def __init__(self, address: str, port: int) -> None:
        super().__init__(address, port)
        self._open: dict[int, _Connection] = {}

    def run(self) -> None:
        """Obeys."""
        while (lines := self._serve()) is not None:
            for line in lines:
                self.tell(self.obey(**line))

    def obey(self, connect: Collection[int] = (), check: float | None = None, close: Collection[int] = ()) -> Results:
        """Does one thing. Ports name connections, by their own end.

        connect: ports; answers `failed`: {port: why}, which do not exist then
        check:   seconds that each connection has to get two more answers; answers `alive` (ports) and `broken`: {port:
                 why}, which exist no more then
        close:   ports
        """
        for port in close:
            self._open.pop(port).close()
        if connect:
            self._open |= {port: _Connection(self, port) for port in connect}
            self._until(_CONNECT_SECONDS, lambda one: one.port not in connect or one.answered)
            return {"failed": self._remove(lambda one: one.port in connect and not one.answered, "no answer")}
        if check:
            wanted = {port: one.answered + 2 for port, one in self._open.items()}
            self._until(check, lambda one: one.answered >= wanted[one.port])
            broken = self._remove(lambda one: one.answered < wanted[one.port], "silent")
            return {"alive": sorted(self._open), "broken": broken}
        return {}

    def _until(self, seconds: float, good: Callable[[_Connection], object]) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and not all(one.why or good(one) for one in self._open.values()):
            self._serve()

    def _remove(self, bad: Callable[[_Connection], object], why: str) -> dict[int, str]:
        gone = {port: one.why or why for port, one in self._open.items() if one.why or bad(one)}
        for port in gone:
            self._open.pop(port).close()
        return gone

    def _serve(self) -> list[Results] | None:
        now = time.monotonic()
        for one in self._open.values():
            one.talk(now)
        return self.lines(0.02)


if __name__ == "__main__":
    {"serve": Server, "datagrams": Datagrams, "connections": Connections}[sys.argv[1]](
        sys.argv[2], int(sys.argv[3])).run()
