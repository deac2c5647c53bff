# SPDX-License-Identifier: Apache-2.0
"""What the controller orders for one instance, read and checked."""

import dataclasses
import json
import pathlib
import re

from penstock_base.errors import PenstockError
from penstock_node.profile import online_cores

from . import catalogue
from .instance import NAME, NAME_RULE

_FUNCTION = re.compile(r"[a-z][a-z0-9-]{0,15}")
_SCHEDULING = ("idle", "low", "normal")
_FIELDS = ("function", "core", "scheduling")


class OrderError(Exception):
    """An order that cannot be carried out; the text starts with the field."""


@dataclasses.dataclass(frozen=True)
class Order:
    """function is a name of the catalogue; core and scheduling are None where its description decides."""
    function: str
    core: int | None
    scheduling: str | None


def parse(name: str, text: str, directory: pathlib.Path) -> Order:
    """The order for instance `name`. directory: of the catalogue. Raises OrderError."""
    if not NAME.fullmatch(name):
        raise OrderError(f"name: {name} is none; {NAME_RULE}")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise OrderError(f"order: is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise OrderError("order: is not a JSON object")
    for field in content:
        if field not in _FIELDS:
            raise OrderError(f"{field}: is no field of an order; it has {', '.join(_FIELDS)}")
    return Order(_function(content.get("function"), directory), _core(content.get("core")),
                 _scheduling(content.get("scheduling")))


def _function(value: object, directory: pathlib.Path) -> str:
    if value is None:
        raise OrderError("function: is missing; write the name of an entry of the catalogue")
    if not isinstance(value, str) or not _FUNCTION.fullmatch(value):
        raise OrderError(f"function: {json.dumps(value)} is no name of a function")
    try:
        return catalogue.find(value, directory).name
    except PenstockError as error:
        raise OrderError(f"function: {error}") from None


def _core(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise OrderError(f"core: {json.dumps(value)} is not the number of a core")
    if value not in online_cores():
        cores = ", ".join(map(str, sorted(online_cores())))
        raise OrderError(f"core: this machine has no core {value}; it has {cores}")
    return value


def _scheduling(value: object) -> str | None:
    if value is None:
        return None
    if value not in _SCHEDULING:
        raise OrderError(f"scheduling: {json.dumps(value)} is none of {', '.join(_SCHEDULING)}")
    return str(value)
