# SPDX-License-Identifier: Apache-2.0
"""The flows that the switch has cached: brought up to date when the controller has changed the ways of packets.

Open vSwitch before 3.3 changes the actions of a cached flow by looking it up by a packet (dpif_netdev_flow_put,
lib/dpif-netdev.c). Where a wider flow has the packet too, that one is changed, and the narrower keeps its old actions
for as long as it has packets. There all cached flows are dropped. Later releases look it up by its id, so the end of a
round over all cached flows is enough, as after each change of tables.
"""

import time
from collections.abc import Callable

from penstock_base.errors import PenstockError

from . import agent_switch, switch_faults
from .alive import Poller
from .ovs import Ovs

PAUSE_SECONDS = 1
"""From one drop to the next: it makes the switch look at the first packets of all flows anew."""
_SEVERAL = "multiple udpifs"
"""In the answer of a switch with bridges of the kernel too, whose rounds cannot be waited for."""


def renew(switch: Ovs) -> bool:
    """Returns when no cached flow has the actions of former tables, and whether all were dropped for that. Raises
    PenstockError when the switch does not answer."""
    if not switch_faults.keeps_stale_flows(agent_switch.version(switch)):
        try:
            agent_switch.revalidate(switch)
            return False
        except PenstockError as error:
            if _SEVERAL not in str(error):
                raise
    switch.drop_cached_flows()
    return True


class Cache:
    """Carries orders out, the newest of those that came in a pause. Not for several threads.

    renew: as `renew` above, for the switch of the node
    """

    def __init__(self, renew: Callable[[], bool], log: Callable[[str], None],
                 now: Callable[[], float] = time.monotonic) -> None:
        self._renew = renew
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
        """Brings the flows up to date, if that is wanted and it is time to. Returns whether all have been dropped, or
        may have been."""
        if not self._wanted() or self._now() < self._due:
            return False
        order, begun = self._order, self._now()
        self._due = begun + PAUSE_SECONDS
        try:
            dropped = self._renew()
        except PenstockError as error:
            self._log(f"cached flows: {error}; retrying in {PAUSE_SECONDS} s")
            return True
        if not dropped:
            self._due = 2 * self._now() - begun  # Half of the time is for other work of the switch.
        self.done = order
        return dropped

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        if self._wanted():
            poller.timer_wait(max(int((self._due - self._now()) * 1000) + 1, 0))

    def _wanted(self) -> bool:
        return self._order is not None and self._order != self.done
