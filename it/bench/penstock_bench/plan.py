# SPDX-License-Identifier: Apache-2.0
"""What a run measures, in which order, and how often: all of it in full, or what the ratios need, quickly."""

import contextlib
import dataclasses
import json
import pathlib
import time

from penstock_node import processes

from . import bare, control, edge, generator, ovn, rfc2544, switch, traffic

CONTENDERS = ("bare", "edge", "ovn")
ROUNDS = 5
CONSTANT_FLOWS = 1000
"""The same number of flows at every number of tenants."""
FLOWS_EACH = 10
EDGE_LINKS = edge.LINKS
OVN_LINKS = ("ovn-acc", "ovn-up")

_SECONDS = 2.0


@dataclasses.dataclass(frozen=True)
class Scale:
    """One scenario of the tenant scale. With `contenders` of one only, others are not asked."""
    tenants: int
    kind: str
    direction: str = "one-way"
    frame: str = "64"
    contenders: tuple = CONTENDERS

    @property
    def flows(self):
        """Flows of all tenants together."""
        return CONSTANT_FLOWS if self.kind == "constant" else FLOWS_EACH * self.tenants


@dataclasses.dataclass(frozen=True)
class Plan:
    """A whole run. `scales` in the order in which they are measured: those with the same tenants side by side."""
    mode: str
    sizes: tuple
    scales: tuple
    alternations: int
    control: dict
    ovn_sizes: tuple
    rfc2544: tuple = ()
    rounds: int = ROUNDS


def quick():
    """What the ratios need, in less than 15 minutes."""
    return Plan("quick", (10, 100, 1000), tuple(Scale(tenants, "ten-each") for tenants in (10, 100, 1000)),
                alternations=5, ovn_sizes=(1000,), control={
                    "sizes": (10, 1000), "one_by_one_sizes": (), "rounds": 20, "restart_size": 1000})


def full():
    """Everything."""
    scales = [Scale(tenants, kind, direction, frame)
              for tenants in (10, 100, 300, 1000) for kind in ("ten-each", "constant")
              for direction in ("one-way", "both-ways") for frame in ("64", "imix", "1518")]
    return Plan("full", (10, 100, 300, 1000), tuple(scales), alternations=5, ovn_sizes=(10, 100, 1000),
                rfc2544=(10, 1000), control={
                    "sizes": (10, 100, 1000, 5000), "one_by_one_sizes": (10, 100, 1000), "rounds": 30,
                    "restart_size": 1000})


class Run:
    """Carries a plan out. Results are written after every step, so that a run that is cut off leaves what it has."""

    def __init__(self, plan, directory, distribution, results, say):
        self._plan, self._distribution, self._say = plan, distribution, say
        self._directory = pathlib.Path(directory)
        self._work = self._directory / "work"
        self.results = results

    def everything(self):
        """All of the plan."""
        self._work.mkdir(parents=True, exist_ok=True)
        program = generator.build(self._work)
        self._say("control plane of Penstock")
        self.results["control"] = control.run(self._work / "control", self._distribution, say=self._say,
                                              **self._plan.control)
        self.save()
        with edge.Edge(self._work / "edge", self._distribution) as bed:
            peer = ovn.Ovn()
            try:
                self._forward(bed, peer, program)
            finally:
                peer.stop()

    def save(self):
        """Writes results.json."""
        text = json.dumps(self.results, indent=1)
        (self._directory / "results.json").write_text(text + "\n", encoding="utf-8")

    def _forward(self, bed, peer, program):
        sockets = dict(bed.sockets) | {link: self._work / "edge" / f"{link}.sock" for link in OVN_LINKS}
        with generator.Generator(program, sockets, "penstock-bench", self._work) as source:
            # The generator's sockets come one after the other, each when the one before has its peer.
            ports = {f"{link}0": ["type=dpdk", "options:dpdk-devargs=" + switch.vhost_port(2 + number, sockets[link])]
                     for number, link in enumerate(OVN_LINKS)}
            peer.start(self._work / "ovn", bed.ovs, ports)
            source.wait()
            self._provision_ovn(peer)
            for tenants in self._plan.sizes:
                self._at(bed, peer, source, tenants)
            self._retention(bed, source)
            for tenants in self._plan.rfc2544:
                self._rfc2544(bed, peer, source, tenants)

    def _rfc2544(self, bed, peer, source, tenants):
        scale = Scale(tenants, "ten-each")
        self._prepare(bed, peer, source, tenants)
        links = self._load(bed, peer, source, scale, {})
        for name in scale.contenders:
            with self._contender(bed, name):
                most = 1.3e6 * switch.measure(bed.ovs, source, links[name], _SECONDS)["mpps"]
                found = rfc2544.measure(source, links[name], most, lambda text: self._say(
                    f"RFC 2544, {name}, {tenants} tenants: {text}"))
            self.results.setdefault("rfc2544", []).append(
                {"contender": name, "tenants": tenants, "frame": scale.frame, **found})
            self.save()

    @contextlib.contextmanager
    def _contender(self, bed, name):
        """For the body, bare forwarding is what the flows of Penstock's bridge do, or is not."""
        with contextlib.ExitStack() as undo:
            if name == "bare":
                bare.put_in(bed.ovs, "acc0", "up0")
                undo.callback(bare.take_out, bed.ovs)
            yield

    def _provision_ovn(self, peer):
        found = {"provision": [], "change": []}
        self.results["ovn_control"] = found
        for tenants in self._plan.ovn_sizes:
            peer.clear()
            seconds = peer.provision(tenants)
            found["provision"].append({"tenants": tenants, "seconds": [seconds], "flows": peer.flows()["br-int"],
                                       "rss_mb": peer.rss()})
            self._say(f"OVN: {tenants} tenants after {seconds:.1f} s, {peer.flows()['br-int']} flows")
            for what, change in (("add", peer.add_tenant), ("delete", peer.delete_tenant)):
                found["change"].append({"tenants": tenants, "what": what, "seconds": [change(tenants)]})
            self.save()

    def _at(self, bed, peer, source, tenants):
        """All scenarios of one number of tenants, on Penstock, bare and OVN side by side."""
        self._prepare(bed, peer, source, tenants)
        for scale in self._plan.scales:
            if scale.tenants == tenants:
                self._scenario(bed, peer, source, scale)

    def _prepare(self, bed, peer, source, tenants):
        bed.put(tenants)
        bed.applied()
        bed.learn(source, traffic.Load(tenants, tenants))
        peer.clear()
        peer.provision(tenants)

    def _scenario(self, bed, peer, source, scale):
        entry = {"tenants": scale.tenants, "flows": scale.flows, "kind": scale.kind, "direction": scale.direction,
                 "frame": scale.frame, "pmds": 1, "contenders": {name: [] for name in scale.contenders}}
        self.results.setdefault("forwarding", []).append(entry)
        links = self._load(bed, peer, source, scale, entry)
        for number in range(self._plan.rounds):
            for name in scale.contenders:
                sample = self._sample(bed, source, name, links[name])
                entry["contenders"][name].append(sample)
            told = ", ".join(f"{name} {samples[-1]['mpps']:.2f} Mpps {samples[-1]['cycles_per_packet']} cycles"
                             for name, samples in entry["contenders"].items())
            self._say(f"{scale.tenants} tenants, {scale.flows} flows, {scale.direction}, {scale.frame}, round "
                      f"{number + 1}: {told}")
        for name in scale.contenders:
            self._look(bed, source, name, links[name], entry["contenders"][name])
        self.save()

    def _load(self, bed, peer, source, scale, entry):
        """Gives the generator the frames, warms the sessions up, and returns the links to send on by contender."""
        load = traffic.Load(scale.tenants, scale.flows, scale.frame)
        source.load(EDGE_LINKS[0], traffic.write_access(load, self._work)[0])
        entry["warm_seconds"] = bed.warm(source, [EDGE_LINKS[0]], scale.flows, self._say)
        links = {"bare": [EDGE_LINKS[0]], "edge": [EDGE_LINKS[0]], "ovn": [OVN_LINKS[0]]}
        if scale.direction == "both-ways":
            self._answers(source, EDGE_LINKS, scale.flows)
            links |= {"bare": list(EDGE_LINKS), "edge": list(EDGE_LINKS)}
        if "ovn" in scale.contenders:
            macs = [ovn.router_mac(tenant) for tenant in range(scale.tenants)]
            ours = dataclasses.replace(load, gateway_macs=macs)
            source.load(OVN_LINKS[0], traffic.write_access(ours, self._work, "ovn")[0])
            if scale.direction == "both-ways":
                self._answers(source, OVN_LINKS, scale.flows)
                links |= {"ovn": list(OVN_LINKS)}
        return links

    def _answers(self, source, links, flows):
        """The far end's traffic: what comes out of the uplink, turned round, one frame of each flow."""
        captured = self._work / f"{links[1]}.pcap"
        source.run(1, [links[0]])
        source.capture(links[1], captured, 8 * flows)
        source.run(1, [links[0]])
        turned = self._work / f"{links[1]}-answers.pcap"
        traffic.write_pcap(turned, traffic.answers(traffic.read_pcap(captured), flows))
        source.load(links[1], turned)

    def _sample(self, bed, source, name, links):
        with self._contender(bed, name):
            return switch.measure(bed.ovs, source, links, _SECONDS)

    def _look(self, bed, source, name, links, samples):
        """Counts the cached flows and their masks, once for each contender and not while it is measured."""
        with self._contender(bed, name):
            time.sleep(0.5)
            source.run(2, links)
            lines = switch.datapath_flows(bed.ovs)
            for sample in samples:
                sample |= {"masks": switch.masks(lines), "megaflows": len(lines)}

    def _retention(self, bed, source):
        """Throughput with 10 and with 1000 tenants, in turn: all but the tenants is the same."""
        entries = {}
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
                load = traffic.Load(tenants, CONSTANT_FLOWS)
                source.load(EDGE_LINKS[0], traffic.write_access(load, self._work)[0])
                bed.warm(source, [EDGE_LINKS[0]], CONSTANT_FLOWS, self._say)
                self._answers(source, EDGE_LINKS, CONSTANT_FLOWS)
                told = []
                for direction, links in (("one-way", [EDGE_LINKS[0]]), ("both-ways", list(EDGE_LINKS))):
                    sample = self._sample(bed, source, "edge", links)
                    entries[tenants, direction]["contenders"]["edge"].append(sample)
                    told.append(f"{direction} {sample['mpps']:.2f} Mpps {sample['cycles_per_packet']} cycles")
                self._say(f"{tenants} tenants, {CONSTANT_FLOWS} flows, alternation {number + 1}: {', '.join(told)}")
            self.save()


def end_leftovers(directory):
    """Ends what an earlier run in this directory left behind when it was killed."""
    for path in pathlib.Path(directory).glob("work/**/*.process"):
        processes.stop(path)
