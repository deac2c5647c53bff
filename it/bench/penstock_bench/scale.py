# SPDX-License-Identifier: Apache-2.0
"""./penstock bench scale: what the controller has to do for many nodes, and for many tenants of one.

nodes   changes of a tenant beside few nodes and beside many, and what the controller takes for that; its restart
leases  leases of hosts of few tenants and of many, all on one node

The controller is as it is shipped, and in each part a new one. Nodes are real Open vSwitches with dummy ports, so all
that costs time is between the controller and them; see dummy_nodes.py and dummy_agents.py.
"""

import contextlib
import dataclasses
import itertools
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import control, run, scale_bed, snoop, stats, traffic
from .dummy_nodes import DummyNode
from .scale_hosts import ScaleHosts, Wish

PARTS = ("nodes", "leases")


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much is measured.

    sizes:         numbers of nodes, which grow
    tenants_each:  tenants of each node
    rounds:        how often a tenant is added, changed and deleted
    warm_rounds:   the same before, of each of the sizes, which does not count; the first ones warm Java up
    lease_tenants: numbers of tenants with a DHCP server
    leases:        in each of `lease_rounds` rounds, after `warm_leases` that do not count
    at_once:       leases under way at the same time, in the rounds with several
    idle_seconds:  how long what the controller does of itself is watched
    """
    mode: str
    sizes: tuple[int, ...] = (2, 200)
    tenants_each: int = 50
    rounds: int = 60
    warm_rounds: tuple[int, ...] = (80, 20)
    lease_tenants: tuple[int, ...] = (10, 100, 1000)
    leases: int = 100
    lease_rounds: int = 3
    warm_leases: int = 100
    at_once: int = 50
    idle_seconds: float = 20


def full() -> Plan:
    """Some nine minutes."""
    return Plan("scale")


def quick() -> Plan:
    """The same ratios, of fewer changes and leases."""
    return Plan("scale-quick", rounds=20, warm_rounds=(40, 10), leases=50, idle_seconds=5)


class Run(run.Run):
    """Carries it out. `parts`: some of PARTS."""

    def everything(self) -> None:
        """All parts that are wanted."""
        self._work.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            if part in self._parts:
                with scale_bed.ScaleBed(self._work / part, self._distribution) as bed:
                    getattr(self, f"_{part}")(bed)
                self.save()

    def _nodes(self, bed: scale_bed.ScaleBed) -> None:
        found: dict[str, Any] = {"tenants_each": self._plan.tenants_each, "sizes": []}
        self.results["nodes"] = found
        wishes = _wishes([scale_bed.LEASE_VLAN])
        for size, warm in zip(self._plan.sizes, self._plan.warm_rounds, strict=True):
            new = size - len(bed.nodes)
            one: dict[str, Any] = {"nodes": size, "synced": bed.grow(size)}
            one["provisioned"] = bed.add([tenant for node in bed.nodes[-new:]
                                          for tenant in scale_bed.tenants_of(node.name, self._plan.tenants_each)])
            one["flows"] = bed.flows()
            self._say(f"{size} nodes: {new} more in sync after {one['synced']:.1f} s, their tenants after "
                      f"{one['provisioned']:.1f} s")
            changes(bed, warm)
            one["idle"] = idle(bed, self._plan.idle_seconds)
            one |= changes(bed, self._plan.rounds) | {"cost": bed.cost()}
            one["leases"] = self._leases_of_one(bed, wishes)
            found["sizes"].append(one)
            self._say(f"{size} nodes: {_told(one)}")
            self.save()
        found["restart"] = bed.restart()
        self._say(f"restart: in sync after {found['restart']['synced']:.1f} s")

    def _leases_of_one(self, bed: scale_bed.ScaleBed, wishes: Iterator[Wish]) -> dict[str, Any]:
        """Leases of a tenant of the first node; to_others: messages that changed something on other nodes meanwhile."""
        first, *others = bed.nodes
        tenant = scale_bed.dhcp_tenant("leases", first.name, scale_bed.LEASE_VLAN)
        bed.add([tenant])
        with contextlib.ExitStack() as undo:
            hosts = undo.enter_context(ScaleHosts(first))
            hosts.play(itertools.islice(wishes, self._plan.warm_leases), 1)
            watched = [undo.enter_context(contextlib.closing(snoop.Snoop(node.ovs.directory))) for node in others]
            found = leases(bed, hosts, itertools.islice(wishes, self._plan.leases), 1)
            found["to_others"] = sum(snoop.changes(one.seen()) for one in watched)
        bed.remove([tenant])
        return found

    def _leases(self, bed: scale_bed.ScaleBed) -> None:
        found: list[dict[str, Any]] = []
        self.results["leases"] = found
        bed.grow(1)
        (node,) = bed.nodes
        tenants: list[dict[str, Any]] = []
        # The first size is measured once more before: that warms Java up, and does not count.
        for number, size in enumerate((self._plan.lease_tenants[0], *self._plan.lease_tenants)):
            bed.remove(tenants)
            tenants = scale_bed.dhcp_tenants(node.name, number, size)
            bed.add(tenants)
            one = {"tenants": size, "flows": bed.flows(), **self._lease_rounds(bed, node, size)}
            self._say(f"{size} tenants{'' if number else ', to warm up'}: {_told_leases(one['alone'])}; "
                      f"{self._plan.at_once} at once: {_told_leases(one['together'])}")
            found += [one] if number else []
            self.save()

    def _lease_rounds(self, bed: scale_bed.ScaleBed, node: DummyNode, tenants: int) -> dict[str, Any]:
        wishes = _wishes(range(traffic.FIRST_VLAN, traffic.FIRST_VLAN + tenants))
        with ScaleHosts(node) as hosts:
            hosts.play(itertools.islice(wishes, self._plan.warm_leases), 1)
            return {kind: [leases(bed, hosts, itertools.islice(wishes, self._plan.leases), at_once)
                           for _ in range(self._plan.lease_rounds)]
                    for kind, at_once in (("alone", 1), ("together", self._plan.at_once))}


def changes(bed: scale_bed.ScaleBed, rounds: int) -> dict[str, Any]:
    """Adds, changes and deletes one tenant of a node, in each round of the next node; one change after the other."""
    samples: dict[str, list[dict[str, float]]] = {"add": [], "change": [], "delete": []}
    begun, before = time.monotonic(), bed.cpu()
    for number in range(rounds):
        node = bed.nodes[number % len(bed.nodes)]
        control.add_change_delete(bed, node.ovs, *scale_bed.spare(node.name), samples)
    return {"samples": samples, "seconds": time.monotonic() - begun, "cpu": _spent(bed, before)}


def idle(bed: scale_bed.ScaleBed, seconds: float) -> dict[str, Any]:
    """Processor seconds of a time in which nothing is changed."""
    begun, before = time.monotonic(), bed.cpu()
    time.sleep(seconds)
    return {"seconds": time.monotonic() - begun, "cpu": _spent(bed, before)}


def leases(bed: scale_bed.ScaleBed, hosts: ScaleHosts, wishes: Iterable[Wish], at_once: int) -> dict[str, Any]:
    """One round of leases: seconds of each, how many hosts got none, and the processor seconds of all."""
    begun, before = time.monotonic(), bed.cpu()
    series = hosts.play(wishes, at_once)
    return {**dataclasses.asdict(series), "took": time.monotonic() - begun, "cpu": _spent(bed, before)}


def _wishes(vlans: Sequence[int]) -> Iterator[Wish]:
    """New hosts without end, each on one of the VLANs; the same in each run."""
    source = random.Random(1)
    for number in itertools.count():
        yield Wish(number, source.choice(vlans), scale_bed.host_address(number))


def _spent(bed: scale_bed.ScaleBed, before: dict[str, float]) -> dict[str, float]:
    return {name: after - before[name] for name, after in bed.cpu().items()}


def _told(one: dict[str, Any]) -> str:
    times = [sample["applied"] for samples in one["samples"].values() for sample in samples]
    return (f"95 % of {len(times)} changes applied within {1000 * stats.percentile(times, 95):.0f} ms, "
            f"{1000 * one['cpu']['controller'] / len(times):.1f} ms of a core each, {one['cost']['threads']} threads, "
            f"{one['cost']['heap_after_gc'] / 1e6:.0f} MB heap, {one['cost']['resident'] / 1e6:.0f} MB resident; "
            f"leases: {_told_leases([one['leases']])}, {one['leases']['to_others']} messages to other nodes")


def _told_leases(rounds: list[dict[str, Any]]) -> str:
    seconds = [second for one in rounds for second in one["seconds"]]
    return (f"95 % within {1000 * stats.percentile(seconds, 95):.0f} ms, "
            f"{1000 * sum(one['cpu']['controller'] for one in rounds) / len(seconds):.1f} ms of a core each, "
            f"{sum(one['failed'] for one in rounds)} failed")
