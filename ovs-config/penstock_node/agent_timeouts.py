# SPDX-License-Identifier: Apache-2.0
"""Has the switch apply the timeouts of connections to conntrack zones that are new to it.

Open vSwitch from 3.3 on reads the timeouts of a zone when it meets the zone, and applies them when they differ from
what it has read: so never at first, and not after a start of the switch (ct_zones_reconfigure, vswitchd/bridge.c, 3.3
to 4.0). A change of a policy reaches all of its zones. So one number of each policy is changed, and changed back.
"""

import time
import uuid
from collections.abc import Callable, Mapping

from penstock_base import processes
from penstock_base.errors import PenstockError

from .alive import Poller
from .ovs import Ovs

_RETRY_SECONDS = 5
_ABSENT_SECONDS = 0.2
"""Between two looks for a switch that does not run."""


class Timeouts:
    """Of one node. `switch` is an Ovs. Not for several threads."""

    def __init__(self, switch: Ovs, log: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._switch = switch
        self._log = log
        self._now = now
        self._zones = frozenset[int]()
        self._policies: Mapping[uuid.UUID, Mapping[str, int]] = {}
        self._pid: int | None = None
        self._met = frozenset[int]()
        self._due = 0.0

    def want(self, zones: frozenset[int], policies: Mapping[uuid.UUID, Mapping[str, int]]) -> None:
        """The zones that have a policy, and the seconds of each policy by the identity of its row."""
        self._zones, self._policies = zones, policies

    def pending(self) -> frozenset[int]:
        """Zones whose timeouts the switch may not apply yet."""
        return self._zones - self._met if self._pid == self._running() else self._zones

    def run(self) -> None:
        """Has the switch apply what it does not. Waits for the switch, twice."""
        if not self.pending():
            self._met &= self._zones
            return
        pid = self._running()
        if pid is None or self._now() < self._due:
            return
        zones = self._zones
        try:
            for row, seconds in self._policies.items():
                if seconds:
                    name = min(seconds)
                    for number in (seconds[name] + 1, seconds[name]):
                        self._switch.vsctl("set", "CT_Timeout_Policy", row, f"timeouts:{name}={number}")
        except PenstockError as error:
            self._due = self._now() + _RETRY_SECONDS
            self._log(f"timeouts of connections: {error}; retrying in {_RETRY_SECONDS} s")
            return
        self._pid, self._met = pid, zones

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        if self.pending():
            seconds = _ABSENT_SECONDS if self._running() is None else self._due - self._now()
            poller.timer_wait(max(int(seconds * 1000) + 1, 0))

    def _running(self) -> int | None:
        return processes.pid_of(self._switch.switch_process)
