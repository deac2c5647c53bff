# SPDX-License-Identifier: Apache-2.0
"""The socket on which the switch tells the agent of sampled packets.

It has to be in the network namespace of the switch, but the agent may run in that of the resolvers, and has no right to
change. So the socket is opened before, and inherited: this module, run as a program, opens it and becomes the program
of its arguments.
"""

import os
import socket
import sys

_BUFFER = 8 << 20
"""Bytes, of which the kernel takes about 700 a sample: two seconds of five million packets a second."""
_VARIABLE = "PENSTOCK_SAMPLE_SOCKET"


def command(namespace: str | None) -> list[str]:
    """The words before those of the agent; run them where the switch is. namespace: where the agent runs, if
    elsewhere."""
    return ["/usr/bin/python3", "-B", "-m", "penstock_node.sample_socket",
            *(["nsenter", f"--net=/run/netns/{namespace}"] if namespace else [])]


def inherited() -> socket.socket | None:
    """The socket, or None when this process was started without."""
    number = os.environ.get(_VARIABLE, "")
    if not number.isdigit():
        return None
    try:
        return socket.socket(fileno=int(number))
    except OSError:
        return None


def main() -> None:
    """Opens the socket and becomes the program of the arguments."""
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("127.0.0.1", 0))
    link.setblocking(False)
    link.setsockopt(socket.SOL_SOCKET, 33, _BUFFER)  # SO_RCVBUFFORCE, which the module socket does not name.
    link.set_inheritable(True)
    os.execvpe(sys.argv[1], sys.argv[1:], dict(os.environ) | {_VARIABLE: str(link.fileno())})


if __name__ == "__main__":
    main()
