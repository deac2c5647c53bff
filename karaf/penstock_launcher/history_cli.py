# SPDX-License-Identifier: Apache-2.0
"""The command that shows changes of the configuration: history."""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
from collections.abc import Callable, Sequence

from penstock_base.texts import plain
from penstock_client import history
from penstock_client.errors import WrongUsage

from . import remote
from .arguments import since

Add = Callable[..., argparse.ArgumentParser]

NAMES = ("history",)
_INCOMPLETE = 4
_LAST = 20


def add(command: Add) -> None:
    """Adds it. command: makes a command of its name, function and text."""
    added = command("history", _history, "show the changes of the configuration: time, account, address, entries, and "
                    "what has changed", "Shows the changes of the configuration that all members have accepted, the "
                    "latest last. Requires the role provider or operator.")
    added.add_argument("words", nargs="*", metavar="WORD", help="TENANT, or KIND NAME, as pool public; default all")
    added.add_argument("--since", type=since, metavar="TIME", help="ISO 8601 with a time zone, or so long ago: 90m, "
                       "12h, 7d")
    added.add_argument("--last", type=_number, metavar="N", help=f"the latest N; default {_LAST}, or all with --since")


def _number(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"'{text}' is not in 1..1000000")
    return int(text)


def _history(options: argparse.Namespace) -> int:
    kind, name = _entry(options.words)
    earliest: datetime.datetime | None = options.since
    wanted = history.Wanted(kind, name, earliest.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")
                            if earliest else None, options.last or (None if earliest else _LAST))
    found = history.read(remote.every_member(options).each(), wanted)
    print(json.dumps(dataclasses.asdict(found), indent=2) if options.json else render(found))
    return _INCOMPLETE if found.missing else 0


def _entry(words: Sequence[str]) -> tuple[str | None, str | None]:
    """The kind and name that are given, if they are."""
    if len(words) > 2:
        raise WrongUsage("history takes the name of a tenant, or KIND and NAME, as history pool public")
    return ("tenant", words[0]) if len(words) == 1 else (words[0], words[1]) if words else (None, None)


def render(found: history.History) -> str:
    """The changes for people. Texts of the controller command no terminal."""
    lines = []
    for change in found.changes:
        role = f" ({plain(change['role'])})" if change["role"] else ""
        lines.append(plain(f"{change['time']} {change['user']}{role} from {change['source']}, {change['member']} "
                           f"{change['number']}{_result(change['status'])}"))
        for entry in change["entries"]:
            lines.append(f"  {_title(entry)}")
            lines += [f"    {plain(line)}" for line in history.lines(entry)]
            if entry["not-logged"]:
                lines.append(f"    the log does not have the values: they are {entry['not-logged']} bytes")
    if not found.changes:
        lines.append("no changes")
    return "\n".join(lines + [f"not complete: {plain(text)}" for text in found.missing])


def _result(status: int | None) -> str:
    if status is None:
        return ": not known, the request runs or the controller ended meanwhile"
    return "" if status < 400 else f": the answer was {status}, and this has changed"


def _title(entry: history.Row) -> str:
    if not entry["kind"]:
        return "entries that the log does not name"
    title = plain(f"{entry['kind']} {entry['name']}" if entry["name"] else entry["kind"])
    if entry["path"] or (entry["before"] is None) == (entry["after"] is None):
        return title
    return f"{title} added" if entry["before"] is None else f"{title} deleted"
