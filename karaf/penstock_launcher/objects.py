# SPDX-License-Identifier: Apache-2.0
"""Entries of the configuration beside their state: the columns of lists, and whether one is all right."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable, Sequence

from penstock_base.texts import plain
from penstock_client import Client, flat, kinds

from . import tables

Entry = dict[str, typing.Any]
_KEYS = re.compile(r"=[^/]*")


@dataclasses.dataclass(frozen=True)
class Found:
    """One entry. state: None where the controller reports none."""
    config: Entry
    state: Entry | None

    def json(self) -> Entry:
        """For programs; `set --file` reads it, too."""
        return {"config": self.config, "state": self.state}


def everything(client: Client, kind: str, where: Sequence[str] = ()) -> list[Found]:
    """The entries of a kind that all conditions are true for, in the order of their names.

    where: pairs of path and value, of the configuration or state. Keys of lists may be left out: attachment/vlan=100
    """
    states = client.states(kind)
    found = [Found(entry, states.get(str(entry["name"]))) for entry in client.entries(kind)]
    return [each for each in found if all(_is_true(each, kind, text) for text in where)]


def _is_true(found: Found, kind: str, condition: str) -> bool:
    lines = flat.lines(found.config, kinds.kind(kind).node) + flat.lines(found.state or {}, None)
    return any(condition in {f"{path}={value}", f"{_KEYS.sub('', path)}={value}"} for path, value in lines)


def is_right(kind: str, found: Found) -> bool:
    """Whether it works, as far as the controller reports it."""
    good = kinds.kind(kind).good
    if kind == "node":
        return bool(found.state and found.state.get("connected") and found.state.get("in-sync"))
    return not good or bool(found.state and found.state.get("status") in good)


def _of_state(leaf: str) -> Callable[[Found], object]:
    return lambda found: (found.state or {}).get(leaf)


def _of_config(leaf: str) -> Callable[[Found], object]:
    return lambda found: _words(found.config.get(leaf))


def _words(value: object) -> object:
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _each(name: str, *leaves: str) -> Callable[[Found], object]:
    """All entries of a list in one cell."""
    return lambda found: " ".join("/".join(str(entry.get(leaf, "")) for leaf in leaves)
                                  for entry in found.config.get(name, []))


def _entries(found: Found) -> object:
    return len(found.config.get("aces", {}).get("ace", []))


COLUMNS: dict[str, dict[str, Callable[[Found], object]]] = {
    "tenant": {"status": _of_state("status"), "public address": _of_state("public-address"),
               "attachments": _each("attachment", "node", "port", "vlan"), "subnets": _each("subnet", "prefix"),
               "reason": _of_state("reason")},
    "acl": {"type": lambda found: flat.text(found.config.get("type")), "entries": _entries},
    "pool": {"prefixes": _of_config("prefix"), "draining": _of_config("drain")},
    "function": {"status": _of_state("status"), "node": _of_config("node"), "fail policy": _of_config("fail-policy"),
                 "instances": _each("instance", "name")},
    "chain": {"functions": _of_config("function")},
    "node": {"address": _of_config("address"), "connected": _of_state("connected"), "in sync": _of_state("in-sync"),
             "ports": _each("port", "name")}}
"""Columns of a list behind the name."""


def table(kind: str, rows: Sequence[Found]) -> str:
    """A list for people."""
    columns = COLUMNS[kind]
    return tables.table(("name", *columns), [
        (found.config["name"], *(flat.text(cell(found)) for cell in columns.values())) for found in rows],
        f"no {kind}s")


def render(kind: str, found: Found) -> str:
    """One entry for people: the lines that `set` takes, then the state."""
    parts = [flat.lines(found.config, kinds.kind(kind).node), flat.lines(found.state or {}, None)]
    texts = ["\n".join(plain(f"{path}={value}" if value else path) for path, value in lines) for lines in parts]
    return texts[0] + (f"\n\nstate:\n{texts[1]}" if found.state else "")
