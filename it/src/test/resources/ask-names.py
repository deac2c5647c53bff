# SPDX-License-Identifier: Apache-2.0
"""Asks a resolver for the A record of one name over and over, 50 times a second.

Usage: ask-names.py SERVER NAME. Prints for each query, at once, when it ended in seconds of the clock and the address
in the answer, "none" for an answer without one, or "lost" when nothing came within a second.
"""

import socket
import struct
import sys
import time

PAUSE_SECONDS = 0.02
ANSWER_SECONDS = 1
HEADER = 12


def question(name):
    """A question for an address (RFC 1035, section 4.1.2)."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    return labels + b"\0\0\1\0\1"


def address(answer, asked):
    """The first address of an answer. Its record begins behind the question with a pointer to the name."""
    data = answer[HEADER + len(asked):]
    return socket.inet_ntoa(data[12:16]) if struct.unpack("!H", answer[6:8])[0] else "none"


def main():
    """Asks until the process is ended."""
    server, name = sys.argv[1:]
    asked = question(name)
    with socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM) as link:
        # From one address all the time: the switch has to learn of each, and a host with IPv6 gets more.
        link.connect((server, 53))
        number = 0
        while True:
            number = number + 1 & 0xffff
            link.settimeout(ANSWER_SECONDS)
            said = "lost"
            try:
                link.send(struct.pack("!6H", number, 0x0100, 1, 0, 0, 0) + asked)
                answer = link.recv(4096)
                while answer[:2] != struct.pack("!H", number):
                    answer = link.recv(4096)
                said = address(answer, asked)
            except OSError:
                pass
            print(f"{time.time():.3f} {said}", flush=True)
            time.sleep(PAUSE_SECONDS)


main()
