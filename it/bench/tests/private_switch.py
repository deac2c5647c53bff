# SPDX-License-Identifier: Apache-2.0
"""A switch for one test class, in a network namespace of its own."""

import os

from penstock_base import namespaces
from penstock_base.commands import run
from penstock_node.hugepages import HugePages
from penstock_node.ovs import Ovs, dpdk_prefix, remove_dpdk_directory

_MEMORY_MB = 832
PORTS = ("acc", "up")
FUNCTION = ("in", "out")


class PrivateSwitch:
    """A private switch with a bridge that forwards between two vhost ports, and on wish through two more, between which
    a network function is. It sleeps when there is nothing to do."""

    def __init__(self, directory):
        self.directory = directory
        self.namespace = f"psg-{os.getpid()}"
        self.ovs = Ovs(directory / "ovs")
        self.links = {name: directory / f"{name}.sock" for name in PORTS + FUNCTION}

    def start(self):
        namespaces.create(self.namespace)
        self.ovs.directory.mkdir()
        self.ovs.start_database()
        prefix = dpdk_prefix(self.ovs.directory)
        self.ovs.set_map("other_config", {
            "dpdk-init": "true", "dpdk-extra": f"--no-pci --no-telemetry --in-memory --file-prefix={prefix}",
            "dpdk-socket-mem": _MEMORY_MB, "dpdk-socket-limit": _MEMORY_MB, "pmd-cpu-mask": "0x2",
            "pmd-maxsleep": 500})
        self.start_switch()
        self.ovs.vsctl("add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev", "fail-mode=secure")
        for number, (name, path) in enumerate(self.links.items(), 1):
            self.ovs.vsctl("add-port", "br0", name, "--", "set", "interface", name, "type=dpdkvhostuserclient",
                           f"options:vhost-server-path={path}", f"ofport_request={number}")
        self.connect_ports()

    def start_switch(self):
        with HugePages().reserve(self.namespace, _MEMORY_MB):
            self.ovs.start_switch(self.namespace)

    def connect_ports(self, pairs=(PORTS,)):
        """Lets each pair of ports exchange what they get, and nothing else."""
        bridge = f"unix:{self.ovs.directory}/br0.mgmt"
        number = {name: place for place, name in enumerate(self.links, 1)}
        run("ovs-ofctl", "del-flows", bridge)
        for pair in pairs:
            for here, there in (pair, pair[::-1]):
                run("ovs-ofctl", "add-flow", bridge, f"in_port={number[here]},actions=output:{number[there]}")
        # Cached flows would be changed a moment later, when frames are on their way already.
        self.ovs.drop_cached_flows()

    def stop_switch(self):
        self.ovs.appctl("exit")

    def stop(self):
        self.ovs.stop()
        remove_dpdk_directory(self.ovs.directory)
        HugePages().give_back(self.namespace)
        namespaces.delete(self.namespace)
