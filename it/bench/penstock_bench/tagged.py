# SPDX-License-Identifier: Apache-2.0
"""Hosts with a stack of the kernel's: a namespace for each of some tenants, on the tenant's VLAN at a port of a bed.

The VLAN tags are put on by another bridge of the same switch, all ports of which its polling thread serves: not every
kernel has VLAN devices.
"""

import contextlib
import typing
from collections.abc import Sequence

from penstock_base import namespaces

from . import traffic
from .bed import Bed

_BRIDGE = "br-clients"
_FIRST_PACKET_PORT = 2  # Those of the bed come before.


def packet_port(number: int, device: str) -> str:
    """The devargs of a port of type dpdk, so one that the polling thread serves, on a device of the kernel."""
    return f"net_af_packet{number},iface={device}"


class TaggedHosts:
    """Makes them and takes them away; a context manager.

    bed:      has two packet ports of its own at most
    tenants:  their numbers; the host of each has its MAC and traffic.HOST
    trunk:    other end of the cable of the port, in the node's namespace
    """

    def __init__(self, bed: Bed, tenants: Sequence[int], trunk: str) -> None:
        self.bed, self.tenants, self._trunk = bed, tenants, trunk
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> typing.Self:
        with contextlib.ExitStack() as undo:
            for tenant in self.tenants:
                undo.callback(namespaces.delete, self.namespace(tenant))
            # Taken away first: the switch must not poll devices that have gone.
            undo.callback(self.bed.ovs.vsctl, "--if-exists", "del-br", _BRIDGE)
            self.bed.ovs.vsctl("add-br", _BRIDGE, "--", "set", "bridge", _BRIDGE, "datapath_type=netdev")
            self._plug("clients-trunk", 0, self._trunk)
            for tenant in self.tenants:
                self._make(tenant)
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    def namespace(self, tenant: int) -> str:
        """Name of the namespace of a tenant's host."""
        return f"{self.bed.name}-host{tenant}"

    def _make(self, tenant: int) -> None:
        namespace, device = self.namespace(tenant), f"client{tenant}-sw"
        namespaces.create(namespace)
        namespaces.delete_link(device, self.bed.namespace)
        namespaces.add_veth(device, self.bed.namespace, "eth0", namespace)
        namespaces.execute(namespace, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
        namespaces.execute(namespace, "ip", "link", "set", "dev", "eth0", "address", traffic.host_mac(tenant))
        namespaces.execute(namespace, "ip", "address", "add", f"{traffic.HOST}/24", "dev", "eth0")
        namespaces.execute(namespace, "ip", "route", "add", "default", "via", traffic.GATEWAY)
        self._plug(f"client{tenant}", 1 + tenant, device, f"tag={traffic.place(tenant)[1]}")

    def _plug(self, port: str, number: int, device: str, *options: str) -> None:
        devargs = packet_port(_FIRST_PACKET_PORT + number, device)
        self.bed.ovs.vsctl("add-port", _BRIDGE, port, *options, "--", "set", "interface", port, "type=dpdk",
                           f'options:dpdk-devargs="{devargs}"')
