# SPDX-License-Identifier: Apache-2.0
"""The loads of ./penstock bench load, and the order in which they are measured."""

import dataclasses
import itertools
from collections.abc import Iterable, Iterator

from . import orders, wording

CONTENDERS = ("bare", "hand", "edge", "ovn")
"""The fastest of each kind. A full run has OVN with gateway routers too."""
WITHOUT_OVN = ("bare", "hand", "edge")
"""Those that need no OVN."""
NEW, ENDED, IDLE = "new_tenants", "ended_tenants", "idle"
SCENES = {NEW: "half of the tenants begin", ENDED: "half of the tenants stop", IDLE: "beside a million idle ones"}
IDLE_CONNECTIONS = 1_000_000
RATE_CELL = "10x1000_live_1"
"""Every packet begins a connection: the rate of packets is that of connections."""
OTHERS_MOST_SECONDS = 15

_MOST = 1_000_000


@dataclasses.dataclass(frozen=True)
class Cell:
    """One load: frames as fast as the switch takes them. Sizes are on the wire, with the FCS.

    each:       connections of each tenant
    zipf:       connections are not equally busy
    both_ways:  the far end answers each packet
    life:       packets of each connection; 0: connections do not end
    scene:      one of SCENES, "" without
    frame:      a size or mix of traffic.SIZES
    """
    tenants: int
    each: int
    zipf: bool = False
    both_ways: bool = False
    life: int = 0
    scene: str = ""
    frame: str = "64"

    @property
    def name(self) -> str:
        """Part of the names of ratios."""
        parts = [f"{self.tenants}x{self.each}", "zipf" * self.zipf, "both_ways" * self.both_ways,
                 f"live_{self.life}" if self.life else "", self.scene, self.frame if self.frame != "64" else ""]
        return "_".join(part for part in parts if part)

    @property
    def text(self) -> str:
        """The same in words."""
        parts = [f"{self.tenants:,} × {self.each:,}", "Zipf" * self.zipf, "both ways" * self.both_ways,
                 f"{self.life:,} packets each" if self.life else "", SCENES.get(self.scene, ""),
                 wording.frame(self.frame) if self.frame != "64" else ""]
        return ", ".join(part for part in parts if part)

    @property
    def busy(self) -> int:
        """Connections that have packets while it is measured."""
        return self.tenants * self.each

    @property
    def flows(self) -> int:
        """Frames: a connection has one at a time."""
        return self.busy + (IDLE_CONNECTIONS if self.scene == IDLE else 0)

    @property
    def is_plain(self) -> bool:
        """Whether it is one of the matrix of tenants and connections."""
        return self == Cell(self.tenants, self.each)

    def orders(self) -> tuple[Iterable[int] | None, Iterable[int] | None]:
        """The order of frames until the throughput is steady, and while it is measured; None: all, in turns."""
        half = orders.part(self.tenants // 2, self.tenants, self.each) if self.scene in (NEW, ENDED) else None
        if self.scene in (NEW, ENDED):
            return (half, None) if self.scene == NEW else (None, half)
        order = orders.zipf(self.busy) if self.zipf else range(self.busy) if self.scene == IDLE else None
        return order, order


@dataclasses.dataclass(frozen=True)
class Recovery:
    """A change of load, or cached flows dropped. The load after it: `tenants` with `each` connections.

    before: tenants and connections of each, which are part of these; None: the same as after
    """
    name: str
    text: str
    tenants: int
    each: int
    before: tuple[int, int] | None = None
    zipf: bool = False

    def orders(self) -> tuple[Iterable[int] | None, Iterable[int] | None]:
        """As of a Cell, before and after the change."""
        before = orders.part(self.before[0], self.tenants, self.before[1]) if self.before else None
        return before, orders.zipf(self.tenants * self.each) if self.zipf else None


RECOVERIES = (Recovery("connections", "10 × 10,000 after 10 × 100", 10, 10_000, (10, 100)),
              Recovery("zipf", "100 × 1,000, Zipf, after 10 × 100", 100, 1000, (10, 100), True),
              Recovery("cache", "cached flows dropped, 10 × 1,000", 10, 1000))


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much is measured.

    looks:  seconds of each look in the first round and in later ones; see steady.py
    most:   seconds of all looks together, of Penstock; OTHERS_MOST_SECONDS at most of contenders where nothing decides
            about tenants: on a noisy machine no two looks may agree
    least:  how long Penstock is looked at in the first round in any case: its agent looks back at 20 s
    calm_seconds, recovery_seconds: how long the load before a change goes on, and the one after it is looked at
    """
    mode: str
    cells: tuple[Cell, ...]
    contenders: tuple[str, ...] = CONTENDERS
    rounds: int = 3
    looks: tuple[float, float] = (3, 3)
    most: tuple[float, float] = (60, 60)
    least: float = 27
    recovery_rounds: int = 1
    calm_seconds: float = 12
    recovery_seconds: float = 20


QUICK = tuple(Cell(*cell) for cell in (
    (10, 10), (10, 100), (10, 100, False, True), (10, 1000), (10, 1000, True), (10, 1000, False, False, 100),
    (10, 1000, False, False, 10), (10, 1000, False, False, 1), (100, 1000), (100, 1000, True), (1000, 100)))
"""In this order: of the same tenants at a time, few connections first."""

SWITCH_CELLS = tuple(Cell(*cell) for cell in (
    (10, 10), (10, 100), (10, 100, False, False, 0, "", "imix"), (10, 100, False, False, 0, "", "1518"),
    (10, 1000, False, False, 1), (100, 1000), (1000, 100)))
"""Of switches.py: with sessions, in three sizes; new connections; tracked ones of few and of many tenants."""

MATRIX = tuple(Cell(tenants, each) for tenants, each in itertools.product((1, 10, 100, 1000), (10, 100, 1000, 10_000))
               if tenants * each <= _MOST)
"""All numbers of tenants and connections, up to a million connections in all."""


def least(name: str, other: str) -> float:
    """Which packet rate of Penstock is wanted in a cell, over that of another contender, "hand" or "ovn"."""
    return 0.9 if other == "hand" else 2.0 if "zipf" in name else 1.2


def quick() -> Plan:
    """Eleven cells, in at most 15 minutes."""
    return Plan("load-quick", QUICK, looks=(3, 1.2), most=(60, 4))


def full() -> Plan:
    """All of them, in some three hours."""
    return Plan("load", tuple(sorted(_all_cells(), key=lambda cell: (cell.tenants, cell.flows))),
                (*CONTENDERS, "ovn-gateway"), recovery_rounds=3)


def _all_cells() -> Iterator[Cell]:
    for tenants, each in ((cell.tenants, cell.each) for cell in MATRIX):
        yield Cell(tenants, each)
        if tenants * each >= 1000:  # Of fewer the switch keeps all, however busy they are.
            yield Cell(tenants, each, zipf=True)
        if tenants > 1 and tenants * each <= _MOST / 10:
            yield Cell(tenants, each, both_ways=True)
    for tenants, life in itertools.product((10, 100), (1, 10, 100, 10_000)):
        yield Cell(tenants, 1000, life=life)
    for scene in SCENES:
        yield Cell(10, 100, scene=scene)
    for scene in (NEW, ENDED):
        yield Cell(100, 100, scene=scene)
