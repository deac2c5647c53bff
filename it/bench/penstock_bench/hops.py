# SPDX-License-Identifier: Apache-2.0
"""What each hop of a chain costs the switch, and what probes cost: 64-byte frames, as fast as they go.

As in chain.py the generator is the functions too, and hands on what it gets: so the figures are the switch's. A testpmd
for each would have to share the generator's core with it, and the figures would be the scheduler's.
"""

import pathlib

from penstock_base.errors import PenstockError

from . import bare, chain, configuration, edge, functions_bed, generator, switch, traffic
from .results import Results, Say

FUNCTIONS = ("tap1", "tap2", "tap3")
CONTENDERS = ("bare", 0, 1, 2, 3)
"""Bare forwarding, and how many functions are in the chain."""
PROBES = ("without", "with")
PROBE_MILLISECONDS = 50

_LOAD = traffic.Load(10, 100)
_SECONDS = 1.5
_FIRST_SECONDS = 1
# The generator is the function only while it sends: in the pauses between its runs probes have no answer. 20 of them
# make a second, and the function is there again with the first answer.
_HEALTH_CHECK = {"interval": PROBE_MILLISECONDS, "lost": 20, "hold": 0}


class Hops:
    """Measures with one generator, which has the links of sockets(). Call warm() before."""

    def __init__(self, bed: functions_bed.FunctionsBed, source: generator.Generator, directory: pathlib.Path,
                 say: Say) -> None:
        self._bed, self._source, self._directory, self._say = bed, source, directory, say

    def warm(self) -> None:
        """The frames, and the sessions of their connections."""
        self._configure(0)  # The controller makes the ports that the generator waits for.
        self._source.wait()
        for function in FUNCTIONS:
            self._source.forward(*chain.sides(function))
        self._bed.learn(self._source, _LOAD)
        self._source.load(edge.LINKS[0], traffic.write_access(_LOAD, self._directory, "hops")[0])
        self._bed.warm(self._source, edge.LINKS[:1], _LOAD.flows, self._say)

    def hop_round(self, number: int) -> Results:
        """One sample of each contender: {name: sample}."""
        found = {}
        for name in CONTENDERS:
            self._configure(0 if isinstance(name, str) else name)
            if name == "bare":
                bare.put_in(self._bed.ovs, "acc0", "up0")
            try:
                if not isinstance(name, str):
                    self._bed.warm(self._source, edge.LINKS[:1], _LOAD.flows)
                    chain.check_path(self._source.run(chain.CHECK_SECONDS, edge.LINKS[:1], rate=chain.CHECK_PPS), name,
                                     FUNCTIONS)
                found[str(name)] = self._sample()
            finally:
                if name == "bare":
                    bare.take_out(self._bed.ovs)
        self._tell(f"hops, round {number + 1}", found)
        return found

    def probe_round(self, number: int) -> Results:
        """One sample through one function with probes and without."""
        found = {}
        for name in PROBES if number % 2 else PROBES[::-1]:
            self._configure(1, _HEALTH_CHECK if name == "with" else None)
            self._bed.warm(self._source, edge.LINKS[:1], _LOAD.flows)
            found[name] = self._sample()
            if name == "with":
                found[name]["probes"] = self._probes()
        self._tell(f"probes, round {number + 1}", found)
        return found

    def _configure(self, functions: int, health_check: Results | None = None) -> None:
        content = chain.network(self._bed, _LOAD.tenants, functions, FUNCTIONS)
        if health_check:
            content[configuration.NETWORK]["function"][0]["health-check"] = health_check
        self._bed.restconf.replace(configuration.NETWORK, content)
        self._bed.applied()

    def _probes(self) -> dict[str, int]:
        found = self._bed.instances(FUNCTIONS[0])[FUNCTIONS[0]].get("probes")
        if not found or not int(found.get("sent", 0)):
            raise PenstockError("no probe was sent")
        return {"sent": int(found["sent"]), "lost": int(found.get("lost", 0))}

    def _sample(self) -> Results:
        self._source.run(_FIRST_SECONDS, edge.LINKS[:1])  # What is cached is made anew.
        return sample(*switch.watch(self._bed.ovs, self._source, edge.LINKS[:1], _SECONDS))

    def _tell(self, what: str, found: Results) -> None:
        self._say(f"{what}: " + ", ".join(f"{name} {one['mpps']:.2f} Mpps {one['cycles_per_packet']} cycles"
                                          for name, one in found.items()))


def sockets(bed: edge.Edge) -> dict[str, pathlib.Path]:
    """The generator's links: the ends of the node's ports, and the functions."""
    return bed.sockets | chain.links_of(bed.profile.vhost_user_directory, FUNCTIONS)


def sample(answer: Results, pmd: Results) -> Results:
    """Figures of packets that came out at the far end, whatever the number of hops.

    mpps: received there while the generator sent
    cycles_per_packet: busy cycles of the polling thread for each of these, so for all its hops
    """
    access, uplink = (answer["links"][link] for link in edge.LINKS)
    mpps = uplink["rx_window"] / answer["seconds"] / 1e6
    if not mpps:
        raise PenstockError("not one packet came out at the far end")
    return {"mpps": mpps, "cycles_per_packet": round(pmd["cycles_per_packet"] * pmd["received_mpps"] / mpps),
            "cycles_per_hop": pmd["cycles_per_packet"], "busy": pmd["busy"], "passes": pmd["passes"],
            "upcalls": pmd["upcalls"], "generator_busy": answer["busy"],
            "lost": 1 - min(1.0, uplink["rx"] / access["tx"]) if access["tx"] else 0.0}
