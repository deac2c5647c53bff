# SPDX-License-Identifier: Apache-2.0
"""A real translator between a host that has only IPv6 and one that has only IPv4. Needs root and TAYGA."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from intruder import attempt
from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_functions import nat64

_TOOL = pathlib.Path(__file__).resolve().parents[1] / "nat64"
_PREFIX = "fd00:64:9b::/96"
_TELLER = """
import socket
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.bind(("", 10))
print("ready", flush=True)
while True:
    _, peer = link.recvfrom(100)
    link.sendto(peer[0].encode(), peer)
"""
_ASK = """
import socket, sys
link = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
link.settimeout(30)
link.sendto(b"?", (sys.argv[1], 10))
print(link.recv(100).decode())
"""


class SettingsTest(unittest.TestCase):
    def test_what_is_wrong_is_named(self):
        good = {"inside": "fd00:64::1/64", "prefix": _PREFIX, "pool": "10.64.0.0/24"}
        for change, words in (
                ({"inside": "10.0.0.1/24"}, "--inside: "), ({"inside": "fd00:64::1/129"}, "--inside: "),
                ({"inside": "fd00:64::1/65"}, "--inside: /65 is longer than /64"),
                ({"prefix": "fd00:64:9b::/97"}, "--prefix: /97 is none of /32, "),
                ({"prefix": "fd00:64:9b::1/96"}, "--prefix: "), ({"prefix": "fd00:64::/96"}, "--prefix: .* overlaps"),
                ({"pool": "10.64.0.0/30"}, "--pool: /30 is too small"), ({"pool": "10.64.0.1/24"}, "--pool: "),
                ({"maps": ["10.64.1.5"]}, "--map: '10.64.1.5' is not IPV4=IPV6"),
                ({"maps": ["10.64.1.5=10.0.0.1"]}, "--map: "),
                ({"maps": ["10.64.1.5=fd00::5", "10.64.1.6=fd00::5"]}, "--map: an address occurs twice")):
            with self.subTest(change), self.assertRaisesRegex(PenstockError, f"^{words}"):
                nat64.parse(**(good | change))
        self.assertEqual(str(nat64.parse(**good).own4), "10.64.0.1")


class TranslatorTest(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="ps64-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.box, self.six, self.four = (f"ps64-{os.getpid()}-{name}" for name in ("b", "6", "4"))
        for name in (self.box, self.six, self.four):
            namespaces.create(name)
            self.addCleanup(namespaces.delete, name)
        namespaces.add_veth("eth0", self.six, "eth0", self.box)
        namespaces.add_veth("eth0", self.four, "up0", self.box)
        for namespace, address, device in ((self.box, "10.0.0.64/24", "up0"), (self.four, "10.0.0.1/24", "eth0")):
            run("ip", "-n", namespace, "address", "add", address, "dev", device)
        run("ip", "-n", self.six, "-6", "address", "add", "fd00:64::10/64", "dev", "eth0", "nodad")
        for namespace, device in ((self.six, "eth0"), (self.box, "eth0"), (self.box, "up0"), (self.four, "eth0")):
            namespaces.set_up(device, namespace)
        run("ip", "-n", self.six, "-6", "route", "add", "default", "via", "fd00:64::1")
        run("ip", "-n", self.four, "route", "add", "10.64.0.0/16", "via", "10.0.0.64")
        teller = subprocess.Popen(  # pylint: disable=consider-using-with
            ["ip", "netns", "exec", self.four, sys.executable, "-c", _TELLER], stdout=subprocess.PIPE)
        self.addCleanup(teller.wait)
        self.addCleanup(teller.kill)
        self.addCleanup(teller.stdout.close)
        self.assertEqual(teller.stdout.readline(), b"ready\n")

    def tool(self, *arguments, code=0):
        done = subprocess.run([_TOOL, "--run-dir", self.directory, "--state-dir", self.directory / "state", *arguments],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def start(self, *more, code=0):
        return self.tool("start", self.box, "--inside", "fd00:64::1/64", "--prefix", _PREFIX, "--pool", "10.64.0.0/24",
                         *more, code=code)

    def seen(self):
        """The IPv4 address by which the world sees the IPv6 host."""
        return run("ip", "netns", "exec", self.six, sys.executable, "-c", _ASK, "fd00:64:9b::10.0.0.1").strip()

    def test_a_host_has_one_address_also_after_a_restart(self):
        self.addCleanup(self.tool, "stop", self.box)
        self.start()
        address = self.seen()
        self.assertRegex(address, r"^10\.64\.0\.\d+$")
        run("ip", "netns", "exec", self.six, "ping", "-c", "1", "-W", "30", "fd00:64:9b::10.0.0.1")
        self.assertIn("running already; nothing changed", self.start())
        self.assertIn("other settings", self.start("--map", "10.64.1.5=fd00:64::5", code=1))
        self.tool("stop", self.box)
        self.assertFalse(namespaces.link_exists(nat64.DEVICE, self.box))
        self.start()
        self.assertEqual(self.seen(), address)
        self.tool("stop", self.box)
        self.start()
        found, = json.loads(self.tool("status", "--json"))
        self.assertEqual((found["state"], found["hosts"]), ("running", {"fd00:64::10": address}))
        self.assertIn(f"fd00:64::10 has {address}", self.tool("status"))
        self.tool("stop", self.box, "--forget")
        self.assertEqual([path.name for path in self.directory.rglob("*")], ["state"])

    def test_a_host_that_the_world_reaches(self):
        self.addCleanup(self.tool, "stop", self.box)
        self.start("--map", "10.64.1.5=fd00:64::10")
        run("ip", "netns", "exec", self.four, "ping", "-c", "1", "-W", "30", "10.64.1.5")
        self.assertEqual(self.seen(), "10.64.1.5")
        self.check_refused(processes.pid_of(self.directory / "nat64" / self.box / "tayga.pid"))

    def check_refused(self, pid):
        """It has no right of root's, and sees no files but its own."""
        said = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        self.assertRegex(said, r"(?m)^CapEff:\s0+$")
        self.assertRegex(said, r"(?m)^Uid:\s187")
        for action in ("read('/etc/passwd')", "write('/etc/cron.d/penstock-test')", f"os.kill({os.getpid()}, 0)",
                       f"read('{self.directory}/nat64/{self.box}/settings.json')"):
            with self.subTest(action=action):
                self.assertRegex(attempt(pid, action), "^(FileNotFound|Permission|ProcessLookup|OS)Error")

    def test_the_well_known_prefix_reaches_no_private_address(self):
        self.addCleanup(self.tool, "stop", self.box)
        run("ip", "-n", self.four, "address", "add", "192.88.99.9/32", "dev", "lo")
        run("ip", "-n", self.box, "route", "add", "default", "via", "10.0.0.1")
        self.tool("start", self.box, "--inside", "fd00:64::1/64", "--prefix", "64:ff9b::/96", "--pool", "10.64.0.0/24")
        run("ip", "netns", "exec", self.six, "ping", "-c", "1", "-W", "30", "64:ff9b::192.88.99.9")
        answer = subprocess.run(["ip", "netns", "exec", self.six, "ping", "-c", "1", "-W", "30", "64:ff9b::10.0.0.1"],
                                capture_output=True, text=True, check=False)
        self.assertIn("unreachable", answer.stdout)

    def test_refusals_leave_nothing(self):
        self.assertIn("there is no network namespace nowhere",
                      self.tool("start", "nowhere", "--inside", "fd00:64::1/64", "--prefix", _PREFIX, "--pool",
                                "10.64.0.0/24", code=1))
        self.assertIn("--device: namespace", self.start("--device", "eth9", code=1))
        self.assertIn("--pool: /31 is too small", self.tool("start", self.box, "--inside", "fd00:64::1/64", "--prefix",
                                                            _PREFIX, "--pool", "10.64.0.0/31", code=1))
        self.assertIn("nothing to do", self.tool("stop", self.box))
        self.assertEqual(self.tool("status"), "no translator\n")

    def test_a_crash_is_seen_and_mended(self):
        self.addCleanup(self.tool, "stop", self.box)
        self.start()
        os.kill(processes.pid_of(self.directory / "nat64" / self.box / "tayga.pid"), 9)
        processes.wait_until(lambda: "failed" in self.tool("status"), "its end", 30)
        self.start()
        self.assertRegex(self.seen(), r"^10\.64\.0\.\d+$")


if __name__ == "__main__":
    unittest.main()
