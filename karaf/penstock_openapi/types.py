# SPDX-License-Identifier: Apache-2.0
"""YANG types as JSON Schema, in the encoding of RFC 7951: numbers of 64 bits and decimal numbers are strings."""

from __future__ import annotations

import typing
from collections.abc import Iterator

from . import model

Schema = dict[str, typing.Any]

_INTEGERS = {f"{sign}int{bits}": (-(1 << bits - 1), (1 << bits - 1) - 1) if not sign else (0, (1 << bits) - 1)
             for sign in ("", "u") for bits in (8, 16, 32)}
# JavaScript and Python have no classes of Unicode in common: a zone of an address, the one place of them, is ASCII.
_PORTABLE = (("[\\p{N}\\p{L}]", "[0-9A-Za-z]"),)


class Types:
    """Schemas of types. Each typedef has one definition, which others refer to."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def schema(self, kind: model.Statement) -> Schema:
        """The schema of a `type` statement."""
        if kind.arg == "union":
            members = [self.schema(each) for each in kind.search("type")]
            return members[0] if len(members) == 1 else {"anyOf": members}
        if kind.arg == "leafref":
            # The path leads to a leaf, whose type it is.
            return self.schema(_target(kind).search_one("type"))
        typedef = getattr(kind, "i_typedef", None)
        return _joined(_builtin(kind) if typedef is None else self._reference(typedef), _restrictions(kind))

    def _reference(self, typedef: model.Statement) -> Schema:
        """A reference to the definition of a typedef, which is made if it is not there."""
        name = f"{typedef.i_module.arg}.{typedef.arg}"
        if name not in self.definitions:
            self.definitions[name] = model.described(typedef) | self.schema(typedef.search_one("type"))
        return {"$ref": f"#/components/schemas/{name}"}


def _builtin(kind: model.Statement) -> Schema:
    name = kind.arg
    if name in _INTEGERS:
        least, most = _INTEGERS[name]
        return {"type": "integer", "minimum": least, "maximum": most}
    if name in {"int64", "uint64"}:
        return {"type": "string", "format": name, "pattern": "^[0-9]+$" if name == "uint64" else "^-?[0-9]+$"}
    if name == "enumeration":
        return {"type": "string", "enum": [each.arg for each in kind.search("enum")]}
    if name == "empty":
        return {"type": "array", "prefixItems": [{"type": "null"}], "minItems": 1, "maxItems": 1}
    fixed: dict[str, Schema] = {
        "boolean": {"type": "boolean"}, "binary": {"type": "string", "contentEncoding": "base64"},
        "decimal64": {"type": "string", "format": "decimal", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"},
        "identityref": {"type": "string"}, "string": {"type": "string"}}
    if name not in fixed:
        raise ValueError(f"{kind.pos}: the type {name} has no schema yet: add it to penstock_openapi/types.py")
    return fixed[name]


def _restrictions(kind: model.Statement) -> list[Schema]:
    found: list[Schema] = []
    for each in kind.search("pattern"):
        pattern = {"pattern": _anchored(each.arg)}
        found.append(pattern if each.search_one("modifier") is None else {"not": pattern})
    of_text, of_number = kind.search_one("length"), kind.search_one("range")
    if of_text is not None:
        found.append(_bounds(of_text.arg, "minLength", "maxLength"))
    # Numbers of 64 bits are text, of which a schema tells no range.
    if of_number is not None and _INTEGERS.keys() & set(_bases(kind)):
        found.append(_bounds(of_number.arg, "minimum", "maximum"))
    return found


def default(leaf: model.Statement) -> Schema:
    """The member `default` of the schema of a leaf; nothing if it has none."""
    text = model.text(leaf, "default")
    bases = list(_bases(leaf.search_one("type")))
    if not text:
        return {}
    if "boolean" in bases:
        return {"default": text == "true"}
    return {"default": int(text) if _INTEGERS.keys() & set(bases) and text.lstrip("-").isdecimal() else text}


def _bases(kind: model.Statement) -> Iterator[str]:
    """The names of the built-in types that a value may be of."""
    if kind.arg == "union":
        for each in kind.search("type"):
            yield from _bases(each)
    elif kind.arg == "leafref":
        yield from _bases(_target(kind).search_one("type"))
    elif getattr(kind, "i_typedef", None) is not None:
        yield from _bases(kind.i_typedef.search_one("type"))
    else:
        yield kind.arg


def _anchored(pattern: str) -> str:
    """A pattern of XML Schema, which always means the whole text, for JSON Schema."""
    for xml, portable in _PORTABLE:
        pattern = pattern.replace(xml, portable)
    return f"^(?:{pattern})$"


def _bounds(text: str, least: str, most: str) -> Schema:
    """A range or length, as `1..10 | 20`."""
    parts = []
    for part in text.replace(" ", "").split("|"):
        low, _, high = part.partition("..")
        bounds = {least: low, most: high or low}
        parts.append({name: int(value) for name, value in bounds.items() if value not in {"min", "max"}})
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _joined(base: Schema, restrictions: list[Schema]) -> Schema:
    """A schema for what fits all of these."""
    found, rest = dict(base), []
    for each in restrictions:
        narrower = {name for name in ("minimum", "maximum", "minLength", "maxLength") if name in each}
        if all(name in narrower or name not in found for name in each):
            found |= each
        else:
            rest.append(each)
    return found | ({"allOf": [*found.get("allOf", []), *rest]} if rest else {})


def _target(kind: model.Statement) -> model.Statement:
    found = kind.i_type_spec.i_target_node
    if found is None:
        raise ValueError(f"{kind.pos}: the leafref leads nowhere")
    return found
