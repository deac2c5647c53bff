# SPDX-License-Identifier: Apache-2.0
"""Known faults of Open vSwitch by its version (`switch-faults.json`), and what is off on a node that accepts them."""

import dataclasses
import functools
import json
import pathlib
import re
from collections.abc import Collection, Sequence

FILE = pathlib.Path(__file__).resolve().parent.parent / "switch-faults.json"
FRAGMENTS, FTP = "fragments", "ftp"
"""What is off where a fault is accepted: conntrack for fragments, and the FTP helper."""
_VERSION = r"[0-9]{1,4}(\.[0-9]{1,4}){2}"


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault of Open vSwitch. `text` says what can happen, `since` is the first release with it, `fixed_in` has the
    first ones without it, by series, `off` what a node with it runs without, `refused` says whether it has to be
    accepted."""
    name: str
    text: str
    since: tuple[int, ...]
    fixed_in: Sequence[tuple[int, ...]]
    off: str
    refused: bool


@functools.cache
def known() -> tuple[Fault, ...]:
    """All of them."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    return tuple(Fault(each["name"], each["fault"], _numbers(each["since"]), [*map(_numbers, each["fixed-in"])],
                       each["off"], each["refused"]) for each in content["faults"])


def of(version: str) -> list[Fault]:
    """The faults of a version of Open vSwitch; all of them when the version is not of the form 1.2.3."""
    if not re.fullmatch(_VERSION, version):
        return list(known())
    number = _numbers(version)
    return [fault for fault in known() if number >= fault.since and not _is_fixed(fault, number)]


def _is_fixed(fault: Fault, number: tuple[int, ...]) -> bool:
    last = max(fault.fixed_in, default=None)
    return any(number >= first and (first == last or number[:2] == first[:2]) for first in fault.fixed_in)


def off(accepted: Collection[str]) -> set[str]:
    """What is off on a node that accepts faults of these names."""
    return {fault.off for fault in known() if fault.name in accepted}


def keeps_stale_flows(version: str) -> bool:
    """Whether a cached flow may keep the actions of tables that are gone, also after a purge, which leaves those that a
    revalidator holds ("dpif-netdev: Fix dpif_netdev_flow_put" and "upcall: Pause revalidators when purging", both in
    3.3.0; later releases of older series have them too, which makes no difference here)."""
    return not re.fullmatch(_VERSION, version) or _numbers(version) < (3, 3, 0)


def problem(version: str, accepted: Collection[str]) -> str | None:
    """Why a node with this version of Open vSwitch may not run, and what to do; None if it may."""
    faults = [fault for fault in of(version) if fault.refused and fault.name not in accepted]
    if not faults:
        return None
    names = sorted({fault.name for fault in faults} | set(accepted))
    return (f"Open vSwitch {version} has known faults: " + ", ".join(f"{fault.text} ({fault.name})" for fault in faults)
            + "; run the Open vSwitch that ovs-config fetches (no switch-root; down, then up), or accept the faults: "
            f"accepted-switch-faults: [{', '.join(names)}]")


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
