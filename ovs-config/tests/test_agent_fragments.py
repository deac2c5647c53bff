# SPDX-License-Identifier: Apache-2.0
"""The agent removes expired incomplete packets from a switch whose clock a test moves."""

import pathlib
import struct
import tempfile
import unittest

import pytest

from dummy_switch import PORTS, DummySwitch, checksum
from penstock_base import processes
from penstock_node import agent_fragments
from penstock_node.node_protocol import BRIDGE

_LENGTH = 420


def beginnings(count):
    """Frames with the first fragment of a packet each."""
    for number in range(count):
        header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, _LENGTH, number, 0x2000, 64, 17, 0, bytes((192, 0, 2, 1)),
                             bytes((192, 0, 2, 2)))
        header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
        yield bytes.fromhex("0200000000010200000000020800") + header + bytes(_LENGTH - len(header))


@pytest.mark.node
class FragmentsTest(unittest.TestCase):
    """With a switch of simulated ports."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        self.addCleanup(directory.cleanup)
        self.switch = DummySwitch(pathlib.Path(directory.name))
        self.addCleanup(self.switch.close)
        self.ovs = self.switch.ovs
        self.ovs.vsctl("add-br", BRIDGE, "--", "set", "Bridge", BRIDGE, "datapath_type=netdev", "fail_mode=secure")
        self.ovs.appctl("dpctl/ipf-set-min-frag", "v4", "400")
        self.switch.flow("ip,actions=ct(zone=5)")
        self.now = 0.0
        self.said = []
        self.fragments = agent_fragments.Fragments(self.ovs, self.said.append, lambda: self.now)

    def keep(self, count):
        """Has the switch keep fragments of as many packets."""
        self.switch.ask("time/stop")
        frames = list(beginnings(count))
        for at in range(0, count, 50):
            self.switch.receive(PORTS[0], frames[at:at + 50])
            processes.wait_until(lambda at=at: agent_fragments.kept(self.ovs) == min(count, at + 50), "its fragments",
                                 60)

    def look(self, seconds=1.0):
        self.now += seconds
        self.fragments.run()
        return agent_fragments.kept(self.ovs)

    def test_expired_packets_are_removed(self):
        self.keep(800)
        self.assertEqual(self.look(), 800)
        self.ovs.appctl("time/warp", "14000", "1000")
        self.assertEqual(self.look(), 800, "their rest may still come")
        self.ovs.appctl("time/warp", "1500", "500")
        self.assertEqual(self.look(0.1), 800, "it is not time to look")
        self.assertEqual(self.look(), 300)
        self.assertEqual(self.look(), 0)
        self.assertEqual(self.said, [])

    def test_few_are_left_to_the_switch(self):
        self.keep(200)
        self.ovs.appctl("time/warp", "16000", "1000")
        self.assertEqual(self.look(), 200)

    def test_a_switch_that_has_ended_is_logged_once(self):
        self.switch.kill()
        for _ in range(3):
            self.now += 1
            self.fragments.run()
        self.assertEqual(len(self.said), 1)
