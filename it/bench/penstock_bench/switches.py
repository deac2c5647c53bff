# SPDX-License-Identifier: Apache-2.0
"""./penstock bench switches: the same loads on several versions of Open vSwitch, and on two versions of OVN.

All switches run at the same time and take turns, so that a ratio is one of neighbouring samples: in each round each
contender goes through all switches before the next one begins. Every second round has the reverse order.
"""

import contextlib
import dataclasses
import pathlib
import time
from collections.abc import Sequence

from penstock_node import switch_program, switch_root

from . import debian_root, generator, load, loads, ovn, plan, stats, switches_bed, traffic
from .results import Results

PARTS = ("cells",)
ROOTS = (debian_root.DebianRoot("trixie", ("openvswitch-switch-dpdk", "librte-meta-bus", "librte-meta-mempool",
                                           "librte-meta-net")),)
"""The Open vSwitch of Debian 13, beside that of this machine and the one that nodes have."""

_GENERATOR_MB = 3072
_KEPT_SHARE = 0.95
"""Of the sessions of the turn before. With fewer the agent gets the time that it needs to learn them again."""


def full() -> loads.Plan:
    """Some two hours and a half."""
    return loads.Plan("switches", loads.SWITCH_CELLS, rounds=5, looks=(3, 1.5), most=(60, 10))


def quick() -> loads.Plan:
    """An hour, with fewer rounds."""
    return dataclasses.replace(full(), mode="switches-quick", rounds=2)


@dataclasses.dataclass(frozen=True)
class Entrant:
    """A switch, and an OVN on it or none, by their roots. One with an OVN has that in the place of Penstock."""
    switch: pathlib.Path
    peer: pathlib.Path | None = None


def entrants() -> tuple[Entrant, ...]:
    """All of them, the oldest first."""
    newest = switch_root.ensure(fetch=False).directory
    return (*(Entrant(switch) for switch in (switch_program.MACHINE, *(root.existing() for root in ROOTS), newest)),
            Entrant(newest, switch_program.MACHINE), Entrant(newest, ovn.PEER.existing()))


class Turn:
    """A node, and its OVN if there is one."""

    def __init__(self, node: switches_bed.SwitchNode, peer: ovn.Ovn | None) -> None:
        self.node, self.peer = node, peer
        self.contenders = ("bare", "ovn") if peer else loads.WITHOUT_OVN
        self.facts = {"open_vswitch": node.open_vswitch, "dpdk": node.dpdk, "ovn": peer.version if peer else None}

    @property
    def text(self) -> str:
        """Its versions, in words."""
        peer = f" with OVN {self.facts['ovn']}" if self.peer else ""
        return f"Open vSwitch {self.facts['open_vswitch']}{peer}"


class Run(load.Run):
    """Carries it out."""

    def everything(self) -> None:
        """All loads."""
        every = entrants()
        program = self._build()
        with contextlib.ExitStack() as undo:
            bed = undo.enter_context(switches_bed.SwitchesBed(
                self._work / "edge", self._distribution, [(one.switch, one.peer is not None) for one in every]))
            undo.enter_context(self.keeping_log(*bed.nodes))
            sockets = {link: socket for node in bed.nodes for link, socket in node.sockets.items()}
            self._source = undo.enter_context(generator.Generator(program, sockets, "penstock-load", self._work,
                                                                  memory_mb=_GENERATOR_MB))
            turns = []
            for node, entrant in zip(bed.nodes, every, strict=True):
                peer = None
                if entrant.peer:
                    peer = ovn.Ovn(root=entrant.peer)
                    undo.callback(peer.stop)
                    peer.start(self._work / f"ovn-{node.name}", node.ovs, node.peer_ports)
                turns.append(Turn(node, peer))
            self._source.wait()
            for turn in turns:
                turn.node.ovs.appctl("dpctl/ct-set-maxconns", str(load.MOST_CONNECTIONS))
            self.results["switches"] = [turn.facts for turn in turns]
            self._all(bed, turns)

    def _all(self, bed: switches_bed.SwitchesBed, turns: Sequence[Turn]) -> None:
        found = self.results["cells"] = []
        begun = time.monotonic()
        for number, cell in enumerate(self._plan.cells, 1):
            samples: list[dict[str, list[Results]]] = [{name: [] for name in turn.contenders} for turn in turns]
            found.append({"name": cell.name, "text": cell.text, "samples": samples})
            self._provision_all(bed, turns, cell.tenants)
            prepared = self._prepared(cell, loads.CONTENDERS)
            for each in range(self._plan.rounds):
                self._round(cell, each, prepared, turns, samples)
                self.save()
            left = (time.monotonic() - begun) / number * (len(self._plan.cells) - number) / 60
            for turn, of_turn in zip(turns, samples, strict=True):
                told = ", ".join(f"{name} {stats.median([one['cycles_per_packet'] for one in some]):.0f}"
                                 for name, some in of_turn.items())
                self._say(f"{cell.text}, {turn.text}: {told} cycles a packet")
            self._say(f"{number} of {len(self._plan.cells)} loads; about {left:.0f} minutes left")

    def _round(self, cell: loads.Cell, number: int, prepared: load.Prepared, turns: Sequence[Turn],
               samples: list[dict[str, list[Results]]]) -> None:
        for turn in turns:
            if not turn.peer:  # The switch forgets hosts that are silent.
                turn.node.learn(self._source, traffic.Load(cell.tenants, cell.tenants))
        order = [*zip(turns, samples, strict=True)][::1 if number % 2 == 0 else -1]
        for name in loads.CONTENDERS:
            for turn, found in order:
                if name in found:
                    self._bed = turn.node
                    with turn.node.awake():
                        found[name].append(self._one(cell, name, number, prepared, self._least(name, found[name])))

    def _least(self, name: str, before: list[Results]) -> float:
        """How long the contender is looked at in any case."""
        if name != "edge" or (before and self._bed.sessions() >= _KEPT_SHARE * before[-1]["sessions"]):
            return 0
        least: float = self._plan.least
        return least

    def _provision_all(self, bed: switches_bed.SwitchesBed, turns: Sequence[Turn], tenants: int) -> None:
        for turn in turns:
            self._bed = turn.node
            self._forget()
        if tenants == self._tenants:
            return
        bed.put(tenants)
        bed.applied()
        for turn in turns:
            if turn.peer:
                turn.peer.network.clear()
                turn.peer.network.provision(tenants, plan.ROUTERS["ovn"])
        self._tenants = tenants

    def _links(self, name: str) -> Sequence[str]:
        node: switches_bed.SwitchNode = self._bed
        return node.peer_links if name in plan.ROUTERS else node.links
