# SPDX-License-Identifier: Apache-2.0
"""What a run measures, in which order, and how often: all of it in full, or what the ratios need, quickly."""

import contextlib
import dataclasses
import functools
import itertools
import pathlib
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from penstock_base import processes
from penstock_node.hugepages import HugePages

from . import bare, chain, control, edge, generator, ovn, ovn_network, rfc2544, run, switch, traffic
from .results import Results

ROUTERS = {"ovn": "distributed", "ovn-gateway": "gateway"}
"""OVN's two contenders, and the kind of router their tenants have."""
CONTENDERS = ("bare", "edge", *ROUTERS)
OURS = ("bare", "edge")
FASTEST = ("bare", "edge", "ovn")
ROUNDS = 5
CONSTANT_FLOWS = 1000
"""The same number of flows at every number of tenants."""
FLOWS_EACH = 10
EDGE_LINKS = edge.LINKS
OVN_LINKS = ("ovn-acc", "ovn-up")

_SECONDS = 1.5


@dataclasses.dataclass(frozen=True)
class Scale:
    """One scenario of the tenant scale. With `contenders` of one only, others are not asked."""
    tenants: int
    kind: str
    direction: str = "one-way"
    frame: str = "64"
    contenders: tuple[str, ...] = CONTENDERS

    @property
    def flows(self) -> int:
        """Flows of all tenants together."""
        return CONSTANT_FLOWS if self.kind == "constant" else FLOWS_EACH * self.tenants


@dataclasses.dataclass(frozen=True)
class Plan:
    """A whole run. `scales` in the order in which they are measured: those with the same tenants and kind together.

    ovn_changes: how often one tenant of OVN is added, changed and deleted at each of `ovn_sizes`.
    ovn_one_by_one: numbers of tenants that OVN gets in one transaction each.
    """
    mode: str
    sizes: tuple[int, ...]
    scales: tuple[Scale, ...]
    alternations: int
    control: dict[str, Any]
    ovn_sizes: tuple[int, ...]
    ovn_changes: int
    ovn_one_by_one: tuple[int, ...] = ()
    rfc2544: tuple[int, ...] = ()
    chain: tuple[int, ...] = ()
    rounds: int = ROUNDS


def quick() -> Plan:
    """What the ratios need, in less than 15 minutes."""
    sizes = (10, 100, 1000)
    return Plan("quick", sizes, tuple(Scale(tenants, "ten-each", contenders=FASTEST) for tenants in sizes),
                alternations=5, ovn_sizes=(1000,), ovn_changes=3, control={
                    "sizes": (10, 1000), "one_by_one_sizes": (), "rounds": 20, "restart_size": 1000})


def full() -> Plan:
    """Everything, in an hour and some minutes. OVN has its turn where its packets do not tell the same again."""
    sizes = (10, 100, 300, 1000)
    scales = [Scale(*scenario, contenders=_contenders(*scenario)) for scenario in itertools.product(
        sizes, ("ten-each", "constant"), ("one-way", "both-ways"), ("64", "imix", "1518"))]
    return Plan("full", sizes, tuple(scales), alternations=5, ovn_sizes=(10, 100, 1000), ovn_changes=10,
                ovn_one_by_one=(10, 100), rfc2544=(10, 1000), chain=(10,), control={
                    "sizes": (10, 100, 1000, 5000), "one_by_one_sizes": (10, 100, 1000), "rounds": 30,
                    "restart_size": 1000, "restarts": 3})


def _contenders(tenants: int, kind: str, direction: str, frame: str) -> tuple[str, ...]:
    if (kind, frame) != ("ten-each", "64") or tenants == 300:
        return OURS
    return CONTENDERS if direction == "one-way" else FASTEST


@dataclasses.dataclass(frozen=True)
class Way:
    """How a contender gets its packets: `links` to send on, and the pcap file of each."""
    links: Sequence[str]
    frames: dict[str, pathlib.Path]


class Run(run.Run):
    """Carries a plan out. One that is cut off leaves what it has."""

    _warm = None  # Number of tenants and kind of the flows that have sessions now.

    def everything(self) -> None:
        """All of the plan."""
        program = self._build()
        self._say("control plane of Penstock")
        self.results["control"] = control.run(self._work / "control", self._distribution, say=self._say,
                                              **self._plan.control)
        self.save()
        with edge.Edge(self._work / "edge", self._distribution) as bed:
            peer = ovn.Ovn()
            try:
                with self.keeping_log(bed):
                    self._forward(bed, peer, program)
            finally:
                peer.stop()
            for tenants in self._plan.chain:
                self.results.setdefault("chain_latency", []).extend(
                    chain.measure(bed, program, self._work, traffic.Load(tenants, FLOWS_EACH * tenants), self._say))
                self.save()

    def _forward(self, bed: edge.Edge, peer: ovn.Ovn, program: pathlib.Path) -> None:
        sockets = dict(bed.sockets) | edge.sockets_of(self._work / "edge", edge.NAME, OVN_LINKS)
        with generator.Generator(program, sockets, "penstock-bench", self._work) as source:
            # The generator's sockets come one after the other, each when the one before has its peer.
            peer.start(self._work / "ovn", bed.ovs, ovn_ports(sockets))
            self.name_peer(peer)
            source.wait()
            self._provision_ovn(peer)
            for tenants in self._plan.sizes:
                self._at(bed, peer, source, tenants)
            self._retention(bed, source)
            for tenants in self._plan.rfc2544:
                self._rfc2544(bed, peer, source, tenants)

    def _rfc2544(self, bed: edge.Edge, peer: ovn.Ovn, source: generator.Generator, tenants: int) -> None:
        scale = Scale(tenants, "ten-each", contenders=FASTEST)
        self._prepare(bed, peer, source, scale.tenants, ("ovn",))
        ways = self._load(bed, source, scale, {})
        for name in scale.contenders:
            with self._turn(bed, source, name, ways[name], scale.flows):
                source.run(1, ways[name].links)
                told = functools.partial(self._tell, f"RFC 2544, {name}, {tenants} tenants")
                found = rfc2544.measure(source, ways[name].links, told)
            self.results.setdefault("rfc2544", []).append(
                {"contender": name, "tenants": tenants, "frame": scale.frame, **found})
            self.save()

    def _tell(self, what: str, text: str) -> None:
        self._say(f"{what}: {text}")

    @contextlib.contextmanager
    def _turn(self, bed: edge.Edge, source: generator.Generator, name: str, way: Way, flows: int) -> Iterator[None]:
        """For the body the generator has a contender's frames, and the switch does what the contender would."""
        for link, frames in way.frames.items():
            source.load(link, frames)
        with contextlib.ExitStack() as undo:
            if name == "bare":
                bare.put_in(bed.ovs, "acc0", "up0")
                undo.callback(bare.take_out, bed.ovs)
            elif name == "edge":
                bed.warm(source, way.links, flows)
            yield

    def _provision_ovn(self, peer: ovn.Ovn) -> None:
        found: dict[str, list[Results]] = {"provision": [], "change": [], "one_by_one": []}
        self.results["ovn_control"] = found
        for tenants in self._plan.ovn_sizes:
            seconds = []
            for number in range(self._plan.rounds):
                peer.network.clear()
                seconds.append(peer.network.provision(tenants))
                self._say(f"OVN: {tenants} tenants at once, round {number + 1}: {seconds[-1]:.1f} s")
            found["provision"].append({"tenants": tenants, "seconds": seconds, "flows": peer.flows()["br-int"],
                                       "rss_mb": peer.rss()})
            self._change_ovn(peer, tenants)
            self.save()
        for tenants in self._plan.ovn_one_by_one:
            peer.network.clear()
            took = sum(peer.network.provision_one_by_one(tenants))
            found["one_by_one"].append({"tenants": tenants, "applied": took})
            self._say(f"OVN: {tenants} tenants one by one: {took:.1f} s")

    def _change_ovn(self, peer: ovn.Ovn, tenants: int) -> None:
        samples: dict[str, list[float]] = {"add": [], "change": [], "delete": []}
        for _ in range(self._plan.ovn_changes):
            for what, change in (("add", peer.network.add_tenant), ("change", peer.network.change_tenant),
                                 ("delete", peer.network.delete_tenant)):
                samples[what].append(change(tenants))
        self._say(f"OVN: beside {tenants} tenants " + ", ".join(
            f"{what} {max(seconds):.2f} s" for what, seconds in samples.items()) + " at most")
        self.results["ovn_control"]["change"] += [
            {"tenants": tenants, "what": what, "seconds": seconds} for what, seconds in samples.items()]

    def _at(self, bed: edge.Edge, peer: ovn.Ovn, source: generator.Generator, tenants: int) -> None:
        """All scenarios of one number of tenants: bare, Penstock and OVN side by side."""
        scales = [scale for scale in self._plan.scales if scale.tenants == tenants]
        self._prepare(bed, peer, source, tenants, {name for scale in scales for name in scale.contenders})
        for scale in scales:
            self._scenario(bed, source, scale)

    def _prepare(self, bed: edge.Edge, peer: ovn.Ovn, source: generator.Generator, tenants: int,
                 contenders: Collection[str]) -> None:
        self._warm = None
        bed.put(tenants)
        bed.applied()
        bed.learn(source, traffic.Load(tenants, tenants))
        peer.network.clear()
        for name, router in ROUTERS.items():
            if name in contenders:
                peer.network.provision(tenants, router)

    def _scenario(self, bed: edge.Edge, source: generator.Generator, scale: Scale) -> None:
        entry: Results = {
            "tenants": scale.tenants, "flows": scale.flows, "kind": scale.kind, "direction": scale.direction,
            "frame": scale.frame, "pmds": 1, "contenders": {name: [] for name in scale.contenders}}
        self.results.setdefault("forwarding", []).append(entry)
        ways = self._load(bed, source, scale, entry)
        for number in range(self._plan.rounds):
            for name in scale.contenders:
                sample = self._sample(bed, source, name, ways[name], scale.flows)
                entry["contenders"][name].append(sample)
            told = ", ".join(f"{name} {samples[-1]['mpps']:.2f} Mpps {samples[-1]['cycles_per_packet']} cycles"
                             for name, samples in entry["contenders"].items())
            self._say(f"{scale.tenants} tenants, {scale.flows} flows, {scale.direction}, {scale.frame}, round "
                      f"{number + 1}: {told}")
        for name in scale.contenders:
            self._look(bed, source, name, ways[name], scale.flows, entry["contenders"][name])
        self.save()

    def _load(self, bed: edge.Edge, source: generator.Generator, scale: Scale, entry: Results) -> dict[str, Way]:
        """Makes the frames, warms the sessions up, and returns each contender's Way."""
        load = traffic.Load(scale.tenants, scale.flows, scale.frame)
        ways = {"edge": self._way(source, EDGE_LINKS, "edge", load)}
        # Other frames of the same flows find the sessions of the scenario before.
        known = (scale.tenants, scale.kind)
        if known != self._warm:
            bed.forget_sessions()
            self._warm = known
        entry["warm_seconds"] = bed.warm(source, ways["edge"].links, scale.flows, self._say)
        for name, router in ROUTERS.items():
            if name in scale.contenders:
                ways[name] = self._way(source, OVN_LINKS, name, ovn_network.load(load, router))
        if scale.direction == "both-ways":
            ways = {name: self._answered(source, name, way, scale.flows) for name, way in ways.items()}
        return ways | {"bare": ways["edge"]}

    def _way(self, source: generator.Generator, links: Sequence[str], name: str, load: traffic.Load) -> Way:
        frames = {links[0]: traffic.write_access(load, self._work, name)[0]}
        source.load(links[0], frames[links[0]])
        return Way(links[:1], frames)

    def _answered(self, source: generator.Generator, name: str, way: Way, flows: int) -> Way:
        """With the far end's traffic too: what comes out of the uplink, turned round, one frame of each flow."""
        links = EDGE_LINKS if name == "edge" else OVN_LINKS
        source.load(links[0], way.frames[links[0]])
        captured, turned = (self._work / f"{name}-{what}.pcap" for what in ("out", "answers"))
        source.run(1, links[:1])
        source.capture(links[1], captured, 8 * flows)
        source.run(1, links[:1])
        traffic.write_pcap(turned, traffic.answers(traffic.read_pcap(captured), flows))
        return Way(links, way.frames | {links[1]: turned})

    def _sample(self, bed: edge.Edge, source: generator.Generator, name: str, way: Way, flows: int) -> Results:
        with self._turn(bed, source, name, way, flows):
            return switch.measure(bed.ovs, source, way.links, _SECONDS)

    def _look(self, bed: edge.Edge, source: generator.Generator, name: str, way: Way, flows: int,
              samples: list[Results]) -> None:
        """Counts the cached flows and their masks, once for each contender and not while it is measured."""
        with self._turn(bed, source, name, way, flows):
            time.sleep(0.5)
            source.run(1.5, way.links)
            lines = switch.datapath_flows(bed.ovs)
            for sample in samples:
                sample |= {"masks": switch.masks(lines), "megaflows": len(lines)}

    def _retention(self, bed: edge.Edge, source: generator.Generator) -> None:
        """Throughput with 10 and with 1000 tenants, in turn: all but the tenants is the same."""
        entries: dict[tuple[int, str], Results] = {}
        for direction in ("one-way", "both-ways"):
            for tenants in (10, 1000):
                entries[tenants, direction] = {
                    "tenants": tenants, "flows": CONSTANT_FLOWS, "kind": "constant", "direction": direction,
                    "frame": "64", "pmds": 1, "contenders": {"edge": []}}
        old = [entry for entry in self.results.get("forwarding", [])
               if (entry["kind"], entry["frame"]) != ("constant", "64") or entry["tenants"] not in (10, 1000)]
        self.results["forwarding"] = old + list(entries.values())
        for number in range(self._plan.alternations):
            for tenants in (10, 1000):
                bed.put(tenants)
                bed.applied()
                bed.learn(source, traffic.Load(tenants, tenants))
                scale = Scale(tenants, "constant", "both-ways", contenders=OURS)
                self._warm = None
                ways = {"both-ways": self._load(bed, source, scale, {})["edge"]}
                ways["one-way"] = dataclasses.replace(ways["both-ways"], links=EDGE_LINKS[:1])
                told = []
                for direction in ("one-way", "both-ways"):
                    sample = self._sample(bed, source, "edge", ways[direction], scale.flows)
                    entries[tenants, direction]["contenders"]["edge"].append(sample)
                    told.append(f"{direction} {sample['mpps']:.2f} Mpps {sample['cycles_per_packet']} cycles")
                self._say(f"{tenants} tenants, {CONSTANT_FLOWS} flows, alternation {number + 1}: {', '.join(told)}")
            self.save()


def ovn_ports(sockets: Mapping[str, pathlib.Path]) -> dict[str, list[str]]:
    """Settings of OVN's ports, beside the two of Penstock; `sockets` of OVN_LINKS."""
    return {f"{link}0": ["type=dpdk", "options:dpdk-devargs=" + switch.vhost_port(2 + number, sockets[link])]
            for number, link in enumerate(OVN_LINKS)}


def end_leftovers(directory: pathlib.Path) -> None:
    """Ends the processes of a run in this directory that was killed, and gives back the huge pages that it borrowed.

    Only under the lock of the benchmarks: no other run has a generator then.
    """
    for path in directory.glob("work/**/*.process"):
        processes.stop(path)
    pages = HugePages()
    for owner in pages.owners():
        name = owner.partition(" ")[2]
        if owner.startswith("generator penstock-") or pathlib.Path(name).is_relative_to(directory):
            pages.give_back(owner)
