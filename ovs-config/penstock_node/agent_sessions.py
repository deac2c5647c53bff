# SPDX-License-Identifier: Apache-2.0
"""Limits of tracked connections, by conntrack zone, inside the switch. They live in its memory only."""

import re
import time
from collections.abc import Callable, Iterable, Mapping

from penstock_base import processes
from penstock_base.errors import PenstockError

from . import agent_switch, node_protocol
from .alive import Poller
from .ovs import Ovs

_LOOK_SECONDS = 5  # How often it is looked whether the switch is another process now.
_READ_SECONDS = 30  # How often limits and counts are read back.
_AT_ONCE = 100
LARGEST = 2**32 - 1
"""A limit that is none: with a limit the switch counts the connections of a zone."""


class Sessions:
    """Brings the limits to what is wanted, whatever happens to the switch. `switch` is an Ovs."""

    def __init__(self, switch: Ovs, log: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._switch = switch
        self._log = log
        self._now = now
        self._wanted: dict[int, int | None] = {}
        self._refused: dict[int, str] = {}
        self._pid: int | None = None
        self._due = self._read_due = self._count_due = 0.0
        self.limits: dict[int, int] = {}
        """By zone: the limit, as read back last."""
        self.counts: dict[int, int] = {}
        """By zone: the number of connections, read every _READ_SECONDS."""

    def want(self, texts: Mapping[int, str], counted: Iterable[int] = ()) -> None:
        """Orders by zone. A text that is not a number in 1..2^32-1 leaves the zone as it is.

        counted: zones of which the switch shall count the connections
        """
        wanted: dict[int, int | None] = dict.fromkeys(counted, LARGEST)
        for zone, text in texts.items():
            if re.fullmatch(r"[0-9]{1,10}", text) and 1 <= int(text) <= LARGEST:
                wanted[zone] = int(text)
            else:
                if self._refused.get(zone) != text:
                    self._log(f"tenant {zone}: {node_protocol.SESSIONS} is {text!r}, not a number of connections")
                self._refused[zone] = text
                wanted[zone] = self._wanted.get(zone) or self.limits.get(zone)
        if wanted != self._wanted:
            self._wanted = wanted
            self.look_again()

    def look_again(self) -> None:
        """Reads back at the next `run`: the switch may have forgotten."""
        self._due = self._read_due = 0.0

    def run(self) -> None:
        """Reads back and applies what differs, if it is time to."""
        if self._now() < self._due:
            return
        self._due = self._now() + _LOOK_SECONDS
        pid = processes.pid_of(self._switch.switch_process)
        if pid is None or (pid == self._pid and self._now() < self._read_due):
            return
        try:
            self._apply()
        except PenstockError as error:
            self._log(f"limits of sessions: {error}; retrying in {_LOOK_SECONDS} s")
            return
        self._pid = pid
        self._read_due = self._now() + _READ_SECONDS

    def pending(self) -> set[int]:
        """Zones of which it is not known that the switch has what is wanted."""
        zones = set(self._wanted) | set(self.limits)
        if self._read_due == 0.0:
            return zones
        return {zone for zone in zones if self.limits.get(zone) != self._wanted.get(zone)}

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        poller.timer_wait(max(int((self._due - self._now()) * 1000) + 1, 0))

    def _apply(self) -> None:
        self._look()
        extra = sorted(set(self.limits) - set(self._wanted))
        missing = sorted(zone for zone, limit in self._wanted.items()
                         if limit and self.limits.get(zone) != limit)
        for start in range(0, len(extra), _AT_ONCE):
            zones = ",".join(map(str, extra[start:start + _AT_ONCE]))
            agent_switch.ask(self._switch, "dpctl/ct-del-limits", f"zone={zones}")
        for start in range(0, len(missing), _AT_ONCE):
            agent_switch.ask(self._switch, "dpctl/ct-set-limits", *(
                f"zone={zone},limit={self._wanted[zone]}" for zone in missing[start:start + _AT_ONCE]))
        if extra or missing:
            self._log(f"limits of sessions: {len(missing)} set, {len(extra)} removed")
            self._look()

    def _look(self) -> None:
        found = agent_switch.zones(self._switch)
        self.limits = {zone: limit for zone, (limit, _) in found.items()}
        counts = {zone: count for zone, (_, count) in found.items()}
        if self._now() >= self._count_due:
            self._count_due = self._now() + _READ_SECONDS
            self.counts = counts
        else:  # Whoever watches the database is not to be woken up by each.
            self.counts = {zone: self.counts.get(zone, count) for zone, count in counts.items()}
