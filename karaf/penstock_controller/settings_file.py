# SPDX-License-Identifier: Apache-2.0
"""The settings file of a controller: read, checked, made into Settings. controller.yaml explains each field."""

from __future__ import annotations

import dataclasses
import pathlib
import typing
from collections.abc import Iterator, Mapping

from penstock_base import documents
from penstock_base.errors import ProfileError

from .settings import Member, Ports, Settings, Tls

__all__ = ["SCHEMA", "ProfileError", "load", "parse"]

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "controller.schema.json"

_SETTINGS = {"southbound.address": "listen_address", "northbound.address": "northbound_address", "member": "member",
             "members": "members", "nodes": "nodes", "heap": "heap", "flow-check-seconds": "flow_check_seconds",
             "metrics-tenants": "metrics_tenants",
             "exporters.nat-syslog": "nat_syslog", "exporters.nat-ipfix": "nat_ipfix",
             "exporters.event-syslog": "event_syslog"}
"""The field of the file, and that of Settings."""
_PORTS = {"southbound.openflow-port": "openflow", "southbound.ovsdb-port": "ovsdb",
          "northbound.restconf-port": "restconf", "northbound.console-port": "ssh", "cluster-port": "cluster"}
_TLS = {f"tls.{field.name}": field.name for field in dataclasses.fields(Tls)}


def load(path: pathlib.Path | str) -> Settings:
    """Reads and checks a file. Raises ProfileError with everything that is wrong with its text."""
    try:
        return parse(documents.read_yaml(path))
    except ProfileError as error:
        raise error if error.args[0].startswith(str(path)) else ProfileError(error.problems, path) from None


def parse(content: Mapping[str, typing.Any]) -> Settings:
    """Makes Settings of the mapping that a file holds; what it leaves out has its default."""
    wrong = documents.problems(content, SCHEMA)
    if wrong:
        raise ProfileError(wrong)
    given = dict(_fields(content))
    ports = {_PORTS[field]: value for field, value in given.items() if field in _PORTS}
    values = {_SETTINGS[field]: value for field, value in given.items() if field in _SETTINGS}
    if isinstance(values.get("nat_ipfix"), list):
        values["nat_ipfix"] = ",".join(values["nat_ipfix"])
    if "members" in values:
        values["members"] = tuple(Member(**member) for member in values["members"])
    tls = {_TLS[field]: value for field, value in given.items() if field in _TLS}
    try:
        values |= {"tls": Tls(**tls)} if tls else {}
        return Settings(ports=Ports(**ports), **values)
    except ValueError as error:
        raise ProfileError([str(error)]) from None


def _fields(content: Mapping[str, typing.Any], above: str = "") -> Iterator[tuple[str, typing.Any]]:
    """Each field with a value of its own, by its path."""
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from _fields(value, f"{above}{name}.")
        else:
            yield above + name, value
