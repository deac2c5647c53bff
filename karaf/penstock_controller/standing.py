# SPDX-License-Identifier: Apache-2.0
"""How a controller stands in its cluster: whose data it has, whether they are all, and which members it sees.

All of it is in files of the run directory, so that it is there when the controller does not run. Their names are those
of Identity.java and Report.java.
"""

from __future__ import annotations

import dataclasses
import hashlib
import pathlib
import shutil
import uuid
import zipfile

from .durable import write

DATA = "segmented-journal"
"""The journal of the datastore."""
IDENTITY = "cluster-id"
DECISION = "cluster-data-decided"
INCOMPLETE = "cluster-data-incomplete"
_STATE = "cluster-state"
JOINED = "joined"
AWAY = "away"
_UNKNOWN = "-"


@dataclasses.dataclass(frozen=True)
class Seen:
    """A member as another one sees it."""
    name: str
    state: str
    """`joined`; `catching-up`; `waiting`, with data, or `fresh`, without, for the cluster; or `away`."""
    cluster: str = ""
    version: str = ""
    """Of its programs; empty if it has not told."""
    models: str = ""
    """A digest, equal where the YANG models are."""


def has_data(run: pathlib.Path) -> bool:
    """Whether all data are here that this controller ever had. Without them it counts for no majority."""
    return (run / DATA).is_dir() and not is_incomplete(run)


def is_incomplete(run: pathlib.Path) -> bool:
    """Whether it has been made, or started, to get all data from others, and has not got them yet."""
    return (run / INCOMPLETE).exists()


def is_decided(run: pathlib.Path) -> bool:
    """Whether a person has said that the data here are those of the cluster."""
    return (run / DECISION).exists()


def decide(run: pathlib.Path) -> None:
    """Has the data here be those of the cluster, at the next start.

    The cluster gets another identity: members with data of before, which may be older, would make a majority else.
    """
    write(run / IDENTITY, f"{uuid.uuid4()}\n")
    write(run / DECISION, "")


def withdraw(run: pathlib.Path) -> None:
    """Ends decisions and marks: a controller alone needs none."""
    for name in (DECISION, INCOMPLETE):
        (run / name).unlink(missing_ok=True)


def make_incomplete(run: pathlib.Path) -> None:
    """Marks a controller as one that has not got all data, so that it gets them from the others."""
    write(run / INCOMPLETE, "")


def forget(run: pathlib.Path) -> None:
    """Removes the data, which the controller gets from the others again. Journals, logs and the password stay."""
    make_incomplete(run)
    for name in (DATA, "snapshots"):
        shutil.rmtree(run / name, ignore_errors=True)
    for name in (IDENTITY, DECISION):
        (run / name).unlink(missing_ok=True)


def identity(run: pathlib.Path) -> str:
    """Of the cluster whose data are here; empty if they are of none."""
    try:
        return (run / IDENTITY).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return ""


def seen(run: pathlib.Path) -> tuple[str, dict[str, Seen]]:
    """The last step of a member that runs, and the members that it hears, itself among them, by name."""
    try:
        step, *lines = (run / _STATE).read_text(encoding="utf-8").splitlines()
    except (FileNotFoundError, ValueError):
        return "", {}
    members = [Seen(name, state.lower().replace("_", "-"), *("" if word == _UNKNOWN else word for word in rest))
               for name, state, *rest in map(str.split, lines)]
    return step, {member.name: member for member in members}


def forget_seen(run: pathlib.Path) -> None:
    """Before a start: what was seen before it says nothing."""
    (run / _STATE).unlink(missing_ok=True)


def release(distribution: pathlib.Path) -> tuple[str, str]:
    """(version of the programs, digest of the YANG models), as members tell each other."""
    jar = next(iter(sorted(distribution.glob("system/io/penstock/model/*/model-*.jar"))), None)
    if jar is None:
        return _UNKNOWN, _UNKNOWN
    digest = hashlib.sha256()
    with zipfile.ZipFile(jar) as models:
        for name in sorted(models.namelist()):
            if name.endswith(".yang"):
                digest.update(name.encode() + b"\0" + models.read(name))
    try:
        version = (distribution.parents[1] / "VERSION").read_text(encoding="ascii").strip()
    except OSError:
        version = jar.parent.name
    return version, digest.hexdigest()[:12]
