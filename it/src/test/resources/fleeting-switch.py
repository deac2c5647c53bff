# SPDX-License-Identifier: Apache-2.0
"""A switch that connects by OpenFlow 1.3 and is gone a moment later, time and again.

ADDRESS PORT DATAPATH-ID TIMES DIRECTORY, where the certificate of the node is.
"""

import pathlib
import socket
import ssl
import struct
import sys
import time

HELLO, ECHO_REQUEST, FEATURES_REQUEST, MULTIPART_REQUEST, BARRIER_REQUEST = 0, 2, 5, 18, 20
PORT_DESC = 13
LONGEST = 0.1
"""Seconds from the handshake to the end: an election takes some 60 ms."""


def message(kind, number, body=b""):
    """With the head of a message of version 1.3."""
    return struct.pack("!BBHI", 4, kind, 8 + len(body), number) + body


def answer(kind, number, body, datapath):
    """What a switch answers; nothing to what needs no answer."""
    if kind == FEATURES_REQUEST:
        return message(6, number, struct.pack("!QIBBHII", datapath, 0, 254, 0, 0, 0, 0))
    if kind == MULTIPART_REQUEST and struct.unpack_from("!H", body)[0] == PORT_DESC:
        return message(19, number, struct.pack("!HH4x", PORT_DESC, 0))
    if kind in (ECHO_REQUEST, BARRIER_REQUEST):
        return message(kind + 1, number, body)
    return b""


def receive(link, length):
    """So many bytes."""
    data = b""
    while len(data) < length:
        more = link.recv(length - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data


def connect(address, port, datapath, seconds, context):
    """One connection, that ends so long after the switch has sent its id."""
    with context.wrap_socket(socket.create_connection((address, port), timeout=5), server_hostname=address) as link:
        link.sendall(message(HELLO, 1))
        end = None
        try:
            while end is None or time.monotonic() < end:
                link.settimeout(5 if end is None else max(end - time.monotonic(), 0.001))
                _, kind, length, number = struct.unpack("!BBHI", receive(link, 8))
                link.sendall(answer(kind, number, receive(link, length - 8), datapath))
                if kind == FEATURES_REQUEST:
                    end = time.monotonic() + seconds
        except (TimeoutError, ConnectionError):
            pass


def main():
    """Connects so many times, each time for another while."""
    address, port, datapath, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3], 16), int(sys.argv[4])
    files = pathlib.Path(sys.argv[5])
    context = ssl.create_default_context(cafile=files / "ca.pem")
    context.load_cert_chain(files / "certificate.pem", files / "key.pem")
    for turn in range(times):
        connect(address, port, datapath, LONGEST * (turn + 1) / times, context)
        time.sleep(0.3)


main()
