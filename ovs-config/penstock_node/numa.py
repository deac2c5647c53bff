# SPDX-License-Identifier: Apache-2.0
"""The NUMA nodes of this machine, and what of a profile is on one of which it has no memory."""

from __future__ import annotations

import pathlib
import typing

if typing.TYPE_CHECKING:
    from .profile import Profile

MOST_NODES = 8
"""As many as a profile can give memory to."""


class Numa:
    """What the kernel tells. `system` is a parameter for tests."""

    def __init__(self, system: pathlib.Path | str = "/sys") -> None:
        self._system = pathlib.Path(system)

    def nodes(self) -> set[int]:
        """The numbers of the NUMA nodes."""
        return numbers(self._system / "devices/system/node/online")

    def of_core(self, core: int) -> int | None:
        """The NUMA node of a core, or None."""
        return next((node for node in self.nodes()
                     if core in numbers(self._system / f"devices/system/node/node{node}/cpulist")), None)

    def of_device(self, name: str) -> int | None:
        """The NUMA node of a PCI device by the kernel's name, or None if the kernel knows none."""
        path = self._system / "bus/pci/devices" / name / "numa_node"
        node = int(path.read_text(encoding="ascii")) if path.exists() else -1
        return node if node >= 0 else None

    def problems(self, profile: Profile) -> list[str]:
        """What the profile lacks for these nodes: a list of sentences that start with the field."""
        if len(self.nodes()) == 1:
            return []
        if isinstance(profile.hugepage_memory_mb, int):
            return [f"hugepage-memory-mb: this machine has {len(self.nodes())} NUMA nodes; give a list with one number "
                    "for each of them, 0 for those without ports, polling cores and functions"]
        places = [(f"pmd-cores[{index}]: core {core}", self.of_core(core))
                  for index, core in enumerate(profile.pmd_cores)]
        places += [(f"{profile.field_of_port[port.name]}.devargs: {port.pci_address}", self.of_device(port.pci_device))
                   for port in profile.ports if port.pci_device]
        return [f"{what} is on NUMA node {node}, which has no memory in hugepage-memory-mb; give it 832 or more"
                for what, node in places
                if node is not None and not dict(enumerate(profile.hugepage_memory_mb)).get(node)]


def numbers(path: pathlib.Path) -> set[int]:
    """The numbers of a list of the kernel, such as 0-3,8."""
    found: set[int] = set()
    for part in filter(None, path.read_text(encoding="ascii").strip().split(",")):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
