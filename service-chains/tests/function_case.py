# SPDX-License-Identifier: Apache-2.0
"""A real switch with a function and hosts around it, for tests.

Flows are written by hand here, as the controller would: towards a function a frame carries the tag of its tenant.
"""

import contextlib
import fcntl
import itertools
import json
import os
import pathlib
import signal
import unittest

from penstock_base import processes
from penstock_base.commands import run
from penstock_node import supervision
from penstock_node.ovs import SWITCH, Ovs
from sandbox import FUNCTIONS, Sandbox, pages_of_nobody

INSIDE, OUTSIDE = "10.9.0.1", "10.9.0.2"
INSIDE_6, OUTSIDE_6 = "fd00:9::1", "fd00:9::2"


class FunctionCase(unittest.TestCase):
    """A node with hosts on all sides of a function."""

    # By side: first letter of the names of its hosts, their addresses. The n-th side is OpenFlow port n, its hosts are
    # the ports from 10 n on.
    sides = {"in": ("i", INSIDE, INSIDE_6), "out": ("o", OUTSIDE, OUTSIDE_6)}

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def node(self, tenants):
        """A node with a host on each side for each tenant; sets self.hosts to tuples (inside, outside ...)."""
        self.hosts, ports = [], {side: [] for side in self.sides}
        for tenant in range(tenants):
            self.hosts.append(tuple(self._host(f"{letter}{tenant}", *addresses)
                                    for letter, *addresses in self.sides.values()))
            for side, (letter, *_) in self.sides.items():
                ports[side].append({"name": f"{letter}{tenant}"})
        access = ports.pop("in")
        uplinks = list(itertools.chain.from_iterable(ports.values()))
        self.name, self.profile = self.box.node("a", access_ports=access, uplink_ports=uplinks)
        self.box.ovs_config("up", self.profile)
        self.ovs = Ovs(self.box.run_directory / self.name)

    def _host(self, name, address, address_6):
        host = self.box.host(name, f"{address}/24", name)
        run("ip", "-n", host, "address", "add", f"{address_6}/64", "dev", "eth0", "nodad")
        return host

    def attach(self, function, tenants):
        """Makes the bridge, the function's ports and the flows of the tenants."""
        sockets = self.box.run_directory / self.name / "vhost"
        command = ["add-br", "br0", "--", "set", "bridge", "br0", "datapath_type=netdev", "fail_mode=secure"]
        for number, (side, (letter, *_)) in enumerate(self.sides.items(), 1):
            port = f"{function}-{side}"
            command += ["--", "add-port", "br0", port, "--", "set", "interface", port, "type=dpdkvhostuserclient",
                        f"options:vhost-server-path={sockets}/{port}.sock", f"ofport_request={number}"]
            for tenant in range(tenants):
                port = f"{letter}{tenant}"
                command += ["--", "add-port", "br0", port, "--", "set", "interface", port,
                            f"ofport_request={10 * number + tenant}"]
        self.ovs.vsctl(*command)
        self.add_flows(tenants)

    def add_flows(self, tenants):
        """The flows of the tenants, also after a restart of the switch, which forgets them."""
        for tenant in range(tenants):
            vlan = 100 + tenant
            for number in range(1, len(self.sides) + 1):
                host = 10 * number + tenant
                for flow in (f"in_port={host},actions=push_vlan:0x8100,set_field:{0x1000 | vlan}->vlan_vid,"
                             f"output:{number}",
                             f"in_port={number},dl_vlan={vlan},actions=pop_vlan,output:{host}"):
                    run("ovs-ofctl", "-O", "OpenFlow13", "add-flow", "br0", flow, environment=self.ovs.environment)

    @contextlib.contextmanager
    def without_switch(self):
        """The switch is killed, and its supervisor does not start it again before the end of the body."""
        folder = self.box.run_directory / self.name / "supervised" / SWITCH
        with open(folder / supervision.TURN, "w", encoding="ascii") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            os.kill(processes.pid_of(self.ovs.switch_process), signal.SIGKILL)
            processes.wait_until(lambda: not processes.is_running(self.ovs.switch_process), "its end", 60)
            yield

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
