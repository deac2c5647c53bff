# SPDX-License-Identifier: Apache-2.0
"""The flows that the switch has cached: thrown away when the controller says that they may be wrong.

Open vSwitch 3.1 changes the actions of a cached flow by looking it up by a packet (dpif_netdev_flow_put,
lib/dpif-netdev.c). Where a wider flow has the packet too, that one is changed, and the narrower keeps its old actions
for as long as it has packets. Later releases look it up by its id.
"""

import time
from collections.abc import Callable

from penstock_base.errors import PenstockError

from .alive import Poller
from .ovs import Ovs

PAUSE_SECONDS = 1
"""Each time makes the switch look at the first packets of all flows anew, so it is not done more often than that."""


class Cache:
    """Carries orders out, the newest of those that came in a pause. `switch` is an Ovs. Not for several threads."""

    def __init__(self, switch: Ovs, log: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._switch = switch
        self._log = log
        self._now = now
        self._order: str | None = None
        self._due = 0.0
        self.done: str | None = None
        """The last order that was carried out, by this agent or one before it."""

    def want(self, order: str | None, done: str | None) -> None:
        """Takes an order, a text that differs from that of the last time; None for none. `done`: what was reported."""
        self._order = order
        if self.done is None:
            self.done = done

    def run(self) -> bool:
        """Throws the flows away, if that is wanted and it is time to. Returns whether it has tried."""
        if not self._wanted() or self._now() < self._due:
            return False
        order = self._order
        self._due = self._now() + PAUSE_SECONDS
        try:
            self._switch.drop_cached_flows()
        except PenstockError as error:
            self._log(f"cached flows: {error}; retrying in {PAUSE_SECONDS} s")
            return True
        self.done = order
        return True

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        if self._wanted():
            poller.timer_wait(max(int((self._due - self._now()) * 1000) + 1, 0))

    def _wanted(self) -> bool:
        return self._order is not None and self._order != self.done
