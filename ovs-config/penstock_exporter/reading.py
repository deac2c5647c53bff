# SPDX-License-Identifier: Apache-2.0
"""One reading of a node: what its switch, its database and the kernel tell, within a bounded time."""

import contextlib
import dataclasses
import os
import pathlib
import re
import time
import typing
from collections.abc import Sequence

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_node import agent_switch, quarantine, supervision
from penstock_node.ovs import Ovs

_SWITCH_SECONDS = 0.8
_DATABASE_SECONDS = 0.4
"""Together with the kernel's part a reading takes less than 2 s, the most that a scrape may take."""
COMMANDS = (
    ("perf", "dpif-netdev/pmd-perf-show", ("-nh",)),
    ("queues", "dpif-netdev/pmd-rxq-show", ()),
    ("coverage", "coverage/show", ()),
    ("datapath", "dpctl/show", ()),
    ("memory", "memory/show", ()),
    ("connections", "dpctl/ct-get-nconns", ()),
    ("most_connections", "dpctl/ct-get-maxconns", ()))
"""Their answers take as long as there are threads, ports and events. None walks over flows or connections, as
dpctl/ct-stats-show and bridge/dump-flows do."""
_COLUMNS = {"Interface": ["_uuid", "name", "link_state", "mtu", "statistics"],
            "Port": ["_uuid", "interfaces"], "Bridge": ["name", "ports"]}


@dataclasses.dataclass
class Reading:
    """What was found. answers: those of the switch by the names of COMMANDS, without those that did not come.
    tables: rows of the database by table, empty when it does not answer. services: {name: (runs, ends so far)}.
    instances: {instance of a function: (CPU seconds, resident bytes)}. huge_pages: {(NUMA node, bytes of a page):
    (number, free ones)}."""
    switch_up: bool = False
    database_up: bool = False
    answers: dict[str, str] = dataclasses.field(default_factory=dict)
    tables: dict[str, list[dict[str, typing.Any]]] = dataclasses.field(default_factory=dict)
    services: dict[str, tuple[bool, int]] = dataclasses.field(default_factory=dict)
    instances: dict[str, tuple[float, int]] = dataclasses.field(default_factory=dict)
    quarantined: int = 0
    huge_pages: dict[tuple[str, int], tuple[int, int]] = dataclasses.field(default_factory=dict)
    seconds: float = 0


def read(directory: pathlib.Path, system: pathlib.Path = pathlib.Path("/sys")) -> Reading:
    """Reads the node of a directory; missing answers are missing in the reading. `system` is a parameter for tests."""
    begun = time.monotonic()
    found = Reading()
    ovs = Ovs(directory)
    _ask_switch(ovs, found)
    with contextlib.suppress(PenstockError, ValueError, LookupError, TypeError):
        found.tables = _tables(ovs)
        found.database_up = True
    tree = supervision.Tree(directory)
    endings = tree.endings()
    found.services = {name: (processes.is_running(path), endings.get(name, 0))
                      for name, path in tree.processes().items()}
    found.instances = _instances(directory)
    found.quarantined = len(quarantine.names(directory))
    found.huge_pages = huge_pages(system)
    found.seconds = time.monotonic() - begun
    return found


def _ask_switch(ovs: Ovs, found: Reading) -> None:
    deadline = time.monotonic() + _SWITCH_SECONDS
    for name, command, arguments in COMMANDS:
        left = deadline - time.monotonic()
        if left <= 0:
            found.switch_up = False
            return
        try:
            found.answers[name] = agent_switch.ask(ovs, command, *arguments, patience=left)
            found.switch_up = True
        except agent_switch.NoAnswer:
            found.switch_up = False
            return
        except PenstockError:
            continue  # It answers, and does not know the command, or has no datapath.


def _tables(ovs: Ovs) -> dict[str, list[dict[str, typing.Any]]]:
    selects = [{"op": "select", "table": table, "where": [], "columns": columns}
               for table, columns in _COLUMNS.items()]
    answer = agent_switch.call(ovs.socket, "transact", ["Open_vSwitch", *selects], _DATABASE_SECONDS)
    return {table: result["rows"] for table, result in zip(_COLUMNS, answer, strict=True)}


def _instances(directory: pathlib.Path) -> dict[str, tuple[float, int]]:
    found: dict[str, tuple[float, int]] = {}
    page = os.sysconf("SC_PAGE_SIZE")
    for path in sorted(directory.glob("functions/*/*.process")):
        pid = processes.pid_of(path)
        if pid is None:
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            resident = int(pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * page
            seconds, others = found.get(path.parent.name, (0.0, 0))
            found[path.parent.name] = (seconds + processes.cpu_seconds(pid), others + resident)
    return found


def huge_pages(system: pathlib.Path) -> dict[tuple[str, int], tuple[int, int]]:
    """{(NUMA node, bytes of a page): (number, free ones)} of the machine."""
    found = {}
    for folder in system.glob("devices/system/node/node*/hugepages/hugepages-*kB"):
        size = re.search(r"(\d+)kB$", folder.name)
        with contextlib.suppress(OSError, ValueError):
            numbers: Sequence[int] = [int((folder / name).read_text(encoding="ascii"))
                                      for name in ("nr_hugepages", "free_hugepages")]
            if size:
                node = folder.parents[1].name.removeprefix("node")
                found[node, int(size[1]) << 10] = (numbers[0], numbers[1])
    return found
