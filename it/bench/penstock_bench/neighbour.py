# SPDX-License-Identifier: Apache-2.0
"""What a hostile tenant's floods do to another tenant, its neighbour, on other ports of the same polling thread.

In each turn of some seconds the neighbour has a stream of 64-byte UDP frames whose connections are established and have
sessions, hosts that get addresses, one after the other, and a host that asks the gateway for names of its own zone and
pings it. The quiet turn is the same without a flood. Both tenants have the quotas that a tenant has by default. All
kinds take turns; ratios are made inside each round.

The stream is offered a quarter of what the node forwards of it when it has the polling thread for itself: half of what
a fair share would be when two send as fast as they can.
"""

import pathlib
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from penstock_base.errors import PenstockError

from . import floods, generator, services_bed, stats, switch, traffic
from .host_process import HostProcess
from .results import Results, Say

QUIET = "quiet"
TURNS = (QUIET, *floods.KINDS)
OFFERED_SHARE = 0.25
FLOWS = 100
"""Connections of the neighbour's stream."""

_ACCESS, _STREAM, _UP = "acc", "nbr", "up"
_SETTLE_SECONDS, _TAIL_SECONDS = 1.0, 0.5
_CAPACITY_SECONDS = 2
_CALM_SECONDS = 2
_PATIENCE_SECONDS = 20  # See hosts.PATIENCE_SECONDS: who waits when the flood is over may still be answered.
# Two packets of a lease and one that gives it back are for the DHCP server, which hears 50 a second of a tenant.
_LEASES, _QUERIES, _PINGS = 12, 20, 20
_FREE_SECONDS = 2


class Neighbour:
    """Carries it out."""

    def __init__(self, bed: services_bed.ServicesBed, source: generator.Generator, hosts: HostProcess, plan: Any,
                 directory: pathlib.Path, say: Say) -> None:
        self._bed, self._source, self._hosts, self._plan, self._say = bed, source, hosts, plan, say
        self._directory = pathlib.Path(directory)
        self._random = random.Random(2)
        self._with_dns = False
        self._zone: int | None = None

    def measure(self, results: Results, with_dns: bool, save: Callable[[], None]) -> None:
        """Adds `neighbour` to the results: offered, capacity, the switch's niceness, and samples by kind of turn."""
        self._with_dns = with_dns
        self._prepare()
        if self._plan.switch_nice is not None:
            switch.set_niceness(self._bed.ovs, self._plan.switch_nice)
        alone = switch.measure(self._bed.ovs, self._source, [_STREAM], _CAPACITY_SECONDS)
        offered = int(alone["mpps"] * 1e6 * OFFERED_SHARE)
        found = results["neighbour"] = {"capacity_pps": alone["mpps"] * 1e6, "alone": alone, "offered_pps": offered,
                                        "flows": FLOWS, "switch_nice": switch.niceness(self._bed.ovs),
                                        "samples": {kind: [] for kind in TURNS}}
        self._say(f"neighbour alone: {alone['mpps']:.2f} Mpps; it is offered {offered:,} a second; the switch "
                  f"has nice {found['switch_nice']}")
        self._turn(QUIET, offered)  # Warms Java up, and counts for nobody.
        for number in range(self._plan.rounds):
            # Each kind is first in its turn, as what one leaves behind is the next one's.
            first = number % len(TURNS)
            for kind in TURNS[first:] + TURNS[:first]:
                sample = self._turn(kind, offered)
                found["samples"][kind].append(sample)
                self._say(f"neighbour, {kind}, round {number + 1}: {_told(sample)}")
            save()

    def _prepare(self) -> None:
        self._bed.provision(services_bed.pair(self._bed.name, self._with_dns))
        allocated = self._bed.restconf.read("penstock-allocation:allocations")
        self._zone = zone_of(allocated, services_bed.HOSTILE)
        self._bed.meet_transit(self._source)
        for kind in floods.KINDS:
            path = self._directory / floods.file_name(kind)
            if not path.exists():
                floods.write(kind, self._plan.connections, path)
        for link, number in ((_ACCESS, services_bed.HOSTILE), (_STREAM, services_bed.NEIGHBOUR)):
            self._bed.introduce(self._source, link, number)
        load = traffic.Load(1, FLOWS, first=services_bed.NEIGHBOUR)
        self._source.load(_STREAM, traffic.write_access(load, self._directory, "stream")[0])
        self._bed.warm(self._source, [_STREAM], FLOWS, self._say)

    def _turn(self, kind: str, offered: float) -> Results:
        seconds = _SETTLE_SECONDS + self._plan.turn_seconds + _TAIL_SECONDS
        links = [_STREAM]
        if kind != QUIET:
            self._source.load(_ACCESS, self._directory / floods.file_name(kind))
            links.append(_ACCESS)
        self._bed.ovs.appctl("dpctl/flush-conntrack", f"zone={self._zone}")
        time.sleep(_FREE_SECONDS)  # Flushed connections are freed later.
        # What the flood before has left to do is not this one's: sessions first, and the controller is quiet.
        self._bed.warm(self._source, [_STREAM], FLOWS)
        self._source.run(_CALM_SECONDS, [_STREAM], rates={_STREAM: offered})
        self._hosts.begin(self._job(seconds))
        sample = self._watch(links, seconds, offered)
        answer = self._hosts.result()
        sample |= {name: summary([one for one in answer["samples"] if one["kind"] == name])
                   for name in ("lease", "query", "ping")}
        sample["hosts_busy"] = answer["cpu_seconds"] / answer["seconds"]
        return sample

    def _watch(self, links: Sequence[str], seconds: float, offered: float) -> Results:
        answer, pmd = switch.watch(self._bed.ovs, self._source, links, self._plan.turn_seconds, _SETTLE_SECONDS,
                                   rates={_STREAM: offered})
        ours, arrived = answer["links"][_STREAM], answer["links"][_UP]
        if not ours["tx"]:
            raise PenstockError("the neighbour's stream did not go out")
        wanted = ours["tx"] + ours["refused"]
        return {"seconds": seconds, "offered": wanted, "sent": ours["tx"], "refused": ours["refused"],
                "late": ours["late"] - ours["refused"], "received": arrived["rx"],
                "share": min(1.0, arrived["rx"] / wanted), "received_pps": arrived["rx_window"] / answer["seconds"],
                "hostile_pps": answer["links"][_ACCESS]["tx"] / answer["seconds"],
                "generator_busy": answer["busy"], "pmd": pmd}

    def _job(self, seconds: float) -> Results:
        number = services_bed.NEIGHBOUR
        vlan, host = traffic.place(number)[1], services_bed.NEIGHBOUR_HOST
        last = seconds - _TAIL_SECONDS
        chosen = services_bed.own_names(number)
        return {"seconds": seconds + _PATIENCE_SECONDS + 1,
                "residents": [("020f00000011", vlan, host)],
                "leases": [(at, f"0220{self._random.getrandbits(32):08x}", vlan, True) for at in _times(last, _LEASES)],
                "queries": [(at, host, chosen[index % len(chosen)]) for index, at in enumerate(_times(last, _QUERIES))]
                if self._with_dns else [],
                "pings": [(at, host) for at in _times(last, _PINGS)]}


def summary(samples: Sequence[Results]) -> Results:
    """Number, failures, and seconds of all: who got no answer counts with the time it waited."""
    return {"count": len(samples), "failed": sum(one["failed"] for one in samples),
            "repeats": sum(one["repeats"] for one in samples), "seconds": [round(one["seconds"], 6) for one in samples]}


def zone_of(allocations: Results, number: int) -> int:
    """Conntrack zone of a tenant, which is its VRF id, by what the controller has handed out."""
    name = f"t{number:05}"
    for entry in allocations["penstock-allocation:allocations"]["tenant"]:
        if entry["name"] == name:
            vrf: int = entry["vrf"]
            return vrf
    raise PenstockError(f"the controller knows no tenant {name}")


def _times(until: float, rate: float) -> list[float]:
    """Moments, evenly spread, from the end of the settling on."""
    return [_SETTLE_SECONDS + index / rate for index in range(int((until - _SETTLE_SECONDS) * rate))]


def _told(sample: Results) -> str:
    lease = sample["lease"]
    p99 = stats.percentile(lease["seconds"], 99) * 1000 if lease["seconds"] else float("nan")
    pmd = sample["pmd"]
    return (f"{sample['share']:.3f} of {sample['offered']:,} arrived, flood {sample['hostile_pps'] / 1e6:.2f} Mpps, "
            f"99 % of {lease['count']} leases within {p99:.0f} ms, {lease['failed']} failed, "
            f"PMD {pmd['busy']:.0%} busy, {pmd['cycles_per_packet']} cycles a packet")
