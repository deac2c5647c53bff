# SPDX-License-Identifier: Apache-2.0
"""Orders to bring cached flows up to date: how often that is done, and that a real switch then follows its tables.

The second part needs root and Open vSwitch with DPDK.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import unittest
from concurrent import futures
from unittest import mock

import pytest

from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import agent_cache, agent_switch, node_protocol
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import Sandbox, internal_ports

_SEND = """
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("a0", 0))
for text in sys.argv[1:]:
    link.send(bytes.fromhex("020000000002" + text) + bytes(46))
"""
_SENDER, _OTHER, _FRAME, _MARK = "020000000001", "020000000003", "88b5", "88b7"
_SEND_MANY = """
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("a0", 0))
while True:
    for source in range(int(sys.argv[1])):
        link.send(bytes.fromhex("020000000002" "0200000f") + source.to_bytes(2, "big") + b"\\x88\\xb6" + bytes(46))
"""
_MANY, _CHANGES, _ROUNDS = 2000, 3000, 10


class PauseTest(unittest.TestCase):

    def setUp(self):
        self.renewals, self.is_broken, self.drops, self.log, self.time = 0, False, True, [], 100.0
        self.cache = agent_cache.Cache(self.renew, self.log.append, lambda: self.time)

    def renew(self):
        if self.is_broken:
            raise PenstockError("it does not answer")
        self.renewals += 1
        self.time += 0.25
        return self.drops

    def order(self, text, done=None):
        self.cache.want(text, done)
        self.cache.run()
        return self.renewals

    def test_each_order_once(self):
        self.assertEqual([self.order(None), self.order("1"), self.order("1")], [0, 1, 1])
        self.assertEqual((self.renewals, self.cache.done), (1, "1"))

    def test_drops_in_a_second_are_one(self):
        self.assertEqual([self.order("1"), self.order("2"), self.order("3")], [1, 1, 1])
        self.time += agent_cache.PAUSE_SECONDS - 0.25
        self.assertEqual([self.order("3"), self.cache.done], [2, "3"])

    def test_rounds_have_pauses_of_their_length(self):
        self.drops = False
        self.assertEqual([self.order("1"), self.order("2")], [1, 1])
        self.time += 0.25
        self.assertEqual([self.order("2"), self.cache.done], [2, "2"])

    def test_whether_flows_were_dropped_is_said(self):
        self.cache.want("1", None)
        self.assertTrue(self.cache.run())
        self.drops, self.time = False, self.time + 1
        self.cache.want("2", None)
        self.assertFalse(self.cache.run())

    def test_what_an_agent_before_has_done_is_done(self):
        self.assertEqual(self.order("1", done="1"), 0)
        self.assertEqual(self.order("2", done="1"), 1)

    def test_a_switch_that_fails_is_asked_again(self):
        self.is_broken = True
        self.assertEqual(self.order("1"), 0)
        self.assertIn("it does not answer", self.log[0])
        self.assertIsNone(self.cache.done)
        self.is_broken = False
        self.time += agent_cache.PAUSE_SECONDS
        self.assertEqual(self.order("1"), 1)


class RenewTest(unittest.TestCase):
    """What the switch is asked, in its order, and what its answers lead to."""

    def setUp(self):
        self.version, self.has_entry, self.is_alone, self.asked = "4.0.0", False, True, []
        self.enterContext(mock.patch.object(agent_switch, "_asked", self.ask))

    @contextlib.contextmanager
    def ask(self, _, command, *arguments, **__):
        self.asked.append(command)
        yield lambda: self.answer(command)

    def answer(self, command):
        if command == "fdb/del" and not self.has_entry:
            raise PenstockError("fdb/del: no matching entry")
        self.has_entry = command == "fdb/add" or (self.has_entry and command != "fdb/del")
        if command == "revalidator/wait":
            self.asked.append("ended")
            if not self.is_alone:
                raise PenstockError("revalidator/wait: can't wait on multiple udpifs.")
        return f"ovs-vswitchd (Open vSwitch) {self.version}\n" if command == "version" else ""

    def drop_cached_flows(self):
        self.asked.append("drop")

    def test_the_second_of_two_rounds_has_begun_after_the_order(self):
        self.assertFalse(agent_cache.renew(self))
        # The round that ends first may have begun before the tables changed, also where an entry stayed of before.
        self.assertEqual(self.asked, ["version", "version", "revalidator/wait", "fdb/del", "fdb/add", "ended",
                                      "revalidator/wait", "fdb/del", "ended"])

    def test_where_rounds_cannot_be_waited_for_all_are_dropped(self):
        self.is_alone = False
        self.assertTrue(agent_cache.renew(self))
        self.assertEqual(self.asked[-1], "drop")
        self.version, self.asked = "3.1.0", []
        self.assertTrue(agent_cache.renew(self))
        self.assertEqual(self.asked, ["version", "drop"])


@pytest.mark.node
class RealSwitchTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.name, cls.profile = cls.box.node("c")
        cls.box.ovs_config("up", cls.profile)
        cls.directory = cls.box.run_directory / cls.name
        cls.space = f"ps-{cls.name}"
        cls.ovs = Ovs(cls.directory)
        internal_ports(cls.ovs, cls.space, "a0", "b0", "c0")

    def setUp(self):
        self.bridge = self.directory / f"{BRIDGE}.mgmt"
        run("ovs-ofctl", "replace-flows", self.bridge, "-", standard_input="""
            priority=2,in_port=1,dl_type=0x88b7,actions=output:3
            priority=1,in_port=1,dl_type=0x88b5,actions=output:2
            """)

    def passed(self, sender=_SENDER):
        """Sends frames into a0, and a mark behind them that comes out at c0. Returns how many came out at b0."""
        frames, marks = self.arrived("b0"), self.arrived("c0")
        namespaces.execute(self.space, "/usr/bin/python3", "-c", _SEND, *[sender + _FRAME] * 3, sender + _MARK)
        processes.wait_until(lambda: self.arrived("c0") > marks, "the mark", 60)
        return self.arrived("b0") - frames

    def arrived(self, device):
        link, = json.loads(namespaces.execute(self.space, "ip", "-json", "-statistics", "link", "show", device))
        return link["stats64"]["rx"]["packets"]

    def change(self, flow):
        run("ovs-ofctl", "add-flow", self.bridge, flow)

    def done(self):
        return self.ovs.get("Bridge", BRIDGE, "external_ids").get(node_protocol.CACHE_DONE)

    def ask(self, text):
        self.ovs.vsctl("--no-wait", "set", "Bridge", BRIDGE, f"external_ids:{node_protocol.CACHE}={text}")

    def order(self, text):
        self.ask(text)
        processes.wait_until(lambda: self.done() == text, "the order is carried out", 120)

    def test_what_is_cached_follows_a_change(self):
        self.assertEqual(self.passed(), 3)
        with self.no_round():
            self.change("priority=1,in_port=1,dl_type=0x88b5,actions=drop")
            self.ask("closed")
            for _ in range(10):  # An agent that does not wait says so within a quarter of a second.
                self.assertEqual(self.passed(), 3)
                self.assertNotEqual(self.done(), "closed", "carried out, and frames pass")
        self.order("closed")
        self.assertEqual(self.passed(), 0)

    @contextlib.contextmanager
    def no_round(self):
        """Cached flows stay as they are meanwhile, whatever tables do."""
        self.ovs.appctl("revalidator/pause")
        try:
            yield
        finally:
            self.ovs.appctl("revalidator/resume")

    def test_a_narrow_flow_beside_a_wider_one_follows_too(self):
        """A packet may be of both, and the switch has to change the one that is meant."""
        narrow = "in_port=1,dl_type=0x88b5,dl_src=02:00:00:00:00:01"
        self.change(f"priority=9,{narrow},actions=output:2")
        self.assertEqual(self.passed(), 3)
        run("ovs-ofctl", "--strict", "del-flows", self.bridge, f"priority=9,{narrow}")
        self.order("one flow less")
        self.assertEqual(self.passed(_OTHER), 3)
        self.assertEqual(len(self.cached(_FRAME)), 2, "not a narrow and a wide one")
        self.change("priority=1,in_port=1,dl_type=0x88b5,actions=drop")
        self.order("none passes")
        self.assertEqual([self.passed(), self.passed(_OTHER)], [0, 0])

    def test_the_next_agent_takes_orders(self):
        self.order("of the first")
        os.kill(self.box.status(self.name)["agent"]["pid"], signal.SIGKILL)
        self.box.ovs_config("up", self.profile)
        self.assertEqual(self.done(), "of the first")
        self.order("of the second")

    @pytest.mark.deep
    @pytest.mark.flood
    def test_none_is_old_while_tables_change_and_packets_come(self):
        changes = "".join(f"table=2,priority=1,actions=load:{number}->NXM_NX_REG0[]\n" for number in range(_CHANGES))
        run("ovs-ofctl", "add-flows", self.bridge, "-", standard_input="".join(
            f"dl_type=0x88b6,dl_src=02:00:00:0f:{number >> 8:02x}:{number & 255:02x},actions=resubmit(,1)\n"
            for number in range(_MANY)))
        # The thread that asks and the one that revalidates run side by side, as on a machine with more cores.
        run("taskset", "--all-tasks", "--pid", "--cpu-list", "0,1", processes.pid_of(self.ovs.switch_process))
        old = []
        with self.senders(), futures.ThreadPoolExecutor() as threads:
            for number in range(_ROUNDS):
                before, after = self.table(number), self.table(number + 1)
                self.change(before)
                processes.wait_until(lambda: len(self.cached("88b6")) == _MANY, f"{_MANY} cached flows", 60)
                with subprocess.Popen(["ovs-ofctl", "add-flows", self.bridge, "-"], stdin=subprocess.PIPE, text=True
                                      ) as change:
                    change.stdin.write(changes)
                    change.stdin.close()
                    with self.no_round():
                        self.change(after)
                        renewal = threads.submit(agent_cache.renew, self.ovs)
                        self.assertEqual(self.old(number), _MANY)
                        self.assertFalse(renewal.done(), "done, and all cached flows are old")
                    self.assertFalse(renewal.result())
                    old.append(self.old(number))
        self.assertEqual(old, [0] * _ROUNDS)

    @contextlib.contextmanager
    def senders(self):
        """Frames of many senders come meanwhile."""
        with subprocess.Popen(["ip", "netns", "exec", self.space, "/usr/bin/python3", "-c", _SEND_MANY, str(_MANY)]
                              ) as process:
            try:
                yield
            finally:
                process.kill()

    @staticmethod
    def table(number):
        return f"table=1,priority=1,actions=output:{2 + number % 2}"

    def old(self, number):
        """Cached flows with the actions of that table."""
        device = "bc"[number % 2] + "0"
        port = re.search(rf"{device} \d+/(\d+):", self.ovs.appctl("dpif/show"))[1]
        return sum(flow.endswith(f"actions:{port}") for flow in self.cached("88b6"))

    def cached(self, kind):
        """Cached flows of an EtherType, a line each."""
        return [line for line in self.ovs.appctl("dpctl/dump-flows", "--no-names").splitlines()
                if f"eth_type(0x{kind})" in line]
