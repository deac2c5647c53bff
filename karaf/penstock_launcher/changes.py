# SPDX-License-Identifier: Apache-2.0
"""From one controller to three, and back: what has to be done, as the files of all controllers tell.

A change has steps, each of which leaves files from which the next run goes on, wherever it was killed:

    one to three     the new ones are marked as without data; the first one stops; its data are decided; all start
    three to one     all run; one stops; the data of the first are found whole and decided; the others stop and are
                     retired; the first one starts alone
"""

import dataclasses
import pathlib
import shutil
from collections.abc import Mapping

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_base.steps import say
from penstock_controller import Controller, rights, standing

from . import members

_KEPT = ("nat-journal", "audit-log")
"""What a controller that is retired leaves: records that the law, or an auditor, asks for."""


@dataclasses.dataclass(frozen=True)
class Standing:
    """What the files of the controllers tell."""
    present: tuple[int, ...] = ()
    """Those that there are, by number."""
    with_data: frozenset[int] = frozenset()
    """Those that have all data."""
    marked: frozenset[int] = frozenset()
    """Those that are marked as without, because they have been made, or started, to get them from the others."""
    decided: bool = False
    """Whether the data of the first one are decided."""
    was_member: bool = False
    """Whether one with data was started as a member the last time."""

    @property
    def is_stale(self) -> bool:
        """Whether the others have data that count no more."""
        return self.decided and bool(self.with_data - {1})

    @property
    def needs_decision(self) -> bool:
        """Whether the data of the first one are those of the cluster, because no other ever had all of them.

        A change that is accepted is on two of three, and the first one is one of them until another has all data: they
        get them one after the other.
        """
        return self.with_data == {1} and set(self.present) - {1} == self.marked

    @property
    def lacks_majority(self) -> bool:
        """Whether the newest data may have been on those that are gone."""
        complete = self.needs_decision and len(self.present) == max(members.COUNTS)
        return self.was_member and not self.decided and len(self.with_data) == 1 and not complete


def standing_of(controllers: Mapping[int, Controller]) -> Standing:
    """Reads it. controllers: all that there may be, by number."""
    present = tuple(members.present())
    with_data, marked, was_member, decided = set(), set(), False, False
    for number in present:
        each = controllers[number]
        with rights.owner_of(each.run_dir):
            if standing.has_data(each.run_dir):
                with_data.add(number)
            elif standing.is_incomplete(each.run_dir):
                marked.add(number)
            decided = decided or (number == 1 and standing.is_decided(each.run_dir))
        was_member = was_member or (number in with_data and bool(each.settings.members))
    return Standing(present, frozenset(with_data), frozenset(marked), decided, was_member)


def count(found: Standing) -> int:
    """How many controllers there are to be if nothing else is said."""
    return max(members.COUNTS) if set(found.present) - {1} and not found.is_stale else 1


def check(found: Standing) -> None:
    """Refuses to go on with data that may not be the newest."""
    if found.lacks_majority:
        number = min(found.with_data)
        raise PenstockError(
            f"only controller {number} has its data, and the others may have had newer ones: bring one of their "
            "directories back, or decide for those that are left by karaf/penstock-controller --run-dir "
            f"{places.controller_directory(number)} cluster decide")


def decide(first: Controller) -> None:
    """Has the data of the first one be those of the cluster."""
    with rights.owner_of(first.run_dir):
        standing.decide(first.run_dir)


def make(number: int, controller: Controller, user: str) -> None:
    """Makes the directory of a controller that gets its data from the others, unless it is there."""
    if not controller.run_dir.is_dir():
        # Under its name only when it is marked: a directory without the mark is one whose data were lost.
        partial = controller.run_dir.with_name(f".new-{number}")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=0o700, parents=True)
        standing.make_incomplete(partial)
        rights.give(partial, user)
        partial.replace(controller.run_dir)


def retire(number: int, controller: Controller, first: Controller) -> None:
    """Removes a controller whose data count no more; its journals stay in the directory of the first one."""
    run = controller.run_dir
    with rights.owner_of(run):
        name = f"member-{number}-{standing.identity(run) or 'none'}"
        kept = first.run_dir / "retired" / name
        for each in _KEPT:
            if (run / each).is_dir():
                kept.mkdir(parents=True, exist_ok=True)
                (run / each).replace(kept / each)
    gone = run.with_name(f".retired-{number}")
    shutil.rmtree(gone, ignore_errors=True)
    run.replace(gone)
    shutil.rmtree(gone)
    say(f"controller {number} is retired" + (f"; its journals are in {kept}" if kept.is_dir() else ""))


def leftovers() -> list[pathlib.Path]:
    """Directories that an interrupted change has left."""
    return [path for kind in ("new", "retired") for path in places.state_directory().glob(f".{kind}-*")]
