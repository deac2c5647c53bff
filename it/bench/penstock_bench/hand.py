# SPDX-License-Identifier: Apache-2.0
"""Source NAT as one would write it by hand: one conntrack flow in the bridge of Penstock, above all of its flows.

All tenants share one zone and one public address, so no two connections may have the same ports. Its packets take two
passes: one to track and translate, one to leave.
"""

from penstock_base.commands import run
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs

ADDRESS = "100.127.0.3"
# A table of the bridge that no flow of Penstock uses, and a zone of no tenant.
_TABLE, _ZONE, _COOKIE = 253, 65000, "0xba4f"


def put_in(ovs: Ovs, access: str, uplink: str, both_ways: bool = False) -> None:
    """Adds the flows for a pair of ports, by their names. Cached flows of others stay.

    both_ways: what answers comes back. Then a connection has to remember its VLAN, which only that direction needs.
    """
    remember, keep = ("move:OXM_OF_VLAN_VID[0..11]->NXM_NX_REG0[0..11],",
                      ",exec(move:NXM_NX_REG0[0..11]->NXM_NX_CT_MARK[0..11])") if both_ways else ("", "")
    _add(ovs, f"table={_TABLE},priority=1,in_port={access},actions=output:{uplink}")
    _add(ovs, f"table=0,priority=65535,in_port={access},vlan_vid=0x1000/0x1000,ip,actions={remember}pop_vlan,"
              f"ct(commit,zone={_ZONE},nat(src={ADDRESS}),table={_TABLE}{keep})")
    if both_ways:
        _add(ovs, f"table={_TABLE},priority=1,in_port={uplink},ip,actions=push_vlan:0x8100,"
                  f"move:NXM_NX_CT_MARK[0..11]->OXM_OF_VLAN_VID[0..11],output:{access}")
        _add(ovs, f"table=0,priority=65535,in_port={uplink},ip,actions=ct(zone={_ZONE},nat,table={_TABLE})")


def take_out(ovs: Ovs) -> None:
    """The flows of Penstock count again."""
    _ofctl(ovs, "del-flows", f"cookie={_COOKIE}/-1")


def _add(ovs: Ovs, flow: str) -> None:
    _ofctl(ovs, "add-flow", f"cookie={_COOKIE},{flow}")


def _ofctl(ovs: Ovs, command: str, flow: str) -> None:
    run("ovs-ofctl", "-O", "OpenFlow13", "--names", command, BRIDGE, flow, environment=ovs.environment)
