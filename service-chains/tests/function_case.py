# SPDX-License-Identifier: Apache-2.0
"""A real switch with a function and hosts around it, for tests.

Flows are written by hand here, as the controller would: towards a function a frame carries the tag of its tenant.
"""

import json
import pathlib
import unittest

from penstock_node.commands import run
from penstock_node.ovs import Ovs
from sandbox import FUNCTIONS, Sandbox, pages_of_nobody

INSIDE, OUTSIDE = "10.9.0.1", "10.9.0.2"
INSIDE_6, OUTSIDE_6 = "fd00:9::1", "fd00:9::2"


class FunctionCase(unittest.TestCase):
    """A node with hosts on both sides of a function."""

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def node(self, tenants):
        """A node with a host on either side for each tenant; sets self.hosts to pairs (inside, outside)."""
        self.hosts, access, uplink = [], [], []
        for tenant in range(tenants):
            self.hosts.append((self.box.host(f"i{tenant}", f"{INSIDE}/24", f"i{tenant}"),
                               self.box.host(f"o{tenant}", f"{OUTSIDE}/24", f"o{tenant}")))
            for host, address in zip(self.hosts[-1], (INSIDE_6, OUTSIDE_6)):
                run("ip", "-n", host, "address", "add", f"{address}/64", "dev", "eth0", "nodad")
            access.append({"name": f"i{tenant}"})
            uplink.append({"name": f"o{tenant}"})
        self.name, self.profile = self.box.node("a", access_ports=access, uplink_ports=uplink)
        self.box.ovs_config("up", self.profile)
        self.ovs = Ovs(self.box.run_directory / self.name)

    def attach(self, function, tenants):
        """Makes the bridge, the function's ports and the flows of the tenants."""
        sockets = self.box.run_directory / self.name / "vhost"
        command = ["add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev", "fail_mode=secure"]
        for index, side in enumerate(("in", "out"), 1):
            port = f"{function}-{side}"
            command += ["--", "add-port", "br0", port, "--", "set", "interface", port, "type=dpdkvhostuserclient",
                        f"options:vhost-server-path={sockets}/{port}.sock", f"ofport_request={index}"]
        for tenant in range(tenants):
            for base, side in ((10, "i"), (20, "o")):
                port = f"{side}{tenant}"
                command += ["--", "add-port", "br0", port, "--", "set", "interface", port,
                            f"ofport_request={base + tenant}"]
        self.ovs.vsctl(*command)
        self.add_flows(tenants)

    def add_flows(self, tenants):
        """The flows of the tenants, also after a restart of the switch, which forgets them."""
        for tenant in range(tenants):
            vlan = 100 + tenant
            push = f"push_vlan:0x8100,set_field:{0x1000 | vlan}->vlan_vid"
            for flow in (f"in_port={10 + tenant},actions={push},output:1",
                         f"in_port=2,dl_vlan={vlan},actions=pop_vlan,output:{20 + tenant}",
                         f"in_port={20 + tenant},actions={push},output:2",
                         f"in_port=1,dl_vlan={vlan},actions=pop_vlan,output:{10 + tenant}"):
                run("ovs-ofctl", "-O", "OpenFlow13", "add-flow", "br0", flow, environment=self.ovs.environment)

    def start(self, *args, code=0):
        return self.box.functions("start", *args, "--node", self.name, code=code)

    def status(self):
        return json.loads(self.box.command(FUNCTIONS, "status", "--json"))

    def control_groups(self):
        """Directories of all control groups of the node's instances."""
        return list(pathlib.Path("/sys/fs/cgroup").glob(f"**/psf-{self.name}-*"))

    def assert_nothing_left(self):
        self.assertEqual(self.control_groups(), [])
        self.assertEqual(self.box.processes(), [])
        self.assertEqual(self.box.namespaces_left(), [])
        self.assertFalse(list(self.box.run_directory.glob("*/functions/*")))
        self.assertEqual(pages_of_nobody(), self.box.pages_of_nobody)
