# SPDX-License-Identifier: Apache-2.0
"""How long nobody answers when one of two instances of a function is killed, or hangs.

Killed: kill -9, which the switch sees at the ports. Hangs: SIGSTOP, which only probes see.
"""

import signal
import time

from penstock_base import processes

from . import functions_bed
from .functions_bed import IN_SERVICE, INSTANCES, SPREAD, WATCHFUL
from .results import Results, Say

KINDS = ("killed", "hangs")
PORTS = 20

_VICTIM = INSTANCES[0]
_BEFORE_SECONDS, _AFTER_SECONDS = 1.0, 1.0
_NOTICED_SECONDS = 30
_SIGNALS = {"killed": (signal.SIGKILL, None), "hangs": (signal.SIGSTOP, signal.SIGCONT)}


def measure(bed: functions_bed.FunctionsBed, program: functions_bed.Program, kind: str, say: Say) -> Results:
    """One run: {gap, sent, lost, pause, noticed}, seconds; noticed: until the controller said so."""
    bed.configure([bed.spread(WATCHFUL, **{name: {} for name in INSTANCES})], [SPREAD])
    bed.await_states(SPREAD, **dict.fromkeys(INSTANCES, IN_SERVICE))
    number, repair = _SIGNALS[kind]
    with program("datagrams") as host:
        host.play({"begin": {"first": bed.ports(PORTS), "ports": PORTS}})
        time.sleep(_BEFORE_SECONDS)
        _await_packets(bed)
        bed.signal(_VICTIM, number)
        begun = time.monotonic()
        try:
            processes.wait_until(lambda: bed.instances(SPREAD)[_VICTIM]["state"] != IN_SERVICE,
                                 f"{_VICTIM} is seen to be {kind}", _NOTICED_SECONDS)
            noticed = time.monotonic() - begun
            time.sleep(_AFTER_SECONDS)
            found: Results = host.play({"end": True}) | {"noticed": noticed}
        finally:
            if repair:
                bed.signal(_VICTIM, repair)
    say(f"instance {kind}: {found['gap'] * 1000:.0f} ms without an answer, {found['lost']} of {found['sent']} lost")
    return found


def _await_packets(bed: functions_bed.FunctionsBed) -> None:
    """Until each instance has got packets. Counts begin anew when flows are made anew, so only their growth tells."""
    last: dict[str, int] = {}
    grown: set[str] = set()

    def have_all() -> bool:
        for name, one in bed.instances(SPREAD).items():
            count = int(one.get("packets-in", 0))
            if count > last.get(name, count):
                grown.add(name)
            last[name] = count
        return grown >= set(INSTANCES)

    processes.wait_until(have_all, "both instances have packets", _NOTICED_SECONDS, poll_seconds=0.1)
