# SPDX-License-Identifier: Apache-2.0
"""Ports of functions that carry nothing although the switch is connected: the function has enabled no ring.

So it is in the first moments, while a function starts its devices. It remains so with virtio-user of DPDK 22.11 when
the switch has ended in the moment in which it connected: the next switch is connected, and is never told to use the
rings (docs/limits.md). Only a new start of the function helps.
"""

import re
import time
from collections.abc import Callable

from penstock_base.errors import PenstockError
from penstock_node.ovs import Ovs

_LOOK_SECONDS = 2.0
_PATIENCE_SECONDS = 10.0
"""A function enables its rings within a second of the connection; on a busy core it takes some."""
_QUEUE = re.compile(r"^\s*port:\s+(\S+)\s+queue-id:\s+\d+\s+\((enabled|disabled)\)", re.MULTILINE)


class Rings:
    """What the switch says of the rings of its ports. Not for several threads.

    ovs: the switch of the node; its commands must not wait for long, since the agent waits with them
    """

    def __init__(self, ovs: Ovs, now: Callable[[], float] = time.monotonic) -> None:
        self._ovs = ovs
        self._now = now
        self._due = 0.0
        self._since: dict[str, float] = {}

    def look(self) -> None:
        """Asks the switch, unless that was done lately."""
        now = self._now()
        if now < self._due:
            return
        try:
            text = self._ovs.appctl("dpif-netdev/pmd-rxq-show")
        except PenstockError:
            text = ""  # There is no switch, or it hangs, which is not the matter of any function.
        self._due = self._now() + _LOOK_SECONDS
        idle = without_ring(text)
        self._since = {port: self._since.get(port, now) for port in idle}

    def dead(self, name: str, attached: float) -> bool:
        """Whether a port of the instance, to which the switch is connected since `attached`, has been without a ring
        for too long."""
        return any(port.rpartition("-")[0] == name and self._now() - max(since, attached) > _PATIENCE_SECONDS
                   for port, since in self._since.items())


def without_ring(text: str) -> set[str]:
    """The ports of which no queue is enabled, in an answer to dpif-netdev/pmd-rxq-show."""
    return {port for port, _ in _QUEUE.findall(text)} - with_ring(text)


def with_ring(text: str) -> set[str]:
    """The ports of which a queue is enabled, in such an answer."""
    return {port for port, state in _QUEUE.findall(text) if state == "enabled"}
