# SPDX-License-Identifier: Apache-2.0
"""Sends records to one collector, over UDP or TCP."""

import ipaddress
import re
import socket
import time
from collections.abc import Callable, Iterable, Mapping

from .connections import Connection
from .messages import Session

_PATIENCE_SECONDS = 5
_PAUSE_SECONDS = 0.001
"""After each datagram: collectors and switches on the way lose what comes faster than they take it."""
_FORM = re.compile(r"(udp:|tcp:)?(.+):([0-9]{1,5})")


def collector(text: str) -> tuple[bool, tuple[str, int]]:
    """Whether by TCP, and where: of [tcp:]ADDRESS:PORT, an IPv4 address. Raises ValueError."""
    found = _FORM.fullmatch(text)
    if not found or not 0 < int(found[3]) < 65536:
        raise ValueError(f"'{text}' is not [tcp:]ADDRESS:PORT")
    return found[1] == "tcp:", (str(ipaddress.IPv4Address(found[2])), int(found[3]))


class Sender:
    """Sends, and counts what is lost: a collector that is away costs its records and nothing else. Not for several
    threads."""

    def __init__(self, place: str, log: Callable[[str], None]) -> None:
        self._is_stream, self._address = collector(place)
        self._place, self._log = place, log
        self._link: socket.socket | None = None
        self._session = Session(is_repeated=True)
        self._is_lost = False
        self.sent = self.lost = 0
        """Records since the start."""

    def send(self, event: int, connections: Iterable[Connection], seen: float, names: Mapping[int, str]) -> None:
        """Sends an event of connections, after `connect`. A collector that does not take one message gets no later one
        of this call."""
        link = self._link
        for message, records in self._session.messages(event, connections, seen, names):
            if link is not None and not self._write(link, message):
                link = self._link = None
            self._count(records, link is not None)

    def connect(self) -> bool:
        """Whether the collector may be sent to; over TCP that there is a connection with it."""
        try:
            if self._link is not None and self._is_stream and self._has_ended(self._link):
                self._link = None
            if self._link is None and self._is_stream:
                self._link = socket.create_connection(self._address, _PATIENCE_SECONDS)
                self._session = Session(is_repeated=False)
            elif self._link is None:
                self._link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        except OSError as error:
            self._tell(f"{self._place}: {error}; records wait until it is back")
            return False
        return True

    @staticmethod
    def _has_ended(link: socket.socket) -> bool:
        """Else what is written first after the collector has ended would be lost without an error."""
        link.setblocking(False)
        try:
            return not link.recv(1024)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            link.settimeout(_PATIENCE_SECONDS)

    def _write(self, link: socket.socket, message: bytes) -> bool:
        try:
            if self._is_stream:
                link.sendall(message)
            else:
                link.sendto(message, self._address)
                time.sleep(_PAUSE_SECONDS)
        except OSError as error:
            link.close()
            self._tell(f"{self._place}: {error}; records of this round are lost")
            return False
        return True

    def _count(self, records: int, is_sent: bool) -> None:
        if is_sent:
            self.sent += records
            if self._is_lost:
                self._log(f"{self._place}: takes records again; {self.lost} were lost")
            self._is_lost = False
        else:
            self.lost += records

    def _tell(self, text: str) -> None:
        if not self._is_lost:
            self._log(text)
        self._is_lost = True
