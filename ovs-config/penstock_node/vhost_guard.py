# SPDX-License-Identifier: Apache-2.0
"""Finds the function that has ended the switch of a node, and puts it into quarantine.

The watch of the node calls `tick` at each of its looks, and at once when one of `descriptors` can be read, as when the
switch has ended: the next switch must not connect to the same peer again. Evidence decides:

* A file of memory that is shorter than what the switch has mapped: that instance.
* SIGBUS, and no such file: an instance whose file has lost pages since the last look, else the only suspect. A few
  suspects have a trial.
* Otherwise, at the second crash (SIGBUS, SIGSEGV and the like) within a minute, the only one that was a suspect both
  times. If there is none, or more than one: a trial.
* A cause that is not known proves nothing: its supervisor ended with the switch. At the second one: a trial.
* A trial: the suspects are taken away from the switch and given back one by one, each when the memory of the one
  before has been seen. When the switch ends again it is the one that it got last.
"""

import contextlib
import dataclasses
import os
import pathlib
import select
import signal
import time
from collections.abc import Callable

from penstock_base import locks, processes
from penstock_base.errors import PenstockError

from . import quarantine
from .ovs import Ovs
from .peers import Peers
from .vhost_memory import HOLED, SHORT, Witness

_WINDOW_SECONDS = 60
_PATIENCE_SECONDS = 10
"""How long the switch may take to connect to one that is on trial, which may have no ports or not run."""
_ENDED = " and ended the switch"
_FEW = 4
"""Suspects of a SIGBUS that have a trial at once. With more of them a second crash would be the lesser harm."""
_SETTLE_SECONDS = 3
"""How long all the others have for their connections before a trial begins."""
_CRASHES = (signal.SIGBUS, signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE)


@dataclasses.dataclass(frozen=True)
class _Crash:
    when: float
    suspects: frozenset[str]


class Guard:
    """Watches the switch of the node whose files are in `directory`.

    log:        takes a text
    switch_pid: returns the process id of the switch, None while there is none; by default what Ovs has recorded
    death:      returns the number of the signal by which the switch has ended, 0 if by none, None if it is not known
    """

    def __init__(self, directory: pathlib.Path, log: Callable[[str], None],
                 switch_pid: Callable[[], int | None] | None = None, death: Callable[[], int | None] = lambda: None,
                 now: Callable[[], float] = time.monotonic) -> None:
        switch = Ovs(directory)
        self._directory = directory
        self._log = log
        self._switch_pid = switch_pid or (lambda: processes.pid_of(switch.switch_process))
        self._death = death
        self._now = now
        self._peers = Peers(directory)
        self._witness = Witness(directory, switch.switch_log)
        self._trial = _Trial(directory, self._peers, now)
        self._pid: int | None = None
        self._pid_since = 0.0
        self._descriptor: int | None = None
        self._crashes: list[_Crash] = []
        self._pending: dict[str, str] = {}  # What could not be written yet.
        self._enforced = False

    def tick(self) -> None:
        """Looks at the switch, and does what is to be done when it has ended."""
        pid = self._switch_pid()
        if self._pid is not None and pid != self._pid:
            self._ended()
            pid = self._switch_pid()  # The next one may have begun meanwhile.
        if pid != self._pid:
            self._pid, self._pid_since = pid, self._now()
            self._open()
        if pid is not None:
            for name, offence in self._witness.look(pid).items():
                self._quarantine(name, offence)
            if self._now() - self._pid_since >= _SETTLE_SECONDS:
                self._say(self._trial.step(self._witness.witnessed()))
        self._enforce()

    def wait(self, seconds: float) -> None:
        """Waits so long, or until the switch has ended."""
        select.select(self.descriptors, [], [], seconds)

    @property
    def descriptors(self) -> list[int]:
        """A descriptor that can be read when the switch has ended, none while there is no switch."""
        return [] if self._descriptor is None else [self._descriptor]

    def close(self) -> None:
        """Closes all files."""
        self._witness.close()
        self._pid = None
        self._open()

    def _open(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        if self._pid is not None:
            with contextlib.suppress(OSError):  # It has ended this moment.
                self._descriptor = os.pidfd_open(self._pid)

    def _ended(self) -> None:
        evidence = self._witness.evidence()
        short = [name for name, offence in evidence.proven.items() if offence == SHORT]
        for name in short:  # At once: the next switch may have begun.
            self._quarantine(name, SHORT + _ENDED)
        number = self._death()
        self._log(f"the switch has ended by {_name(number)}; without evidence of their innocence: "
                  f"{', '.join(sorted(evidence.suspects)) or 'none'}")
        holed = [name for name, offence in evidence.proven.items() if offence == HOLED]
        if short or (number is not None and number not in _CRASHES):
            return
        if holed and number in (None, signal.SIGBUS):
            for name in holed:
                self._quarantine(name, HOLED + _ENDED)
        else:
            self._crashed(evidence.suspects | set(holed), number)

    def _crashed(self, suspects: frozenset[str], number: int | None) -> None:
        now = self._now()
        former = [crash for crash in self._crashes if now - crash.when <= _WINDOW_SECONDS]
        self._crashes = [*former, _Crash(now, suspects)]
        both = suspects & former[-1].suspects if former else frozenset()
        by = f"was the last to speak with the switch before it ended by {_name(number)}"
        known = number is not None
        if known and len(suspects) == 1 and (number == signal.SIGBUS or self._trial.admitted in suspects):
            self._quarantine(min(suspects), by)
        elif known and len(both) == 1:
            self._quarantine(min(both), f"{by}, twice within {_WINDOW_SECONDS} s")
        elif former or (number == signal.SIGBUS and 1 < len(suspects) <= _FEW):
            held = both or suspects or frozenset(self._peers.running())
            self._log(f"one of them may have ended the switch: {', '.join(sorted(held))}; the switch gets them back "
                      "one by one")
            self._trial.begin(held)

    def _quarantine(self, name: str, reason: str) -> None:
        self._log(f"function {name} is put into quarantine: it {reason}")
        self._pending[name] = f"it {reason}"
        self._crashes.clear()
        self._impose()

    def _impose(self) -> None:
        for name, reason in list(self._pending.items()):
            try:
                quarantine.impose(self._directory, name, reason)
                del self._pending[name]
            except (OSError, PenstockError) as error:
                self._log(f"function {name}: its quarantine is not complete, and is tried again: {error}")

    def _enforce(self) -> None:
        """Ends what runs in spite of its quarantine: a former watch may have been ended between two steps."""
        self._impose()
        names = quarantine.names(self._directory)
        ending = set(names) if not self._enforced else self._peers.running() if names else set()
        self._enforced = True
        for name in names:
            if name in ending:
                try:
                    if quarantine.enforce(self._directory, name):
                        self._log(f"function {name} ran in spite of its quarantine, and was ended")
                except (OSError, PenstockError) as error:
                    self._log(f"function {name}: {error}")

    def _say(self, text: str | None) -> None:
        if text:
            self._log(text)


class _Trial:
    """Instances that the switch gets back one by one. It is in a file, since a watch that ends must not end it."""

    def __init__(self, directory: pathlib.Path, peers: Peers, now: Callable[[], float]) -> None:
        self._path = directory / "vhost-trial.json"
        self._peers = peers
        self._now = now
        self._held: list[str] = locks.read_json(self._path, []) or []
        self._since = 0.0
        self._seen = False
        self.admitted: str | None = None

    def begin(self, names: frozenset[str]) -> None:
        """Takes these away from the switch. One that is on trial waits again."""
        self._held = sorted({*self._held, *names, *([self.admitted] if self.admitted else [])})
        self.admitted = None
        self._save()
        for name in self._held:
            self._peers.sever(name)

    def step(self, witnessed: set[str]) -> str | None:
        """Goes on, while the switch runs. witnessed: whose memory has been seen. Returns what is to be said."""
        if self.admitted is not None:
            seen, self._seen = self._seen, self.admitted in witnessed
            if not (seen and self._seen) and self._now() - self._since < _PATIENCE_SECONDS:
                return None
            self.admitted = None
            if not self._held:
                self._path.unlink(missing_ok=True)
                return "the switch has all functions back"
        if not self._held:
            return None
        self.admitted, *self._held = self._held
        self._since, self._seen = self._now(), False
        self._save()
        for name in self._held:
            self._peers.sever(name)  # One that was started again has its names back.
        if quarantine.of(self._path.parent, self.admitted) is None:
            self._peers.join(self.admitted)
        return f"the switch gets function {self.admitted} back"


    def _save(self) -> None:
        # The one that is admitted is in the file until the next: if this process ends now it is admitted again.
        with contextlib.suppress(OSError):  # A full disk: it goes on as long as this process does.
            locks.write_json(self._path, [*([self.admitted] if self.admitted else []), *self._held])


def _name(number: int | None) -> str:
    if number is None:
        return "a cause that is not known"
    return signal.Signals(number).name if number else "itself"
