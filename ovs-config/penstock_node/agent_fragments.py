# SPDX-License-Identifier: Apache-2.0
"""Removes expired incomplete packets from the list of the switch (docs/adr/0092).

The switch removes one of them for each batch that passes connection tracking, and the rest once a minute
(ipf_delete_expired_frags and ipf_clean_thread_main, lib/ipf.c, 4.0). Where little else is tracked, one tenant could
fill the list by bursts. So the agent makes batches: one packet passes connection tracking many times and is dropped.
"""

import re
import time
from collections.abc import Callable

from penstock_base.commands import run
from penstock_base.errors import PenstockError

from . import agent_switch
from .alive import Poller
from .node_protocol import BRIDGE
from .ovs import Ovs

_LOOK_SECONDS = 0.5
_FEW = 250
"""Fragments that are left to the switch: a twentieth of its list."""
_BATCHES = 500
"""Of one look, so 1000 packets a second: as many as four tenants begin at the default of their quota."""
_NO_ZONE = 0xffff
"""No tenant has it (VrfId)."""
_PACKET = "0200000000010200000000020800" + "4500001c000000004011" + "f6cdc0000201c0000202" + "0009000900080000"
"""A datagram of eight bytes from 192.0.2.1 to 192.0.2.2, which belongs to no connection."""
_OFCTL = ("ovs-ofctl", "--timeout=10", "-O", "OpenFlow13")


class Fragments:
    """The fragments that the switch keeps. For one thread."""

    def __init__(self, switch: Ovs, log: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> None:
        self._switch = switch
        self._log = log
        self._now = now
        self._due = 0.0
        self._error = ""

    def run(self) -> None:
        """Removes expired incomplete packets, if it is time to look for them."""
        if self._now() < self._due:
            return
        self._due = self._now() + _LOOK_SECONDS
        try:
            if kept(self._switch) > _FEW:
                self._sweep()
        except PenstockError as error:
            if str(error) != self._error:
                self._log(f"fragments: {error}")
            self._error = str(error)
        else:
            self._error = ""

    def wait(self, poller: Poller) -> None:
        """Has the poller return when something is due."""
        poller.timer_wait(max(0, int(1000 * (self._due - self._now()))))

    def _sweep(self) -> None:
        passes = ",".join([f"ct(zone={_NO_ZONE})"] * _BATCHES)
        run(*_OFCTL, "packet-out", BRIDGE, f"in_port=CONTROLLER packet={_PACKET} actions={passes}",
            environment=self._switch.environment)


def kept(switch: Ovs) -> int:
    """How many fragments the switch keeps. Raises PenstockError."""
    said = agent_switch.ask(switch, "dpctl/ipf-get-status", agent_switch.DATAPATH)
    found = re.search(r"num frag: (\d+)", said)
    if not found:
        raise PenstockError("dpctl/ipf-get-status: no count")
    return int(found[1])
