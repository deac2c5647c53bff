# SPDX-License-Identifier: Apache-2.0
"""Units of documents beside the stored configuration."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Iterator, Sequence

from . import flat, schema
from .client import Client
from .documents import Unit
from .errors import Problem
from .paths import Step

_FEW = 8
"""Units that are read one by one. For more of them a whole tree is one request."""


def differences(client: Client, units: Sequence[Unit]) -> list[tuple[Unit, list[str]]]:
    """The units that differ from the stored ones, each with its lines: flat.difference."""
    found = []
    for unit, stored in zip(units, _stored(client, units), strict=True):
        lines = flat.difference(stored if stored is not None else {}, unit.value, unit.node)
        if lines or stored is None:
            found.append((unit, lines))
    return found


def _stored(client: Client, units: Sequence[Unit]) -> Iterator[typing.Any]:
    if len(units) <= _FEW:
        yield from map(client.unit, units)
        return
    trees: dict[str, typing.Any] = {tree: client.stored(tree) for tree in {unit.tree for unit in units}}
    lists: dict[tuple[str, tuple[Step, ...], str], dict[tuple[str, ...], typing.Any]] = {}
    for unit in units:
        above, last = unit.steps[:-1], unit.steps[-1]
        place = (unit.tree, above, last.name)
        if place not in lists:
            value = trees[unit.tree]
            for step in above:
                value = value.get(step.name) or {}
            lists[place] = _by_keys(value.get(last.name), unit.node)
        yield lists[place].get(last.keys)


def _by_keys(value: typing.Any, node: object) -> dict[tuple[str, ...], typing.Any]:
    """The entries of a list by their keys; a container has none."""
    if not isinstance(value, list):
        return {} if value is None else {(): value}
    return {tuple(flat.text(entry.get(key)) for key in schema.keys(node)): entry for entry in value}


def with_origins(problems: Iterable[Problem], units: Sequence[Unit]) -> list[Problem]:
    """Problems that name the row of a table in which their entry is."""
    origins = {_error_path(unit): unit.origin for unit in units if unit.origin}
    found = []
    for problem in problems:
        origin = next((row for path, row in origins.items() if problem.path == path
                       or problem.path.startswith(f"{path}/")), "")
        found.append(dataclasses.replace(problem, message=f"{origin}: {problem.message}") if origin else problem)
    return found


def _error_path(unit: Unit) -> str:
    """The path of a unit as the controller writes it in error-path."""
    node: schema.Node = schema.trees()[unit.tree]
    text = f"/{unit.tree}"
    for step in unit.steps:
        node = node[step.name]
        text += f"/{step.name}" + "".join(
            f"[{key}='{value}']" for key, value in zip(schema.keys(node), step.keys, strict=True))
    return text
