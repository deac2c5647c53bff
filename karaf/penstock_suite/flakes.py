# SPDX-License-Identifier: Apache-2.0
"""The ledger of failures that did not come again: it/flakes.jsonl, a line for each class that failed in a run.

A line is open while its `cause` is empty. To close it, write the cause into it, or remove it in the commit that repairs
the test or the product. The gate cannot commit: it adds lines to the ledger of the tree, and to that of the machine,
from which the next run on this machine takes lines that the tree lacks (a run of CI has a tree of its own).
"""

import collections.abc
import dataclasses
import json
import pathlib

from penstock_base import places

LEDGER = places.ROOT / "it" / "flakes.jsonl"
MOST_OPEN = 5
"""With more open lines a run fails: the suite cannot be trusted any more."""
FORM = {"test", "message", "time", "commit", "load", "seconds", "cause"}


@dataclasses.dataclass(frozen=True)
class Flake:
    """One failure that did not come again.

    test, message: the first test of the class that failed. time: UTC, ISO 8601. load: of the machine, over one minute.
    seconds: since the begin of the run. cause: empty while it is not known.
    """
    test: str
    message: str
    time: str
    commit: str
    load: float
    seconds: float
    cause: str = ""


def machine_ledger() -> pathlib.Path:
    """The lines of all runs on this machine."""
    return places.log_directory() / "flakes.jsonl"


def read(path: pathlib.Path) -> list[Flake]:
    """The lines of a ledger. Raises ValueError or TypeError where one has another form."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [Flake(**json.loads(line)) for line in lines if line.strip()]


def add(path: pathlib.Path, flakes: collections.abc.Collection[Flake]) -> None:
    """Adds lines to a ledger."""
    if not flakes:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(json.dumps(dataclasses.asdict(flake)) + "\n" for flake in flakes)


def take_over(tree: pathlib.Path, machine: pathlib.Path) -> int:
    """Adds the lines of the machine that the tree lacks, and forgets those of the machine. Returns how many."""
    known = {(flake.test, flake.time) for flake in read(tree)}
    new = [flake for flake in read(machine) if (flake.test, flake.time) not in known]
    add(tree, new)
    machine.unlink(missing_ok=True)
    return len(new)


def faults(before: collections.abc.Collection[Flake], new: collections.abc.Collection[Flake]) -> list[str]:
    """Why a run with these new lines fails, in words; empty if it does not."""
    open_before = {_class_of(flake) for flake in before if not flake.cause}
    found = [f"{_class_of(flake)} has an open line in {LEDGER.name} already: find its cause" for flake in new
             if _class_of(flake) in open_before]
    number = sum(not flake.cause for flake in (*before, *new))
    if number > MOST_OPEN:
        found.append(f"{number} open lines in {LEDGER.name}, {MOST_OPEN} at most")
    return found


def _class_of(flake: Flake) -> str:
    return flake.test.partition(".")[0]
