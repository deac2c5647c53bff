# SPDX-License-Identifier: Apache-2.0
"""Orders and reports of functions, in the rows of the tables Interface and Bridge of the node's own database."""

import pathlib
import typing
from collections.abc import Iterable, Iterator, Mapping

import ovs.db.idl

from penstock_node.agent_database import Writer
from penstock_node.alive import Poller
from penstock_node.node_protocol import (
    BRIDGE,
    FUNCTION,
    FUNCTION_STATE,
    FUNCTIONS_FOUND,
    FUNCTIONS_PROTOCOL,
    NODE_FUNCTIONS,
    SIDE_INSIDE,
    VERSION,
)

_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
_SUFFIX = f"-{SIDE_INSIDE}"


class Database:
    """A live copy of the rows. Not for several threads."""

    def __init__(self, socket: pathlib.Path) -> None:
        helper = ovs.db.idl.SchemaHelper(_SCHEMA)
        helper.register_columns("Interface", ["name", "external_ids"])
        helper.register_columns("Bridge", ["name", "external_ids"])
        self._idl = ovs.db.idl.Idl(f"unix:{socket}", helper)
        self._writer = Writer(self._idl)

    def run(self) -> int | None:
        """Takes up what has come. Returns a number that changes with the content; None before there is any."""
        self._idl.run()
        return self._idl.change_seqno if self._idl.has_ever_connected() else None

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        self._idl.wait(poller)

    def names(self) -> set[str]:
        """Names of all instances that have ports."""
        return {name for name, _ in self._rows()}

    def orders(self) -> dict[str, str]:
        """The text of each order by name of the instance."""
        return {name: row.external_ids[FUNCTION] for name, row in self._rows() if FUNCTION in row.external_ids}

    def report(self, states: Mapping[str, str], found: Iterable[str], facts: str | None) -> bool:
        """Writes the states, texts by name of the instance, the names of found instances, what the node has, and the
        version of the protocol.

        Returns at once: True when all is so, else call again.
        """
        return self._writer.write(self._wanted(states, found, facts))

    def _wanted(self, states: Mapping[str, str], found: Iterable[str],
                facts: str | None) -> Iterator[tuple[typing.Any, dict[str, str], dict[str, str | None]]]:
        for name, row in self._rows():
            yield row, row.external_ids, {FUNCTION_STATE: states.get(name)}
        for row in self._idl.tables["Bridge"].rows.values():
            if row.name == BRIDGE:
                yield row, row.external_ids, {FUNCTIONS_FOUND: ",".join(sorted(found)) or None, NODE_FUNCTIONS: facts,
                                              FUNCTIONS_PROTOCOL: str(VERSION)}

    def _rows(self) -> Iterator[tuple[str, typing.Any]]:
        for row in self._idl.tables["Interface"].rows.values():
            if row.name.endswith(_SUFFIX):
                yield row.name.removesuffix(_SUFFIX), row
