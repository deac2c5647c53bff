# SPDX-License-Identifier: Apache-2.0
"""A real guest beside a real switch, and what is said when one cannot be had."""

import os
import pathlib
import pwd
import tempfile
import unittest
from unittest import mock

from penstock_functions import catalogue, guest_image
from penstock_node import processes
from penstock_node.commands import run
from penstock_node.errors import PenstockError
from sandbox import reaches, send_over_tcp, udp

from .function_case import INSIDE, OUTSIDE, FunctionCase

# A guest that is emulated on a busy machine boots in a minute.
_BOOT_SECONDS = 90


class GuestTest(FunctionCase):

    def test_packet_filter(self):
        # Built here: the namespace that stands for the controller's has no way to the archive.
        guest_image.build(catalogue.find("packet-filter-vm").rules)
        self.node(tenants=2)
        self.start("fw", "--function", "packet-filter-vm")
        self.assertEqual([entry["state"] for entry in self.status()], ["waiting"])
        self.attach("fw", tenants=2)
        self.start("fw", "--function", "packet-filter-vm", "--wait", _BOOT_SECONDS)
        entry, = self.status()
        self.assertEqual((entry["state"], entry["form"], entry["core"]), ("attached", "vm", None))
        self.assertIn(entry["acceleration"], ("kvm", "tcg"))
        self.assertEqual(set(entry["counters"].values()), {0})
        self.assertEqual(os.stat(f"/proc/{entry['pid']}").st_uid, pwd.getpwnam("nobody").pw_uid)
        self.check_sessions()
        self.check_tenants()
        self.check_untagged()

        pidfile = self.box.run_directory / self.name / "functions" / "fw" / "qemu.process"
        os.kill(processes.pid_of(pidfile), 9)
        processes.wait_until(lambda: not processes.is_running(pidfile), "its end", 5)
        self.assertEqual([entry["state"] for entry in self.status()], ["failed"])
        self.assertFalse(reaches(self.hosts[0][0], OUTSIDE, attempts=2))
        self.start("fw", "--function", "packet-filter-vm", "--wait", _BOOT_SECONDS)
        self.assertTrue(reaches(self.hosts[0][0], OUTSIDE))

        # The switch goes away and comes back; the guest runs on.
        pid = processes.pid_of(pidfile)
        os.kill(processes.pid_of(self.ovs.switch_process), 9)
        processes.wait_until(lambda: not processes.is_running(self.ovs.switch_process), "its end", 5)
        self.assertEqual([entry["state"] for entry in self.status()], ["waiting"])
        self.box.ovs_config("up", self.profile)
        self.start("fw", "--function", "packet-filter-vm", "--wait", 30)
        self.add_flows(tenants=2)
        self.assertTrue(reaches(self.hosts[0][0], OUTSIDE))
        self.assertEqual(processes.pid_of(pidfile), pid)

        self.assertIn("functions run on node", self.box.ovs_config("down", self.name, code=1))
        self.box.functions("stop", "fw", "--node", self.name)
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()

    def check_sessions(self):
        """What the tenant opens passes both ways, in whole frames and in pieces; the rest is dropped and counted."""
        inside, outside = self.hosts[0]
        self.assertTrue(reaches(inside, OUTSIDE))
        self.assertTrue(reaches(inside, OUTSIDE, "-s", "3000"), "fragments")
        self.assertTrue(reaches(inside, OUTSIDE, "-M", "do", "-s", "1472"), "a full frame with its tag")
        self.assertEqual(send_over_tcp(inside, outside, OUTSIDE), b"payload")
        self.assertIsNone(send_over_tcp(inside, outside, OUTSIDE, port=23, seconds=2), "telnet is denied")
        self.assertIsNone(send_over_tcp(outside, inside, INSIDE, seconds=2), "nothing new from outside")
        counters = self.status()[0]["counters"]
        self.assertGreater(counters["denied"], 0)
        self.assertGreater(counters["unsolicited"], 0)

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
            with self.assertRaises(TimeoutError):
                other_client.recv(100)

    def check_untagged(self):
        run("ovs-ofctl", "-O", "OpenFlow13", "add-flow", "br0", "priority=40000,in_port=10,actions=output:1",
            environment=self.ovs.environment)
        self.assertFalse(reaches(self.hosts[0][0], OUTSIDE, attempts=2))
        processes.wait_until(lambda: self.status()[0]["counters"]["untagged"], "untagged frames are counted", 20)
        run("ovs-ofctl", "-O", "OpenFlow13", "--strict", "del-flows", "br0", "priority=40000,in_port=10",
            environment=self.ovs.environment)


class NoGuestTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def environment(self, **changes):
        patch = mock.patch.dict(os.environ, {name: str(value) for name, value in changes.items()})
        patch.start()
        self.addCleanup(patch.stop)

    def test_without_qemu(self):
        entry = catalogue.find("packet-filter-vm")
        self.environment(PATH=self.directory)
        said = catalogue.machine_problems(entry)
        self.assertTrue(any(line.startswith("form: vm needs the program qemu-system-x86_64: apt-get install")
                            for line in said), said)

    def test_without_packages(self):
        """An apt-get that has no sources and no lists."""
        config = self.directory / "apt.conf"
        config.write_text(f'Dir::Etc "{self.directory}";\nDir::State "{self.directory}";\nDir::Cache '
                          f'"{self.directory}";\nDir::State::status "/dev/null";\n', encoding="ascii")
        self.environment(APT_CONFIG=config, PENSTOCK_CACHE_DIR=self.directory / "cache")
        with self.assertRaisesRegex(PenstockError, "^form: vm needs a guest.*linux-image-cloud.*see that apt-get"):
            guest_image.build(catalogue.find("packet-filter-vm").rules)
        self.assertEqual(list((self.directory / "cache" / "guest").iterdir()), [])

    def test_more_memory_than_there_is(self):
        entry = catalogue.find("packet-filter-vm")
        (self.directory / "f.nft").write_text(entry.rules.read_text(encoding="utf-8"), encoding="utf-8")
        (self.directory / "f.yaml").write_text(
            '{"name": "f", "description": "d", "form": "vm", "shared": true, "fail-policy": "closed",'
            '"start": {"memory-mb": 65536, "rules": "f.nft"}}', encoding="ascii")
        said = catalogue.machine_problems(catalogue.load(self.directory / "f.yaml"))
        self.assertTrue(any(line.startswith("start.memory-mb: 65536 MB are asked for") for line in said), said)


if __name__ == "__main__":
    unittest.main()
