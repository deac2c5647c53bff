# SPDX-License-Identifier: Apache-2.0
"""./penstock bench nat: a carrier NAT under load, by the phases of RFC 9693.

Four tenants of Penstock, one for each way to translate, on the ports, the bridge and the PMD core of bare forwarding
and of one conntrack flow written by hand. All take turns in one run.

held        the table is filled by PAT to HELD sessions: how much memory each one takes
throughput  with that table: packets of BUSY_FLOWS flows, which for PAT are among those in the table
latency     with that table, at half of the packet rate that each contender had
setup       every packet is a new session: how many a second, from an empty table

held comes first, for a switch gives memory back to nobody: only one that never had sessions grows by all of them.
"""

import contextlib
import pathlib
import time
from collections.abc import Iterator

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_node.ovs import Ovs

from . import bare, configuration, edge, generator, hand, run, stats, switch, traffic
from .results import Results

PORTS = ("acc0", "up0")
TRACKED = ("handwritten", "pat", "deterministic")
"""Contenders that make a session of each new connection."""
CONTENDERS = ("bare", *TRACKED, "independent", "one-to-one")
FRAMES = ("64", "84", "260", "imix", "imix-eantc", "1520")
"""The usual IMIX, and the one of the published test that the report sets beside ours."""
MTU = max(1500, *map(traffic.longest_packet, FRAMES))
"""Of the ports: the published test has longer frames than the usual MTU allows."""
HELD = 4_000_000
ROUNDS = 5

SETUP_FLOWS = 2_500_000
BUSY_FLOWS = 100_000
_FILL_FLOWS = 4_200_000
# Of deterministic NAT a subscriber has half of the ports of its address. Of mappings that do not depend on the
# destination a tenant may have so many: each has fifty destinations here.
_SOURCE_PORTS = {"deterministic": 12_000, "independent": 2_000}
_TENANTS = {"handwritten": 0, "bare": 0, "pat": 0, "deterministic": 1, "one-to-one": 2, "independent": 3}
_MOST_SESSIONS = 8_000_000
_GENERATOR_MB = 768
_SETUP_SETTLE, _SETUP_SECONDS = 0.4, 1.0
# The switch frees flushed sessions later, on the other core.
_FREE_SECONDS = 6
# Enough for every size of a mix, so few and so slowly that no ring overflows.
_CHECK_FRAMES, _CHECK_RATE, _CHECK_SECONDS = 300, 2000, 0.5
_SECONDS = 1.5
_LATENCY_SECONDS = 3
_FILL_SECONDS = 120
_FILL_RUN_SECONDS = 15


class Run(run.Run):
    """Carries it out."""

    def everything(self) -> None:
        """All phases."""
        program = self._build()
        with contextlib.ExitStack() as undo:
            bed = undo.enter_context(edge.Edge(self._work / "edge", self._distribution))
            # Before the generator connects: the switch makes a port anew when its MTU changes.
            for port in PORTS:
                bed.ovs.vsctl("set", "Interface", port, f"mtu_request={MTU}")
            source = undo.enter_context(generator.Generator(program, bed.sockets, "penstock-nat", self._work,
                                                            memory_mb=_GENERATOR_MB))
            source.wait()
            bed.restconf.replace(configuration.NETWORK, network(bed))
            bed.applied()
            bed.learn(source, traffic.Load(4, 4))
            bed.ovs.appctl("dpctl/ct-set-maxconns", str(_MOST_SESSIONS))
            for phase in (self._held, self._throughput, self._latency, self._setup):
                phase(bed, source)
                self.save()

    def _setup(self, bed: edge.Edge, source: generator.Generator) -> None:
        found = self.results["setup"] = {name: [] for name in TRACKED}
        frames = {name: self._frames(name, SETUP_FLOWS, "64") for name in TRACKED}
        for number in range(ROUNDS):
            # Each is first, second and third in its turn: what one leaves behind in memory is the next one's.
            first = number % len(TRACKED)
            for name in TRACKED[first:] + TRACKED[:first]:
                bed.ovs.appctl("dpctl/flush-conntrack")
                time.sleep(_FREE_SECONDS)
                with turn(bed, source, name, frames[name]):
                    sample = switch.measure(bed.ovs, source, edge.LINKS[:1], _SETUP_SECONDS, _SETUP_SETTLE)
                sample["sessions"] = sessions(bed.ovs)
                if sample["sessions"] < sample["mpps"] * 1e6 * _SETUP_SECONDS:
                    raise PenstockError(f"setup, {name}: {sample['mpps']:.2f} Mpps went out, and the table has only "
                                        f"{sample['sessions']} sessions")
                found[name].append(sample)
                self._say(f"setup, {name}, round {number + 1}: {sample['mpps'] * 1e6:,.0f} sessions/s, "
                          f"{sample['cycles_per_packet']} cycles each, {sample['sessions']:,} in the table")

    def _held(self, bed: edge.Edge, source: generator.Generator) -> None:
        switch_pid = processes.pid_of(bed.ovs.switch_process)
        before = processes.resident_megabytes(switch_pid)
        with turn(bed, source, "pat", self._frames("pat", _FILL_FLOWS, "64")):
            begun = time.monotonic()
            while (held := sessions(bed.ovs)) < HELD:
                if time.monotonic() - begun > _FILL_SECONDS:
                    raise PenstockError(f"after {_FILL_SECONDS} s the table has {held} sessions, not {HELD}")
                # A run begins with the first frame: it has to be long enough for all.
                source.run(_FILL_RUN_SECONDS, edge.LINKS[:1])
        after = processes.resident_megabytes(switch_pid)
        self.results["held"] = {"sessions": held, "resident_mb_before": before, "resident_mb_after": after,
                                "seconds": time.monotonic() - begun}
        self._say(f"held: {held:,} sessions, the switch has {after} MB, before {before} MB")

    def _throughput(self, bed: edge.Edge, source: generator.Generator) -> None:
        self.results["throughput"] = []
        for frame in FRAMES:
            entry: Results = {"frame": frame, "sessions": sessions(bed.ovs),
                              "contenders": {name: [] for name in CONTENDERS}}
            self.results["throughput"].append(entry)
            frames = {name: self._frames(name, BUSY_FLOWS, frame) for name in CONTENDERS}
            with turn(bed, source, "bare", frames["bare"]):
                check(source, frame)
            for number in range(ROUNDS):
                for name in CONTENDERS:
                    with turn(bed, source, name, frames[name]):
                        entry["contenders"][name].append(
                            switch.measure(bed.ovs, source, edge.LINKS[:1], _SECONDS))
                told = ", ".join(f"{name} {samples[-1]['mpps']:.2f} Mpps" for name, samples
                                 in entry["contenders"].items())
                self._say(f"{frame} bytes, {entry['sessions']:,} sessions held, round {number + 1}: {told}")
            self.save()

    def _latency(self, bed: edge.Edge, source: generator.Generator) -> None:
        self.results["latency"] = []
        for entry in self.results["throughput"]:
            for name in CONTENDERS:
                pps = stats.median([sample["mpps"] for sample in entry["contenders"][name]]) * 1e6 / 2
                with turn(bed, source, name, self._frames(name, BUSY_FLOWS, entry["frame"])):
                    source.run(switch.SETTLE_SECONDS, edge.LINKS[:1], rate=int(pps))
                    answer = source.run(_LATENCY_SECONDS, edge.LINKS[:1], rate=int(pps), stamp=True)
                found = max(answer["latency_ns"].values(), key=lambda link: link["count"])
                self.results["latency"].append({"frame": entry["frame"], "contender": name, "pps": pps, **found})
                self._say(f"latency, {name}, {entry['frame']} bytes: median {found['p50'] / 1000:.1f}, 99 % "
                          f"{found['p99'] / 1000:.1f} microseconds")

    def _frames(self, name: str, flows: int, frame: str) -> pathlib.Path:
        load = traffic.Load(1, flows, frame, first=_TENANTS[name],
                            source_ports=_SOURCE_PORTS.get(name, traffic.Load.source_ports))
        path = self._work / f"nat-{_TENANTS[name]}-{flows}-{frame}0.pcap"
        if not path.exists():
            traffic.write_access(load, self._work, path.name[:-len("0.pcap")])
        return path


def check(source: generator.Generator, frame: str) -> None:
    """Has bare forwarding take a few frames, and raises unless all arrive.

    What is too long for a port is dropped behind the counters that the rates are read from.
    """
    access, uplink = edge.LINKS
    links = source.run(_CHECK_SECONDS, [access], rate=_CHECK_RATE, burst=_CHECK_FRAMES)["links"]
    if links[uplink]["rx"] < links[access]["tx"]:
        raise PenstockError(f"frames of {frame}: only {links[uplink]['rx']} of {links[access]['tx']} arrived, at "
                            f"{_CHECK_RATE} a second; do the ports have an MTU of {MTU}?")


def network(bed: edge.Edge) -> Results:
    """The configuration: one tenant for each way to translate."""
    content = configuration.network(bed.nodes, bed.name, 4)
    tenants = content[configuration.NETWORK]["tenant"]
    for one in (*content[configuration.NETWORK]["backbone"]["interface"],
                *(subnet for tenant in tenants for subnet in tenant["subnet"])):
        one["mtu"] = MTU
    host = f"{traffic.HOST}/32"
    tenants[1]["nat"] = {"deterministic": [{"inside-prefix": host, "public-prefix": "100.127.0.1/32"}]}
    tenants[2]["nat"] = {"one-to-one": [{"inside-prefix": host, "public-prefix": "100.127.0.2/32"}]}
    tenants[3]["nat"] = {"deterministic": [{"inside-prefix": host, "public-prefix": "100.127.0.4/32",
                                            "endpoint-independent": True}]}
    return content


@contextlib.contextmanager
def turn(bed: edge.Edge, source: generator.Generator, name: str, frames: pathlib.Path) -> Iterator[None]:
    """For the body the generator has these frames, and the switch does what the contender would."""
    source.load(edge.LINKS[0], frames)
    with contextlib.ExitStack() as undo:
        if name == "bare":
            bare.put_in(bed.ovs, *PORTS)
            undo.callback(bare.take_out, bed.ovs)
        elif name == "handwritten":
            hand.put_in(bed.ovs, *PORTS)
            undo.callback(hand.take_out, bed.ovs)
        bed.ovs.drop_cached_flows()
        yield


def sessions(ovs: Ovs) -> int:
    """Sessions in the table."""
    return int(ovs.appctl("dpctl/ct-get-nconns"))
