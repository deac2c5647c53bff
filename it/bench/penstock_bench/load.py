# SPDX-License-Identifier: Apache-2.0
"""./penstock bench load: many loads, each with all contenders in turns, and how fast Penstock follows a change.

cells     the loads of loads.py: tenants, connections of each, how equally busy, how long-lived
matrix    of these all numbers of tenants and connections, one way and equally busy: for a map with a quick run
recovery  from a change of load, or from dropped cached flows, until the throughput is back

All contenders are on the ports, the bridge or at least the switch, and the core of all others.
"""

import contextlib
import dataclasses
import pathlib
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from . import bare, edge, generator, hand, loads, orders, ovn, ovn_network, plan, run, stats, steady, switch, traffic

PARTS = ("cells", "matrix", "recovery")
USUAL = ("cells", "recovery")
"""Those of a run that is not told: a full run has the matrix among its cells, a quick one has no time for it."""
RATE_SECONDS = 0.5
"""How long each throughput after a change is counted."""

_GENERATOR_MB = 768
# The switch keeps a UDP connection for a minute, also one that has ended: before a look there may be so many.
MOST_CONNECTIONS, _TOO_MANY = 8_000_000, 2_000_000
# The switch frees what is flushed later, on the core of the generator.
_FREED_A_SECOND, _FREE_SECONDS = 500_000, 6
_START_SECONDS, _TAIL_SECONDS = 0.2, 0.3
_IDLE_SECONDS = 5
_LEARN_AGAIN_SECONDS = 300

quick, full = loads.quick, loads.full


@dataclasses.dataclass(frozen=True)
class Prepared:
    """Files of a cell: frames by their kind, and their order until the throughput is steady and while it counts."""
    frames: Mapping[str, pathlib.Path]
    warm: pathlib.Path | None
    measured: pathlib.Path | None


class Run(run.Run):
    """Carries it out. `parts`: some of PARTS."""

    _tenants = 0
    _learned = 0.0
    _bed: Any = None
    _source: Any = None
    _peer: Any = None

    def everything(self) -> None:
        """All parts that are wanted."""
        program = self._build()
        with contextlib.ExitStack() as undo:
            self._bed = undo.enter_context(edge.Edge(self._work / "edge", self._distribution))
            undo.enter_context(self.keeping_log(self._bed))
            sockets = self._bed.sockets | edge.sockets_of(self._work / "edge", edge.NAME, plan.OVN_LINKS)
            self._source = undo.enter_context(generator.Generator(program, sockets, "penstock-load", self._work,
                                                                  memory_mb=_GENERATOR_MB))
            self._peer = ovn.Ovn()
            undo.callback(self._peer.stop)
            self._peer.start(self._work / "ovn", self._bed.ovs, plan.ovn_ports(sockets))
            self.name_peer(self._peer)
            self._source.wait()
            self._bed.ovs.appctl("dpctl/ct-set-maxconns", str(MOST_CONNECTIONS))
            if cells := self._wanted():
                self._cells(cells)
            if "recovery" in self._parts:
                self._recoveries()

    def _wanted(self) -> list[loads.Cell]:
        groups = {"cells": self._plan.cells, "matrix": loads.MATRIX}
        return list(dict.fromkeys(cell for part, cells in groups.items() if part in self._parts for cell in cells))

    def _cells(self, cells: Sequence[loads.Cell]) -> None:
        found: list[dict[str, Any]] = []
        self.results["cells"] = found
        begun = time.monotonic()
        for number, cell in enumerate(cells, 1):
            contenders: dict[str, list[steady.Sample]] = {name: [] for name in self._plan.contenders}
            found.append({"name": cell.name, "text": cell.text, "tenants": cell.tenants, "each": cell.each,
                          "plain": cell.is_plain, "contenders": contenders})
            self._cell(cell, contenders)
            self.save()
            left = (time.monotonic() - begun) / number * (len(cells) - number) / 60
            told = ", ".join(f"{name} {stats.median([one['mpps'] for one in samples]):.2f}"
                             for name, samples in contenders.items())
            self._say(f"{number} of {len(cells)}, {cell.text}: {told} Mpps; about {left:.0f} minutes left")

    def _cell(self, cell: loads.Cell, found: dict[str, list[steady.Sample]]) -> None:
        self._provision(cell.tenants)
        prepared = self._prepared(cell, found)
        self._forget()
        for number in range(self._plan.rounds):
            for name, samples in found.items():
                samples.append(self._one(cell, name, number, prepared,
                                         self._plan.least if name == "edge" and not number else 0))

    def _prepared(self, cell: loads.Cell, names: Iterable[str]) -> Prepared:
        order, then = cell.orders()
        warm = self._order("warm", order)
        frames = {kind: self._frames(kind, cell.tenants, cell.flows, cell.frame) for kind in {*map(_kind, names)}}
        return Prepared(frames, warm, warm if then is order else self._order("measured", then))

    def _one(self, cell: loads.Cell, name: str, number: int, prepared: Prepared, least: float) -> steady.Sample:
        """A sample of a contender, in the round of that number."""
        seconds, most = (of[min(number, 1)] for of in (self._plan.looks, self._plan.most))
        if cell.life or cell.scene:
            self._forget()
        with self._turn(name, prepared.frames[_kind(name)], cell) as link:
            sample = self._sample(link, cell, (prepared.warm, prepared.measured), seconds,
                                  most if name == "edge" else min(most, loads.OTHERS_MOST_SECONDS), least)
            if name == "edge":
                sample["sessions"] = self._bed.sessions()
        return sample

    def _sample(self, link: str, cell: loads.Cell, orders_of: tuple[pathlib.Path | None, ...], seconds: float,
                most: float, least: float) -> steady.Sample:
        warm, measured = orders_of

        def look(start: float = _START_SECONDS) -> steady.Sample:
            if cell.life and self._connections() > _TOO_MANY:
                self._forget()
            counted = seconds - start - _TAIL_SECONDS
            answer, sample = switch.watch(self._bed.ovs, self._source, [link], counted, start)
            return {**sample, "generator_busy": answer["busy"],
                    "upcalls_per_second": (sample["upcalls"] or 0) / counted}

        if cell.scene == loads.IDLE:
            self._source.run(_IDLE_SECONDS, [link], burst=cell.flows)
        if warm:
            self._source.order(link, warm)
        found = steady.settle(look, most, least_seconds=least)
        if measured != warm:
            self._source.order(link, measured)
            found |= look(start=0)  # The change itself counts.
        return found | {"cached_flows": switch.cached_flows(self._bed.ovs), "connections": self._connections()}

    @contextlib.contextmanager
    def _turn(self, name: str, frames: pathlib.Path, cell: loads.Cell) -> Iterator[str]:
        """For the body the generator has the frames, and the switch does what a contender would. Gives the link."""
        link, far = self._links(name)
        self._source.load(link, frames)
        if cell.life:
            self._source.live(link, cell.life)
        with contextlib.ExitStack() as undo:
            if cell.both_ways:
                self._source.answer(far)
                undo.callback(self._source.answer, far, on=False)
            if name == "bare":
                bare.put_in(self._bed.ovs, "acc0", "up0")
                undo.callback(bare.take_out, self._bed.ovs)
            else:
                if name == "hand":
                    hand.put_in(self._bed.ovs, "acc0", "up0", cell.both_ways)
                    undo.callback(hand.take_out, self._bed.ovs)
                self._bed.ovs.drop_cached_flows()
            yield link

    def _links(self, name: str) -> Sequence[str]:
        """The generator's ends of the ports of a contender."""
        return plan.OVN_LINKS if name in plan.ROUTERS else edge.LINKS

    def _recoveries(self) -> None:
        found = self.results["recovery"] = []
        for recovery in loads.RECOVERIES:
            self._provision(recovery.tenants, peer=False)
            frames = self._frames("edge", recovery.tenants, recovery.tenants * recovery.each)
            order, then = recovery.orders()
            before, after = self._order("before", order), self._order("after", then)
            seconds: list[float] = []
            samples: list[list[float]] = []
            found.append({"name": recovery.name, "text": recovery.text, "seconds": seconds, "rates": samples})
            for _ in range(self._plan.recovery_rounds):
                self._forget()
                self._source.load(edge.LINKS[0], frames)
                self._source.order(edge.LINKS[0], before)
                self._bed.ovs.drop_cached_flows()
                self._source.run(self._plan.calm_seconds, edge.LINKS[:1])
                self._source.order(edge.LINKS[0], after)
                samples.append(self._rates(drop=recovery.before is None))
                seconds.append(steady.recovered(samples[-1], RATE_SECONDS))
            self.save()
            self._say(f"recovery, {recovery.text}: {max(seconds):.1f} s")

    def _rates(self, drop: bool) -> list[float]:
        """Mpps of each RATE_SECONDS since the load has changed, or since the cached flows were dropped."""
        seconds = self._plan.recovery_seconds
        sender = threading.Thread(target=self._source.run, args=(seconds + 2 * RATE_SECONDS, edge.LINKS[:1]))
        sender.start()
        try:
            if drop:
                time.sleep(RATE_SECONDS)
                self._bed.ovs.appctl("revalidator/purge")
            self._bed.ovs.appctl("dpif-netdev/pmd-stats-clear")
            begun, before = time.monotonic(), (0.0, 0)
            rates: list[float] = []
            while len(rates) < seconds / RATE_SECONDS:
                time.sleep(max(0.0, begun + (len(rates) + 1) * RATE_SECONDS - time.monotonic()))
                now = switch.sent(self._bed.ovs)
                rates.append((now[1] - before[1]) / (now[0] - before[0]) / 1e6)
                before = now
        finally:
            sender.join()
        return rates

    def _provision(self, tenants: int, peer: bool = True) -> None:
        if tenants != self._tenants:
            self._forget()  # Else the switch looks at all connections for each tenant that goes.
            self._bed.put(tenants)
            self._bed.applied()
            if peer:
                self._peer.network.clear()
            for name, router in plan.ROUTERS.items():
                if peer and name in self._plan.contenders:
                    self._peer.network.provision(tenants, router)
        if tenants != self._tenants or time.monotonic() - self._learned > _LEARN_AGAIN_SECONDS:
            self._bed.learn(self._source, traffic.Load(tenants, tenants))
            self._tenants, self._learned = tenants, time.monotonic()

    def _frames(self, kind: str, tenants: int, flows: int, frame: str = "64") -> pathlib.Path:
        load = traffic.Load(tenants, flows, frame)
        if kind in plan.ROUTERS:
            load = ovn_network.load(load, plan.ROUTERS[kind])
        path: pathlib.Path = traffic.write_access(load, self._work, f"load-{kind}-")[0]
        return path

    def _order(self, name: str, order: Iterable[int] | None) -> pathlib.Path | None:
        return None if order is None else orders.write(self._work / f"{name}.order", order)

    def _connections(self) -> int:
        return int(self._bed.ovs.appctl("dpctl/ct-get-nconns"))

    def _forget(self) -> None:
        """No connection is tracked any more, and none has a session."""
        connections = self._connections()
        self._bed.forget_sessions()
        self._bed.ovs.appctl("dpctl/flush-conntrack")
        time.sleep(min(_FREE_SECONDS, connections / _FREED_A_SECOND))


def _kind(name: str) -> str:
    """Whose frames a contender gets: those of Penstock, unless its gateways have other MAC addresses."""
    return name if name in plan.ROUTERS else "edge"
