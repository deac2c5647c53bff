# SPDX-License-Identifier: Apache-2.0
"""What all runs of ./penstock bench have: a directory to work in, and results that are written after every step."""

import contextlib
import pathlib
import shutil
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from penstock_base.errors import PenstockError

from . import generator, ovn, report
from .results import Results, Say


class HasSwitch(Protocol):
    """A bed, or a node of one."""
    name: str

    @property
    def switch_log(self) -> pathlib.Path:
        """What its switch writes."""


class Run:
    """A run, which others are made of.

    directory:    where the results go
    distribution: the controller
    say:          tells the user a line
    plan, parts:  how much is measured, and which parts of it, where a run has such
    """

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path, results: Results, say: Say,
                 plan: Any = None, parts: Sequence[str] = ()) -> None:
        self._plan, self._distribution, self._say, self._parts = plan, distribution, say, parts
        self._directory = pathlib.Path(directory)
        self._work = self._directory / "work"
        self.results = results

    def _build(self) -> pathlib.Path:
        """Makes the directory to work in, and the generator; returns its program."""
        self._work.mkdir(parents=True, exist_ok=True)
        return generator.build(self._work)

    @contextlib.contextmanager
    def keeping_log(self, *beds: HasSwitch) -> Iterator[None]:
        """If the body fails the logs of the switches stay: a switch that ended by itself says there why."""
        try:
            yield
        except PenstockError as error:
            # The nodes remove their own.
            logs = [shutil.copy(bed.switch_log, self._directory / f"{bed.name}.log") for bed in beds
                    if bed.switch_log.exists()]
            raise PenstockError(f"{error}; what the switch said: {', '.join(map(str, logs))}") from error

    def name_peer(self, peer: ovn.Ovn) -> None:
        """Has the results name the OVN that is measured."""
        self.results.setdefault("machine", {}).setdefault("versions", {})["OVN"] = peer.version

    def save(self) -> None:
        """Writes results.json."""
        report.save(self._directory, self.results)
