# SPDX-License-Identifier: Apache-2.0
"""Captures at a real switch, beside the packets of another VLAN, and what they leave. Needs root and Open vSwitch with
DPDK."""

import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import pytest

from penstock_base import locks, namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import capture, capture_port, user_ids, user_processes
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import OVS_CONFIG, Sandbox, internal_ports

pytestmark = pytest.mark.node

_RED, _BLUE = 100, 200
_SEND = """
import socket, struct, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind((sys.argv[1], 0))
for vlan, port in ((100, 53), (200, 53), (100, 80)) * int(sys.argv[2]):
    said = b"of VLAN %d" % vlan
    frame = bytes.fromhex("020000000002020000000001") + struct.pack(">HHH", 0x8100, vlan, 0x0800)
    frame += struct.pack(">BBHHHBBHII", 0x45, 0, 28 + len(said), 0, 0, 64, 17, 0, 0x0a000001, 0x0a000002)
    link.send(frame + struct.pack(">HHHH", 4000, port, 8 + len(said), 0) + said)
"""
"""Frames of the VLANs _RED, _BLUE and _RED."""
_COMMAND = """
import pathlib, sys
from penstock_node import capture
found = capture.capture(pathlib.Path(sys.argv[1]), "a0", int(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4]),
                        capture.Bounds(packets=int(sys.argv[5]), seconds=float(sys.argv[6]),
                                       packets_a_second=int(sys.argv[7]), bytes=int(sys.argv[8])),
                        lambda: print("captures", flush=True))
print(found.packets, found.lost, found.ended)
"""


class CaptureTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.name, cls.profile = cls.box.node("k")
        cls.box.ovs_config("up", cls.profile)
        cls.directory = cls.box.run_directory / cls.name
        cls.space = f"ps-{cls.name}"
        cls.ovs = Ovs(cls.directory)
        internal_ports(cls.ovs, cls.space, "a0", "b0")
        for flow in ("in_port=1,actions=output:2", "in_port=2,actions=output:1"):
            run("ovs-ofctl", "add-flow", cls.directory / f"{BRIDGE}.mgmt", flow)

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.files = pathlib.Path(directory.name)
        self.addCleanup(self.nothing_is_left)

    def start(self, name="red.pcap", words="", packets=1000, seconds=600, rate=20000, octets=1 << 20, vlan=_RED):
        """Starts a command; returns it when it captures."""
        before = len(self.mirrors())
        command = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *map(str, (self.directory, vlan, words, self.files / name, packets,
                                                        seconds, rate, octets))],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(os.environ) | {"PYTHONPATH": str(OVS_CONFIG.parent)})
        self.addCleanup(self.end, command)
        processes.wait_until(lambda: len(self.mirrors()) > before or command.poll() is not None, "a mirror", 120)
        command.stdout.readline()  # It captures, or has ended.
        return command

    @staticmethod
    def end(command):
        command.kill()
        command.communicate()

    def mirrors(self):
        return [row["name"] for row in self.ovs.rows("Mirror", "name")]

    def send(self, link="a0", rounds=1):
        """Sends frames: of each three, two are of the one tenant, and one is of the other."""
        namespaces.execute(self.space, "/usr/bin/python3", "-c", _SEND, link, str(rounds))

    def answer(self, command):
        said, errors = command.communicate(timeout=180)
        self.assertEqual(0, command.returncode, errors)
        packets, lost, ended = said.split()
        return int(packets), int(lost), ended

    def packets(self, name="red.pcap"):
        """A line for each packet of a file, as tcpdump reads it."""
        return run("tcpdump", "-r", self.files / name, "-n", "-t", "-A").splitlines()

    def nothing_is_left(self):
        def gone():
            return not (self.mirrors() or [row for row in self.ovs.rows("Interface", "name")
                                           if row["name"].startswith("pscap")]
                        or user_processes.find({user_ids.CAPTURES, user_ids.CAPTURES + 1})
                        or "pscap" in namespaces.execute(self.space, "ip", "-brief", "link"))
        processes.wait_until(gone, "nothing of a capture", 60)

    def test_both_directions_of_one_tenant_alone(self):
        command = self.start(packets=4)
        self.send("a0")
        self.send("b0")
        self.assertEqual((4, 0, "packets"), self.answer(command))
        text = "\n".join(self.packets())
        self.assertEqual((4, 0), (text.count(f"of VLAN {_RED}"), text.count(f"of VLAN {_BLUE}")))
        self.assertEqual(0o600, (self.files / "red.pcap").stat().st_mode & 0o777)

    def test_a_filter_needs_not_name_the_tag(self):
        command = self.start(words="udp port 80", packets=3)
        self.send(rounds=3)
        self.assertEqual((3, 0, "packets"), self.answer(command))
        self.assertEqual(0, sum("10.0.0.2.53:" in line for line in self.packets()))

    def test_bounds_of_time_and_size(self):
        self.assertEqual((0, 0, "seconds"), self.answer(self.start(seconds=0.1)))
        self.assertEqual([], self.packets())
        command = self.start("small.pcap", octets=24 + 5 * (16 + 53))
        self.send(rounds=20)
        packets, _, ended = self.answer(command)
        self.assertEqual((5, "bytes"), (packets, ended))
        self.assertLessEqual((self.files / "small.pcap").stat().st_size, 24 + 5 * (16 + 53))

    @pytest.mark.deep
    @pytest.mark.flood
    def test_a_rate_that_would_cost_the_switch_ends_it(self):
        command = self.start(words="port 9", rate=100)
        self.send(rounds=2000)
        self.assertEqual("rate", self.answer(command)[2])

    def test_ctrl_c_makes_a_whole_file(self):
        command = self.start()
        self.send()
        processes.wait_until(lambda: self.seen() >= 2, "copies", 60)
        command.send_signal(signal.SIGINT)
        packets, lost, ended = self.answer(command)
        self.assertEqual((2, "interrupted"), (packets + lost, ended))

    def seen(self):
        return self.ovs.get("Interface", "pscap-0", "statistics").get("tx_packets", 0)

    def test_killed_command(self):
        command = self.start()
        self.send()
        command.kill()
        command.wait()
        self.nothing_is_left()
        self.assertEqual([], list(self.files.iterdir()))

    def test_killed_command_and_agent(self):
        command = self.start()
        os.kill(self.box.status(self.name)["agent"]["pid"], signal.SIGKILL)
        command.kill()
        command.wait()
        self.box.ovs_config("up", self.profile)
        self.nothing_is_left()

    def test_two_at_a_time(self):
        first, second = self.start("1.pcap", packets=1), self.start("2.pcap", packets=1, vlan=_BLUE)
        _, errors = self.start("3.pcap").communicate()
        self.assertIn("2 captures run on this node", errors)
        self.send()
        self.assertEqual([(1, 0, "packets")] * 2, [self.answer(first), self.answer(second)])
        self.assertIn(f"of VLAN {_BLUE}", "\n".join(self.packets("2.pcap")))

    def test_what_cannot_be(self):
        bounds = capture.Bounds()
        (self.files / "there").write_text("mine")
        for words, name, reason in (("nonsense of", "x", "is none of tcpdump"), ("-w /etc/x", "x", "none of tcpdump"),
                                    ("", "there", "is there already"), ("", "no/where", "no file can be made there")):
            with self.subTest(reason), self.assertRaisesRegex(PenstockError, reason):
                capture.capture(self.directory, "a0", _RED, words, self.files / name, bounds)
        self.assertEqual("mine", (self.files / "there").read_text())

    def test_a_slot_that_is_taken_over_is_empty(self):
        """A command may come before the agent has looked."""
        with locks.opened(self.directory / "capture-0.lock") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            capture_port.add_port(self.ovs, 0, _RED, "a0")
            capture_port.add_mirror(self.ovs, 0, _RED, "a0")
        with capture_port.taken(self.ovs) as slot:
            self.assertEqual((0, []), (slot, self.mirrors()))
