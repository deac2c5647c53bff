# SPDX-License-Identifier: Apache-2.0
"""Data nodes as JSON Schema. Each container and list entry of a tree has a definition that is named after its path."""

from __future__ import annotations

import itertools
import typing

from penstock_client import schema

from . import model
from .types import Schema, Types, default

PART = ".part"
"""The end of the name of a definition for a part of an entry: all but its keys may be left out, at any depth."""


class Schemas:
    """Makes definitions as they are asked for."""

    def __init__(self) -> None:
        self._types = Types()
        self._trees: dict[str, Schema] = {}
        self.parameters: dict[str, Schema] = {}
        """Parameters for keys, by the place of their list."""

    @property
    def definitions(self) -> dict[str, Schema]:
        """All that were made, by their names."""
        return dict(sorted((self._types.definitions | self._trees).items()))

    def tree(self, node: model.Statement, known: schema.Node | None, path: str, is_part: bool = False) -> Schema:
        """A reference to the definition of a container, or of an entry of a list.

        path: the names from the top, with dots between them
        """
        name = path + (PART if is_part else "")
        if name not in self._trees:
            self._trees[name] = {}  # A name that is taken: the definitions below come first.
            self._trees[name] = self.object(node, known, path, is_part)
        return {"$ref": f"#/components/schemas/{name}"}

    def object(self, node: model.Statement, known: schema.Node | None = None, path: str = "",
               is_part: bool = False) -> Schema:
        """The schema of a container, an entry of a list, or what an RPC takes or gives.

        path: of the definitions of what is in it; without one they stand in place
        """
        members = {model.name(child): self._child(child, below, path, is_part)
                   for child, below in model.children(node, known)}
        found: Schema = model.described(node) | {
            "type": "object", "additionalProperties": False, "properties": members}
        needed = [model.name(child) for child, below in model.children(node, known)
                  if child.arg in model.keys(node) or (not is_part and _is_needed(child, below))]
        if needed:
            found["required"] = needed
        exclusive = [{"not": {"required": [one, other]}} for one, other in _exclusive(node)]
        return found | ({"allOf": exclusive} if exclusive else {})

    def key(self, leaf: model.Statement) -> Schema:
        """The schema of a key in a path."""
        return self._types.schema(leaf.search_one("type"))

    def member(self, node: model.Statement, known: schema.Node | None, path: str, is_part: bool = False) -> Schema:
        """What stands behind the name of a data node in a document: an entry is in a list with nothing else."""
        entry = self.tree(node, known, path, is_part)
        return {"type": "array", "items": entry, "minItems": 1, "maxItems": 1} if node.keyword == "list" else entry

    def _child(self, node: model.Statement, known: schema.Node | None, path: str, is_part: bool) -> Schema:
        if node.keyword in {"leaf", "leaf-list"}:
            value = self._types.schema(node.search_one("type"))
            if node.keyword == "leaf":
                return model.described(node) | value | default(node)
            # Of the state values may occur twice (RFC 7950, 7.7).
            unique = {"uniqueItems": True} if model.is_config(node) else {}
            return model.described(node) | {"type": "array", "items": value} | unique | _counts(node, is_part)
        below = f"{path}.{node.arg}" if path else ""
        value = self.tree(node, known, below, is_part) if path else self.object(node, known, "", is_part)
        return {"type": "array", "items": value} | _counts(node, is_part) if node.keyword == "list" else value


def differs(node: model.Statement, known: schema.Node | None) -> bool:
    """Whether a part of a node has another schema: whether anything in it is needed but keys."""
    return any((child.arg not in model.keys(node) and _is_needed(child, below))
               or (child.keyword in {"container", "list"} and differs(child, below))
               for child, below in model.children(node, known))


def _is_needed(node: model.Statement, known: schema.Node | None) -> bool:
    """Whether the node above cannot be without it: also a container that is always there and has such a node."""
    if node.parent.keyword in {"choice", "case"} or node.search_one("when") is not None:
        return False  # It depends on what else is there.
    if node.keyword == "container":
        return node.search_one("presence") is None and any(
            _is_needed(child, below) for child, below in model.children(node, known))
    return model.text(node, "mandatory") == "true" or model.text(node, "min-elements") not in {"", "0"}


def _counts(node: model.Statement, is_part: bool) -> Schema:
    counts = {"minItems": "" if is_part else model.text(node, "min-elements"),
              "maxItems": model.text(node, "max-elements").removeprefix("unbounded")}
    return {name: int(value) for name, value in counts.items() if value}


def _exclusive(node: model.Statement) -> typing.Iterator[tuple[str, str]]:
    """Pairs of members that are of different cases of a choice."""
    for choice in node.i_children:
        if choice.keyword == "choice":
            cases = [[model.name(child) for child, _ in model.children(case)] for case in choice.i_children]
            for one, other in itertools.combinations(cases, 2):
                yield from itertools.product(one, other)
