# SPDX-License-Identifier: Apache-2.0
"""Documents with configuration, in JSON or YAML, and the entries in them.

A document is read as RESTCONF has it; yaml_texts.py says how YAML is.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import sys
import typing

from . import edits, flat, paths, schema
from .errors import WrongUsage
from .kinds import KINDS, Kind
from .paths import Step


@dataclasses.dataclass(frozen=True)
class Unit:
    """The smallest part of a document that is stored as a whole: an entry of a list, or a container with leaves."""
    tree: str
    steps: tuple[Step, ...]
    value: typing.Any
    origin: str = ""

    @property
    def where(self) -> str:
        """Its path, for people."""
        return paths.url(*self.steps)

    @property
    def node(self) -> typing.Any:
        """Its node of the model."""
        node = schema.trees()[self.tree]
        for step in self.steps:
            node = node[step.name]
        return node

    def edit(self) -> edits.Edit:
        """The edit that stores it in the place of what is there."""
        return edits.Edit("replace", self.tree, self.steps, self.value, self.origin)


def read(path: pathlib.Path) -> dict[str, typing.Any]:
    """The document in a file, - for standard input. Raises WrongUsage if it is none."""
    return parse(_text(path), path)


def parse(text: str, path: pathlib.Path) -> dict[str, typing.Any]:
    """The document in a text. path: its file, for errors."""
    if path.suffix == ".json" or text.lstrip().startswith("{"):
        try:
            content = json.loads(text, object_pairs_hook=_once)
        except ValueError as error:
            raise WrongUsage(f"{path}: is not JSON: {error}") from None
    else:
        from . import yaml_texts  # noqa: PLC0415  (most commands need no YAML, which takes a while to load)
        content = yaml_texts.read(text, path)
    if not isinstance(content, dict):
        raise WrongUsage(f"{path}: a document is an object, such as {{\"{schema.NETWORK}\": {{...}}}}")
    return content


def _text(path: pathlib.Path) -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8") if str(path) == "-" else path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise WrongUsage(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise WrongUsage(f"{path}: is not UTF-8") from None


def _once(pairs: list[tuple[str, typing.Any]]) -> dict[str, typing.Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ValueError(f"the member {twice} occurs twice")
    return found


def units(document: dict[str, typing.Any], origin: str = "") -> list[Unit]:
    """The units of a document. It has whole trees (penstock:network), or lists of one kind (penstock:tenant), as
    RESTCONF has them. Raises WrongUsage for another form."""
    found: list[Unit] = []
    trees = schema.trees()
    for name, value in document.items():
        kind = next((each for each in KINDS.values() if name == f"{each.module}:{each.name}"), None)
        if name in trees:
            found += _below(name, (), trees[name], edits.stripped(value), origin)
        elif kind:
            found += _entries(kind.tree, (), kind.name, kind.node, edits.stripped(value), origin)
        else:
            raise WrongUsage(f"{_from(origin)}there is no {name} in a document: use {', '.join(trees)}, or a list such "
                                "as penstock:tenant")
    seen: dict[tuple[str, tuple[Step, ...]], Unit] = {}
    for unit in found:
        if seen.setdefault((unit.tree, unit.steps), unit) is not unit:
            raise WrongUsage(f"{_from(origin)}{unit.where} occurs twice")
    return found


def _below(tree: str, steps: tuple[Step, ...], node: schema.Node, value: typing.Any, origin: str) -> list[Unit]:
    """Units of a container: what has leaves of its own is one."""
    where = paths.url(*steps) or tree
    if not isinstance(value, dict):
        raise WrongUsage(f"{_from(origin)}{where} is a container, and has to be an object")
    if any(not isinstance(node.get(name), dict) for name in value):
        if steps:
            return [Unit(tree, steps, value, origin)]
        unknown = next(name for name in value if not isinstance(node.get(name), dict))
        raise WrongUsage(f"{_from(origin)}{where} has no {unknown}; there is {', '.join(schema.names(node))}")
    found: list[Unit] = []
    for name, each in value.items():
        below = node[name]
        found += (_entries(tree, steps, name, below, each, origin) if schema.is_list(below)
                  else _below(tree, (*steps, Step(name)), below, each, origin))
    return found


def _entries(tree: str, steps: tuple[Step, ...], name: str, node: schema.Node, value: typing.Any,
             origin: str) -> list[Unit]:
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise WrongUsage(f"{_from(origin)}{name} is a list of entries, in brackets or with dashes")
    found = []
    for number, entry in enumerate(value, 1):
        keys = tuple(flat.text(entry.get(key)) for key in schema.keys(node))
        if not all(keys):
            raise WrongUsage(f"{_from(origin)}entry {number} of {name} has no {', '.join(schema.keys(node))}")
        found.append(Unit(tree, (*steps, Step(name, keys)), entry, origin))
    return found


def entry(kind: Kind, name: str, path: pathlib.Path) -> edits.Entry:
    """The one entry of a kind in a file, by itself or in a document. Raises WrongUsage unless its name is this one."""
    document = read(path)
    if any(":" in each for each in document):
        found = [unit.value for unit in units(document) if unit.tree == kind.tree and unit.steps[0].name == kind.name]
        if len(found) != 1:
            raise WrongUsage(f"{path}: has {len(found)} entries of {kind.name}, and has to have one; "
                                "./penstock import takes documents with several")
        content: edits.Entry = found[0]
    else:
        shown = document.get("config")  # Of `show --json`.
        content = {"name": name} | edits.stripped(shown if isinstance(shown, dict) else document)
    if flat.text(content["name"]) != name:
        raise WrongUsage(f"{path}: is the {kind.name} {flat.text(content['name'])}, and not {name}")
    return content


def _from(origin: str) -> str:
    return f"{origin}: " if origin else ""
