# SPDX-License-Identifier: Apache-2.0
"""Edits of a YANG Patch (RFC 8072), made of paths and values."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Sequence

from . import flat, paths, schema
from .errors import WrongUsage
from .kinds import Kind
from .paths import Place, Step

Entry = dict[str, typing.Any]


@dataclasses.dataclass(frozen=True)
class Edit:
    """One edit.

    operation: create, merge, replace, delete or remove
    steps: the path of the target, below the tree
    value: what is written there; None for delete and remove
    origin: where the edit comes from, such as a row of a table; for errors
    """
    operation: str
    tree: str
    steps: tuple[Step, ...]
    value: typing.Any = None
    origin: str = ""

    def wire(self, number: int) -> dict[str, typing.Any]:
        """As RESTCONF takes it."""
        found: dict[str, typing.Any] = {"edit-id": str(number), "operation": self.operation,
                                        "target": f"/{self.tree}/{paths.url(*self.steps)}"}
        if self.value is not None:
            last = self.steps[-1]
            module = self.tree.partition(":")[0]
            found["value"] = {f"{module}:{last.name}": [self.value] if last.keys else self.value}
        return found


def entry_step(kind: Kind, name: str) -> Step:
    """The step of an entry."""
    return Step(kind.name, (name,))


def new_entry(kind: Kind, name: str, given: Sequence[str]) -> Entry:
    """An entry of pairs of path and value."""
    entry: Entry = {"name": name}
    for place in _places(kind, given):
        _put(entry, kind.node, place)
    return entry


def changes(kind: Kind, name: str, given: Sequence[str], removed: Sequence[str]) -> list[Edit]:
    """Edits that remove some leaves, containers and entries, and write others, and touch no further ones.

    Each edit has the nearest container or entry above the leaf as its target, so that an account that may change this
    alone is not refused.
    """
    found: list[Edit] = []
    for text in removed:
        place = paths.parse(text, kind.node, kind.name)
        if schema.is_values(place.node):
            raise WrongUsage(f"{text}: the controller removes no single value of a leaf-list; write the whole entry by "
                                f"./penstock {kind.name} set {name} --file FILE, of what ./penstock {kind.name} show "
                                f"{name} --json prints")
        if place.value is not None:
            raise WrongUsage(f"{text}: --remove takes a path without a value")
        found.append(Edit("delete", kind.tree, (entry_step(kind, name), *place.steps)))
    merged: dict[tuple[Step, ...], Entry] = {}
    for place in _places(kind, given):
        above = place.steps if isinstance(place.node, dict) else place.steps[:-1]
        target = merged.setdefault(above, _keys(kind, name, above))
        if not isinstance(place.node, dict):
            _put(target, _node(kind, above), dataclasses.replace(place, steps=place.steps[-1:]))
    return found + [Edit("merge", kind.tree, (entry_step(kind, name), *above), value)
                    for above, value in merged.items()]


def _places(kind: Kind, given: Iterable[str]) -> list[Place]:
    found = []
    for text in given:
        place = paths.parse(text, kind.node, kind.name)
        last = place.steps[-1].name
        if not isinstance(place.node, dict) and place.value is None:
            raise WrongUsage(f"{text}: needs a value, as {text}=VALUE")
        above = _node(kind, place.steps[:-1])
        if last in schema.keys(above):
            raise WrongUsage(f"{text}: {last} is a key, which has its place in the path")
        found.append(place)
    return found


def _node(kind: Kind, steps: Iterable[Step]) -> schema.Node:
    node = kind.node
    for step in steps:
        node = node[step.name]
    return node


def _keys(kind: Kind, name: str, steps: Sequence[Step]) -> Entry:
    if not steps:
        return {"name": name}
    return dict(zip(schema.keys(_node(kind, steps)), steps[-1].keys, strict=True))


def _put(entry: Entry, node: schema.Node, place: Place) -> None:
    """Writes a value into an entry, which gets what is missing above it."""
    for step in place.steps[:-1] if not isinstance(place.node, dict) else place.steps:
        below = node[step.name]
        if schema.is_list(below):
            entries: list[Entry] = entry.setdefault(step.name, [])
            keys = dict(zip(schema.keys(below), step.keys, strict=True))
            found = next((each for each in entries if keys.items() <= each.items()), None)
            if found is None:
                entries.append(found := keys)
            entry = found
        else:
            entry = entry.setdefault(step.name, {})
        node = below
    if isinstance(place.node, dict):
        return
    name = place.steps[-1].name
    if schema.is_values(place.node):
        entry.setdefault(name, []).append(place.value)
    elif name in entry:
        raise WrongUsage(f"{paths.url(*place.steps)}: is given twice")
    else:
        entry[name] = place.value


def stripped(value: typing.Any) -> typing.Any:
    """A document in which no name has a module: all are of one."""
    if isinstance(value, dict):
        return {flat.plain(str(name)): stripped(each) for name, each in value.items()}
    return [stripped(each) for each in value] if isinstance(value, list) else value
