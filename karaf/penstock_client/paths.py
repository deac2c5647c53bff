# SPDX-License-Identifier: Apache-2.0
"""Paths in an entry, as people write them: attachment=office/vlan=200.

The form is that of RESTCONF: names with slashes between them, and behind the name of a list its keys, with a comma
between several ones. A slash, comma, equals or percent sign in a key is percent-encoded. The text behind the equals
sign of a leaf is its value, as it stands.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import typing
import urllib.parse

from . import schema
from .errors import WrongUsage

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


@dataclasses.dataclass(frozen=True)
class Step:
    """One name of a path; keys are those of an entry of a list."""
    name: str
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name + ("=" + ",".join(quote(key) for key in self.keys) if self.keys else "")


@dataclasses.dataclass(frozen=True)
class Place:
    """A path with the node of the model that it leads to, and the value behind it, None without one."""
    steps: tuple[Step, ...]
    node: typing.Any
    value: str | None = None


def quote(key: str) -> str:
    """A key as a URL has it."""
    return urllib.parse.quote(key, safe="", errors="surrogateescape")


def url(*steps: Step) -> str:
    """The path as RESTCONF has it, without a slash in front."""
    return "/".join(map(str, steps))


def parse(text: str, root: schema.Node, what: str) -> Place:
    """Reads a path with or without a value.

    root: the node that the path begins in
    what: its name, for errors
    """
    node, rest = root, text
    steps: list[Step] = []
    where = what
    while True:
        match = _NAME.match(rest)
        name = match[0] if match else ""
        if name not in schema.names(node):
            raise WrongUsage(_unknown(text, name or rest, node, where))
        below, rest, where = node[name], rest[len(name):], name
        if schema.is_list(below):
            keys, rest = _keys(text, name, below, rest)
            steps.append(Step(name, keys))
        else:
            steps.append(Step(name))
        if not isinstance(below, dict):
            return _leaf(text, tuple(steps), below, rest)
        if not rest:
            return Place(tuple(steps), below)
        if rest[0] != "/":
            raise WrongUsage(f"{text}: {name} is a container and has no value; name a leaf in it, as {name}/"
                                f"{schema.names(below)[0]}=VALUE")
        node, rest = below, rest[1:]


def _leaf(text: str, steps: tuple[Step, ...], node: typing.Any, rest: str) -> Place:
    if rest and rest[0] != "=":
        raise WrongUsage(f"{text}: {steps[-1].name} is a leaf and has nothing below it; write {steps[-1].name}=VALUE")
    return Place(steps, node, rest[1:] if rest else None)


def _keys(text: str, name: str, node: schema.Node, rest: str) -> tuple[tuple[str, ...], str]:
    names = schema.keys(node)
    if not rest.startswith("="):
        raise WrongUsage(f"{text}: {name} is a list; name the entry, as {name}={','.join(names).upper()}")
    given, slash, rest = rest[1:].partition("/")
    keys = tuple(urllib.parse.unquote(key, errors="surrogateescape") for key in given.split(","))
    if len(keys) != len(names) or not all(keys):
        raise WrongUsage(f"{text}: an entry of {name} has the keys {', '.join(names)}; write a comma between them, and "
                            "%2C and %2F for a comma and a slash in one")
    if len(names) == 1 and names[0] == "prefix" and "/" not in keys[0]:
        raise WrongUsage(f"{text}: write the slash of the prefix as %2F, as {name}=10.0.0.0%2F24")
    return keys, slash + rest


def _unknown(text: str, name: str, node: schema.Node, where: str) -> str:
    known = schema.names(node)
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(known)}"
    return f"{text}: {where} has no {name}; {hint}"
