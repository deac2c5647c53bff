# SPDX-License-Identifier: Apache-2.0
"""Finds the VLAN of an access port whose frames flood the slow path of the switch (docs/adr/0052).

Each frame that meets no cached flow is an upcall, which costs the polling thread as much as fifty packets. A host that
sends each frame to or from another address makes the switch do nothing else. When there are many upcalls the cached
flows tell where they come from: those of a flood have had no packet but the one that made them. The controller then
has all frames from there limited before any address is looked at.

What is limited stays so for half a minute. When it floods again soon, that is twice as long.
"""

import dataclasses
import re
import time
from collections.abc import Callable

from penstock_base.errors import PenstockError

from . import agent_switch
from .alive import Poller
from .ovs import Ovs

_LOOK_SECONDS, _BUSY_LOOK_SECONDS = 0.25, 0.1
"""The second one while there are many upcalls: to read the cached flows takes longer the more there are, and a flood
makes up to 90,000 in a second."""
_PATIENCE_SECONDS, _RETRY_SECONDS = 1, 15
"""A switch that does not answer hangs, or ends: the agent has other work than to wait for it."""
_UPCALLS, _SHARE = 1000, 0.01
"""A second, and of all lookups: with both the slow path takes a third of the time or more. A place with fewer is no
flood: the limit would leave it half of them."""
_BUSY_SECONDS = 1.0
_BUSY_LOOKS, _MANY = 3, 5000
"""For so long, or at so many looks with so many upcalls in all: a burst is over before."""
_SETTLE_SECONDS, _UNSETTLED_AGAIN_SECONDS = 3, 10
"""After cached flows were dropped, or the agent or the switch has begun, there are upcalls without a flood. While
tenants change all the time they are dropped once a second on Open vSwitch 3.1: not each time is waited for."""
_LEAST_FLOWS = 200
"""With one packet at most, of one place: fewer than a flood makes in that time."""
_MOST_CACHED, _PURGE_AGAIN_SECONDS = 60_000, 30
"""To read more cached flows takes too long, so these are dropped before, but not time and again."""
_PART = 4
"""Places that have at least this part of the flows of the worst one flood too."""
_FIRST_HOLD_SECONDS, _LAST_HOLD_SECONDS = 30, 960
_FORGIVEN_SECONDS = 960
"""What has not flooded for so long begins with the first hold."""
_MOST = 64
_FLOW = re.compile(r"^recirc_id\(0\),in_port\((\d+)\),(.*?), packets:[01],", re.MULTILINE)
_VLAN = re.compile(r"vlan\(vid=(\d+)")
_CACHED = re.compile(r"^\s*flows: (\d+)", re.MULTILINE)
_PORT = re.compile(r"^\s*port (\d+): (\S+)", re.MULTILINE)


class Floods:
    """`switch` is an Ovs. `report` is what to write for the controller, None for nothing. Not for several threads."""

    def __init__(self, switch: Ovs, log: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._switch, self._log, self._now = switch, log, now
        self._holds: dict[str, _Hold] = {}
        self._before: tuple[float, int, int] | None = None
        self._busy = _Busy()
        self._due = 0.0
        self._settled = now() + _SETTLE_SECONDS
        self._purged = float("-inf")

    @property
    def report(self) -> str | None:
        """The places that are limited, as port/VLAN, with spaces between them."""
        now = self._now()
        return " ".join(sorted(place for place, hold in self._holds.items() if now < hold.until)[:_MOST]) or None

    def adopt(self, report: str | None) -> None:
        """Takes over what an agent before has written."""
        for place in (report or "").split():
            self._holds.setdefault(place, _Hold(self._now()))

    def disturbed(self) -> None:
        """The cached flows were dropped."""
        now = self._now()
        if now >= self._settled + _UNSETTLED_AGAIN_SECONDS:
            self._settled = now + _SETTLE_SECONDS

    def run(self) -> bool:
        """Looks at the switch, if it is time to. Returns True if it dropped the cached flows."""
        now = self._now()
        if now < self._due:
            return False
        try:
            self._look(now)
        except PenstockError:
            self._before, self._busy = None, _Busy()
            self._due = self._now() + _RETRY_SECONDS
        else:
            self._due = self._now() + (_BUSY_LOOK_SECONDS if self._busy.looks else _LOOK_SECONDS)
        return self._purged == now

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        poller.timer_wait(max(int((self._due - self._now()) * 1000) + 1, 0))

    def _look(self, now: float) -> None:
        missed, lookups = agent_switch.lookups(self._switch, _PATIENCE_SECONDS)
        before, self._before = self._before, (now, missed, lookups)
        if before is None or missed < before[1]:
            self._settled = now + _SETTLE_SECONDS
            return
        missed, lookups, seconds = missed - before[1], lookups - before[2], now - before[0]
        if missed > _UPCALLS * seconds and missed > _SHARE * lookups and now >= self._settled:
            self._busy = _Busy(self._busy.looks + 1, self._busy.seconds + seconds, self._busy.missed + missed)
        else:
            self._busy = _Busy()
        if self._busy.is_flood:
            rate, self._busy = self._busy.missed / self._busy.seconds, _Busy()
            for place, frames in self._places(now, rate).items():
                self._limit(now, place, frames)

    def _places(self, now: float, rate: float) -> dict[str, float]:
        """The places that flood, and about how many of their frames a second are upcalls, at `rate` upcalls in all."""
        shown = agent_switch.ask(self._switch, "dpctl/show")
        cached = _CACHED.search(shown)
        if cached and int(cached[1]) > _MOST_CACHED and now > self._purged + _PURGE_AGAIN_SECONDS:
            self._purged = now
            self._log(f"many upcalls, and {cached[1]} cached flows, which are dropped to see which ones come again")
            agent_switch.ask(self._switch, "revalidator/purge")
            return {}
        ports = dict(_PORT.findall(shown))
        counts = once(agent_switch.ask(self._switch, "dpctl/dump-flows"))
        found = {f"{ports[port]}/{vlan}": count for (port, vlan), count in counts.items() if port in ports}
        most, total = max(found.values(), default=0), sum(counts.values())
        return {place: frames for place, count in found.items() if count >= max(_LEAST_FLOWS, most / _PART)
                and (frames := rate * count / total) >= _UPCALLS}

    def _limit(self, now: float, place: str, frames: float) -> None:
        hold = self._holds.get(place)
        if hold is None or now > hold.until + _FORGIVEN_SECONDS:
            hold = self._holds[place] = _Hold(now)
        elif now >= hold.until:
            hold.again(now)
        else:
            return  # Its cached flows of before are still there, or the controller has not limited it yet.
        self._log(f"{place}: its frames flood the slow path, {frames:.0f} a second, and are limited for "
                  f"{hold.seconds} s")
        for other in [other for other, hold in self._holds.items() if now > hold.until + _FORGIVEN_SECONDS]:
            del self._holds[other]


@dataclasses.dataclass(frozen=True)
class _Busy:
    """Looks in a row with many upcalls, the time between them, and these upcalls."""
    looks: int = 0
    seconds: float = 0.0
    missed: int = 0

    @property
    def is_flood(self) -> bool:
        """Whether it is no burst."""
        return self.seconds >= _BUSY_SECONDS or (self.looks >= _BUSY_LOOKS and self.missed >= _MANY)


class _Hold:
    """How long a place is limited."""

    def __init__(self, now: float) -> None:
        self.seconds = _FIRST_HOLD_SECONDS
        self.until = now + self.seconds

    def again(self, now: float) -> None:
        """It floods once more."""
        self.seconds = min(2 * self.seconds, _LAST_HOLD_SECONDS)
        self.until = now + self.seconds


def once(text: str) -> dict[tuple[str, str], int]:
    """{(datapath port, VLAN): cached flows of frames from there that have had one packet at most}, in the dump of a
    switch. Texts, "0" for no VLAN."""
    counts: dict[tuple[str, str], int] = {}
    for port, flow in _FLOW.findall(text):
        vlan = _VLAN.search(flow)
        place = port, vlan[1] if vlan else "0"
        counts[place] = counts.get(place, 0) + 1
    return counts
