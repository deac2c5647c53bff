# SPDX-License-Identifier: Apache-2.0
"""The relay to controllers on other machines, between namespaces, with no switch. Needs root."""

import hashlib
import os
import pathlib
import signal
import socket
import threading
import unittest

import pytest

from penstock_base import namespaces, processes
from penstock_base.commands import run, succeeds
from penstock_node import controller_relay, supervision, user_ids
from sandbox import Sandbox, inside, listen, reaches

pytestmark = pytest.mark.hostile

CONTROLLER, OTHER, MACHINE = "192.0.2.1", "192.0.2.2", "192.0.2.11"
PORT = 6653


class RelayTest(unittest.TestCase):
    """The sandbox's namespace is that of the node's machine; the controllers are in another one."""

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)
        self.away = self.box.machine("away", CONTROLLER, MACHINE)
        run("ip", "-n", self.away, "address", "add", f"{OTHER}/24", "dev", "eth0")
        self.node = self.box.namespace(f"ps-t{os.getpid()}r")
        self.directory = self.box.run_directory / "relay"
        self.directory.mkdir()
        self.addCleanup(self.stop)
        self.assertTrue(self.start(CONTROLLER))

    def start(self, *addresses, port=PORT):
        return inside(self.box.controller, lambda: controller_relay.start(
            self.directory, self.node, addresses, port, os.sched_getaffinity(0)))

    def stop(self):
        return inside(self.box.controller, lambda: controller_relay.stop(self.directory, self.node))

    def controller(self, address=CONTROLLER, port=PORT):
        """Listens as a controller."""
        server = listen(self.away, address, port)
        self.addCleanup(server.close)
        server.settimeout(60)
        return server

    def connect(self, address=CONTROLLER, port=PORT, seconds=60):
        """Connects as the switch."""
        link = inside(self.node, lambda: socket.create_connection((address, port), seconds))
        self.addCleanup(link.close)
        return link

    def accepted(self, server):
        link, peer = server.accept()
        self.addCleanup(link.close)
        link.settimeout(60)
        return link, peer

    def assert_relayed(self, server, address=CONTROLLER, port=PORT):
        switch = self.connect(address, port)
        link, peer = self.accepted(server)
        switch.sendall(b"hello")
        self.assertEqual(link.recv(100), b"hello")
        link.sendall(b"features")
        self.assertEqual(switch.recv(100), b"features")
        # The controller knows a node by this address.
        self.assertEqual(peer[0], MACHINE)
        return switch, link

    def test_both_ways_and_both_ends(self):
        server = self.controller()
        switch, link = self.assert_relayed(server)
        switch.close()
        self.assertEqual(link.recv(100), b"")
        switch, link = self.assert_relayed(server)
        link.close()
        self.assertEqual(switch.recv(100), b"")

    def test_much_to_a_slow_reader(self):
        server = self.controller()
        switch, link = self.assert_relayed(server)
        data = memoryview(os.urandom(1 << 16) * 512)
        pid = processes.pid_of(controller_relay.process_of(self.directory))
        before = processes.resident_megabytes(pid)
        link.settimeout(1)
        sent = 0
        with self.assertRaises(TimeoutError):  # As much as fits into all buffers.
            while sent < len(data):
                sent += link.send(data[sent:])
        self.assertLess(processes.resident_megabytes(pid) - before, 4)
        link.settimeout(None)
        rest = threading.Thread(target=link.sendall, args=(data[sent:],))
        rest.start()
        received = hashlib.sha256()
        left = len(data)
        while left:
            part = switch.recv(1 << 20)
            received.update(part)
            left -= len(part)
        rest.join()
        self.assertEqual(received.digest(), hashlib.sha256(data).digest())

    def test_a_controller_that_is_not_there(self):
        self.assertEqual(self.connect().recv(1), b"")
        self.assertIn(f"controller {CONTROLLER}:{PORT}:", (self.directory / "relay.log").read_text())
        self.assert_relayed(self.controller())
        self.assertIn("is reached", (self.directory / "relay.log").read_text())

    def test_the_switch_reaches_nothing_else(self):
        self.controller(port=8181)
        self.controller(OTHER)
        for address, port in ((CONTROLLER, 8181), (OTHER, PORT), (MACHINE, PORT)):
            with self.subTest(address=address, port=port), self.assertRaises(OSError):
                self.connect(address, port, 1)
        self.assertFalse(succeeds("ip", "netns", "exec", self.node, "ping", "-c1", "-W1", OTHER))
        for name in ("ip_forward", "conf/away0/forwarding"):
            self.assertEqual(inside(self.box.controller, lambda name=name: pathlib.Path(
                f"/proc/sys/net/ipv4/{name}").read_text()), "0\n")
        self.assertEqual(run("ip", "netns", "exec", self.box.controller, "nft", "list", "ruleset"), "")

    def test_a_host_of_a_tenant_does_not_reach_the_relay(self):
        # Its tenant has the controller's network as its own, and no gateway has that address yet.
        server = self.controller()
        host = self.box.namespace(f"psh-{os.getpid()}-tenant")
        namespaces.add_veth("eth0", host, "acc0", self.node)
        run("ip", "-n", host, "address", "add", "192.0.2.77/24", "dev", "eth0")
        self.assertFalse(reaches(host, CONTROLLER, attempts=2))
        neighbours = run("ip", "-n", host, "neighbour", "show", CONTROLLER)
        self.assertNotIn("lladdr", neighbours)
        # One that sends to the device all the same.
        own = run("ip", "netns", "exec", self.node, "cat", "/sys/class/net/acc0/address").strip()
        run("ip", "-n", host, "neighbour", "replace", CONTROLLER, "lladdr", own, "dev", "eth0", "nud", "permanent")
        with self.assertRaises(OSError):
            inside(host, lambda: socket.create_connection((CONTROLLER, PORT), 1))
        self.assert_relayed(server)

    def test_it_has_no_rights(self):
        status = pathlib.Path(f"/proc/{processes.pid_of(controller_relay.process_of(self.directory))}/status")

        def facts():
            return dict(line.split(":\t") for line in status.read_text().splitlines() if ":\t" in line)
        processes.wait_until(lambda: facts()["Uid"].split()[0] == str(user_ids.RELAY), "it has become its user", 60)
        self.assert_relayed(self.controller())
        for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(facts()[name], 16), 0, name)
        self.assertEqual((facts()["NoNewPrivs"], facts()["Seccomp"]), ("1", "2"))

    def test_killed(self):
        server = self.controller()
        switch, _ = self.assert_relayed(server)
        process = controller_relay.process_of(self.directory)
        before = processes.pid_of(process)
        os.kill(before, signal.SIGKILL)
        self.assertEqual(switch.recv(1), b"")
        processes.wait_until(lambda: processes.pid_of(process) not in (None, before), "the next relay", 60)
        processes.wait_until(lambda: controller_relay.listens(self.node, [CONTROLLER], PORT), "it listens", 60)
        server.close()
        self.assert_relayed(self.controller())

    def test_other_controllers(self):
        self.assertFalse(self.start(CONTROLLER), "nothing was to be done")
        self.assertTrue(self.start(OTHER, port=16653))
        self.assert_relayed(self.controller(OTHER, 16653), OTHER, 16653)
        with self.assertRaises(OSError):
            self.connect(seconds=1)
        self.assertTrue(self.start(), "there is none elsewhere now")
        self.assertEqual(supervision.Tree(self.directory).services(), [])
        with self.assertRaises(OSError):
            self.connect(OTHER, 16653, 1)
        self.assertNotIn("72:", run("ip", "-n", self.node, "rule", "show"))
        self.assertFalse(self.start())


if __name__ == "__main__":
    unittest.main()
