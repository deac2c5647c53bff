# SPDX-License-Identifier: Apache-2.0
"""Watches the processes of a node: what hangs is ended, so that its supervisor starts it again; what was stopped goes
on (docs/adr/0051). A switch that has begun anew gets its settings.

`ovs-config up` starts it, as `python3 -m penstock_node.watch DIRECTORY`. It keeps nothing that it cannot find out
again.
"""

import contextlib
import os
import pathlib
import signal
import sys
import time

from . import alive, processes, supervision
from .errors import PenstockError
from .ovs import DATABASE, SWITCH, Ovs

NAME = "watch"
"""Of its service."""
_HOME = pathlib.Path(__file__).resolve().parent.parent
_LOOK_SECONDS = 0.5
_ASK_SECONDS = 2.0
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
        NAME, ("env", f"PYTHONPATH={_HOME}", "/usr/bin/python3", "-B", "-m", "penstock_node.watch", str(directory)),
        process_of(directory), directory / "watch.log"))
    return True


def stop(directory):
    """Ends it."""
    supervision.Tree(directory).remove(NAME, process_of(directory))


def process_of(directory):
    """The file that tells which process it is."""
    return directory / "watch.process"


def main():
    """Watches until the process ends."""
    directory = pathlib.Path(sys.argv[1])
    watch = Watch(directory, Ovs(directory))
    while True:
        watch.look()
        with contextlib.suppress(ChildProcessError):  # A root of the tree that it had to start.
            os.waitpid(-1, os.WNOHANG)
        watch.listener.wait(_LOOK_SECONDS)


class Watch:
    """The watch over the processes of a node. Not for several threads."""

    def __init__(self, directory, ovs, now=time.monotonic):
        self.listener = alive.Listener(directory)
        self._tree = supervision.Tree(directory)
        self._ovs = ovs
        self._now = now
        self._process = process_of(directory)
        self._guarded = {}
        self._prepared = None

    def look(self):
        """Looks at each process once, and does what has to be done."""
        if self._tree.ensure():
            log("the root of the supervision tree had ended and is started again")
        services = self._tree.processes()
        for name in set(self._guarded) - set(services):
            del self._guarded[name]
        for name, process in services.items():
            if process == self._process:
                continue
            if name not in self._guarded:
                self._guarded[name] = Guarded(name, process, *self._question(name), log, self._now)
            self._guarded[name].look()
        for pid in self._tree.supervisors():
            if processes.go_on(pid):
                log(f"a supervisor was stopped and goes on, process {pid}")
        self._prepare()

    def _question(self, name):
        """How to ask a service whether it works, and for how long it may be silent."""
        if name in (DATABASE, SWITCH):
            return (lambda pid: alive.answers(self._ovs.own / f"{name}.{pid}.ctl")), _START_SECONDS, _HUNG_SECONDS
        return self.listener.heard, None, _SILENT_SECONDS

    def _prepare(self):
        """Gives a switch that has begun anew the settings that it keeps in its memory alone."""
        guarded = self._guarded.get(SWITCH)
        if guarded is None or guarded.pid is None or not guarded.answered or self._prepared == guarded.pid:
            return
        try:
            self._ovs.prepare_bridge()
        except PenstockError as error:
            log(f"the switch does not take its settings: {error}")
        else:
            self._prepared = guarded.pid
            log(f"the switch has its settings, process {guarded.pid}")


class Guarded:
    """One process that is watched. `answered`: whether the present process has answered once."""

    def __init__(self, name, process, asks, first_seconds, seconds, log, now=time.monotonic):
        """asks: takes a process id, and says whether the process works now. first_seconds: how long it may take until
        its first answer, None for ever; seconds: how long it may be silent afterwards."""
        self.pid = None
        self.answered = False
        self._name = name
        self._process = process
        self._asks = asks
        self._first_seconds = first_seconds
        self._seconds = seconds
        self._log = log
        self._now = now
        self._heard = self._due = 0.0

    def look(self):
        """Looks at it once; ends it when it hangs."""
        now = self._now()
        pid = processes.pid_of(self._process)
        if pid != self.pid:
            self.pid, self.answered, self._heard, self._due = pid, False, now, now
        if pid is None:
            return
        if processes.go_on(pid):
            self._log(f"{self._name} was stopped and goes on, process {pid}")
        if now < self._due:
            return
        self._due = now + (_ASK_SECONDS if self.answered else _LOOK_SECONDS)
        if self._asks(pid):
            self.answered, self._heard = True, now
            return
        patience = self._seconds if self.answered else self._first_seconds
        if patience is not None and now - self._heard > patience:
            self._log(f"{self._name} has not answered for {now - self._heard:.0f} s and is ended, process {pid}")
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def log(text):
    """One line in the watch's log."""
    print(time.strftime("%Y-%m-%d %H:%M:%S"), text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
