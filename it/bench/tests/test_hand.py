# SPDX-License-Identifier: Apache-2.0
"""The hand-written flow on a real switch: packets of all tenants are translated, and answers find their tenant."""

import os
import pathlib
import shutil
import tempfile
import unittest
from unittest import mock

import pytest

from penstock_bench import generator, hand, switch, traffic

from .private_switch import PrivateSwitch

# Runs last for a time, in which the generator and the switch need their cores.
pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.supervision]

LOAD = traffic.Load(3, 12)


class HandTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="psh-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.switch = PrivateSwitch(cls.directory)
        cls.addClassCleanup(cls.switch.stop)
        cls.switch.start()
        cls.source = generator.Generator(generator.build(cls.directory / "build"), cls.switch.links,
                                         f"psh-{os.getpid()}", cls.directory)
        cls.addClassCleanup(cls.source.stop)
        cls.source.start()
        cls.source.wait()
        cls.enterClassContext(mock.patch.object(hand, "BRIDGE", f"unix:{cls.directory}/ovs/br0.mgmt"))
        cls.frames = traffic.access_frames(LOAD)[0]

    def packets(self, both_ways, link):
        """What arrives at a link while the far end answers."""
        captured = self.directory / "captured.pcap"
        hand.put_in(self.switch.ovs, "acc", "up", both_ways)
        self.addCleanup(hand.take_out, self.switch.ovs)
        self.source.answer("up")
        self.addCleanup(self.source.answer, "up", False)
        self.source.load("acc", traffic.write_access(LOAD, self.directory)[0])
        self.source.run(0.2, ["acc"], rate=5000, burst=LOAD.flows)
        self.source.capture(link, captured, LOAD.flows)
        self.source.run(0.2, ["acc"], rate=5000, burst=LOAD.flows)
        return [traffic.parse(frame) for frame in traffic.read_pcap(captured)]

    def test_all_tenants_leave_with_one_address(self):
        for both_ways in (False, True):
            found = self.packets(both_ways, "up")
            self.assertEqual({packet.source for packet in found}, {hand.ADDRESS})
            self.assertEqual(len({packet.source_port for packet in found}), LOAD.flows)
            self.assertEqual({packet.vlan for packet in found}, {None})

    def test_answers_come_back_to_their_tenant(self):
        sent = [traffic.parse(frame) for frame in self.frames]
        found = self.packets(True, "acc")
        self.assertEqual(sorted((packet.vlan, packet.destination_port) for packet in found),
                         sorted((packet.vlan, packet.source_port) for packet in sent))
        self.assertEqual({packet.destination for packet in found}, {traffic.HOST})
        self.assertTrue(all(packet.checksums_valid for packet in found))

    def test_what_the_switch_sent_and_how_many_flows_it_cached_are_read_while_it_forwards(self):
        self.packets(False, "up")
        self.source.answer("up", False)
        self.switch.ovs.appctl("dpif-netdev/pmd-stats-clear")
        self.source.run(0.2, ["acc"], rate=5000, burst=500)
        seconds, packets = switch.sent(self.switch.ovs)
        self.assertEqual(packets, 500)
        self.assertGreater(seconds, 0.2)
        self.assertEqual(switch.cached_flows(self.switch.ovs), len(switch.datapath_flows(self.switch.ovs)))


if __name__ == "__main__":
    unittest.main()
