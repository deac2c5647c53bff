# SPDX-License-Identifier: Apache-2.0
"""Reads the audit log: who has changed what, who was refused, and whether the log is whole. docs/access.md has its
format. Needs nothing but the files, so it works on a copy, without the controller."""

from __future__ import annotations

import dataclasses
import datetime
import json
import pathlib
import typing
from collections.abc import Iterator

from . import chain

PREFIX = "audit"
EVENTS = ("request", "refused", "login-failed")
_TOLD = ("number", "time", "event", "member", "hash", "previous")


@dataclasses.dataclass(frozen=True)
class Wanted:
    """Which entries are shown; None for all."""

    user: str | None = None
    event: str | None = None
    path: str | None = None
    """Words that the path has."""
    since: datetime.datetime | None = None
    until: datetime.datetime | None = None

    def takes(self, entry: dict[str, typing.Any]) -> bool:
        """Whether an entry is one of them."""
        time = datetime.datetime.fromisoformat(entry["time"])
        return (self.user in (None, entry.get("user")) and self.event in (None, entry["event"])
                and (self.path is None or self.path in entry.get("path", ""))
                and (self.since is None or time >= self.since) and (self.until is None or time <= self.until))


def verify(directory: pathlib.Path | str) -> dict[str, typing.Any]:
    """Checks every hash and number, as chain.verify."""
    return chain.verify(directory, PREFIX)


def entries(directory: pathlib.Path | str, wanted: Wanted) -> list[dict[str, typing.Any]]:
    """The entries that are wanted, each request with what became of it in the member `result`."""
    found: dict[int, dict[str, typing.Any]] = {}
    for entry in _all(directory):
        if entry["event"] == "done":
            request = found.get(entry["request"])
            if request is not None:
                request["result"] = {name: value for name, value in entry.items() if name not in (*_TOLD, "request")}
        elif entry["event"] in EVENTS and wanted.takes(entry):
            found[entry["number"]] = {name: value for name, value in entry.items() if name != "hash"}
    return list(found.values())


def _all(directory: pathlib.Path | str) -> Iterator[dict[str, typing.Any]]:
    for segment in chain.segments(directory, PREFIX):
        for line in chain.read(segment).splitlines():
            yield chain.entry(line, segment)


def line(entry: dict[str, typing.Any]) -> str:
    """An entry for people. Words of clients are quoted: none commands the terminal."""
    who = f"{json.dumps(entry.get('user', ''))}" + (f" ({entry['role']})" if "role" in entry else "")
    what = f"{entry.get('method', '')} {json.dumps(entry.get('path', ''))}"
    told = f"{entry['number']} {entry['time']} {entry['member']} {who} from {entry.get('source', '')}: {what}"
    if entry["event"] != "request":
        return f"{told}: {entry['event']}" + (f": {entry['reason']}" if "reason" in entry else "")
    result = entry.get("result")
    if result is None:
        return f"{told}: not known, the controller ended meanwhile"
    changed = "".join(f"\n    {name} {json.dumps(result[name])}" for name in ("before", "after") if result.get(name))
    given = f"\n    input {json.dumps(entry['input'])}" if "input" in entry else ""
    return f"{told}: {result['status']}{given}{changed}"
