# SPDX-License-Identifier: Apache-2.0
"""./penstock bench chain: network functions and chains, while they are changed and when they break, and what they cost.

changes  planned changes under datagrams: how many are lost; see planned.py
tcp      planned changes under TCP connections: which are broken, or get another instance
outage   one of two instances is killed, or hangs: how long nobody answers; see outages.py
hops     packet rate through 1, 2 and 3 functions beside bare forwarding; see hops.py
probes   packet rate through a function with probes beside that without
forms    one firewall as virtual machine, container and network namespace; see forms.py

One controller and one node, a host with a server for the first three parts, the generator for the others.
"""

import dataclasses

from . import forms, functions_bed, generator, hops, outages, planned, run

PARTS = ("changes", "tcp", "outage", "hops", "probes", "forms")

_CONTROL = {"changes", "tcp", "outage"}


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much is measured. change_rounds: sequences of planned changes. connections: of TCP, at each event, twice."""
    mode: str
    rounds: int = 5
    change_rounds: int = 5
    tcp_rounds: int = 2
    outages: int = 10
    form_rounds: int = 3
    connections: int = planned.LEAST_CONNECTIONS


def full():
    """Some twenty minutes."""
    return Plan("chain")


def quick():
    """The same figures, of fewer rounds: some eight minutes."""
    return Plan("chain-quick", rounds=3, change_rounds=2, tcp_rounds=1, outages=3, form_rounds=1)


class Run(run.Run):
    """Carries it out. `parts`: some of PARTS."""

    def everything(self):
        """All parts that are wanted."""
        program = self._build()
        wanted = set(self._parts)
        if _CONTROL & wanted:
            with functions_bed.FunctionsBed(self._work / "changed", self._distribution) as bed, bed.agent(), \
                    bed.hosts(self._work) as hosts:
                self._control(bed, hosts)
        # A node of their own: a tenant with many connections behind it gets no sessions for a while.
        if wanted - _CONTROL:
            with functions_bed.FunctionsBed(self._work / "rates", self._distribution) as bed:
                if {"hops", "probes"} & wanted:
                    self._hops(bed, program)
                if "forms" in wanted:
                    self._forms(bed, program)
        self.save()

    def _control(self, bed, program):
        work = planned.Planned(bed, program, self._say)
        for part, rounds, measure in (("changes", self._plan.change_rounds, work.lose),
                                      ("tcp", self._plan.tcp_rounds, lambda: work.talk(self._plan.connections))):
            if part in self._parts:
                self._repeat(part, rounds, lambda _, call=measure: call())
        if "outage" in self._parts:
            self._repeat("outage", self._plan.outages, lambda _: {
                kind: outages.measure(bed, program, kind, self._say) for kind in outages.KINDS})

    def _hops(self, bed, program):
        with generator.Generator(program, hops.sockets(bed), "penstock-hops", self._work) as source:
            measured = hops.Hops(bed, source, self._work, self._say)
            measured.warm()
            for part, call in (("hops", measured.hop_round), ("probes", measured.probe_round)):
                if part in self._parts:
                    self._repeat(part, self._plan.rounds, call)

    def _forms(self, bed, program):
        with generator.Generator(program, bed.sockets, "penstock-forms", self._work) as source:
            measured = forms.Forms(bed, source, self._work, self._say)
            measured.warm()
            self._repeat("forms", self._plan.form_rounds, measured.round)

    def _repeat(self, part, rounds, call):
        """Adds a list of what `call` gives for each round to the results."""
        found = self.results[part] = []
        for number in range(rounds):
            self._say(f"{part}, round {number + 1} of {rounds}")
            found.append(call(number))
            self.save()
