# SPDX-License-Identifier: Apache-2.0
"""Orders to throw cached flows away: how often that is done, and that a real switch then looks at its tables again.

The second part needs root and Open vSwitch with DPDK.
"""

import json
import os
import re
import signal
import subprocess
import unittest

import pytest

from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import agent_cache, node_protocol
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import Sandbox, internal_ports

_SEND = """
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("a0", 0))
for _ in range(int(sys.argv[1])):
    link.send(bytes.fromhex("020000000002" "020000000001" "88b5") + bytes(46))
"""


_SEND_MANY = """
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("a0", 0))
for source in range(int(sys.argv[1])):
    link.send(bytes.fromhex("020000000002" "0200000f") + source.to_bytes(2, "big") + b"\\x88\\xb6" + bytes(46))
"""
_MANY, _CHANGES, _ROUNDS = 2000, 3000, 10


class _Switch:
    """Counts what it is told; `broken` makes it fail."""

    def __init__(self):
        self.told = 0
        self.broken = False

    def drop_cached_flows(self):
        if self.broken:
            raise PenstockError("it does not answer")
        self.told += 1


class PauseTest(unittest.TestCase):

    def setUp(self):
        self.switch, self.log, self.time = _Switch(), [], 100.0
        self.cache = agent_cache.Cache(self.switch, self.log.append, lambda: self.time)

    def order(self, text, done=None):
        self.cache.want(text, done)
        self.cache.run()
        return self.switch.told

    def test_each_order_once(self):
        self.assertEqual([self.order(None), self.order("1"), self.order("1")], [0, 1, 1])
        self.assertEqual((self.switch.told, self.cache.done), (1, "1"))

    def test_those_of_a_pause_are_one(self):
        self.assertEqual([self.order("1"), self.order("2"), self.order("3")], [1, 1, 1])
        self.time += agent_cache.PAUSE_SECONDS
        self.assertEqual([self.order("3"), self.cache.done], [2, "3"])

    def test_what_an_agent_before_has_done_is_done(self):
        self.assertEqual(self.order("1", done="1"), 0)
        self.assertEqual(self.order("2", done="1"), 1)

    def test_a_switch_that_fails_is_told_again(self):
        self.switch.broken = True
        self.assertEqual(self.order("1"), 0)
        self.assertIn("it does not answer", self.log[0])
        self.assertIsNone(self.cache.done)
        self.switch.broken = False
        self.time += agent_cache.PAUSE_SECONDS
        self.assertEqual(self.order("1"), 1)


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
        internal_ports(cls.ovs, cls.space, "a0", "b0")
        run("ovs-ofctl", "add-flow", cls.directory / f"{BRIDGE}.mgmt", "in_port=1,actions=output:2")

    def send(self, count):
        """Sends frames into a0; returns how many have come out at b0."""
        before = self.arrived()
        namespaces.execute(self.space, "/usr/bin/python3", "-c", _SEND, str(count))
        return self.arrived() - before

    def arrived(self):
        link, = json.loads(namespaces.execute(self.space, "ip", "-json", "-statistics", "link", "show", "b0"))
        return link["stats64"]["rx"]["packets"]

    def spoil(self):
        """Has the cached flow drop, as one that was left behind."""
        def cached():
            self.send(3)
            return re.search(r"^(ufid:\S+, .*eth_type\(0x88b5\)), packets:", self.ovs.appctl("dpctl/dump-flows", "-m"),
                             re.MULTILINE)
        processes.wait_until(cached, "a cached flow", 60)
        self.ovs.appctl("dpctl/mod-flow", "netdev@ovs-netdev", cached().group(1), "drop")
        self.pass_on(0)

    def pass_on(self, count):
        """Waits until so many of three frames come out; those of before may be late. A cached flow lives on."""
        processes.wait_until(lambda: self.send(3) == count, f"{count} frames", 60)

    def done(self):
        return self.ovs.get("Bridge", BRIDGE, "external_ids").get(node_protocol.CACHE_DONE)

    def order(self, text):
        self.ovs.vsctl("--no-wait", "set", "Bridge", BRIDGE, f"external_ids:{node_protocol.CACHE}={text}")
        processes.wait_until(lambda: self.done() == text, "the order is carried out", 120)

    def test_a_flow_that_is_wrong_is_right_again(self):
        self.spoil()
        self.order("first")
        self.pass_on(3)
        # The next agent knows what was done, and takes orders.
        os.kill(self.box.status(self.name)["agent"]["pid"], signal.SIGKILL)
        self.box.ovs_config("up", self.profile)
        self.spoil()
        self.order("second")
        self.pass_on(3)

    @pytest.mark.deep
    @pytest.mark.flood
    def test_none_is_left_while_revalidators_look_at_them(self):
        """One purge leaves those that a revalidator holds at that moment."""
        flows = "".join(f"dl_type=0x88b6,dl_src=02:00:00:0f:{number >> 8:02x}:{number & 255:02x},"
                        "actions=resubmit(,1)\n" for number in range(_MANY))
        bridge = self.directory / f"{BRIDGE}.mgmt"
        # The thread that purges and the one that revalidates run side by side, as on a machine with more cores.
        run("taskset", "--all-tasks", "--pid", "--cpu-list", "0,1", processes.pid_of(self.ovs.switch_process))
        run("ovs-ofctl", "add-flows", bridge, "-", standard_input=flows)
        changes = "".join(f"table=1,priority=1,actions=load:{number}->NXM_NX_REG0[]\n" for number in range(_CHANGES))
        left = []
        for _ in range(_ROUNDS):
            processes.wait_until(self.send_many, f"{_MANY} cached flows", 20)
            # All of them are to be looked at again, and again.
            with subprocess.Popen(["ovs-ofctl", "add-flows", bridge, "-"], stdin=subprocess.PIPE, text=True) as change:
                change.stdin.write(changes)
                change.stdin.close()
                cache = agent_cache.Cache(self.ovs, self.fail)
                cache.want("order", None)
                cache.run()
                left.append(self.many_cached())
        self.assertEqual(left, [0] * _ROUNDS)

    def send_many(self):
        """Sends a frame of each sender; returns whether all are cached. The socket of a port holds a few hundred."""
        namespaces.execute(self.space, "/usr/bin/python3", "-c", _SEND_MANY, str(_MANY))
        self.pass_on(3)  # They come last, so the switch has seen all before them.
        return self.many_cached() == _MANY

    def many_cached(self):
        """Cached flows of those many senders."""
        return self.ovs.appctl("dpctl/dump-flows").count("eth_type(0x88b6)")
