# SPDX-License-Identifier: Apache-2.0
"""Planned changes of functions and chains under traffic: what is lost, and what becomes of TCP connections.

The real controller, real functions that the node's agent starts, a host and a server with stacks of the kernel's. Each
change is made as an operator would, over RESTCONF, and is over when the controller says that the switch has it.
The same changes under many more packets: planned_fast.py.
"""

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from penstock_base.errors import PenstockError

from . import functions_bed
from .functions_bed import DRAINING, IN_SERVICE, INSTANCES, OTHER_VERSION, SINGLE, SPREAD
from .host_process import LineProcess
from .results import Results, Say

CHANGES = ("scale-out", "weights", "drain-and-remove", "insert", "reorder", "take-out")
"""In this order: each begins where the one before has ended."""
QUIET = "quiet"
"""No change at all: what is lost then is lost by the machine."""
EVENTS = ("scale-out", "scale-in", "upgrade")
PORTS, LIFE_SECONDS = 20, 1.5
"""Ports that send datagrams at a time, and how long each does before the next one takes its turn: so a change meets
connections that go on and such that begin, and an instance that drains is empty in the end."""
LEAST_CONNECTIONS = 100

_BEFORE_SECONDS, _AFTER_SECONDS = 1.5, 2.0
_ALL_PORTS = 20 * PORTS
_CHECK_SECONDS = 15
_ENTRY = re.compile(r"^tcp,orig=\(src=(?P<source>[\d.]+),dst=(?P<target>[\d.]+),sport=(?P<port>\d+),"
                    r".*\blabels=(?P<label>0x[0-9a-f]+)")


class Datagrams:
    """Traffic for Planned.lose(): a host that sends 1000 datagrams a second, and a server that answers them.

    program: makes processes of module echo
    """

    def __init__(self, bed: functions_bed.FunctionsBed, program: functions_bed.Program) -> None:
        self._bed, self._program = bed, program

    def meet(self) -> None:
        """Nothing: whenever it begins the host waits for answers first."""

    @contextlib.contextmanager
    def around(self, _: str) -> Iterator[Callable[[], Results]]:
        """Sends for the body, which gets a function that ends it and returns {sent, lost, gap, pause, used}."""
        # Every port lives for a second or two.
        with self._program("datagrams") as host:
            host.play({"begin": {"first": self._bed.ports(_ALL_PORTS), "ports": PORTS, "life": LIFE_SECONDS}})
            yield lambda: host.play({"end": True})

    @staticmethod
    def told(found: Results) -> str:
        """What was counted, in words."""
        return f"{found['lost']} of {found['sent']} datagrams lost, longest gap {found['gap'] * 1000:.0f} ms"


class Traffic(Protocol):
    """What is sent while something changes: Datagrams, or planned_fast.Stream."""

    def meet(self) -> None:
        """Sends until all know each other."""

    def around(self, turn: str, /) -> contextlib.AbstractContextManager[Callable[[], Results]]:
        """Sends for the body, which gets a function that ends it and returns what was counted."""

    def told(self, found: Results, /) -> str:
        """What was counted, in words."""


class Planned:
    """Makes the changes. `bed` has an agent."""

    def __init__(self, bed: functions_bed.FunctionsBed, say: Say) -> None:
        self._bed, self._say = bed, say

    def begin(self) -> None:
        """The state in which each sequence begins."""
        self._bed.configure([self._spread(*INSTANCES), self._bed.single()], [SPREAD])
        self._bed.await_states(SPREAD, **dict.fromkeys(INSTANCES, IN_SERVICE))
        self._bed.await_states(SINGLE, **{SINGLE: IN_SERVICE})

    def lose(self, traffic: Traffic, turns: Sequence[str] = CHANGES) -> dict[str, Results]:
        """Makes all changes, each under traffic of its own: {change: what the traffic has counted, and seconds}.

        traffic: a Datagrams, or what has the same methods
        turns:   CHANGES, and QUIET before or after them
        """
        self.begin()
        traffic.meet()
        return {turn: self._under(traffic, turn) for turn in turns}

    def talk(self, program: functions_bed.Program, count: int) -> dict[str, Results]:
        """Makes all events, with `count` connections open before each, and as many that begin during it.

        program: makes processes of module echo

        {event: {connections, broken: {port: why}, moved: [port], instances (that they had, at least two), checks
        (how often one was found to be well)}}
        """
        self.begin()
        found = {}
        for event in EVENTS:
            with program("connections") as host:
                found[event] = Talk(self._bed, host, count).event(getattr(self, f"_{event.replace('-', '_')}"))
            self._say(f"{event}: {told(found[event])}")
        return found

    def _under(self, traffic: Traffic, change: str) -> Results:
        with traffic.around(change) as end:
            time.sleep(_BEFORE_SECONDS)
            begun = time.monotonic()
            self._change(change)
            took = time.monotonic() - begun
            time.sleep(_AFTER_SECONDS)
            found = end() | {"seconds": took}
        self._say(f"{change}: {traffic.told(found)}, after {took:.1f} s")
        return found

    def _change(self, change: str) -> None:
        bed = self._bed
        if change == "scale-out":
            self._add("three")
        elif change == "weights":
            bed.put_function(bed.spread(one={"weight": 3}, two={}, three={"weight": 5}))
        elif change == "drain-and-remove":
            bed.put_function(bed.spread(one={"weight": 3}, two={}, three={"weight": 5, "state": DRAINING}))
            bed.await_idle(SPREAD, "three")
            bed.put_function(bed.spread(one={"weight": 3}, two={}))
        elif change != QUIET:
            bed.put_chain({"insert": [SPREAD, SINGLE], "reorder": [SINGLE, SPREAD], "take-out": [SPREAD]}[change])

    def _spread(self, *names: str) -> Results:
        return self._bed.spread(**{name: {} for name in names})

    def _add(self, name: str, **leaves: Any) -> None:
        self._bed.put_function(self._bed.spread(**{each: {} for each in INSTANCES}, **{name: leaves}))
        self._bed.await_states(SPREAD, **{name: IN_SERVICE})

    # Events with connections, as generators: what is yielded is done with them at that point.

    def _scale_out(self) -> Iterator[str]:
        yield "open"
        self._add("three")
        yield "open"
        yield "check"

    def _scale_in(self) -> Iterator[str]:
        yield "open"
        self._bed.put_function(self._bed.spread(one={}, two={}, three={"state": DRAINING}))
        yield "open"
        yield "check"
        yield "close first"
        self._bed.await_idle(SPREAD, "three")
        self._bed.put_function(self._spread(*INSTANCES))
        yield "check"

    def _upgrade(self) -> Iterator[str]:
        yield "open"
        self._add("four", function=OTHER_VERSION)
        self._bed.put_function(self._bed.spread(one={"state": DRAINING}, two={}, four={"function": OTHER_VERSION}))
        yield "open"
        yield "check"
        yield "close first"
        self._bed.await_idle(SPREAD, "one")
        self._bed.put_function(self._bed.spread(two={}, four={"function": OTHER_VERSION}))
        yield "check"


class Talk:
    """TCP connections of one event. Which instance each has is in what the switch tracks."""

    def __init__(self, bed: functions_bed.FunctionsBed, host: LineProcess, count: int) -> None:
        self._bed, self._host, self._count = bed, host, count
        self._sets: list[list[int]] = []
        self._labels: dict[int, int | None] = {}
        self._found: Results = {"connections": 0, "broken": {}, "moved": [], "instances": 0, "checks": 0}

    def event(self, steps: Callable[[], Iterator[str]]) -> Results:
        """Does the steps of an event, and says what became of the connections."""
        for step in steps():
            {"open": self._open, "check": self._check, "close first": self._close_first}[step]()
        if self._found["instances"] < 2:
            raise PenstockError("all connections had the same instance: nothing was shown")
        return self._found

    def _open(self) -> None:
        first = self._bed.ports(self._count)
        ports = list(range(first, first + 2 * self._count, 2))
        failed = self._host.play({"connect": ports})["failed"]
        if failed:
            raise PenstockError(f"{len(failed)} of {len(ports)} connections did not come about: "
                                f"{sorted(set(failed.values()))}")
        self._sets.append(ports)
        self._found["connections"] += len(ports)
        self._check()
        self._found["instances"] = len(set(self._labels.values()) - {None})

    def _check(self) -> None:
        answer = self._host.play({"check": _CHECK_SECONDS})
        self._found["broken"] |= answer["broken"]
        self._found["checks"] += len(answer["alive"])
        now = labels(self._bed.tracked(), functions_bed.SERVER)
        for port in answer["alive"]:
            if self._labels.setdefault(port, now.get(port)) != now.get(port) and port not in self._found["moved"]:
                self._found["moved"].append(port)

    def _close_first(self) -> None:
        gone = {int(port) for port in self._found["broken"]}
        self._host.play({"close": [port for port in self._sets.pop(0) if port not in gone]})


def labels(dumped: str, server: str) -> dict[int, int]:
    """{source port: label} of the TCP connections to a server that have one, as `dpctl/dump-conntrack` prints them."""
    matches = (_ENTRY.match(line.strip()) for line in dumped.splitlines())
    return {int(match["port"]): int(match["label"], 16) for match in matches if match and match["target"] == server}


def told(found: Results) -> str:
    """An event in words."""
    return (f"of {found['connections']} connections {len(found['broken'])} broken, {len(found['moved'])} at another "
            f"instance")
