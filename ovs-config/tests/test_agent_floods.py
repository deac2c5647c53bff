# SPDX-License-Identifier: Apache-2.0
"""When and where frames flood the slow path; then in a real switch, with real frames."""

import pathlib
import socket
import threading
import time
import unittest
from unittest import mock

import pytest

from penstock_base import namespaces
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import agent_floods, agent_switch, node_protocol
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import Sandbox, inside

_PORTS = "  port 0: ovs-netdev (tap)\n  port 2: acc0 (system)\n  port 3: acc1 (system)\n"
_FLOW = ("recirc_id({recirc}),in_port({port}),packet_type(ns=0,id=0),eth(src=02:68:00:00:00:{number:02x}),"
         "eth_type(0x8100),vlan(vid={vlan},pcp=0),encap(eth_type(0x0800),ipv4(frag=no)), packets:{packets}, bytes:0, "
         "used:never, actions:drop\n")
SECOND = 4
"""Looks."""
_REST = b"\x81\x00\x00\x64\x08\x00" + bytes(46)


def flows(count, port=2, vlan=100, packets=0, recirc="0"):
    return "".join(_FLOW.format(recirc=recirc, port=port, vlan=vlan, packets=packets, number=number % 256)
                   for number in range(count))


class FloodsTest(unittest.TestCase):

    def setUp(self):
        self.now, self.missed, self.hit, self.cached, self.said = 1000.0, 0, 0, "", []
        self.count, self.purges, self.said_purges = 10, 0, 0
        self.asks = mock.patch.object(agent_switch, "ask", self.answer)
        self.asks.start()
        self.addCleanup(self.asks.stop)
        self.floods = agent_floods.Floods(None, self.said.append, lambda: self.now)
        self.look(20, 100)

    def answer(self, _, command, *_arguments, patience=None):
        if self.missed is None:
            raise PenstockError("no switch")
        if command == "revalidator/purge":
            self.purges += 1
        return self.cached if command == "dpctl/dump-flows" else (
            f"lookups: hit:{self.hit} missed:{self.missed} lost:0\n  flows: {self.count}\n{_PORTS}")

    def look(self, times, upcalls, hits=10_000):
        """Looks as many times, with so many upcalls and other lookups a second."""
        for _ in range(times):
            self.now += 0.25
            self.missed += upcalls // SECOND
            self.hit += hits // SECOND
            self.assertEqual(self.purges, self.said_purges)
            self.said_purges += bool(self.floods.run())

    def test_the_place_of_a_flood(self):
        self.cached = flows(2000) + flows(199, port=3) + flows(2000, port=3, vlan=7, packets=2) + flows(900, recirc="5")
        self.look(3, 5000)
        self.assertIsNone(self.floods.report)
        self.look(1, 5000)
        self.assertEqual(self.floods.report, "acc0/100")
        self.assertEqual(self.said, ["acc0/100: its frames flood the slow path, 4548 a second, and are limited for "
                                     "30 s"])

    def test_many_upcalls_are_found_sooner(self):
        self.cached = flows(2000)
        self.look(2, 40_000)
        self.assertIsNone(self.floods.report)
        self.look(1, 40_000)
        self.assertEqual(self.floods.report, "acc0/100")

    def test_a_cache_that_is_full_is_not_read(self):
        self.cached, self.count = flows(2000), 200_000
        self.look(4, 9000)
        self.assertEqual((self.floods.report, self.purges), (None, 1))
        self.count = 3000
        self.look(4, 9000)
        self.assertEqual((self.floods.report, self.purges), ("acc0/100", 1))

    def test_a_cache_that_is_full_again_is_read(self):
        self.cached, self.count = flows(2000), 200_000
        self.look(8, 9000)
        self.assertEqual((self.floods.report, self.purges), ("acc0/100", 1))

    def test_several(self):
        self.cached = flows(4000) + flows(1100, vlan=101) + flows(900, port=3) + flows(5000, port=77)
        self.look(3, 12_000)
        self.assertEqual(self.floods.report, "acc0/100 acc0/101")

    def test_places_that_together_make_many_upcalls(self):
        self.cached = "".join(flows(600, vlan=100 + number) for number in range(8))
        self.look(20, 5000)
        self.assertIsNone(self.floods.report)
        self.cached += flows(1400, vlan=100)
        self.look(4, 5000)
        self.assertEqual(self.floods.report, "acc0/100")

    def test_untagged_frames(self):
        self.cached = flows(2000).replace("vlan(vid=100,pcp=0),", "")
        self.look(4, 5000)
        self.assertEqual(self.floods.report, "acc0/0")

    def test_a_burst_is_no_flood(self):
        self.cached = flows(2000)
        for _ in range(5):
            self.look(2, 60_000)
            self.look(1, 200)
            self.look(3, 5000)
            self.look(1, 200)
        self.assertIsNone(self.floods.report)

    def test_few_upcalls_beside_many_packets_are_no_flood(self):
        self.cached = flows(2000)
        self.look(20, 5000, hits=600_000)
        self.assertIsNone(self.floods.report)
        self.look(4, 1200, hits=50_000)
        self.assertEqual(self.floods.report, "acc0/100")

    def test_upcalls_of_cached_flows_with_packets_are_no_flood(self):
        self.cached = flows(20_000, packets=2) + flows(199)
        self.look(20, 9000)
        self.assertIsNone(self.floods.report)

    def test_after_cached_flows_were_dropped(self):
        self.look(4 * 20, 100)
        self.cached = flows(2000)
        for seconds in range(5):
            self.floods.disturbed()
            self.assertEqual(self.floods.report, None if seconds < 4 else "acc0/100", seconds)
            self.look(4, 9000)

    def test_a_switch_that_ends_and_begins(self):
        self.cached = flows(2000)
        self.missed = None
        self.now += 1
        self.floods.run()
        self.missed = 0
        self.look(60 + 12, 9000)
        self.assertIsNone(self.floods.report)
        self.look(6, 9000)
        self.assertEqual(self.floods.report, "acc0/100")

    def test_each_flood_is_limited_for_longer_until_it_is_forgiven(self):
        self.cached = flows(2000)
        for seconds in (30, 60, 120, 240, 480, 960, 960):
            self.look(4, 5000)
            self.assertEqual(self.floods.report, "acc0/100")
            self.look(4 * seconds - 1, 100)
            self.assertEqual(self.floods.report, "acc0/100")
            self.look(1, 100)
            self.assertIsNone(self.floods.report)
        self.assertIn("limited for 960 s", self.said[-1])
        self.look(4 * 961, 100)
        self.look(4, 5000)
        self.assertIn("limited for 30 s", self.said[-1])

    def test_the_next_agent_takes_over(self):
        self.floods.adopt("acc0/100 acc1/7")
        self.assertEqual(self.floods.report, "acc0/100 acc1/7")
        self.look(4 * 30 + 1, 100)
        self.assertIsNone(self.floods.report)


@pytest.mark.node
@pytest.mark.hostile
@pytest.mark.deep
@pytest.mark.flood
class RealSwitchTest(unittest.TestCase):
    """A host that sends each frame from another address, beside a switch that looks at addresses."""

    def test_flood(self):
        box = Sandbox()
        self.addCleanup(box.close)
        host = box.host("flood", "10.9.0.2/24", "acc0")
        name, directory = box.running_node("a", access_ports=[{"name": "acc0"}])
        switch = Ovs(directory)
        switch.vsctl("add-port", BRIDGE, "acc0")
        for flow in ("priority=9,dl_src=02:00:00:00:00:01,actions=drop", "priority=0,actions=drop"):
            run("ovs-ofctl", "-O", "OpenFlow13", "add-flow", BRIDGE, flow, environment=switch.environment)
        namespaces.set_up("acc0", f"ps-{name}")
        time.sleep(4)  # An agent that begins looks at nothing.
        link = inside(host, lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
        self.addCleanup(link.close)
        link.bind(("eth0", 0))
        ended = threading.Event()
        self.addCleanup(ended.set)
        sender = threading.Thread(target=_send, args=(link, ended), daemon=True)
        sender.start()
        deadline = time.monotonic() + 20
        while (said := switch.get("Bridge", BRIDGE, "external_ids").get(node_protocol.FLOODS)) is None:
            log = pathlib.Path(directory, "agent.log").read_text(encoding="utf-8")
            self.assertLess(time.monotonic(), deadline, log)
            time.sleep(0.1)
        self.assertEqual(said, "acc0/100")
        ended.set()
        sender.join()


def _send(link, ended):
    number = 0
    while not ended.is_set():
        for _ in range(100):
            number += 1
            link.send(b"\x02\x11\x11\x11\x11\x11\x02\x68" + number.to_bytes(4, "big") + _REST)
        time.sleep(0.005)


if __name__ == "__main__":
    unittest.main()
