# SPDX-License-Identifier: Apache-2.0
"""Changes of the configuration, from the audit logs of all members: each has those that it has accepted."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import datetime
import json
import typing
from collections.abc import Sequence

from . import flat, kinds, schema
from .client import Client
from .errors import Unreachable, WrongUsage

_PAGE = 500
_RPC = "penstock-access:history"

Row = dict[str, typing.Any]


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Which changes; None for all.

    since: time of the earliest one, as RFC 3339 has it
    last: how many, the latest ones
    """
    kind: str | None = None
    name: str | None = None
    since: str | None = None
    last: int | None = None


@dataclasses.dataclass(frozen=True)
class History:
    """Changes in the order of their times; the sentences about what is missing."""
    changes: list[Row]
    missing: list[str]


def kinds_of_entries() -> list[str]:
    """The kinds whose entries have names."""
    return sorted({*kinds.KINDS, *(name for tree in schema.trees().values() for name in schema.names(tree)
                                   if schema.keys(tree[name]) == ["name"])})


def read(members: Sequence[tuple[str, Client]], wanted: Wanted) -> History:
    """Asks all members at the same time. Raises Refused if one of them refuses, and Unreachable if none answers.

    members: each with its URL
    """
    if wanted.kind is not None and wanted.kind not in kinds_of_entries():
        raise WrongUsage(f"there is no kind of entry {wanted.kind}: use one of {', '.join(kinds_of_entries())}")
    changes: list[Row] = []
    missing: list[str] = []
    unreachable = []
    with concurrent.futures.ThreadPoolExecutor(len(members)) as threads:
        # A member that hangs is given up after some seconds.
        answers = [(url, threads.submit(_of_member, client, wanted)) for url, client in members]
        for url, answer in answers:
            try:
                found, problems = answer.result()
            except Unreachable as error:
                unreachable.append(f"{url}: {error}")
                missing.append(f"{url} does not answer: the changes that it has accepted are missing")
            else:
                changes += found
                missing += [f"{url}: {problem}" for problem in problems]
    if len(unreachable) == len(members):
        raise Unreachable("\n".join(unreachable))
    changes.sort(key=lambda change: (datetime.datetime.fromisoformat(change["time"]), change["member"],
                                     change["number"]))
    return History(changes[-wanted.last:] if wanted.last else changes, missing)


def _of_member(client: Client, wanted: Wanted) -> tuple[list[Row], list[str]]:
    """The changes of one member, and what cannot be read there."""
    if not client.is_there():
        raise Unreachable("no answer within some seconds")
    changes: list[Row] = []
    problems: list[str] = []
    before: int | None = None
    while True:
        last = min(_PAGE, wanted.last - len(changes)) if wanted.last else _PAGE
        given = {"kind": wanted.kind, "name": wanted.name, "since": wanted.since, "before": before, "last": last}
        output = client.call(_RPC, {leaf: value for leaf, value in given.items() if value is not None})
        changes += [_change(output["member"], change) for change in output.get("change", [])]
        problems += [problem for problem in output.get("problem", []) if problem not in problems]
        following = output.get("continue-before")
        if following is None or (wanted.last and len(changes) >= wanted.last):
            return changes, problems
        if before is not None and int(following) >= before:
            raise Unreachable("the answer goes on with what was answered before: is it the controller?")
        before = int(following)


def _change(member: str, change: Row) -> Row:
    return {"member": member, "number": int(change["number"]), "time": change["time"], "user": change.get("user"),
            "role": change.get("role"), "source": change.get("source"), "status": change.get("status"),
            "entries": [{
                "kind": entry.get("kind"), "name": entry.get("name"), "path": entry.get("path"),
                "before": _value(entry, "before"), "after": _value(entry, "after"),
                "not-logged": int(entry["not-logged"]) if "not-logged" in entry else None}
                for entry in change.get("entry", [])]}


def _value(entry: Row, side: str) -> typing.Any:
    return json.loads(entry[side]) if side in entry else None


def lines(entry: Row) -> list[str]:
    """What has changed of an entry, as flat.difference has it."""
    path, tree = entry["path"] or "", next((tree for tree in schema.trees().values() if entry["kind"] in tree), {})
    node: typing.Any = tree.get(entry["kind"])
    for step in filter(None, path.split("/")):
        node = node.get(flat.plain(step.partition("=")[0])) if isinstance(node, dict) else None
    sides = [[] if entry[side] is None else [line for line in flat.lines(entry[side], node, path)
                                             if line != ("name", entry["name"])] for side in ("before", "after")]
    return flat.compared(*sides)
