# SPDX-License-Identifier: Apache-2.0
"""Watches the processes of a node, gives a switch that has begun anew its settings, and finds functions that end the
switch (docs/adr/0048). `ovs-config up` starts it, as `python3 -m penstock_node.node_watch DIRECTORY`. But for evidence
about a switch that runs it keeps nothing that it cannot find out again.
"""

import pathlib
import sys
import time
from collections.abc import Collection

from penstock_base import locks, processes
from penstock_base.errors import PenstockError

from . import alive, management, polling, supervision, vhost_guard, watch
from .ovs import DATABASE, SWITCH, Ovs

_HOME = pathlib.Path(__file__).resolve().parent.parent
_HUNG_SECONDS = 30
"""Open vSwitch answers between two tasks of its main thread; the longest are bundles of all flows of a node. A polling
thread makes a turn for each burst of packets, and waits for the main thread only when its ports change."""
_START_SECONDS = 90
"""Huge pages are cleared before the switch first answers."""
_SILENT_SECONDS = 90
"""Of an agent: it waits up to a minute for one command of Open vSwitch."""
_SETTINGS_SECONDS = 5
"""How long one attempt to give them may take. The others are not watched meanwhile, and what the attempt waits for may
be a database that was stopped and does not go on without the watch."""
_ENDING_SECONDS = 2
"""How long the supervisor may take to write how the switch has ended."""
_POLL_SECONDS = 0.01
_CLOSED_SECONDS = 10
"""Between two looks whether the management network is closed to others."""


def start(directory: pathlib.Path) -> bool:
    """Starts it unless it runs. Returns True if it was started."""
    if processes.is_running(process_of(directory)):
        return False
    directory = directory.absolute()
    supervision.Tree(directory).keep(supervision.Service(
        watch.NAME, ("env", f"PYTHONPATH={_HOME}", "/usr/bin/python3", "-B", "-m", "penstock_node.node_watch",
                     str(directory)), process_of(directory), directory / "watch.log"))
    return True


def stop(directory: pathlib.Path) -> None:
    """Ends it."""
    supervision.Tree(directory).remove(watch.NAME, process_of(directory))


def process_of(directory: pathlib.Path) -> pathlib.Path:
    """The file that tells which process it is."""
    return directory / "watch.process"


def main() -> None:
    """Watches until the process ends."""
    directory = pathlib.Path(sys.argv[1])
    NodeWatch(directory, Ovs(directory, patience_seconds=_SETTINGS_SECONDS)).serve()


class NodeWatch(watch.Watch):
    """The watch over database, switch and agents."""

    def __init__(self, directory: pathlib.Path, ovs: Ovs) -> None:
        super().__init__(directory)
        self._directory = directory
        self._ovs = ovs
        self._prepared: int | None = None
        self._endings = 0
        self._turns = polling.Turns()
        self._closed_due = time.monotonic()
        self._functions = vhost_guard.Guard(directory, watch.log, death=self._death)

    def urgent(self) -> Collection[int]:
        """The end of the switch: the next one must not connect to the same function."""
        return self._functions.descriptors

    def question(self, name: str) -> watch.Question:
        """Open vSwitch answers at its control socket; others send signs, and one that never did is left alone."""
        if name in (DATABASE, SWITCH):
            return watch.Question(lambda pid: self._works(name, pid), _START_SECONDS, _HUNG_SECONDS)
        return watch.Question(self.listener.heard, None, _SILENT_SECONDS)

    def _works(self, name: str, pid: int) -> bool:
        control = self._ovs.own / f"{name}.{pid}.ctl"
        if not alive.answers(control):
            return False
        cores = self._turns.hanging(pid, control) if name == SWITCH else set()
        if cores:
            watch.log(f"{name}: the polling thread of core {', '.join(sorted(cores))} makes no turn, process {pid}")
        return not cores

    def look(self) -> None:
        """Looks at each process, and prepares a new switch: some settings are in its memory alone."""
        endings = self._switch_endings()
        self._functions.tick()
        self._endings = endings  # Read before a look that may have seen the switch run: its end is not among them.
        super().look()
        self._keep_closed()
        guarded = self.guarded.get(SWITCH)
        if guarded is None or guarded.pid is None or not guarded.answered or self._prepared == guarded.pid:
            return
        if not self._ovs.works():
            return
        try:
            self._ovs.prepare_bridge()
        except PenstockError as error:
            watch.log(f"the switch does not take its settings: {error}")
        else:
            self._prepared = guarded.pid
            watch.log(f"the switch has its settings, process {guarded.pid}")

    def _keep_closed(self) -> None:
        if time.monotonic() < self._closed_due:
            return
        self._closed_due = time.monotonic() + _CLOSED_SECONDS
        address = (locks.read_json(self._directory / "state.json", None) or {}).get("management_address")
        try:
            if address and management.keep_closed(address):
                watch.log(f"the rules that close {address} to others were removed, and are there again")
        except PenstockError as error:
            watch.log(f"the management network is open to others: {error}")

    def _death(self) -> int | None:
        """The signal by which the switch has ended, None if its supervisor does not say so: it ended with it, or has
        no room on its disk."""
        deadline = time.monotonic() + _ENDING_SECONDS
        while self._switch_endings() == self._endings and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        return self._tree.last_signal(SWITCH) if self._switch_endings() != self._endings else None

    def _switch_endings(self) -> int:
        return self._tree.endings().get(SWITCH, 0)


if __name__ == "__main__":
    main()
