# SPDX-License-Identifier: Apache-2.0
"""Watches the processes of a node, and gives a switch that has begun anew its settings. `ovs-config up` starts it, as
`python3 -m penstock_node.node_watch DIRECTORY`. It keeps nothing that it cannot find out again.
"""

import pathlib
import sys

from . import alive, processes, supervision, watch
from .errors import PenstockError
from .ovs import DATABASE, SWITCH, Ovs

_HOME = pathlib.Path(__file__).resolve().parent.parent
_HUNG_SECONDS = 30
"""Open vSwitch answers between two tasks of its main thread; the longest are bundles of all flows of a node."""
_START_SECONDS = 90
"""Huge pages are cleared before the switch first answers."""
_SILENT_SECONDS = 90
"""Of an agent: it waits up to a minute for one command of Open vSwitch."""


def start(directory):
    """Starts it unless it runs. Returns True if it was started."""
    if processes.is_running(process_of(directory)):
        return False
    directory = directory.absolute()
    supervision.Tree(directory).keep(supervision.Service(
        watch.NAME, ("env", f"PYTHONPATH={_HOME}", "/usr/bin/python3", "-B", "-m", "penstock_node.node_watch",
                     str(directory)), process_of(directory), directory / "watch.log"))
    return True


def stop(directory):
    """Ends it."""
    supervision.Tree(directory).remove(watch.NAME, process_of(directory))


def process_of(directory):
    """The file that tells which process it is."""
    return directory / "watch.process"


def main():
    """Watches until the process ends."""
    directory = pathlib.Path(sys.argv[1])
    NodeWatch(directory, Ovs(directory)).serve()


class NodeWatch(watch.Watch):
    """The watch over database, switch and agents."""

    def __init__(self, directory, ovs):
        super().__init__(directory)
        self._ovs = ovs
        self._prepared = None

    def question(self, name):
        """Open vSwitch answers at its control socket; others send signs, and one that never did is left alone."""
        if name in (DATABASE, SWITCH):
            return watch.Question(lambda pid: alive.answers(self._ovs.own / f"{name}.{pid}.ctl"), _START_SECONDS,
                                  _HUNG_SECONDS)
        return watch.Question(self.listener.heard, None, _SILENT_SECONDS)

    def look(self):
        """Looks at each process, and prepares a new switch: some settings are in its memory alone."""
        super().look()
        guarded = self.guarded.get(SWITCH)
        if guarded is None or guarded.pid is None or not guarded.answered or self._prepared == guarded.pid:
            return
        try:
            self._ovs.prepare_bridge()
        except PenstockError as error:
            watch.log(f"the switch does not take its settings: {error}")
        else:
            self._prepared = guarded.pid
            watch.log(f"the switch has its settings, process {guarded.pid}")


if __name__ == "__main__":
    main()
