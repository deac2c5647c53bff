# SPDX-License-Identifier: Apache-2.0
"""Answers at sockets of programs that may have been taken over: bounded in time and length, whatever they send."""

import socket
import time
import typing

MOST_BYTES = 1 << 20
_PART = 1 << 16


def parts(link: socket.socket, seconds: float, most_bytes: int = MOST_BYTES) -> typing.Iterator[bytes]:
    """All that the other side sends until it hangs up, piece by piece.

    Raises OSError when that takes more seconds in all, however much came meanwhile, or is longer.
    """
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        link.settimeout(left)
        part = link.recv(_PART)
        if not part:
            return
        most_bytes -= len(part)
        if most_bytes < 0:
            raise OSError("the answer is too long")
        yield part
    raise TimeoutError("timed out")
