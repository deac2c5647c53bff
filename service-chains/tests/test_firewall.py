# SPDX-License-Identifier: Apache-2.0
"""The packet filters beside a real switch: the same checks for each form, which all have one set of rules."""

import os
import pathlib
import re
import signal
import unittest

import pytest

from intruder import attempt
from penstock_base import processes
from penstock_base.commands import run
from penstock_functions import catalogue, firewall_nft, guest_image
from penstock_node.ovs import dpdk_prefix
from sandbox import hears_nothing, reaches, send_over_tcp, udp

from .function_case import INSIDE, INSIDE_6, OUTSIDE, OUTSIDE_6, FunctionCase

# Starts switches with DPDK, or guests.
pytestmark = [pytest.mark.node, pytest.mark.safety]

_NET_ADMIN = 1 << 12


class _FirewallTest:
    """The checks. A form says its `function`, the `capabilities` of each of its processes, and how long it may boot."""

    queues = 2
    scheduling = "low"  # What yields to all others may hardly run beside other tests.
    boot_seconds = 180

    def test_firewall(self):
        self.node(tenants=2)
        self.directory = self.box.run_directory / self.name / "functions" / "fw"
        self.start("fw", *self.arguments())
        self.assertEqual(self.entry()["state"], "waiting")
        self.attach("fw", tenants=2)
        self.await_attached()
        self.assertEqual(self.entry()["state"], "attached")
        self.assertEqual(set(self.counters()), {"denied", "unsolicited", "untagged"})
        self.check_rights()
        self.check_queues()
        self.check_sessions()
        self.check_what_is_dropped()
        self.check_tenants()
        self.check_untagged()
        self.check_crash()
        self.check_restart_of_the_switch()
        self.check_queues()
        self.check_end()

    def entry(self):
        entry, = self.status()
        return entry

    def counters(self):
        return self.entry()["counters"]

    def await_attached(self):
        self.start("fw", *self.arguments(), "--wait", self.boot_seconds)

    def arguments(self):
        """Those of a start of the function as it is shipped, but for the number of queues."""
        directory = self.box.run_directory / "catalogue"
        if not directory.exists():
            directory.mkdir()
            for path in catalogue.DIRECTORY.glob(f"{self.function}*"):
                text = path.read_text(encoding="utf-8").replace("start:\n", f"start:\n  queues: {self.queues}\n")
                (directory / path.name).write_text(text, encoding="utf-8")
            (directory / "packet-filter.rules.yaml").write_bytes(
                (catalogue.DIRECTORY / "packet-filter.rules.yaml").read_bytes())
        return "--function", self.function, "--catalogue", directory, "--scheduling", self.scheduling

    def check_queues(self):
        """The switch polls as many queues of each port, all of which the function serves."""
        def polled():
            return re.findall(r"port: (fw-\w+) +queue-id: +(\d+) \(enabled\)",
                              self.ovs.appctl("dpif-netdev/pmd-rxq-show"))
        wanted = sorted((f"fw-{side}", str(queue)) for side in ("in", "out") for queue in range(self.queues))
        processes.wait_until(lambda: sorted(polled()) == wanted, f"{self.queues} queues of each port", 120)

    def pid(self, name):
        return processes.pid_of(self.directory / f"{name}.process")

    def await_counted(self, name, before):
        """Counters of flows follow packets within a second, on a busy machine later."""
        processes.wait_until(lambda: self.counters()[name] > before, f"{name} is counted", 120)

    def check_rights(self):
        for name, capabilities in self.capabilities.items():
            said = pathlib.Path(f"/proc/{self.pid(name)}/status").read_text(encoding="ascii")
            for kind in ("CapEff", "CapPrm", "CapInh"):
                self.assertEqual(int(re.search(rf"^{kind}:\s+(\w+)", said, re.MULTILINE)[1], 16) & ~capabilities, 0,
                                 f"{name} {kind}")
            user, = set(re.search(r"(?m)^Uid:\s+(.*)$", said)[1].split())
            self.assertGreater(int(user), 0x70000000, f"{name} has a user of its own")
            self.assertRegex(said, r"(?m)^NoNewPrivs:\s1$")
            self.assertRegex(said, r"(?m)^Seccomp:\s2$")
            self.check_refused(self.pid(name))

    def check_refused(self, pid):
        """What another program in the place of the function cannot do."""
        node, secret = self.directory.parents[1], self.box.run_directory / "password"
        secret.write_text("secret", encoding="ascii")
        secret.chmod(0o644)  # Even if it were readable: it is not there.
        self.addCleanup(secret.unlink, missing_ok=True)
        for action in (f"read({str(secret)!r})", "read('/etc/passwd')", "write('/etc/cron.d/penstock-test')",
                       f"connect({str(node / 'db.sock')!r})", f"os.listdir({str(node / 'dns')!r})",
                       f"read({str(self.directory / 'state.json')!r})",
                       f"write({str(self.directory / 'state.json')!r})", "write('/usr/bin/penstock-test')",
                       "write('/proc/sys/kernel/core_pattern')", "os.kill(1, 0)", "read('/proc/1/status')",
                       f"os.kill({os.getpid()}, 0)", f"os.listdir('/proc/{os.getpid()}')"):
            with self.subTest(action=action):
                self.assertRegex(attempt(pid, action), "^(FileNotFound|Permission|ProcessLookup|OS)Error$")

    def check_sessions(self):
        """What the tenant opens passes both ways, in whole frames and in pieces, with the errors that are about it."""
        inside, outside = self.hosts[0]
        self.assertTrue(reaches(inside, OUTSIDE))
        self.assertTrue(reaches(inside, OUTSIDE, "-s", "3000"), "fragments")
        self.assertTrue(reaches(inside, OUTSIDE, "-M", "do", "-s", "1472"), "a full frame with its tag")
        self.assertTrue(reaches(inside, OUTSIDE_6), "neighbour discovery and ICMPv6")
        self.assertTrue(reaches(inside, OUTSIDE_6, "-s", "3000"), "fragments of IPv6")
        self.assertEqual(send_over_tcp(inside, outside, OUTSIDE), b"payload")
        with udp(inside, INSIDE, 5000) as client:
            client.connect((OUTSIDE, 6000))
            client.send(b"nobody listens")
            with self.assertRaises(ConnectionRefusedError):
                client.recv(100)

    def check_what_is_dropped(self):
        inside, outside = self.hosts[0]
        before = self.counters()
        self.assertIsNone(send_over_tcp(inside, outside, OUTSIDE, port=23, seconds=2), "telnet is denied")
        self.await_counted("denied", before["denied"])
        self.assertIsNone(send_over_tcp(outside, inside, INSIDE, seconds=2), "nothing new from outside")
        self.await_counted("unsolicited", before["unsolicited"])
        for address in (INSIDE, INSIDE_6):
            self.assertFalse(reaches(outside, address, attempts=2))
        self.assertEqual(self.counters()["untagged"], before["untagged"])

    def check_tenants(self):
        """A session of one tenant opens nothing for another with the same addresses and ports."""
        (inside0, outside0), (inside1, outside1) = self.hosts
        self.assertTrue(reaches(inside1, OUTSIDE))
        with udp(inside0, INSIDE, 5000) as client, udp(outside0, OUTSIDE, 6000) as server, \
                udp(inside1, INSIDE, 5000) as other_client, udp(outside1, OUTSIDE, 6000) as other_server:
            client.sendto(b"ask", (OUTSIDE, 6000))
            self.assertEqual(server.recv(100), b"ask")
            server.sendto(b"answer", (INSIDE, 5000))
            self.assertEqual(client.recv(100), b"answer")
            other_server.sendto(b"attack", (INSIDE, 5000))
            self.assertTrue(hears_nothing(other_client))
            other_client.sendto(b"ask", (OUTSIDE, 6000))
            self.assertEqual(other_server.recv(100), b"ask")
            other_server.sendto(b"answer", (INSIDE, 5000))
            self.assertEqual(other_client.recv(100), b"answer")

    def check_untagged(self):
        def flows(command, *more):
            run("ovs-ofctl", "-O", "OpenFlow13", *more, command, "br0", "priority=40000,in_port=10"
                + (",actions=output:1" if command == "add-flow" else ""), environment=self.ovs.environment)
            # The switch looks at its tables anew some time later, and may keep what it has cached (ADR 26).
            self.ovs.drop_cached_flows()
        before = self.counters()["untagged"]
        flows("add-flow")
        self.assertFalse(reaches(self.hosts[0][0], OUTSIDE, attempts=2))
        self.await_counted("untagged", before)
        flows("del-flows", "--strict")
        self.assertTrue(reaches(self.hosts[0][0], OUTSIDE))

    def kill(self, name):
        os.kill(self.pid(name), signal.SIGKILL)
        processes.wait_until(lambda: self.pid(name) is None, f"the end of {name}", 60)
        self.assertEqual(self.entry()["state"], "failed")

    def check_crash(self):
        self.kill(next(iter(self.capabilities)))
        self.assertFalse(reaches(self.hosts[0][0], OUTSIDE, attempts=2))
        self.await_attached()
        self.assertTrue(reaches(self.hosts[0][0], OUTSIDE))

    def check_restart_of_the_switch(self):
        """It goes away and comes back; the function runs on and lets it connect again."""
        pids = [self.pid(name) for name in self.capabilities]
        with self.without_switch():
            self.assertEqual(self.entry()["state"], "waiting")
        self.box.ovs_config("up", self.profile)
        self.await_attached()
        self.add_flows(tenants=2)
        self.assertTrue(reaches(self.hosts[0][0], OUTSIDE))
        self.assertEqual([self.pid(name) for name in self.capabilities], pids)

    def check_end(self):
        """Of what has failed nothing is left either, although some of its processes run."""
        self.assertIn("functions run on node", self.box.ovs_config("down", self.name, code=1))
        self.kill(list(self.capabilities)[-1])
        self.box.functions("stop", "fw", "--node", self.name)
        self.assertFalse(list((self.box.run_directory / self.name / "vhost").iterdir()))
        self.assertFalse(pathlib.Path("/var/run/dpdk", dpdk_prefix(self.directory)).exists())
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()


class NetnsFirewallTest(_FirewallTest, FunctionCase):

    function = "packet-filter"
    queues = 1
    capabilities = {"testpmd": _NET_ADMIN}


class ContainerFirewallTest(_FirewallTest, FunctionCase):

    function = "packet-filter-ct"
    capabilities = {"ovs-vswitchd": _NET_ADMIN, "ovsdb-server": 0}


@pytest.mark.deep
@pytest.mark.guest
class GuestFirewallTest(_FirewallTest, FunctionCase):

    function = "packet-filter-vm"
    capabilities = {"qemu": 0}
    scheduling = "normal"
    boot_seconds = 540  # Emulated on a busy machine it takes a minute.

    def setUp(self):
        super().setUp()
        # Built here: the namespace that stands for the controller's has no way to the archive.
        guest_image.build(firewall_nft.of_file(catalogue.find(self.function).rules))

    def check_rights(self):
        super().check_rights()
        self.assertIn(self.entry()["acceleration"], ("kvm", "tcg"))
        self.assertIsNone(self.entry()["core"])


if __name__ == "__main__":
    unittest.main()
