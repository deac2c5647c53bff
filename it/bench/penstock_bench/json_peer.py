# SPDX-License-Identifier: Apache-2.0
"""A program of Open vSwitch behind a unix socket, which also speaks first: JSON objects one after the other.

It is JSON-RPC 1.0, as RFC 7047, section 4, uses it.
"""

import codecs
import contextlib
import json
import pathlib
import select
import socket
from typing import Any

from penstock_base.errors import PenstockError

Message = dict[str, Any]

_DECODER = json.JSONDecoder()
_ANSWER_SECONDS = 20


class JsonPeer:
    """One connection. Not for several threads."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path, self._text, self._calls = path, "", 0
        self._bytes = codecs.getincrementaldecoder("utf-8")()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise PenstockError(f"{path}: {error.strerror}") from None

    def fileno(self) -> int:
        """For select."""
        return self._socket.fileno()

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def send(self, **message: Any) -> None:
        """Sends an object."""
        try:
            self._socket.sendall(json.dumps(message).encode())
        except ConnectionError:
            raise PenstockError(f"{self._path}: the program has ended") from None

    def receive(self) -> list[Message]:
        """The objects that have come since the last call, perhaps none; waits for the next part of one."""
        data = b""
        with contextlib.suppress(ConnectionError):
            data = self._socket.recv(1 << 18)
        if not data:
            raise PenstockError(f"{self._path}: the program has ended")
        self._text += self._bytes.decode(data)
        found = []
        while self._text:
            try:
                message, end = _DECODER.raw_decode(self._text)
            except ValueError:  # The rest of it is still to come.
                break
            found.append(message)
            self._text = self._text[end:].lstrip()
        return found

    def call(self, method: str, *params: Any) -> Any:
        """Calls a method and returns its result; for a program that speaks only when it is spoken to."""
        self._calls += 1
        self.send(method=method, params=params, id=self._calls)
        while select.select([self], [], [], _ANSWER_SECONDS)[0]:
            for message in self.receive():
                return result(message)
        raise PenstockError(f"{self._path}: no answer to {method} within {_ANSWER_SECONDS} s")


def result(message: Message) -> Any:
    """The result in an answer. Raises what the program says is wrong."""
    if message.get("error"):
        raise PenstockError(f"{json.dumps(message['error'])[:500]}")
    return message.get("result")
