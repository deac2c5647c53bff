# SPDX-License-Identifier: Apache-2.0
"""Brings one entry to a desired state, and tells what differs: for tools that run again and again."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from . import edits, flat, kinds
from .client import Client
from .edits import Edit, Entry
from .errors import Refused, WrongUsage

_ATTEMPTS = 5


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What was done, or would be done.

    changed: whether the stored entry was another one
    before, after: the entry, None where there is none; after a check it is the desired one
    """
    kind: str
    changed: bool
    before: Entry | None
    after: Entry | None

    def lines(self, entry: Entry | None) -> list[str]:
        """An entry as lines of path and value, for people."""
        node = kinds.kind(self.kind).node
        arranged = {} if entry is None else flat.arranged(entry, node)
        return [f"{path}={value}" if value else path for path, value in flat.lines(arranged, node)]


def present(client: Client, kind: str, entry: Entry, check: bool = False) -> Outcome:
    """Has exactly this entry stored; what else a stored entry of its name has is removed.

    check: nothing is stored, but the controller judges the change. Raises Refused with its reasons, and Unreachable.
    """
    desired: Entry = edits.stripped(entry)
    name = _name(kind, desired.get("name"))
    return _repeated(lambda: _present(client, kind, name, desired, check))


def absent(client: Client, kind: str, name: str, check: bool = False) -> Outcome:
    """Has no entry of this name stored. check, and errors: as for `present`."""
    return _repeated(lambda: _absent(client, kind, _name(kind, name), check))


def _present(client: Client, kind: str, name: str, desired: Entry, check: bool) -> Outcome:
    wanted = kinds.kind(kind)
    before = client.entry(kind, name)
    if before is not None and not flat.difference(before, desired, wanted.node):
        return Outcome(kind, False, before, before)
    edit = Edit("replace", wanted.tree, (edits.entry_step(wanted, name),), desired)
    if check:
        _judged(client, edit)
        return Outcome(kind, True, before, desired)
    client.apply([edit])
    return Outcome(kind, True, before, client.entry(kind, name))


def _absent(client: Client, kind: str, name: str, check: bool) -> Outcome:
    wanted = kinds.kind(kind)
    before = client.entry(kind, name)
    if before is None:
        return Outcome(kind, False, None, None)
    edit = Edit("delete", wanted.tree, (edits.entry_step(wanted, name),))
    try:
        if check:
            _judged(client, edit)
        else:
            client.apply([edit])
    except Refused as error:
        if not error.is_absence:
            raise
        return Outcome(kind, False, None, None)  # Another client was faster.
    return Outcome(kind, True, before, None)


def _repeated(act: Callable[[], Outcome]) -> Outcome:
    """What comes of it, again if another client has changed the same meanwhile, after which nothing was changed."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return act()
        except Refused as error:
            if all(problem.tag != "in-use" for problem in error.problems):
                raise
    return act()


def _name(kind: str, name: object) -> str:
    if not isinstance(name, str) or not name:
        raise WrongUsage(f"an entry of {kind} needs a name, which is a text")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise WrongUsage(f"the name {name!a} of an entry of {kind} has half a letter of UTF-16") from None
    return name


def _judged(client: Client, edit: Edit) -> None:
    problems = client.validate([edit])
    if problems:
        raise Refused(problems, 400)
