# SPDX-License-Identifier: Apache-2.0
"""Watches the services of a supervision tree: what hangs is ended, so that its supervisor starts it again; what was
stopped goes on (docs/adr/0051)."""

import contextlib
import dataclasses
import os
import pathlib
import select
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator

from penstock_base import processes
from penstock_base.errors import PenstockError

from . import alive, supervision

NAME = "watch"
"""Of its service."""
_LOOK_SECONDS = 0.5
_REMOVAL_SECONDS = 2
"""How long the removal of a directory may take."""


@dataclasses.dataclass(frozen=True)
class Question:
    """How to ask a service whether it works.

    asks:          takes a process id, and says whether the process works now
    first_seconds: how long it may take until its first answer, None for ever
    seconds:       how long it may be silent afterwards
    interval:      seconds between two questions
    before_end:    called before one that hangs is ended
    """
    asks: Callable[[int], object]
    first_seconds: float | None
    seconds: float
    interval: float = 2.0
    before_end: Callable[[], object] = lambda: None


class Watch:
    """The watch over the services of a directory; `question` says how they are asked. Not for several threads."""

    def __init__(self, directory: pathlib.Path, now: Callable[[], float] = time.monotonic) -> None:
        self.listener = alive.Listener(directory)
        self.guarded: dict[str, Guarded] = {}
        self._place = os.open(directory, os.O_PATH | os.O_DIRECTORY)
        self._supervisors = Held()
        self._root: int | None = None
        self._sign = alive.systemd()
        self._tree = supervision.Tree(directory)
        self._now = now

    def question(self, name: str) -> Question:
        """The Question for a service."""
        raise NotImplementedError

    def urgent(self) -> Collection[int]:
        """Descriptors that can be read when there is something to look at before the next time."""
        return ()

    def serve(self) -> None:
        """Watches until the process ends, or the directory has been removed."""
        while not self._is_removed():
            try:
                self.look()
            except (OSError, PenstockError):
                # Files go one by one, and before their directory.
                time.sleep(_REMOVAL_SECONDS)
                if not self._is_removed():
                    raise
            if self._sign:
                self._sign.give()
            with contextlib.suppress(ChildProcessError):  # A root of the tree that it had to start.
                os.waitpid(-1, os.WNOHANG)
            self.listener.wait(_LOOK_SECONDS, self.urgent())
        self._end_all()

    def _is_removed(self) -> bool:
        return not os.fstat(self._place).st_nlink

    def _end_all(self) -> None:
        """Ends the tree of a directory that is gone: the tree could never be ended by its files."""
        log("the directory has been removed: all that runs for it is ended")
        self._supervisors.signal(signal.SIGTERM)

    def look(self) -> None:
        """Looks at each process once, and does what has to be done."""
        self._supervisors.forget_ended()
        # While a directory is being removed the file of the root may be gone, and the root not.
        if self._root not in self._supervisors and self._tree.ensure():
            log("the root of the supervision tree had ended and is started again")
        services = {name: process for name, process in self._tree.processes().items() if name != NAME}
        for name in set(self.guarded) - set(services):
            del self.guarded[name]
        for name, process in services.items():
            if name not in self.guarded:
                self.guarded[name] = Guarded(name, process, self.question(name), log, self._now)
            self.guarded[name].look()
        self._root = self._tree.root() or self._root
        self._supervisors.hold(self._tree.supervisors())
        for pid in self._supervisors:
            if processes.go_on(pid):
                log(f"a supervisor was stopped and goes on, process {pid}")


class Held:
    """Processes that stay the same although the system gives the numbers of ended ones to others."""

    def __init__(self) -> None:
        self._descriptors: dict[int, int] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._descriptors))

    def __contains__(self, pid: object) -> bool:
        return pid in self._descriptors

    def hold(self, pids: Iterable[int]) -> None:
        """Adds processes; one that has ended is none."""
        for pid in pids:
            if pid not in self._descriptors:
                with contextlib.suppress(ProcessLookupError):
                    self._descriptors[pid] = os.pidfd_open(pid)

    def forget_ended(self) -> None:
        """Drops those that have ended."""
        poll = select.poll()
        for descriptor in self._descriptors.values():
            poll.register(descriptor, select.POLLIN)
        ended = {descriptor for descriptor, _ in poll.poll(0)}
        for pid, descriptor in list(self._descriptors.items()):
            if descriptor in ended:
                os.close(self._descriptors.pop(pid))

    def signal(self, number: int) -> None:
        """Sends a signal to all of them."""
        for descriptor in self._descriptors.values():
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, number)


class Guarded:
    """One process that is watched. `answered`: whether the present process has answered once."""

    def __init__(self, name: str, process: pathlib.Path, question: Question, log: Callable[[str], None],
                 now: Callable[[], float] = time.monotonic) -> None:
        self.pid: int | None = None
        self.answered = False
        self._name = name
        self._process = process
        self._question = question
        self._log = log
        self._now = now
        self._heard = self._due = 0.0

    def look(self) -> None:
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
        if self._question.asks(pid):
            self.answered, self._heard = True, now
        self._due = now + (self._question.interval if self.answered else _LOOK_SECONDS)
        patience = self._question.seconds if self.answered else self._question.first_seconds
        if patience is not None and now - self._heard > patience:
            self._log(f"{self._name} has not answered for {now - self._heard:.0f} s and is ended, process {pid}")
            self._question.before_end()
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def log(text: str) -> None:
    """One line in the watch's log."""
    print(time.strftime("%Y-%m-%d %H:%M:%S"), text, file=sys.stderr, flush=True)
