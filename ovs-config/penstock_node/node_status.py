# SPDX-License-Identifier: Apache-2.0
"""The status of nodes, read from their files, processes and databases."""

import contextlib
import pathlib
import typing

from penstock_base import locks, places, processes
from penstock_base.errors import PenstockError

from . import node_agent, supervision
from .hugepages import HugePages
from .ovs import DATABASE, SWITCH, Ovs


def status(run_directory: pathlib.Path | None = None) -> list[dict[str, typing.Any]]:
    """One dict for each node of the run directory, sorted by name."""
    root = run_directory or places.run_directory()
    return [_status(path.parent) for path in sorted(root.glob("*/state.json"))]


def _status(directory: pathlib.Path) -> dict[str, typing.Any]:
    ovs = Ovs(directory)
    state = locks.read_json(directory / "state.json", {})
    pids = {DATABASE: processes.pid_of(ovs.database_process),
            SWITCH: processes.pid_of(ovs.switch_process)}
    alive = [pid for pid in pids.values() if pid]
    result = {
        "name": directory.name, "state": {0: "down", 1: "broken", 2: "running"}[len(alive)],
        "namespace": state.get("namespace"), "management-address": state.get("node_address"), "run-directory":
        str(directory.parent), "database-socket": str(ovs.socket), "processes": pids,
        "resident-mb": sum(processes.resident_megabytes(pid) for pid in alive),
        "huge-pages-added": HugePages().added_by(state.get("hugepage_owner", "")),
        "ports": state.get("wanted", {}).get("ports", []),
        "vhost-user-directory": state.get("wanted", {}).get("vhost_user_directory"),
        "agent": node_agent.status(directory), "endings": supervision.Tree(directory).endings(),
        "controller-connected": False, "bridges": []}
    if pids[DATABASE]:
        with contextlib.suppress(PenstockError):  # It is being started, or ends at this moment.
            managers = ovs.rows("Manager", "target", "is_connected")
            result["controllers"] = {manager["target"]: bool(manager["is_connected"]) for manager in managers}
            result["controller-connected"] = any(manager["is_connected"] for manager in managers)
            result["bridges"] = sorted(row["name"] for row in ovs.rows("Bridge", "name"))
    return result
