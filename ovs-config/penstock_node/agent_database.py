# SPDX-License-Identifier: Apache-2.0
"""Orders and reports in the node's own database: of tenants in the rows of CT_Zone, of traces in that of the bridge."""

import dataclasses
import itertools
import pathlib
import typing
import uuid
from collections.abc import Iterable, Mapping

import ovs.db.idl

from .alive import Poller
from .node_protocol import BRIDGE, DATAPATH, DNS, PROTOCOL, SESSIONS, VERSION

_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
_BUSY = (ovs.db.idl.Transaction.INCOMPLETE,)
_DONE = (ovs.db.idl.Transaction.SUCCESS, ovs.db.idl.Transaction.UNCHANGED)


@dataclasses.dataclass(frozen=True)
class TenantOrders:
    """What the controller ordered for one tenant, as text; None for what it did not order."""
    sessions: str | None
    dns: str | None


class _Idl(ovs.db.idl.Idl):  # type: ignore[misc]  # the library has no types
    """Tells which rows have changed: with a thousand tenants it costs too much to look at all of them each time."""

    def __init__(self, *args: typing.Any) -> None:
        super().__init__(*args)
        self.changed: set[uuid.UUID] = set()

    def notify(self, event: str, row: typing.Any, updates: typing.Any = None) -> None:  # noqa: ARG002  (the library calls it with these)
        self.changed.add(row.uuid)


class Writer:
    """Changes single keys of external_ids, without waiting."""

    def __init__(self, idl: typing.Any) -> None:
        self._idl = idl
        self._transaction = None

    def write(self, rows: Iterable[tuple[typing.Any, Mapping[str, str], Mapping[str, str | None]]]) -> bool:
        """Brings keys of rows to what is wanted. Returns True when all is so, else call again.

        rows: triples of a row, what it has, and what is wanted of it: values by key, None for a key that shall not be
        there. Other keys are left alone.
        """
        if self._transaction is not None:
            if self._transaction.commit() in _BUSY:
                return False
            self._transaction = None  # What failed differs from what is wanted, and so is tried again.
        transaction = None
        for row, content, wanted in rows:
            for key, value in wanted.items():
                if content.get(key) == value:
                    continue
                transaction = transaction or ovs.db.idl.Transaction(self._idl)
                if value is None:
                    row.delkey("external_ids", key)
                else:
                    row.setkey("external_ids", key, value)
        if transaction is None:
            return True
        status = transaction.commit()
        if status in _BUSY:
            self._transaction = transaction
        return status in _DONE


class Database:
    """A live copy of the rows. Not for several threads."""

    def __init__(self, socket: pathlib.Path) -> None:
        helper = ovs.db.idl.SchemaHelper(_SCHEMA)
        helper.register_columns("Open_vSwitch", ["datapaths", "cur_cfg", "dpdk_initialized", "external_ids"])
        helper.register_columns("Datapath", ["ct_zones"])
        helper.register_columns("CT_Zone", ["external_ids", "timeout_policy"])
        helper.register_columns("CT_Timeout_Policy", ["timeouts"])
        helper.register_columns("Bridge", ["name", "external_ids"])
        self._idl = _Idl(f"unix:{socket}", helper)
        self._writer = Writer(self._idl)
        self._known: dict[uuid.UUID, dict[str, str]] = {}

    def run(self) -> int | None:
        """Takes up what has come. Returns a number that changes with the content; None before there is any."""
        self._idl.run()
        if not self._idl.has_ever_connected():
            return None
        rows = self._idl.tables["CT_Zone"].rows
        for gone in [row for row in self._idl.changed if row not in rows]:
            self._known.pop(gone, None)
            self._idl.changed.discard(gone)
        number: int = self._idl.change_seqno
        return number

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        self._idl.wait(poller)

    def switch_configuration(self) -> list[tuple[int, bool]]:
        """Something that differs when the switch has taken up a change, or has started."""
        return [(row.cur_cfg, row.dpdk_initialized) for row in self._idl.tables["Open_vSwitch"].rows.values()]

    def orders(self) -> dict[int, TenantOrders]:
        """The orders of each tenant, by its number, which is that of its conntrack zone."""
        orders = {}
        for zone, row in self._zones().items():
            content = self._content(row)
            orders[zone] = TenantOrders(content.get(SESSIONS), content.get(DNS))
        return orders

    def timeouts(self) -> tuple[frozenset[int], dict[uuid.UUID, dict[str, int]]]:
        """The zones that have a policy of timeouts, and the seconds of each policy by its row."""
        zones = frozenset(zone for zone, row in self._zones().items() if row.timeout_policy)
        return zones, {row.uuid: dict(row.timeouts) for row in self._idl.tables["CT_Timeout_Policy"].rows.values()}

    def bridge(self, key: str) -> str | None:
        """What the row of the bridge has; None for nothing."""
        found: str | None = next((row.external_ids.get(key) for row in self._bridges()), None)
        return found

    def report(self, tenants: Mapping[int, Mapping[str, str | None]], bridge: Mapping[str, str | None]) -> bool:
        """Brings the keys that are the agent's to what is given: by tenant and key, and of the bridge by key; None for
        a key that shall not be there. Tells the version of the protocol, too.

        Single keys are changed, so nothing of others is lost. Returns at once: True when all is so, else call again.
        """
        return self._writer.write(itertools.chain(
            ((row, self._content(row), tenants.get(zone, {})) for zone, row in self._zones().items()),
            ((row, row.external_ids, bridge) for row in self._bridges()),
            ((row, row.external_ids, {PROTOCOL: str(VERSION)})
             for row in self._idl.tables["Open_vSwitch"].rows.values())))

    def _content(self, row: typing.Any) -> dict[str, str]:
        """The keys of a row, as the server has them."""
        if row.uuid not in self._known or row.uuid in self._idl.changed:
            self._known[row.uuid] = row.external_ids
            self._idl.changed.discard(row.uuid)
        return self._known[row.uuid]

    def _bridges(self) -> list[typing.Any]:
        return [row for row in self._idl.tables["Bridge"].rows.values() if row.name == BRIDGE]

    def _zones(self) -> dict[int, typing.Any]:
        for row in self._idl.tables["Open_vSwitch"].rows.values():
            datapath = row.datapaths.get(DATAPATH)
            if datapath is not None:
                zones: dict[int, typing.Any] = datapath.ct_zones
                return zones
        return {}
