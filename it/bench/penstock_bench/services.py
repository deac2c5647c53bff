# SPDX-License-Identifier: Apache-2.0
"""./penstock bench services: addresses and names for hosts, and what a hostile tenant can do to its neighbour.

leases     all tenants are configured in one request, and one host of each asks for an address at the same time; with
           conflict probes as they are by default, and without
dns        dnsperf in namespaces of some tenants, for names of their own zones and for names that are known already
neighbour  one tenant floods the node, in different ways, while what another one gets is measured; see neighbour.py
resolvers  all tenants have names: how long their resolvers take to start, and what they cost; see resolvers.py

One controller, one node, one polling thread for all ports. The hosts are a process of Python, whose own cost is noted.
"""

import contextlib
import dataclasses
import pathlib
from collections.abc import Iterable

from penstock_base.errors import PenstockError

from . import generator, names, neighbour, resolvers, run, services_bed, stats, traffic
from .host_process import HostProcess
from .results import Results
from .services_bed import HOSTS_PORT, NAMES_PORT

PARTS = ("leases", "dns", "neighbour", "resolvers")
PROBES = {"default": None, "off": 0}
"""Kinds of a round of leases: milliseconds of `conflict-probe`, None for what it is unless configured."""

_WITH_RESOLVERS = {"dns", "resolvers"}
_GENERATOR_MB = 768
_LEASE_SECONDS = 45
_FIRST_DNS_TENANT = 0


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much is measured.

    connections: different ones in the flood of new connections
    switch_nice: niceness of the switch beside a hostile tenant; None for that of the product
    """
    mode: str
    tenants: int = 1000
    rounds: int = 5
    dns_tenants: int = 4
    dns_seconds: int = 8
    turn_seconds: float = 8
    connections: int = 2_500_000
    switch_nice: int | None = None


def full() -> Plan:
    """Some forty minutes."""
    return Plan("services")


def quick() -> Plan:
    """The same, with fewer and shorter rounds: the ratios are there, with a wider range."""
    return Plan("services-quick", rounds=3, dns_seconds=4, turn_seconds=4, connections=1_000_000)


class Run(run.Run):
    """Carries it out. `parts`: some of PARTS."""

    def everything(self) -> None:
        """All parts that are wanted. Without `dns` and `resolvers` the node has none, and nobody asks for names."""
        program = self._build()
        with_dns = has_resolvers(self._parts)
        with contextlib.ExitStack() as undo:
            bed = undo.enter_context(services_bed.ServicesBed(self._work / "edge", self._distribution, with_dns))
            if with_dns:
                undo.enter_context(names.Upstream(services_bed.UPSTREAM))
            hosts = undo.enter_context(HostProcess(bed.hosts_device, self._work / "hosts.log"))
            if "leases" in self._parts:
                self._leases(bed, hosts)
            if "dns" in self._parts:
                self._dns(bed)
            if "neighbour" in self._parts:
                self._neighbour(bed, hosts, program, with_dns)
            if "resolvers" in self._parts:
                # The last one: to end so many processes keeps the agent busy for a while.
                resolvers.Resolvers(bed, self._plan, self._work, self._say).measure(self.results, self.save)
        self.save()

    def _neighbour(self, bed: services_bed.ServicesBed, hosts: HostProcess, program: pathlib.Path,
                   with_dns: bool) -> None:
        # Its equal on the core: the controller, which answers DHCP, must not wait for the generator.
        with generator.Generator(program, bed.sockets, "penstock-services", self._work, memory_mb=_GENERATOR_MB,
                                 nice=0) as source:
            source.wait()
            neighbour.Neighbour(bed, source, hosts, self._plan, self._work, self._say).measure(
                self.results, with_dns, self.save)

    def _leases(self, bed: services_bed.ServicesBed, hosts: HostProcess) -> None:
        found = self.results["leases"] = {"tenants": self._plan.tenants, "samples": {kind: [] for kind in PROBES}}
        for number in range(-1, self._plan.rounds):
            for kind, probe in PROBES.items():
                bed.provision([services_bed.tenant(index, bed.name, (HOSTS_PORT,), probe=probe)
                               for index in range(self._plan.tenants)])
                series = 2 * (number + 1) + (probe is None)
                answer = hosts.play({"seconds": _LEASE_SECONDS, "leases": [
                    (0, _mac(series, index), traffic.place(index)[1], False) for index in range(self._plan.tenants)]})
                sample = lease_sample(answer)
                # The first round warms Java up, and counts for nobody.
                (found["samples"][kind] if number >= 0 else found.setdefault("warm_up", [])).append(sample)
                self._say(f"leases, conflict probes {kind}, round {number + 1}: {_told(sample)}")
            self.save()

    def _dns(self, bed: services_bed.ServicesBed) -> None:
        numbers = range(_FIRST_DNS_TENANT, _FIRST_DNS_TENANT + self._plan.dns_tenants)
        found: Results = {"tenants": len(numbers), "samples": {what: [] for what in names.WHAT}}
        self.results["dns"] = found
        bed.provision([services_bed.tenant(number, bed.name, (NAMES_PORT,), dns=True) for number in numbers])
        with names.Clients(bed, numbers, self._work) as clients:
            clients.await_answers()
            for number in range(self._plan.rounds):
                for what in names.WHAT:
                    sample = clients.measure(what, self._plan.dns_seconds)
                    found["samples"][what].append(sample)
                    self._say(f"dns, {what} names, round {number + 1}: {sample['rate']:,.0f} queries/s, 99 % within "
                              f"{sample['p99'] * 1000:.1f} ms at {sample['calm_rate']:,.0f}")
                self.save()


def has_resolvers(parts: Iterable[str]) -> bool:
    """Whether the node of a run of these parts has resolvers."""
    return not _WITH_RESOLVERS.isdisjoint(parts)


def lease_sample(answer: Results) -> Results:
    """One sample of the answer of the hosts: seconds from the first DISCOVER to the last ACK, and of each lease."""
    leases = [sample for sample in answer["samples"] if sample["kind"] == "lease"]
    done = [sample for sample in leases if not sample["failed"]]
    if not done:
        raise PenstockError(f"not one of {len(leases)} hosts has got an address")
    took = max(one["began"] + one["seconds"] for one in done) - min(one["began"] for one in leases)
    seconds = [one["seconds"] for one in leases]
    return {"leases": len(done), "failed": len(leases) - len(done), "seconds": took, "rate": len(done) / took,
            "p50": stats.percentile(seconds, 50), "p99": stats.percentile(seconds, 99), "most": max(seconds),
            "offer_p50": stats.median([one["offer"] for one in done]),
            "repeats": sum(one["repeats"] for one in leases), "frames": answer["frames"],
            # What the hosts alone would be able to: a limit of the benchmark, not of Penstock.
            "hosts_busy": answer["cpu_seconds"] / took, "hosts_rate": len(done) / max(answer["cpu_seconds"], 1e-6)}


def _mac(series: int, index: int) -> str:
    """MAC addresses that no other round has: nobody gets an address because it had one before."""
    return f"0210{series & 0xff:02x}00{index >> 8:02x}{index & 255:02x}"


def _told(sample: Results) -> str:
    return (f"{sample['leases']} in {sample['seconds']:.2f} s, {sample['rate']:.0f} a second, 50 % within "
            f"{sample['p50'] * 1000:.0f} ms, 99 % within {sample['p99'] * 1000:.0f} ms, {sample['repeats']} repeated, "
            f"{sample['failed']} failed, hosts busy {sample['hosts_busy']:.0%}")
