# SPDX-License-Identifier: Apache-2.0
"""The same stateful firewall as a virtual machine, as a container and in a namespace: RFC 2544, 64 bytes, in turns.

Only the one whose turn it is runs. It shares a core with the switch's polling thread, which sleeps while it has nothing
to do: a generator that had to share its core would not keep its rate, and with two cores there is no third way.
"""

import pathlib

from penstock_base.errors import PenstockError
from penstock_functions import catalogue, instance

from . import chain, configuration, edge, functions_bed, generator, rfc2544, switch, traffic
from .results import Results, Say

CONTAINER_FUNCTION = "packet-filter-ct"
FORMS = {"vm": "packet-filter-vm", "container": CONTAINER_FUNCTION, "netns": "packet-filter"}
"""Functions of the catalogue by the name of the figure; instances have the names of the figures."""
PLACE = "the core of the switch's polling thread, which sleeps up to 100 µs when it has nothing to do"
"""Where the function runs, in words."""

_SLEEP_MICROSECONDS = 100

_LOAD = traffic.Load(10, 100)
_WARM_PPS = 5_000
_WARM_SECONDS = 2
_READY_SECONDS = 180
_WARM_TRIES = 20


class Forms:
    """Measures with one generator, which has the links of the bed. Call warm() before."""

    def __init__(self, bed: functions_bed.FunctionsBed, source: generator.Generator, directory: pathlib.Path,
                 say: Say) -> None:
        self._bed, self._source, self._directory, self._say = bed, source, directory, say
        self.forms = in_catalogue(say)

    def warm(self) -> None:
        """Hosts and routers meet; the frames are made."""
        self._configure(None)
        self._source.wait()
        self._bed.learn(self._source, _LOAD)
        self._source.load(edge.LINKS[0], traffic.write_access(_LOAD, self._directory, "forms")[0])

    def round(self, number: int) -> Results:
        """One sample of each form: {name: {mpps, trials, function, form, acceleration}}."""
        names = list(self.forms)
        first = number % len(names)
        with switch.giving_way(self._bed.ovs, _SLEEP_MICROSECONDS, self._bed.profile.pmd_maxsleep_us):
            return {name: self._sample(name, number) for name in names[first:] + names[:first]}

    def _sample(self, name: str, number: int) -> Results:
        self._configure(name)
        where = self._bed.name, self._bed.profile.run_directory
        try:
            instance.start(name, where[0], self.forms[name], where[1], edge.PMD_CORE, "normal", _READY_SECONDS)
            known = next(one for one in instance.status(where[1], where[0]) if one["name"] == name)
            self._await_packets(name)
            pps, trials = self._throughput()
        finally:
            instance.stop(name, *where)
        self._say(f"{name} ({self.forms[name]}), round {number + 1}: {pps / 1e6:.4f} Mpps after {len(trials)} trials")
        return {"mpps": pps / 1e6, "trials": trials, "function": self.forms[name], "form": known["form"],
                "acceleration": known.get("acceleration")}

    def _throughput(self) -> tuple[float, list[Results]]:
        try:
            return rfc2544.throughput(self._source, edge.LINKS[:1])
        except PenstockError as error:
            self._say(str(error))
            return 0.0, []

    def _await_packets(self, name: str) -> None:
        """Until every frame comes through: addresses are learned, connections begun."""
        for _ in range(_WARM_TRIES):
            answer = self._source.run(_WARM_SECONDS, edge.LINKS[:1], rate=_WARM_PPS)
            if answer["links"][edge.LINKS[1]]["rx"] >= answer["links"][edge.LINKS[0]]["tx"] / 2 > 0:
                return
        raise PenstockError(f"{name}: less than half of {_WARM_PPS:,} frames a second come through the function")

    def _configure(self, name: str | None) -> None:
        content = chain.network(self._bed, _LOAD.tenants, 0, tuple(self.forms))
        if name:
            inside = content[configuration.NETWORK]
            inside["chain"] = [{"name": name, "function": [name]}]
            for tenant in inside["tenant"]:
                tenant["chain"] = name
        self._bed.restconf.replace(configuration.NETWORK, content)
        self._bed.applied()


def in_catalogue(say: Say, forms: dict[str, str] | None = None) -> dict[str, str]:
    """Those of FORMS whose function the catalogue has; says of the others that they are left out."""
    known = {path.stem for path in catalogue.paths()}
    forms = FORMS if forms is None else forms
    for name, function in forms.items():
        if function not in known:
            say(f"{name}_mpps is left out: the catalogue has no function {function}")
    return {name: function for name, function in forms.items() if function in known}
