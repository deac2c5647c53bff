# SPDX-License-Identifier: Apache-2.0
"""The names of the model: which node is a list with which keys, a container, or a leaf.

model.json is made of penstock.yang by docs/tests/schema.py, and a test compares them. In it a container is an object of
its nodes, with `!` if it means something when it is empty; a list too, with its keys in `=`, and with `<` if its order
counts; a leaf is `leaf`, a leaf-list `values`,
or `ordered` if its order counts. Types are the controller's to check: it takes numbers and booleans as text, too.
"""

from __future__ import annotations

import functools
import json
import pathlib
import typing

Node = dict[str, typing.Any]

NETWORK = "penstock:network"
ACLS = "ietf-access-control-list:acls"

_PORTS: Node = dict.fromkeys(("lower-port", "upper-port", "operator", "port"), "leaf")
_LAYER_4: Node = {"source-port": _PORTS, "destination-port": _PORTS}
_MATCHES: Node = {
    "ipv4": dict.fromkeys(("source-ipv4-network", "destination-ipv4-network", "protocol"), "leaf"),
    "ipv6": dict.fromkeys(("source-ipv6-network", "destination-ipv6-network", "protocol"), "leaf"),
    "tcp": _LAYER_4, "udp": _LAYER_4, "icmp": {"type": "leaf", "code": "leaf"}}
_ACLS: Node = {"acl": {"=": ["name"], "name": "leaf", "type": "leaf", "aces": {"ace": {
    "=": ["name"], "<": True, "name": "leaf", "matches": _MATCHES, "actions": {"forwarding": "leaf"}}}}}
"""The part of RFC 8519 that the controller supports: docs/model.md."""


@functools.cache
def trees() -> dict[str, Node]:
    """The two trees of the configuration, by the names of their roots."""
    network = json.loads(pathlib.Path(__file__).with_name("model.json").read_text(encoding="utf-8"))
    return {NETWORK: network, ACLS: _ACLS}


def keys(node: object) -> list[str]:
    """The names of a list's keys; empty for what is no list."""
    return list(node.get("=", ())) if isinstance(node, dict) else []


def is_list(node: object) -> bool:
    """Whether it is a list with keys."""
    return isinstance(node, dict) and "=" in node


def is_container(node: object) -> bool:
    """Whether it is a container."""
    return isinstance(node, dict) and "=" not in node


def is_meant(node: object) -> bool:
    """Whether it counts when nothing is in it: entries of lists do, most containers do not."""
    return not isinstance(node, dict) or bool({"=", "!"} & node.keys())


def is_values(node: object) -> bool:
    """Whether it is a leaf-list."""
    return node in {"values", "ordered"} if isinstance(node, str) else False


def is_ordered(node: object) -> bool:
    """Whether the order of its entries or values counts."""
    return node == "ordered" or (isinstance(node, dict) and bool(node.get("<")))


def names(node: Node) -> list[str]:
    """The names of the nodes in a container or list."""
    return [name for name in node if name not in {"=", "<", "!"}]
