# SPDX-License-Identifier: Apache-2.0
"""./penstock logs: which files there are, and tail(1) on them."""

import os
import pathlib
import sys
import typing

from penstock_base import places
from penstock_base.errors import PenstockError

_SUPERVISION = ("supervisor.log", "watch.log")
KINDS = ("controller", "node", "functions", "lab", "launcher")


def files(kind: str | None = None) -> list[pathlib.Path]:
    """The log files there are, of one kind or of all, those of running things first."""
    directory = places.run_directory()
    found = {
        "controller": [path for run in places.controller_directories()
                       for path in (*(run / "data" / "log" / name for name in ("karaf.log", "console.log")),
                                    *(directory / f".{run.name}" / name for name in _SUPERVISION))],
        "node": sorted(path for name in ("ovs*.log", "agent.log", "exporter.log", "records.log", *_SUPERVISION)
                       for path in directory.glob(f"[!.]*/{name}")),
        "functions": sorted([*directory.glob("*/functions-agent.log"), *directory.glob("*/functions/*/*.log")]),
        "lab": sorted(places.lab_directory().glob("*.log")),
        "launcher": sorted(places.log_directory().glob("*.log"))}
    chosen = (kind,) if kind else KINDS[:-1]
    return [path for name in chosen for path in found[name] if path.is_file()]


def show(kind: str | None, follow: bool, lines: int) -> typing.NoReturn:
    """Becomes tail(1); does not return."""
    paths = files(kind)
    if not paths:
        raise PenstockError(f"there are no logs{' of ' + kind if kind else ''}: nothing runs here")
    sys.stdout.flush()
    os.execvp("tail", ["tail", *(["-F"] if follow else []), "-v", "-n", str(lines), *map(str, paths)])
