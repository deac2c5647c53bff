# SPDX-License-Identifier: Apache-2.0
"""The document: a path for each container and entry of a list (RFC 8040), each RPC, YANG Patch and the events."""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator

from penstock_client import schema

from . import fixed, model
from .fixed import Item
from .schemas import Schemas, differs


def text(models: model.Model, version: str) -> str:
    """The content of docs/openapi.json. version: of Penstock"""
    schemas = Schemas()
    paths: dict[str, Item] = {}
    for root in models.roots():
        known = model.supported(root)
        paths |= dict(_items(schemas, root, known, f"/rests/data/{model.full_name(root)}", [], ""))
    paths["/rests/data"] = {"patch": fixed.yang_patch()}
    for rpc in models.rpcs():
        paths[f"/rests/operations/{model.full_name(rpc)}"] = {"post": _rpc(schemas, rpc)}
    paths["/penstock/events"] = {"get": fixed.events({
        model.full_name(each): schemas.object(each) for each in models.notifications()})}
    whole = fixed.head(version) | {"paths": dict(sorted(paths.items())), "components": fixed.components()}
    whole["components"]["schemas"] |= schemas.definitions
    whole["components"]["parameters"] |= dict(sorted(schemas.parameters.items()))
    return _written(whole)


def _written(whole: Item) -> str:
    """As JSON with a line for each path and definition, so that differences can be reviewed."""
    def lines(value: typing.Any, depth: int) -> str:
        if depth and isinstance(value, dict) and value:
            members = (f"{json.dumps(name)}:{lines(each, depth - 1)}" for name, each in value.items())
            return "{\n" + ",\n".join(members) + "\n}"
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return ("{\n" + ",\n".join(f"{json.dumps(name)}:{lines(each, {'paths': 1, 'components': 2}.get(name, 0))}"
                               for name, each in whole.items()) + "\n}\n")


def _items(schemas: Schemas, node: model.Statement, known: schema.Node | None, path: str,
           parameters: list[Item], above: str) -> Iterator[tuple[str, Item]]:
    """The path of a node, and those of all containers and lists in it."""
    place = f"{above}.{node.arg}" if above else f"{node.i_module.arg}.{node.arg}"
    keys = model.keys(node)
    if keys:
        # A path may have several lists with a key of the same name.
        taken = {each["$ref"].rpartition(".")[2] for each in parameters}
        names = [key if key not in taken else f"{node.arg}-{key}" for key in keys]
        path += "=" + ",".join(f"{{{name}}}" for name in names)
        leaves = {child.arg: child for child, _ in model.children(node, known)}
        for name, key in zip(names, keys, strict=True):
            schemas.parameters[f"{place}.{name}"] = fixed.key(name, schemas.key(leaves[key]))
        parameters = parameters + [{"$ref": f"#/components/parameters/{place}.{name}"} for name in names]
    yield path, _item(schemas, node, known, place) | ({"parameters": parameters} if parameters else {})
    for child, below in model.children(node, known):
        if child.keyword in {"container", "list"} and (child.keyword == "container" or model.keys(child)):
            yield from _items(schemas, child, below, f"{path}/{model.name(child)}", parameters, place)


def _item(schemas: Schemas, node: model.Statement, known: schema.Node | None, place: str) -> Item:
    """The operations on a node."""
    name = model.full_name(node)
    tag, identifier = place.partition(".")[0], place.replace(".", "-")
    whole = fixed.document(name, schemas.member(node, known, place))
    found: Item = {"get": fixed.read(identifier, tag, whole)}
    if not model.is_config(node):
        return found
    part = fixed.document(name, schemas.member(node, known, place, is_part=differs(node, known)))
    found |= {"put": fixed.change("put", identifier, tag, whole), "patch": fixed.change("patch", identifier, tag, part),
              "delete": fixed.change("delete", identifier, tag)}
    children = [fixed.document(model.full_name(child), schemas.member(child, below, f"{place}.{child.arg}"))
                for child, below in model.children(node, known) if child.keyword in {"container", "list"}]
    if children:
        found["post"] = fixed.change("post", identifier, tag,
                                     children[0] if len(children) == 1 else {"oneOf": children})
    return found


def _rpc(schemas: Schemas, rpc: model.Statement) -> Item:
    module, below = rpc.i_module.arg, {child.keyword: child for child in rpc.i_children}

    def member(keyword: str) -> Item | None:
        node = below.get(keyword)
        if node is None or not node.i_children:
            return None
        return fixed.document(f"{module}:{keyword}", schemas.object(node))
    return fixed.call(f"{module}-{rpc.arg}", module, model.text(rpc, "description"), member("input"),
                      member("output"))
