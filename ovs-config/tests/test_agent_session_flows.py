# SPDX-License-Identifier: Apache-2.0
"""The agent of a real node gives a VRF sessions and takes them away: real samples, real flows. Orders that are wrong.

Needs root and Open vSwitch with DPDK.
"""

import itertools
import json
import os
import re
import signal
import unittest

import pytest

from names import Controller
from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_node import agent_session_flows, node_protocol
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import Sandbox, internal_ports

_SEND = """
import socket, struct, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("a0", 0))
first, ports, rounds = map(int, sys.argv[1:])
for _ in range(rounds):
    for port in range(first, first + ports):
        link.send(bytes.fromhex("020000000002" "020000000001" "0800" "4500001d00004000401100000a0000050a000006")
                  + struct.pack("!HHHH", port, 53, 9, 0) + bytes(20))
"""
ORDER = {"collector-set": 1, "vrf": "reg0[0..15]", "open-table": 72, "open-priority": 200,
         "open-cookie": "0x9e04040000000000", "open-actions": "load:0x1->reg0[28..28],resubmit(,74)",
         "open-seconds": 24, "session-table": 74, "session-cookie": "0x9e04050000000000", "most-sessions": 12000,
         "most-sessions-of-one": 6000, "sampled-of": 512}
VRF = 7


class ParseTest(unittest.TestCase):

    def test_an_order_is_read(self):
        order = agent_session_flows.parse(json.dumps(ORDER))
        self.assertEqual((order.open_cookie, order.open_table), (0x9e04040000000000, 72))

    def test_a_wrong_one_is_refused_with_its_key(self):
        for key, value in (("vrf", 5), ("open-table", "72"), ("open-table", True), ("open-cookie", "x"),
                           ("open-actions", "drop\nadd table=0,actions=drop")):
            with self.subTest(key=key), self.assertRaises(ValueError):
                agent_session_flows.parse(json.dumps(ORDER | {key: value}))
        for text in ("", "[]", "{}", "1"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                agent_session_flows.parse(text)


@pytest.mark.node
class SwitchTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.name, cls.profile = cls.box.node("s")
        cls.box.ovs_config("up", cls.profile)
        cls.directory = cls.box.run_directory / cls.name
        cls.ovs = Ovs(cls.directory)
        cls.space = f"ps-{cls.name}"
        internal_ports(cls.ovs, cls.space, "a0")
        # All packets are samples here; the product samples some of those that are tracked.
        cls.flow(f"table=0,in_port=1,udp,actions=sample(probability=65535,collector_set_id=1,obs_domain_id=0,"
                 f"obs_point_id={VRF})")
        controller = Controller(cls.directory)
        controller.order(VRF, penstock_sessions="1000")
        cls.ovs.vsctl("--no-wait", "set", "Bridge", BRIDGE,
                      f"external_ids:{node_protocol.SESSION_FLOWS}=" + json.dumps(json.dumps(ORDER)))
        processes.wait_until(lambda: cls.ovs.rows("Flow_Sample_Collector_Set", "id") == [{"id": 1}], "a collector", 60)

    @classmethod
    def flow(cls, text):
        run("ovs-ofctl", "-O", "OpenFlow13", "add-flow", cls.directory / f"{BRIDGE}.mgmt", text)

    def flows(self, table):
        text = run("ovs-ofctl", "-O", "OpenFlow13", "dump-flows", self.directory / f"{BRIDGE}.mgmt", f"table={table}")
        return [line for line in text.splitlines() if "cookie=" in line]

    def send(self, first, ports, rounds):
        namespaces.execute(self.space, "/usr/bin/python3", "-c", _SEND, str(first), str(ports), str(rounds))

    def test_busy_connections_open_a_vrf_and_many_new_ones_close_it(self):
        processes.wait_until(lambda: self.send(1000, 10, 100) or self.flows(72), "the VRF is open", 120, None,
                             self.directory / "agent.log")
        flow, = self.flows(72)
        self.assertIn("cookie=0x9e04040000000007", flow)
        self.assertIn("hard_timeout=24", flow)
        self.assertIn("reg0=0x7/0xffff actions=load:0x1->NXM_NX_REG0[28],resubmit(,74)", flow)
        self.flow(f"table=74,cookie={0x9e04050000000000 | VRF:#x},reg0={VRF},actions=drop")
        self.flow(f"table=74,cookie={0x9e04050000000000 | VRF + 1:#x},reg0={VRF + 1},actions=drop")

        # The next agent finds it and goes on; without an agent it would end by itself.
        os.kill(self.box.status(self.name)["agent"]["pid"], signal.SIGKILL)
        self.box.ovs_config("up", self.profile)
        processes.wait_until(lambda: len(self.flows(74)) == 1, "sessions of closed VRFs are gone", 60)
        self.assertIn("cookie=0x9e04050000000007", self.flows(74)[0])
        ages = []
        processes.wait_until(lambda: ages.append(self._age()) or any(
            later < earlier for earlier, later in itertools.pairwise(ages)), "the flow is written again", 120)

        # Not at once: an agent that has begun waits until packets on their way to a session have one.
        new = itertools.cycle(range(10_000, 60_000, 100))
        processes.wait_until(lambda: self.send(next(new), 100, 1) or not self.flows(72), "the VRF is closed", 120)
        processes.wait_until(lambda: not self.flows(74), "its sessions are gone", 60)
        self.assertIn(f"VRF {VRF}: no more sessions: ", (self.directory / "agent.log").read_text())

    def _age(self):
        return float(re.search(r"duration=([0-9.]+)s", self.flows(72)[0])[1])


if __name__ == "__main__":
    unittest.main()
