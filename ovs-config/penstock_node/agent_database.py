# SPDX-License-Identifier: Apache-2.0
"""Orders and reports of tenants, in the rows of the table CT_Zone of the node's own database."""

import dataclasses

import ovs.db.idl

_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
_DATAPATH = "netdev"
SESSIONS, DNS = "penstock-sessions", "penstock-dns"
"""Keys that the controller writes."""
SESSIONS_SET, SESSIONS_COUNT, DNS_STATE = "penstock-sessions-set", "penstock-sessions-count", "penstock-dns-state"
"""Keys that the agent writes."""
_BUSY = (ovs.db.idl.Transaction.INCOMPLETE,)


@dataclasses.dataclass(frozen=True)
class TenantOrders:
    """What the controller ordered for one tenant, as text; None for what it did not order."""
    sessions: str | None
    dns: str | None


class Database:
    """A live copy of the rows. Not for several threads."""

    def __init__(self, socket):
        helper = ovs.db.idl.SchemaHelper(_SCHEMA)
        helper.register_columns("Open_vSwitch", ["datapaths", "cur_cfg", "dpdk_initialized"])
        helper.register_columns("Datapath", ["ct_zones"])
        helper.register_columns("CT_Zone", ["external_ids"])
        self._idl = ovs.db.idl.Idl(f"unix:{socket}", helper)
        self._transaction = None

    def run(self):
        """Takes up what has come. Returns a number that changes with the content; None before there is any."""
        self._idl.run()
        return self._idl.change_seqno if self._idl.has_ever_connected() else None

    def wait(self, poller):
        """Wakes the poller up when `run` has something to do."""
        self._idl.wait(poller)

    def switch_configuration(self):
        """Something that differs when the switch has taken up a change, or has started."""
        return [(row.cur_cfg, row.dpdk_initialized) for row in self._idl.tables["Open_vSwitch"].rows.values()]

    def orders(self):
        """The orders of each tenant, by its number, which is that of its conntrack zone."""
        return {zone: TenantOrders(row.external_ids.get(SESSIONS), row.external_ids.get(DNS))
                for zone, row in self._zones().items()}

    def report(self, reports):
        """Brings the keys that are the agent's to `reports`: by tenant and key, None for a key that shall not be there.

        Single keys are changed, so nothing of others is lost. Returns at once; call it again until it returns True.
        """
        if self._transaction is not None:
            if self._transaction.commit() in _BUSY:
                return False
            self._transaction = None  # What failed differs from what is wanted, and so is tried again.
        transaction = None
        for zone, row in self._zones().items():
            for key, value in reports.get(zone, {}).items():
                if row.external_ids.get(key) == value:
                    continue
                transaction = transaction or ovs.db.idl.Transaction(self._idl)
                if value is None:
                    row.delkey("external_ids", key)
                else:
                    row.setkey("external_ids", key, value)
        if transaction is None:
            return True
        if transaction.commit() in _BUSY:
            self._transaction = transaction
            return False
        return True

    def _zones(self):
        for row in self._idl.tables["Open_vSwitch"].rows.values():
            datapath = row.datapaths.get(_DATAPATH)
            if datapath is not None:
                return datapath.ct_zones
        return {}
