# SPDX-License-Identifier: Apache-2.0
"""./penstock bench chain: network functions and chains, while they are changed and when they break, and what they cost.

changes       planned changes under datagrams, 1000 a second: how many are lost; see planned.py
changes-fast  the same changes under 100,000 packets a second, and what is lost without any; see planned_fast.py
tcp           planned changes under TCP connections: which are broken, or get another instance
outage        one of two instances is killed, or hangs: how long nobody answers; see outages.py
hops          packet rate through 1, 2 and 3 functions beside bare forwarding; see hops.py
probes        packet rate through a function with probes beside that without
forms         one firewall as virtual machine, container and network namespace; see forms.py

One controller and one node, a host with a server for changes, tcp and outage, the generator for the others.
"""

import dataclasses
import pathlib
from collections.abc import Callable

from . import forms, functions_bed, generator, hops, outages, planned, planned_fast, run
from .results import Results

PARTS = ("changes", "changes-fast", "tcp", "outage", "hops", "probes", "forms")

_CONTROL = {"changes", "tcp", "outage"}
_RATES = {"hops", "probes", "forms"}


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much is measured.

    change_rounds, fast_rounds: sequences of planned changes, of the parts changes and changes-fast
    connections:                of TCP, at each event, twice
    """
    mode: str
    rounds: int = 5
    change_rounds: int = 5
    fast_rounds: int = 3
    tcp_rounds: int = 2
    outages: int = 10
    form_rounds: int = 3
    connections: int = planned.LEAST_CONNECTIONS


def full() -> Plan:
    """Some twenty-seven minutes."""
    return Plan("chain")


def quick() -> Plan:
    """The same figures, of fewer rounds: some eleven minutes."""
    return Plan("chain-quick", rounds=3, change_rounds=2, fast_rounds=1, tcp_rounds=1, outages=3, form_rounds=1)


class Run(run.Run):
    """Carries it out. `parts`: some of PARTS."""

    def everything(self) -> None:
        """All parts that are wanted."""
        program = self._build()
        wanted = set(self._parts)
        if _CONTROL & wanted:
            with functions_bed.FunctionsBed(self._work / "changed", self._distribution) as bed, bed.agent(), \
                    bed.hosts(self._work) as hosts:
                self._control(bed, hosts)
        if "changes-fast" in wanted:
            self._changes_fast(program)
        # A node of their own: a tenant with many connections behind it gets no sessions for a while.
        if _RATES & wanted:
            with functions_bed.FunctionsBed(self._work / "rates", self._distribution) as bed:
                if {"hops", "probes"} & wanted:
                    self._hops(bed, program)
                if "forms" in wanted:
                    self._forms(bed, program)
        self.save()

    def _control(self, bed: functions_bed.FunctionsBed, program: functions_bed.Program) -> None:
        work = planned.Planned(bed, self._say)
        datagrams = planned.Datagrams(bed, program)
        if "changes" in self._parts:
            self._repeat("changes", self._plan.change_rounds, lambda _: work.lose(datagrams))
        if "tcp" in self._parts:
            self._repeat("tcp", self._plan.tcp_rounds, lambda _: work.talk(program, self._plan.connections))
        if "outage" in self._parts:
            self._repeat("outage", self._plan.outages, lambda _: {
                kind: outages.measure(bed, program, kind, self._say) for kind in outages.KINDS})

    def _changes_fast(self, program: pathlib.Path) -> None:
        with functions_bed.FunctionsBed(self._work / "fast", self._distribution, planned_fast.PORT,
                                        planned_fast.SCHEDULING) as bed, bed.agent(), \
                generator.Generator(program, bed.sockets, "penstock-fast", self._work,
                                    nice=planned_fast.NICE) as source:
            work, stream = planned.Planned(bed, self._say), planned_fast.Stream(bed, source, self._work)
            self._repeat("changes-fast", self._plan.fast_rounds, lambda _: work.lose(stream, planned_fast.TURNS))

    def _hops(self, bed: functions_bed.FunctionsBed, program: pathlib.Path) -> None:
        with generator.Generator(program, hops.sockets(bed), "penstock-hops", self._work) as source:
            measured = hops.Hops(bed, source, self._work, self._say)
            measured.warm()
            for part, call in (("hops", measured.hop_round), ("probes", measured.probe_round)):
                if part in self._parts:
                    self._repeat(part, self._plan.rounds, call)

    def _forms(self, bed: functions_bed.FunctionsBed, program: pathlib.Path) -> None:
        with generator.Generator(program, bed.sockets, "penstock-forms", self._work) as source:
            measured = forms.Forms(bed, source, self._work, self._say)
            measured.warm()
            self._repeat("forms", self._plan.form_rounds, measured.round)

    def _repeat(self, part: str, rounds: int, call: Callable[[int], Results]) -> None:
        """Adds a list of what `call` gives for each round to the results."""
        found = self.results[part] = []
        for number in range(rounds):
            self._say(f"{part}, round {number + 1} of {rounds}")
            found.append(call(number))
            self.save()
