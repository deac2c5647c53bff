# SPDX-License-Identifier: Apache-2.0
"""The kinds of objects: lists of the model whose entries have a name."""

from __future__ import annotations

import dataclasses

from . import schema
from .errors import WrongUsage


@dataclasses.dataclass(frozen=True)
class Kind:
    """A list of the model.

    name: of the list, and of its node in the model
    tree: the root that it is in, such as penstock:network
    has_state: whether penstock-state:state has a list of the same name
    good: values of the leaf `status` of the state that are all right; empty where the state has no such leaf
    """
    name: str
    tree: str
    has_state: bool = False
    good: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The YANG module."""
        return self.tree.partition(":")[0]

    @property
    def node(self) -> schema.Node:
        """What an entry has."""
        node: schema.Node = schema.trees()[self.tree][self.name]
        return node


KINDS = {kind.name: kind for kind in (
    Kind("tenant", schema.NETWORK, True, ("active",)), Kind("acl", schema.ACLS), Kind("pool", schema.NETWORK, True),
    Kind("function", schema.NETWORK, True, ("up",)), Kind("chain", schema.NETWORK),
    Kind("node", schema.NETWORK, True))}


def kind(name: str) -> Kind:
    """A kind by its name. Raises PenstockError."""
    try:
        return KINDS[name]
    except KeyError:
        raise WrongUsage(f"there is no kind of object {name}: use {', '.join(KINDS)}") from None
