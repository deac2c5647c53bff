# SPDX-License-Identifier: Apache-2.0
"""Reads YAML files and checks them against a JSON Schema, with errors that name the field and what to write there."""

from __future__ import annotations

import difflib
import ipaddress
import json
import pathlib
import typing
from collections.abc import Iterable, Iterator

import yaml

from .errors import ProfileError

if typing.TYPE_CHECKING:
    import jsonschema


class _StrictLoader(yaml.SafeLoader):
    """YAML without the trap that the last of two equal keys wins."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[typing.Any, typing.Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=deep)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the field {key} occurs twice",
                                                        key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: pathlib.Path | str) -> dict[str, typing.Any]:
    """The content of a YAML file. Raises ProfileError if it cannot be read as one mapping."""
    path = pathlib.Path(path)
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_StrictLoader)  # noqa: S506  (a safe loader)
    except OSError as error:
        raise ProfileError([f"cannot be read: {error.strerror}"], path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ProfileError([f"is not YAML: {error}"], path) from None
    if not isinstance(content, dict):
        raise ProfileError(["must be a mapping of fields to values"], path)
    return content


def problems(content: object, schema_path: pathlib.Path | str) -> list[str]:
    """What is wrong with `content`: a list of sentences that start with the field, empty if nothing is."""
    schema = json.loads(pathlib.Path(schema_path).read_text(encoding="utf-8"))
    found = sorted(_validator(schema).iter_errors(content),
                   key=lambda error: [str(part) for part in error.absolute_path])
    return [sentence for error in found for sentence in _sentences(error)]


def _validator(schema: dict[str, typing.Any]) -> jsonschema.Draft7Validator:
    import jsonschema  # noqa: PLC0415  (a third of the start of a command that checks no document)
    formats = jsonschema.FormatChecker(formats=())
    formats.checks("ipv4", raises=ValueError)(_is_ipv4)
    return jsonschema.Draft7Validator(schema, format_checker=formats)


def _is_ipv4(value: object) -> bool:
    return not isinstance(value, str) or bool(ipaddress.IPv4Address(value))


def _sentences(error: jsonschema.ValidationError) -> Iterator[str]:
    field = _field(error.absolute_path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema["properties"])
        for name in sorted(set(error.instance) - set(known), key=str):
            near = difflib.get_close_matches(str(name), known, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            yield f"{_join(field, name)}: unknown field; {hint}"
    elif error.validator == "required":
        for name in sorted(set(error.validator_value) - set(error.instance)):
            described = error.schema["properties"].get(name, {}).get("description", "")
            sentence = f"{_join(field, name)}: is missing; give the {described}".rstrip()
            # The validator reports each missing field by itself: answer for this one only.
            if f"'{name}'" in error.message:
                yield sentence
    else:
        described = error.schema.get("description") or (error.parent.schema if error.parent else {}).get("description")
        wanted = f"; wanted: {described}" if described else f" ({error.message})"
        yield f"{field or 'document'}: {json.dumps(error.instance)} is not valid{wanted}"


def _field(path: Iterable[int | str]) -> str:
    text = ""
    for part in path:
        text = f"{text}[{part}]" if isinstance(part, int) else _join(text, part)
    return text


def _join(parent: str, name: object) -> str:
    return f"{parent}.{name}" if parent else str(name)
