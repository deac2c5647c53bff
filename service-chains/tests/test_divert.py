# SPDX-License-Identifier: Apache-2.0
"""A function with two outputs beside a real switch: behind the second one is a host with the address of the one behind
the first, so who answers tells by which of them a packet left."""

import contextlib
import ipaddress
import json
import pathlib
import re
import struct
import tempfile
import unittest

import pytest

from penstock_base import processes
from penstock_base.commands import run
from penstock_functions import catalogue
from penstock_node.ovs import Ovs
from sandbox import hears_nothing, reaches, send_over_tcp, udp

from .function_case import INSIDE, INSIDE_6, OUTSIDE, OUTSIDE_6, FunctionCase

# Starts switches with DPDK, or guests.
pytestmark = [pytest.mark.node, pytest.mark.safety]

_RULES = """
rules:
  - {from: inside, protocol: udp, destination-port: 80, action: divert}
  - {from: inside, protocol: udp, action: accept}
  - {from: inside, protocol: icmp, action: divert}
"""
_PIECES = b"x" * 3000
_MANY = 20  # More than hosts say of themselves meanwhile.
_PROBE_TAG, _PROBE_INSIDE, _PROBE_OUTSIDE = 1, "169.254.80.1", "169.254.80.2"


class DivertTest(FunctionCase):

    sides = FunctionCase.sides | {"alt": ("a", OUTSIDE, OUTSIDE_6)}

    def begin(self, function, directory):
        self.node(tenants=2)
        for inside, outside, alternative in self.hosts:
            run("ip", "-n", alternative, "link", "set", "dev", "eth0", "address", self.mac(outside))
            for address in (INSIDE, INSIDE_6):  # Nobody answers ARP there.
                run("ip", "-n", alternative, "neighbour", "replace", address, "lladdr", self.mac(inside), "dev", "eth0")
        self.wait = ("fw", "--function", function, "--catalogue", directory, "--scheduling", "low", "--wait", "180")
        self.start(*self.wait[:-2])
        self.assertEqual(self.entry()["state"], "waiting")
        self.attach("fw", tenants=2)
        self.start(*self.wait)
        self.assertEqual((self.entry()["state"], set(self.entry()["sockets"])), ("attached", {"in", "out", "alt"}))

    def mac(self, host):
        return json.loads(run("ip", "-j", "-n", host, "link", "show", "dev", "eth0"))[0]["address"]

    def entry(self):
        entry, = self.status()
        return entry

    @contextlib.contextmanager
    def counted(self, name):
        """Whether what the body sends _MANY times is counted, which takes a second, on a busy machine longer."""
        before = self.entry()["counters"][name]
        yield
        processes.wait_until(lambda: self.entry()["counters"][name] >= before + _MANY, f"{name} is counted", 120)

    def ofctl(self, *args):
        return run("ovs-ofctl", "-O", "OpenFlow13", *args, environment=self.ovs.environment)

    def assert_dropped(self, sender, receiver, address):
        """What a socket sends to another one's address does not arrive, and is counted."""
        with self.counted("unsolicited"):
            for _ in range(_MANY):
                sender.sendto(b"attack", address)
            self.assertTrue(hears_nothing(receiver))

    def stop_all(self):
        self.box.functions("stop", "fw", "--node", self.name)
        self.assertFalse(list((self.box.run_directory / self.name / "vhost").iterdir()))
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()

    def test_shipped_function(self):
        self.begin("packet-divert-ct", catalogue.DIRECTORY)
        for inside, outside, alternative in self.hosts:
            run("ip", "netns", "exec", alternative, "sysctl", "-q", "-w", "net.ipv4.icmp_echo_ignore_all=1",
                "net.ipv6.icmp.echo_ignore_all=1")
            for address in (OUTSIDE, OUTSIDE_6):
                self.assertTrue(reaches(inside, address))
                self.assertTrue(reaches(inside, address, "-s", "3000"), "fragments")
                self.assertEqual(send_over_tcp(inside, alternative, address, port=80), b"payload")
                self.assertIsNone(send_over_tcp(inside, outside, address, port=80, seconds=2))
                self.assertEqual(send_over_tcp(inside, outside, address), b"payload")
                self.assertIsNone(send_over_tcp(inside, alternative, address, seconds=2))
        self.check_telnet()
        self.check_straight_sessions()
        self.check_probe()
        self.check_restart_of_the_switch()
        self.stop_all()

    def check_telnet(self):
        before = self.entry()["counters"]["denied"]
        self.assertIsNone(send_over_tcp(self.hosts[0][0], self.hosts[0][1], OUTSIDE, port=23, seconds=2))
        processes.wait_until(lambda: self.entry()["counters"]["denied"] > before, "denied is counted", 120)

    def check_straight_sessions(self):
        """By the second output nothing comes to what left by the first, and nothing new."""
        inside, outside, alternative = self.hosts[0]
        with udp(inside, INSIDE, 5000) as client, udp(outside, OUTSIDE, 6000) as server, \
                udp(alternative, OUTSIDE, 6000) as other:
            self.assert_dropped(other, client, (INSIDE, 5000))
            client.sendto(b"ask", (OUTSIDE, 6000))
            self.assertEqual(server.recv(100), b"ask")
            server.sendto(b"answer", (INSIDE, 5000))
            self.assertEqual(client.recv(100), b"answer")
            self.assert_dropped(other, client, (INSIDE, 5000))
        self.assertIsNone(send_over_tcp(alternative, inside, INSIDE, seconds=2), "nothing new")
        self.assertIsNone(send_over_tcp(outside, inside, INSIDE, seconds=2), "nothing new")

    def check_probe(self):
        """The controller's probes pass as they do without a second output."""
        self.ofctl("add-flow", "br0", f"in_port=2,dl_vlan={_PROBE_TAG},actions=drop")
        self.ofctl("add-flow", "br0", f"in_port=1,dl_vlan={_PROBE_TAG},actions=drop")
        self.send_to(1, _echo(8, _PROBE_INSIDE, _PROBE_OUTSIDE))
        self.await_from(2)
        self.send_to(2, _echo(0, _PROBE_OUTSIDE, _PROBE_INSIDE))
        self.await_from(1)

    def send_to(self, port, frame):
        self.ofctl("packet-out", "br0", f"in_port=LOCAL packet={frame.hex()} actions=output:{port}")

    def await_from(self, port):
        """Waits for a frame with the tag of probes."""
        processes.wait_until(lambda: re.search(" n_packets=[1-9]", self.ofctl(
            "dump-flows", "br0", f"in_port={port},dl_vlan={_PROBE_TAG}")), f"a frame from port {port}", 120)

    def check_restart_of_the_switch(self):
        """It goes away and comes back, and the function lets it connect to all three sockets again."""
        with self.without_switch():
            self.assertEqual(self.entry()["state"], "waiting")
        self.box.ovs_config("up", self.profile)
        self.start(*self.wait)
        self.add_flows(tenants=2)
        inside, outside, alternative = self.hosts[0]
        self.assertTrue(reaches(inside, OUTSIDE))
        self.assertEqual(send_over_tcp(inside, alternative, OUTSIDE, port=80), b"payload")
        self.assertEqual(send_over_tcp(inside, outside, OUTSIDE), b"payload")

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_the_same_process_serves_a_switch_that_is_back(self):
        """On a busy machine the agent may start it again, as docs/limits.md says of ports without traffic."""
        self.begin("packet-divert-ct", catalogue.DIRECTORY)
        pid = self.entry()["pid"]
        self.check_restart_of_the_switch()
        self.assertEqual(self.entry()["pid"], pid)
        self.stop_all()

    def test_diverted_sessions(self):
        """Datagrams, whole and in pieces, of which the later ones show no port."""
        with tempfile.TemporaryDirectory() as directory:
            text = (catalogue.DIRECTORY / "packet-divert-ct.yaml").read_text(encoding="ascii")
            text = text.replace("packet-divert-ct", "datagrams").replace("memory-mb: 128", "memory-mb: 64")
            pathlib.Path(directory, "datagrams.yaml").write_text(text, encoding="ascii")
            pathlib.Path(directory, "packet-divert.rules.yaml").write_text(_RULES, encoding="ascii")
            self.begin("datagrams", directory)
            for inside, outside, alternative in self.hosts:
                run("ip", "netns", "exec", outside, "sysctl", "-q", "-w", "net.ipv4.icmp_echo_ignore_all=1",
                    "net.ipv6.icmp.echo_ignore_all=1")
                for addresses in ((INSIDE, OUTSIDE), (INSIDE_6, OUTSIDE_6)):
                    self.assertTrue(reaches(inside, addresses[1]), "ICMP is diverted")
                    self.assertTrue(reaches(inside, addresses[1], "-s", "3000"), "in pieces too")
                    straight, diverted = (inside, outside, alternative), (inside, alternative, outside)
                    self.check_datagrams(*straight, (5000, 6000), addresses, (b"short", _PIECES))
                    self.check_datagrams(*diverted, (5000, 80), addresses, (b"short", _PIECES))
                    self.check_datagrams(*diverted, (5001, 80), addresses, (_PIECES, b"short"))
                    # Nobody knows its ports, and some of this protocol are diverted.
                    self.check_datagrams(*diverted, (5001, 6000), addresses, (_PIECES, b"short"))
            self.check_errors()
            self.check_answers()
            self.check_directions()
            self.check_full_table()
            self.stop_all()

    def check_datagrams(self, inside, there, elsewhere, ports, addresses, payloads):
        """A session passes between inside and there."""
        (address, peer), (source, port) = addresses, ports
        with udp(inside, address, source) as client, udp(there, peer, port) as server, \
                udp(elsewhere, peer, port) as other:
            for payload in payloads:
                client.sendto(payload, (peer, port))
                self.assertEqual(server.recv(5000), payload)
            for payload in payloads:
                server.sendto(payload, (address, source))
                self.assertEqual(client.recv(5000), payload)
            other.setblocking(False)
            with self.assertRaises(BlockingIOError):
                other.recv(5000)

    def check_errors(self):
        """What is about a diverted session comes back in it."""
        with udp(self.hosts[0][0], INSIDE, 5004) as client:
            client.connect((OUTSIDE, 80))
            client.send(b"nobody listens")
            with self.assertRaises(ConnectionRefusedError):
                client.recv(100)

    def check_answers(self):
        """Answers to a diverted session come by the second output, of the same tenant, or not at all."""
        (inside0, outside0, alternative0), (inside1, _, alternative1) = self.hosts
        with udp(inside0, INSIDE, 5002) as client, udp(alternative0, OUTSIDE, 80) as server, \
                udp(outside0, OUTSIDE, 80) as around, \
                udp(inside1, INSIDE, 5002) as other_client, udp(alternative1, OUTSIDE, 80) as other_server:
            client.sendto(b"ask", (OUTSIDE, 80))
            self.assertEqual(server.recv(100), b"ask")
            self.assert_dropped(around, client, (INSIDE, 5002))
            self.assert_dropped(other_server, other_client, (INSIDE, 5002))
            server.sendto(b"answer", (INSIDE, 5002))
            self.assertEqual(client.recv(100), b"answer")
            other_client.sendto(b"ask", (OUTSIDE, 80))
            self.assertEqual(other_server.recv(100), b"ask")
            other_server.sendto(b"answer", (INSIDE, 5002))
            self.assertEqual(other_client.recv(100), b"answer")

    def check_directions(self):
        """What went out by the second output does not come back by it as if it were an answer."""
        self.ofctl("add-flow", "br0", f"in_port=3,dl_vlan={_PROBE_TAG},actions=drop")
        self.send_to(1, _echo(8, _PROBE_INSIDE, _PROBE_OUTSIDE))
        self.await_from(3)
        with self.counted("unsolicited"):
            for _ in range(_MANY):
                self.send_to(3, _echo(8, _PROBE_INSIDE, _PROBE_OUTSIDE))
        self.ofctl("add-flow", "br0", f"in_port=1,dl_vlan={_PROBE_TAG},actions=drop")
        self.send_to(3, _echo(0, _PROBE_OUTSIDE, _PROBE_INSIDE))
        self.await_from(1)

    def check_full_table(self):
        """A session that cannot be noted as diverted leaves by no output."""
        directory = self.box.run_directory / self.name / "functions" / "fw"
        function = Ovs(directory, directory / "own")
        function.appctl("dpctl/ct-set-maxconns", "0")
        inside, outside, alternative = self.hosts[0]
        with udp(inside, INSIDE, 5003) as client, udp(alternative, OUTSIDE, 80) as diverted, \
                udp(outside, OUTSIDE, 80) as straight:
            self.assert_dropped(client, straight, (OUTSIDE, 80))
            self.assertTrue(hears_nothing(diverted))


def _echo(kind, source, destination):
    """A frame as the controller's probes are: an ICMP echo request (8) or reply (0) with a tag."""
    message = _summed(struct.pack("!BBHHH8s", kind, 0, 0, 1, 1, b"penstock"), 2)
    header = _summed(struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(message), 0, 0, 64, 1, 0,
                                 ipaddress.IPv4Address(source).packed, ipaddress.IPv4Address(destination).packed), 10)
    tagged = struct.pack("!HHH", 0x8100, _PROBE_TAG, 0x0800)
    return bytes.fromhex("025053ff0002025053ff0001") + tagged + header + message


def _summed(data, place):
    """The data with its checksum (RFC 1071) in place."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return data[:place] + struct.pack("!H", ~total & 0xffff) + data[place + 2:]


if __name__ == "__main__":
    unittest.main()
