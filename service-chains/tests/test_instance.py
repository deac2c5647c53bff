# SPDX-License-Identifier: Apache-2.0
"""Real functions beside a real switch: traffic of two tenants with equal addresses, crash, restart, and nothing left.

Flows are written by hand here, as the controller would: towards a function a frame carries the tag of its tenant.
"""

import json
import os
import unittest

from penstock_node import processes
from penstock_node.commands import run
from penstock_node.ovs import Ovs
from sandbox import FUNCTIONS, Sandbox, pages_of_nobody, reaches, send_over_tcp, udp

INSIDE, OUTSIDE = "10.9.0.1", "10.9.0.2"


class FunctionTest(unittest.TestCase):

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def node(self, tenants):
        """A node with a host on either side for each tenant; sets self.hosts to pairs (inside, outside)."""
        self.hosts, access, uplink = [], [], []
        for tenant in range(tenants):
            self.hosts.append((self.box.host(f"i{tenant}", f"{INSIDE}/24", f"i{tenant}"),
                               self.box.host(f"o{tenant}", f"{OUTSIDE}/24", f"o{tenant}")))
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


    def assert_nothing_left(self):
        self.assertEqual(self.box.processes(), [])
        self.assertEqual(self.box.namespaces_left(), [])
        self.assertEqual(pages_of_nobody(), self.box.pages_of_nobody)

    def test_forwarder(self):
        self.node(tenants=1)
        self.start("hop", "--function", "forwarder")
        self.assertEqual([entry["state"] for entry in self.status()], ["waiting"])
        self.attach("hop", tenants=1)
        self.assertIn("nothing changed", self.start("hop", "--function", "forwarder", "--wait", 15))
        self.assertEqual([entry["state"] for entry in self.status()], ["attached"])
        inside, outside = self.hosts[0]
        self.assertTrue(reaches(inside, OUTSIDE))
        self.assertTrue(reaches(inside, OUTSIDE, "-M", "do", "-s", "1472"), "a full frame with its tag")
        self.assertEqual(send_over_tcp(inside, outside, OUTSIDE), b"payload")
        self.assertIn("functions run on node", self.box.ovs_config("down", self.name, code=1))
        self.box.functions("stop", "hop", "--node", self.name)
        self.assertEqual(self.status(), [])
        self.assertFalse(reaches(inside, OUTSIDE, attempts=2))
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()

    def test_packet_filter_is_stateful(self):
        self.node(tenants=1)
        self.start("packet-filter")
        self.attach("packet-filter", tenants=1)
        self.start("packet-filter", "--wait", 15)
        inside, outside = self.hosts[0]
        self.assertTrue(reaches(inside, OUTSIDE))
        self.assertTrue(reaches(inside, OUTSIDE, "-s", "3000"), "fragments")
        self.assertTrue(reaches(inside, OUTSIDE, "-M", "do", "-s", "1472"), "a full frame with its tag")
        self.assertEqual(send_over_tcp(inside, outside, OUTSIDE), b"payload")
        self.assertIsNone(send_over_tcp(inside, outside, OUTSIDE, port=23, seconds=2), "telnet is denied")
        self.assertIsNone(send_over_tcp(outside, inside, INSIDE, seconds=2), "nothing new from outside")
        self.assertFalse(reaches(outside, INSIDE, attempts=2))
        counters = self.status()[0]["counters"]
        self.assertGreater(counters["denied"], 0)
        self.assertGreater(counters["unsolicited"], 0)
        self.box.functions("stop", "packet-filter", "--node", self.name)
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()

    def test_tenants_with_equal_addresses_have_sessions_of_their_own(self):
        self.node(tenants=2)
        self.start("fw", "--function", "packet-filter")
        self.attach("fw", tenants=2)
        self.start("fw", "--function", "packet-filter", "--wait", 15)
        for inside, outside in self.hosts:
            self.assertTrue(reaches(inside, OUTSIDE))
        (inside0, outside0), (inside1, outside1) = self.hosts
        with udp(inside0, INSIDE, 5000) as client, udp(outside0, OUTSIDE, 6000) as server, \
                udp(inside1, INSIDE, 5000) as other_client, udp(outside1, OUTSIDE, 6000) as other_server:
            client.sendto(b"ask", (OUTSIDE, 6000))
            self.assertEqual(server.recv(100), b"ask")
            server.sendto(b"answer", (INSIDE, 5000))
            self.assertEqual(client.recv(100), b"answer")
            # The same addresses and ports, but this tenant has asked nothing.
            other_server.sendto(b"attack", (INSIDE, 5000))
            with self.assertRaises(TimeoutError):
                other_client.recv(100)
            other_client.sendto(b"ask", (OUTSIDE, 6000))
            self.assertEqual(other_server.recv(100), b"ask")
            other_server.sendto(b"answer", (INSIDE, 5000))
            self.assertEqual(other_client.recv(100), b"answer")

    def test_untagged_frames_do_not_pass(self):
        self.node(tenants=1)
        self.start("fw", "--function", "packet-filter")
        self.attach("fw", tenants=1)
        self.start("fw", "--function", "packet-filter", "--wait", 15)
        run("ovs-ofctl", "-O", "OpenFlow13", "add-flow", "br0", "priority=40000,in_port=10,actions=output:1",
            environment=self.ovs.environment)
        self.assertFalse(reaches(self.hosts[0][0], OUTSIDE, attempts=3))
        # On a loaded machine testpmd, which yields to all others, may need a while to pass them on.
        processes.wait_until(lambda: self.status()[0]["counters"]["untagged"], "untagged frames are counted", 20)

    def test_crash_of_function_and_of_switch(self):
        self.node(tenants=1)
        self.start("fw", "--function", "packet-filter")
        self.attach("fw", tenants=1)
        self.start("fw", "--function", "packet-filter", "--wait", 15)
        inside, _ = self.hosts[0]
        self.assertTrue(reaches(inside, OUTSIDE))
        pidfile = self.box.run_directory / self.name / "functions" / "fw" / "testpmd.process"
        os.kill(processes.pid_of(pidfile), 9)
        processes.wait_until(lambda: not processes.is_running(pidfile), "its end", 5)
        self.assertEqual([entry["state"] for entry in self.status()], ["failed"])
        self.start("fw", "--function", "packet-filter", "--wait", 15)
        self.assertTrue(reaches(inside, OUTSIDE))

        # The switch goes away and comes back; the function stays and opens its sockets again.
        os.kill(processes.pid_of(self.ovs.switch_process), 9)
        processes.wait_until(lambda: not processes.is_running(self.ovs.switch_process), "its end", 5)
        self.box.ovs_config("up", self.profile)
        self.start("fw", "--function", "packet-filter", "--wait", 30)
        self.assertEqual(len(self.status()), 1)

        os.kill(processes.pid_of(pidfile), 9)
        self.box.functions("stop", "fw", "--node", self.name)
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
