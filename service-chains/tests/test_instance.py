# SPDX-License-Identifier: Apache-2.0
"""Real functions beside a real switch: tenants with equal addresses, crash, restart, and nothing left."""

import os
import unittest

from penstock_node import processes
from penstock_node.commands import run
from sandbox import reaches, send_over_tcp, udp

from .function_case import INSIDE, OUTSIDE, FunctionCase


class FunctionTest(FunctionCase):

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
