# SPDX-License-Identifier: Apache-2.0
"""YAML whose scalars are text, whatever they look like: a MAC address is no number and `no` is no boolean. The
controller knows the types."""

from __future__ import annotations

import pathlib
import typing
from collections.abc import Hashable

import yaml

from .errors import WrongUsage


def read(text: str, path: pathlib.Path) -> typing.Any:
    """The content of a text. path: its file, for errors. Raises WrongUsage."""
    try:
        return yaml.load(text, Loader=_TextLoader)  # noqa: S506  (a safe loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise WrongUsage(f"{path}: is not YAML: {error}") from None


class _TextLoader(yaml.BaseLoader):
    """Takes no name twice: the last one would win."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, typing.Any]:
        seen = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or key_node.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"the field {key_node.value} occurs twice or is no "
                                                        "name", key_node.start_mark)
            seen.add(key_node.value)
        return super().construct_mapping(node, deep)
