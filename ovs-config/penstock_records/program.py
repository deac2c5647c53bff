# SPDX-License-Identifier: Apache-2.0
"""Sends records of the connections of a node: `python3 -m penstock_records.program DIRECTORY COLLECTOR SECONDS MOST`.
`ovs-config up` starts it."""

import contextlib
import pathlib
import sys
import time
from collections.abc import Callable

from penstock_base.errors import PenstockError
from penstock_node import agent_switch
from penstock_node.ovs import Ovs

from . import connections, tenants
from .messages import CREATED, DELETED
from .sender import Sender

_PATIENCE_SECONDS = 30
"""A list of a million connections takes so long on a busy machine."""


class Rounds:
    """Reads the connections of the node of a directory time and again. Not for several threads."""

    def __init__(self, directory: pathlib.Path, sender: Sender, most: int, log: Callable[[str], None]) -> None:
        self._switch, self._sender, self._most, self._log = Ovs(directory), sender, most, log
        self._difference = connections.Difference()
        self._names: dict[int, str] = {}
        self._trouble = ""

    def run(self) -> None:
        """Reads once, and sends what has changed. Without a collector, or with more than `most` connections, nothing is
        read, and the next round tells all that has changed until then."""
        if not self._sender.connect():
            return
        try:
            count = int(agent_switch.ask(self._switch, "dpctl/ct-get-nconns", patience=_PATIENCE_SECONDS))
            if count > self._most:
                self._tell(f"{count} connections, more than most-connections of the profile, {self._most}: no records "
                           "until they are fewer; raise it if the node has cores and memory for more")
                return
            answer = agent_switch.ask(self._switch, "dpctl/dump-conntrack", patience=_PATIENCE_SECONDS)
        except (PenstockError, ValueError) as error:
            self._tell(f"the connections cannot be read: {error}")
            return
        if self._trouble:
            self._log("the connections are read again")
        self._trouble = ""
        seen = time.time()
        ended, begun = self._difference.take(connections.keys(answer))
        before = self._names
        with contextlib.suppress(PenstockError):
            self._names = tenants.names(self._switch.socket)
        # Another tenant may have the number by now.
        self._sender.send(DELETED, ended, seen, before)
        self._sender.send(CREATED, begun, seen, self._names)

    def _tell(self, text: str) -> None:
        if not self._trouble:
            self._log(text)
        self._trouble = text


def main() -> None:
    """Sends until the process ends."""
    directory, place, seconds, most = sys.argv[1:]

    def log(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    rounds = Rounds(pathlib.Path(directory), Sender(place, log), int(most), log)
    while True:
        begun = time.monotonic()
        rounds.run()
        time.sleep(max(int(seconds) - (time.monotonic() - begun), 1))


if __name__ == "__main__":
    main()
