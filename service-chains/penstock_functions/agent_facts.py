# SPDX-License-Identifier: Apache-2.0
"""What a node has for functions: its cores and its catalogue, for the controller, which refuses what it has not."""

import contextlib
import json
import os
import pathlib
from collections.abc import Callable

from penstock_base.errors import PenstockError
from penstock_node.profile import online_cores

from . import catalogue


class Facts:
    """The facts of one node. Descriptions are read again when anything in their directory has changed."""

    def __init__(self, directory: pathlib.Path, log: Callable[[str], None]) -> None:
        self._directory = directory
        self._log = log
        self._seen: set[tuple[str, int]] | None = None
        self._functions: dict[str, dict[str, object]] = {}

    def text(self) -> str:
        """JSON: `cores`, numbers, and `functions`, by name, each with `form`, `mode` and `shared`,
        and with `outputs` if they are 2.

        A description that is wrong is left out, as if it were not there.
        """
        files = self._files()
        if files != self._seen:
            self._seen = files
            self._functions = dict(filter(None, map(self._read, catalogue.paths(self._directory))))
        return json.dumps({"cores": sorted(online_cores()), "functions": self._functions}, separators=(",", ":"))

    def _files(self) -> set[tuple[str, int]]:
        files: set[tuple[str, int]] = set()
        with contextlib.suppress(OSError), os.scandir(self._directory) as entries:
            files.update((entry.name, entry.stat().st_mtime_ns) for entry in entries)
        return files

    def _read(self, path: pathlib.Path) -> tuple[str, dict[str, object]] | None:
        try:
            function = catalogue.load(path)
        except PenstockError as error:
            self._log(f"catalogue: {path.name} is left out: {error}")
            return None
        told = {"form": function.form, "mode": function.mode, "shared": function.shared}
        return function.name, told | ({"outputs": function.outputs} if function.outputs != 1 else {})
