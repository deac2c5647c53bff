# SPDX-License-Identifier: Apache-2.0
"""A process known by its id alone: is it still the one we started, how old is it, how does it end."""

from __future__ import annotations

import os
import pathlib
import signal
import time

POLL_SECONDS = 0.2


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
