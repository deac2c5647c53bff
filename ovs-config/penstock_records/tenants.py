# SPDX-License-Identifier: Apache-2.0
"""Names of tenants, as the controller wrote them into the node's database."""

import pathlib
import typing

from penstock_base.errors import PenstockError
from penstock_node import agent_switch
from penstock_node.node_protocol import DATAPATH, TENANT

_PATIENCE_SECONDS = 5
_COLUMNS = {"Open_vSwitch": ["datapaths"], "Datapath": ["_uuid", "ct_zones"], "CT_Zone": ["_uuid", "external_ids"]}


def names(database: pathlib.Path) -> dict[int, str]:
    """{number: name} of the tenants that have a name in the database at a unix socket. Raises PenstockError."""
    selects = [{"op": "select", "table": table, "where": [], "columns": columns}
               for table, columns in _COLUMNS.items()]
    answer = agent_switch.call(database, "transact", ["Open_vSwitch", *selects], _PATIENCE_SECONDS)
    try:
        roots, datapaths, zones = (result["rows"] for result in answer)
        ours = [identity for root in roots for key, (_, identity) in _pairs(root["datapaths"]) if key == DATAPATH]
        said = {zone["_uuid"][1]: dict(_pairs(zone["external_ids"])).get(TENANT) for zone in zones}
        return {number: name for datapath in datapaths if datapath["_uuid"][1] in ours
                for number, (_, identity) in _pairs(datapath["ct_zones"]) if (name := said.get(identity))}
    except (LookupError, TypeError, ValueError) as error:
        raise PenstockError(f"the database answers in another form: {error}") from None


def _pairs(column: typing.Any) -> list[typing.Any]:
    """The entries of a map of OVSDB (RFC 7047, section 5.1)."""
    kind, entries = column
    if kind != "map":
        raise ValueError(f"{kind} instead of a map")
    return list(entries)
