# SPDX-License-Identifier: Apache-2.0
"""An entry as lines of path and value, and the difference of two entries."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Sequence

from . import paths, schema

Line = tuple[str, str]
"""A path, as paths.py reads it, and the text of the value; the value of an empty container or a list entry with nothing
but its keys is empty."""


def lines(entry: object, node: object, path: str = "") -> list[Line]:
    """All leaves of an entry in the order in which they stand. node: its node of the model."""
    return list(_lines(entry, node, path))


def _lines(value: object, node: object, path: str) -> Iterator[Line]:
    if isinstance(value, dict):
        known = node if isinstance(node, dict) else {}
        own = [name for name in value if plain(name) not in (schema.keys(known) if path else ())]
        if not own and path and schema.is_meant(node):
            yield path, ""
        for name in own:
            yield from _lines(value[name], known.get(plain(name)), f"{path}/{plain(name)}" if path else plain(name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _lines(each, node, f"{path}={_key(each, node, number)}" if isinstance(each, dict) else path)
    else:
        yield path, text(value)


def _key(entry: dict[str, typing.Any], node: object, number: int) -> str:
    names = schema.keys(node) or (["name"] if "name" in entry else [])
    return ",".join(paths.quote(text(entry.get(name))) for name in names) or str(number)


def arranged(value: typing.Any, node: object) -> typing.Any:
    """The same in the order of the model, and of keys and values where their order does not count: the datastore
    returns it in another one each time."""
    if isinstance(value, dict):
        known = node if isinstance(node, dict) else {}
        place = {name: number for number, name in enumerate(schema.names(known))}
        return {name: arranged(value[name], known.get(plain(name)))
                for name in sorted(value, key=lambda name: (place.get(plain(name), len(place)), name))}
    if not isinstance(value, list):
        return value
    entries = [arranged(each, node) for each in value]
    if schema.is_ordered(node):
        return entries
    names = schema.keys(node)
    return sorted(entries, key=lambda each: [text(each.get(name)) for name in names] if isinstance(each, dict)
                  else [text(each)])


def plain(name: str) -> str:
    """A name without its module (RFC 7951, section 4)."""
    return name.rpartition(":")[2]


def text(value: object) -> str:
    """A value for people and for comparison: as RESTCONF takes it, identities of access lists without their module."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).removeprefix("ietf-access-control-list:")


def difference(stored: object, wanted: object, node: object, path: str = "") -> list[str]:
    """Lines with `-` for what is stored alone and `+` for what is wanted alone, and with `~` for another order."""
    return compared(lines(stored, node, path), lines(wanted, node, path)) + [
        f"~ {where}: order {' '.join(new)}, stored {' '.join(old)}"
        for where, old, new in _orders(stored, wanted, node, path)]


def compared(before: Sequence[Line], after: Sequence[Line]) -> list[str]:
    """Lines with `-` for what is before alone, and then with `+` for what is after alone."""
    had, has = set(before), set(after)
    return [f"- {_written(line)}" for line in before if line not in has] \
        + [f"+ {_written(line)}" for line in after if line not in had]


def _written(line: Line) -> str:
    return f"{line[0]}={line[1]}" if line[1] else line[0]


def _orders(stored: object, wanted: object, node: object, path: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Ordered lists that have the same entries in another order."""
    if not isinstance(stored, dict) or not isinstance(wanted, dict) or not isinstance(node, dict):
        return
    before = {plain(name): value for name, value in stored.items()}
    for name, value in wanted.items():
        below, old, where = node.get(plain(name)), before.get(plain(name)), f"{path}/{plain(name)}".removeprefix("/")
        if isinstance(value, list) and isinstance(old, list):
            was, now = _names(old, below), _names(value, below)
            if schema.is_ordered(below) and was != now and sorted(was) == sorted(now):
                yield where, was, now
            entries = dict(zip(was, old, strict=True))
            for key, each in zip(now, value, strict=True):
                yield from _orders(entries.get(key), each, below, f"{where}={key}")
        else:
            yield from _orders(old, value, below, where)


def _names(entries: list[typing.Any], node: object) -> list[str]:
    return [_key(each, node, number) if isinstance(each, dict) else text(each) for number, each in enumerate(entries)]
