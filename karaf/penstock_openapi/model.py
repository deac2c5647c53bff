# SPDX-License-Identifier: Apache-2.0
"""The YANG modules as pyang reads them: types and groupings resolved, imports found."""

from __future__ import annotations

import os
import pathlib
import typing
from collections.abc import Iterator, Sequence

import pyang.context
import pyang.error
import pyang.repository

from penstock_client import schema

Statement = typing.Any
"""A statement of pyang: `keyword`, `arg`, `i_children`, `search_one`."""

_MODULES = ("penstock", "penstock-state", "penstock-operations", "penstock-access", "ietf-access-control-list")
_DATA = {"container", "list", "leaf", "leaf-list"}


class Model:
    """What RESTCONF shows of the modules."""

    def __init__(self, modules: dict[str, Statement]) -> None:
        self._modules = modules

    def roots(self) -> list[Statement]:
        """The containers at the top that clients read and change. Accounts have RPCs alone."""
        return [child for name, module in self._modules.items() if name != "penstock-access"
                for child in module.i_children if child.keyword == "container"]

    def rpcs(self) -> list[Statement]:
        """All RPCs."""
        return self._of_kind("rpc")

    def notifications(self) -> list[Statement]:
        """All notifications."""
        return self._of_kind("notification")

    def _of_kind(self, keyword: str) -> list[Statement]:
        return [child for module in self._modules.values() for child in module.i_children if child.keyword == keyword]


def read(directories: Sequence[str]) -> Model:
    """The modules of these directories. Raises ValueError if pyang finds a fault in them."""
    context = pyang.context.Context(pyang.repository.FileRepository(os.pathsep.join(directories), use_env=False))
    paths = {path.name.partition("@")[0].removesuffix(".yang"): path
             for directory in directories for path in sorted(pathlib.Path(directory).glob("*.yang"))}
    modules = {name: context.add_module(str(paths[name]), paths[name].read_text(encoding="utf-8"))
               for name in _MODULES}
    context.validate()
    faults = [f"{place}: {pyang.error.err_to_str(tag, arguments)}" for place, tag, arguments in context.errors
              if pyang.error.is_error(pyang.error.err_level(tag))]
    if faults or None in modules.values():
        raise ValueError("\n".join(faults) or "a module cannot be read")
    return Model(modules)


def children(node: Statement, known: schema.Node | None = None) -> Iterator[tuple[Statement, schema.Node | None]]:
    """The data nodes in a node, those of choices too.

    known: the part of the node that the controller supports, where that is not all of it; of the child likewise
    """
    for child in node.i_children:
        if child.keyword in {"choice", "case"}:
            yield from children(child, known)
        elif child.keyword in _DATA and (known is None or child.arg in known):
            yield child, None if known is None else typing.cast(schema.Node, known[child.arg])


def supported(root: Statement) -> schema.Node | None:
    """The part of a tree that the controller supports; None for all of it."""
    name = f"{root.i_module.arg}:{root.arg}"
    return schema.trees()[name] if name == schema.ACLS else None


def name(node: Statement) -> str:
    """The name of a node as a member: with its module where that is not the module of the node above (RFC 7951, 4)."""
    above = node.parent
    while above.keyword in {"choice", "case"}:
        above = above.parent
    return full_name(node) if above.keyword == "module" or _module(above) != _module(node) else str(node.arg)


def full_name(node: Statement) -> str:
    """The name of a node with its module."""
    return f"{_module(node)}:{node.arg}"


def keys(node: Statement) -> list[str]:
    """The names of the keys of a list."""
    key = node.search_one("key")
    return key.arg.split() if key is not None else []


def is_config(node: Statement) -> bool:
    """Whether a node is configuration."""
    return bool(getattr(node, "i_config", False))


def described(node: Statement) -> dict[str, typing.Any]:
    """The member `description` of a schema; nothing if the node has none."""
    words = text(node, "description")
    units = text(node, "units")
    return {"description": words + (f" Unit: {units}." if units else "")} if words else {}


def text(node: Statement, keyword: str) -> str:
    """The argument of a substatement in one line; empty if there is none."""
    found = node.search_one(keyword)
    return " ".join(found.arg.split()) if found is not None else ""


def _module(node: Statement) -> str:
    return str(node.i_module.arg)
