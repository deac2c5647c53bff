# SPDX-License-Identifier: Apache-2.0
"""A process known by its id alone: is it still the one we started, how old is it, how does it end."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import time

POLL_SECONDS = 0.2

NICENESS = -5
"""Of the controller: hosts wait for its answers, so it comes before other programs of its machine, after a switch."""


def put_before_others(pid: int) -> None:
    """Gives a process that has just begun its precedence; without the right to it nothing changes. The leader of a
    session is a scheduling group too where the kernel has autogroups, so the group is told as well."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, NICENESS)
        pathlib.Path(f"/proc/{pid}/autogroup").write_text(str(NICENESS), encoding="ascii")


class Process:
    """A process whose command line holds a mark, so that a recycled id is never mistaken for it."""

    def __init__(self, pid: int, mark: str) -> None:
        self.pid = pid
        self._mark = mark.encode()
        self._proc = pathlib.Path("/proc") / str(pid)

    def alive(self) -> bool:
        """True while it runs; a zombie does not run."""
        try:
            if self._mark not in (self._proc / "cmdline").read_bytes().split(b"\0"):
                return False
            return self._fields()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def uptime(self) -> float:
        """Seconds since it started."""
        ticks = int(self._fields()[19])
        since_boot = float(pathlib.Path("/proc/uptime").read_text(encoding="ascii").split()[0])
        return since_boot - ticks / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> int:
        """Physical memory it holds."""
        pages = int((self._proc / "statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def demand(self) -> dict[int, float]:
        """Seconds for which each of its threads has run or has waited for a processor."""
        seconds = {}
        for task in (self._proc / "task").glob("*"):
            try:
                ran, waited, _ = (task / "schedstat").read_text(encoding="ascii").split()
                seconds[int(task.name)] = (int(ran) + int(waited)) / 1e9
            except (FileNotFoundError, ProcessLookupError):
                pass  # A thread that has just ended.
        return seconds

    def quit(self) -> None:
        """SIGQUIT: a Java process prints all of its threads and goes on."""
        if self.alive():
            os.kill(self.pid, signal.SIGQUIT)

    def end(self, patience: float) -> None:
        """Asks it to end, and kills it after `patience` seconds; returns when it is gone."""
        if self.alive():
            os.kill(self.pid, signal.SIGTERM)
            if not self._gone_within(patience):
                self.kill()

    def kill(self) -> None:
        """kill -9; returns when it is gone."""
        if self.alive():
            os.kill(self.pid, signal.SIGKILL)
            if not self._gone_within(30):
                raise TimeoutError(f"process {self.pid} does not die")

    def _gone_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True

    def _fields(self) -> list[str]:
        """/proc/pid/stat from the third field on; the second, the name, may hold anything."""
        return (self._proc / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()


class Idleness:
    """Tells a process that has nothing to do from one that a busy machine keeps from it."""

    def __init__(self, process: Process, window: float = 20.0, share: float = 0.25) -> None:
        """Idle is what asks for less than `share` of one processor during `window` seconds."""
        self._process, self._window, self._share = process, window, share
        self._since, self._before, self._idle = time.monotonic(), process.demand(), False

    def __call__(self) -> bool:
        """Whether it was idle in the last whole window."""
        passed = time.monotonic() - self._since
        if passed >= self._window:
            now = self._process.demand()
            asked = sum(seconds - self._before.get(thread, 0) for thread, seconds in now.items())
            self._since, self._before, self._idle = time.monotonic(), now, asked < self._share * passed
        return self._idle
