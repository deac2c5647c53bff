# SPDX-License-Identifier: Apache-2.0
"""What the data plane may cost in flows, lookups and masks: counted, so the same on every machine.

The numbers stand in one file, which CostPacketsIT and PlannerPropertyTest hold the planner to. The baseline takes its
counted ratios from there, too.
"""

import dataclasses
import pathlib

from penstock_base.errors import PenstockError

_RESOURCES = pathlib.Path(__file__).resolve().parents[3] / "odl-apps/pipeline/src/test/resources"
FILE = _RESOURCES / "cost-budget.txt"
PLANS = _RESOURCES / "golden/plans.sha256"
"""Hashes of plans, which a golden test holds the planner to."""


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one scenario: OpenFlow flows a tenant, lookups a packet, cached flows, and masks among these."""
    flows: int
    passes: float
    megaflows: int
    masks: int


def load(path: pathlib.Path = FILE) -> dict[str, Cost]:
    """{scenario: Cost} of the file."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        try:
            name, flows, passes, megaflows, masks = (cell.strip() for cell in line.split("|"))
            found[name] = Cost(int(flows), float(passes), int(megaflows), int(masks))
        except ValueError as error:
            raise PenstockError(f"{path}:{number}: wanted: scenario | flows | passes | megaflows | masks") from error
    return found


def plans(path: pathlib.Path = PLANS) -> str:
    """The first digits of the hash of two plain tenants' flows: figures with other digits are of another pipeline.

    Labels cost nothing, and do not count in the hash.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in map(str.split, lines)}["two-tenants"][:8]


# A packet of a connection without a session costs two lookups more: one after tracking, one of its metered copy. The
# benchmark measures when at least 98 % of the connections have sessions (edge.Edge.warm), which is up to 0.04 lookups a
# packet; sessions that end in the seconds of a sample and are learned again are the rest.
_TRACKED_SHARE = 0.05


@dataclasses.dataclass(frozen=True)
class Counted:
    """The value of a counted ratio, and the share of it that a measured one may be higher."""
    value: float
    tolerance: float = 0


def ratios() -> dict[str, Counted]:
    """{ratio: Counted} of the ratios that are counted and not measured.

    Lookups are compared at numbers of tenants that have a scenario. At 1000 the connections of a run have 10,000
    sessions, of which some end at any time. Masks are not compared: after a run the datapath has those of tracked
    packets too, which depend on the ports that have no session at that moment, as sessions split the cached flow of
    the tracked ones (UDP_100_CONNECTIONS_ONE_SESSION), and those of other contenders' ports. No scenario has these.
    """
    costs = load()
    return {"flows_per_tenant": Counted(costs["UDP_SESSION_OUT"].flows),
            "passes_one_way_10": Counted(costs["UDP_SESSION_OUT"].passes, _TRACKED_SHARE),
            "passes_one_way_100": Counted(costs["TENANTS_100_UDP_SESSION_OUT"].passes, _TRACKED_SHARE)}
