# SPDX-License-Identifier: Apache-2.0
"""How a process shows that it works: the programs of Open vSwitch answer at their control socket, and our own send a
datagram as systemd's protocol has it (sd_notify(3), WATCHDOG=1)."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import select
import socket
import struct
import time
import typing
from collections.abc import Callable, Iterable

_SOCKET = "alive.sock"
_SIGN = b"WATCHDOG=1"
_ANSWER_SECONDS = 1.0
_SIGN_SECONDS = 5.0
"""A process sends no more often, and is heard of if it has sent in three times that."""
_CREDENTIALS = struct.Struct("3i")


class Poller(typing.Protocol):
    """What the loop of a program waits by: that of Open vSwitch's library."""

    def timer_wait(self, msec: int) -> None:
        """Wakes up after so many milliseconds."""

    def fd_wait(self, fd: int, events: int) -> None:
        """Wakes up when something happens at a descriptor."""


def answers(control: pathlib.Path) -> bool:
    """Whether the program at a control socket answers within a second."""
    return ask(control, "version") is not None


def ask(control: pathlib.Path, command: str) -> str | None:
    """The answer of a program of Open vSwitch to a command at its control socket; None if there is none in a second.

    An error that the program answers with is an empty text.
    """
    deadline = time.monotonic() + _ANSWER_SECONDS
    said = b""
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(_ANSWER_SECONDS)
            link.connect(str(control))
            link.sendall(json.dumps({"id": 0, "method": command, "params": []}).encode())
            while time.monotonic() < deadline and (more := link.recv(1 << 16)):
                said += more
                if said.endswith(b"}"):  # A part of an answer may end with a brace, too.
                    with contextlib.suppress(ValueError):
                        return str(json.loads(said).get("result") or "")
    except OSError:
        pass
    return None


def systemd() -> Sign | None:
    """The sign of life for systemd; None when it has not started us."""
    path = os.environ.get("NOTIFY_SOCKET")
    return Sign(path) if path else None


def watch_of(directory: pathlib.Path) -> Sign:
    """The sign of life for the watch of a directory."""
    return Sign(str(pathlib.Path(directory, _SOCKET)))


class Sign:
    """Sends signs of life to a socket, from the loop of a program."""

    def __init__(self, path: str) -> None:
        self._path = "\0" + path[1:] if path.startswith("@") else path
        self._due = 0.0

    def give(self) -> None:
        """Call it in each turn of the loop. It never waits."""
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _SIGN_SECONDS
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
            link.setblocking(False)
            try:
                link.sendto(_SIGN, self._path)
            except OSError:
                return  # There is no watch now.

    @staticmethod
    def wait(poller: Poller) -> None:
        """Has a poller of Open vSwitch's library turn often enough."""
        poller.timer_wait(int(_SIGN_SECONDS * 1000))


class Listener:
    """Hears the signs of life of a directory's processes. Signs of other users are ignored."""

    def __init__(self, directory: pathlib.Path, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._heard: dict[int, float] = {}
        path = pathlib.Path(directory, _SOCKET)
        path.unlink(missing_ok=True)
        self._link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._link.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._link.bind(str(path))
        path.chmod(0o600)
        self._link.setblocking(False)

    def wait(self, seconds: float, others: Iterable[int] = ()) -> None:
        """Takes up signs for some seconds, or until one of the other descriptors can be read."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            ready = select.select([self._link.fileno(), *others], [], [], left)[0]
            if self._link.fileno() in ready:
                self._take()
            elif ready:
                return

    def heard(self, pid: int) -> bool:
        """Whether the process has sent a sign lately."""
        return self._now() - self._heard.get(pid, float("-inf")) < 3 * _SIGN_SECONDS

    def _take(self) -> None:
        data, extra, _, _ = self._link.recvmsg(64, socket.CMSG_SPACE(_CREDENTIALS.size))
        if data != _SIGN:
            return
        for level, kind, content in extra:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                pid, uid, _ = _CREDENTIALS.unpack(content)
                if uid == 0:
                    self._heard = {other: since for other, since in self._heard.items()
                                   if self._now() - since < 3 * _SIGN_SECONDS} | {pid: self._now()}
