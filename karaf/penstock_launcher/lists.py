# SPDX-License-Identifier: Apache-2.0
"""What an operator lists of a running edge: each list is one RPC, its rows, and the columns that people see."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping

from penstock_client.client import Caller

from . import tables

Row = dict[str, typing.Any]


@dataclasses.dataclass(frozen=True)
class Listing:
    """An RPC of penstock-operations that returns a list.

    columns: leaves of its entries, by the headings that people see
    counters: leaves that are numbers too large for JSON, and so are text there (RFC 7951)
    """
    rpc: str
    entry: str
    columns: Mapping[str, str]
    counters: tuple[str, ...] = ()

    def ask(self, restconf: Caller, **given: object) -> list[Row]:
        """The entries, with every column there; what is None is not asked for."""
        output = restconf.call(f"penstock-operations:{self.rpc}", {
            name.replace("_", "-"): value for name, value in given.items() if value is not None})
        return [{leaf: int(entry[leaf]) if leaf in self.counters and leaf in entry else entry.get(leaf)
                 for leaf in self.columns.values()} for entry in output.get(self.entry, [])]

    def render(self, rows: list[Row]) -> str:
        """A table."""
        return tables.table(tuple(self.columns), [[_cell(row[leaf]) for leaf in self.columns.values()]
                                                  for row in rows])


HOSTS = Listing("learned-hosts", "host", {
    "node": "node", "attachment": "attachment", "mac": "mac", "addresses": "address", "learned, s ago": "age"})
LEASES = Listing("leases", "lease", {
    "tenant": "tenant", "address": "address", "state": "state", "mac": "mac", "attachment": "attachment",
    "host name": "host-name", "ends": "expires"})
LIMITS = Listing("limits", "limit", {
    "node": "node", "tenant": "tenant", "limit": "meter", "rate": "rate", "unit": "unit", "passed": "passed-packets",
    "dropped": "dropped-packets"}, ("passed-packets", "dropped-packets"))
DROPS = Listing("flows", "flow", {
    "node": "node", "table": "table", "reason": "label", "packets": "packets", "bytes": "bytes",
    "last dropped": "last-dropped"}, ("packets", "bytes"))
INTERFACES = Listing("port-statistics", "port", {
    "port": "name", "link": "up", "received": "rx-packets", "sent": "tx-packets", "not received": "rx-dropped",
    "not sent": "tx-dropped", "error": "error"}, ("rx-packets", "tx-packets", "rx-dropped", "tx-dropped"))


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "up" if value else "down"
    if isinstance(value, dict):  # A packet.
        return f"{value['time']} {value['text']}"
    return " ".join(map(str, value)) if isinstance(value, list) else value
