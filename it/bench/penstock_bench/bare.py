# SPDX-License-Identifier: Apache-2.0
"""Bare forwarding, the limit of the data plane: whatever comes in at one port leaves by the other.

The same ports, bridge, core and packets as Penstock's, by two flows above all others, which are put in and taken out.
"""

from penstock_base.commands import run
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs

COOKIE = "0xba4e"


def put_in(ovs: Ovs, first: str, second: str) -> None:
    """Ports by their names."""
    for source, target in ((first, second), (second, first)):
        _ofctl(ovs, "add-flow", f"table=0,cookie={COOKIE},priority=65535,in_port={source},actions=output:{target}")
    _forget(ovs)


def take_out(ovs: Ovs) -> None:
    """Penstock's flows count again."""
    _ofctl(ovs, "del-flows", f"cookie={COOKIE}/-1")
    _forget(ovs)


def _forget(ovs: Ovs) -> None:
    """Cached flows go: they would only get other actions, and keep the dear matches of the ones before."""
    ovs.drop_cached_flows()


def _ofctl(ovs: Ovs, command: str, flow: str) -> None:
    run("ovs-ofctl", "-O", "OpenFlow13", "--names", command, BRIDGE, flow, environment=ovs.environment)
