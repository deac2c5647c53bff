# SPDX-License-Identifier: Apache-2.0
"""Timeouts of connections, in a real switch: those that the database has for a zone, whenever the zone came."""

import re
import struct
import tempfile
import unittest

from penstock_base import processes
from penstock_node import agent_database, agent_timeouts
from penstock_node.node_protocol import DATAPATH

from .dummy_switch import DummySwitch, packet

_SECONDS = {"udp_first": 300, "udp_multiple": 300, "udp_single": 300}


class TimeoutsTest(unittest.TestCase):
    def setUp(self):
        self.switch = DummySwitch(self.enterContext(tempfile.TemporaryDirectory()))
        self.addCleanup(self.switch.close)
        self.switch.ovs.vsctl("--id=@datapath", "create", "Datapath", "datapath_version=0", "--", "set", "Open_vSwitch",
                              ".", f"datapaths:{DATAPATH}=@datapath")
        self.said = []
        self.database = agent_database.Database(self.switch.ovs.socket)
        self.timeouts = agent_timeouts.Timeouts(self.switch.ovs, self.said.append)
        self.number = 0

    def add(self, zone):
        self.switch.ovs.vsctl("add-zone-tp", DATAPATH, f"zone={zone}",
                              *(f"{name}={seconds}" for name, seconds in _SECONDS.items()))

    def work(self, *zones):
        def known():
            self.database.run()
            return self.database.timeouts()[0] == set(zones)
        processes.wait_until(known, "the zones in the database", 60)
        self.timeouts.want(*self.database.timeouts())
        self.timeouts.run()

    def seconds(self, zone):
        """How long the switch keeps a new connection of a zone."""
        self.number += 1
        self.switch.flow(f"udp,in_port=1,tp_dst={self.number},actions=ct(commit,zone={zone})")
        self.switch.receive("p1", [packet("10.0.0.1", "10.0.0.2", 17, struct.pack("!4H", 9, self.number, 8, 0))])
        found = []

        def tracked():
            found[:] = re.findall(rf"dport={self.number}\).*zone={zone},.*timeout=(\d+)",
                                  self.switch.ask("dpctl/dump-conntrack", "-s"))
            return found
        processes.wait_until(tracked, "the connection", 60)
        return int(found[0])

    def test_zones_that_are_new_to_the_switch(self):
        self.add(5)
        self.work(5)
        self.assertGreater(self.seconds(5), 200)
        self.assertEqual(self.timeouts.pending(), set())
        self.add(6)
        self.work(5, 6)
        self.assertGreater(self.seconds(6), 200)
        self.assertGreater(self.seconds(5), 200)
        policies = self.database.timeouts()[1]
        self.assertEqual([*policies.values()], [_SECONDS])
        self.assertEqual(self.said, [])

    def test_a_switch_that_is_started_again(self):
        self.add(5)
        self.work(5)
        self.switch.kill()
        self.assertEqual(self.timeouts.pending(), {5})
        self.timeouts.run()
        self.switch.start()
        self.timeouts.run()
        self.assertEqual(self.timeouts.pending(), set())
        self.assertGreater(self.seconds(5), 200)

    def test_zones_without_timeouts_are_left_alone(self):
        self.switch.name(7, "acme")
        self.work()
        self.assertEqual(self.timeouts.pending(), set())


if __name__ == "__main__":
    unittest.main()
