# SPDX-License-Identifier: Apache-2.0
"""The switch of a node has a user of its own, three rights, and sees few files."""

import os
import pathlib
import re
import signal
import unittest

import pytest

from penstock_base import processes
from penstock_node import switch_rights, user_ids
from penstock_node.ovs import Ovs
from penstock_node.profile import load
from sandbox import Sandbox

pytestmark = pytest.mark.hostile

_RIGHTS = 1 << 1 | 1 << 12 | 1 << 13
"""CAP_DAC_OVERRIDE, CAP_NET_ADMIN, CAP_NET_RAW (linux/capability.h)."""


class RightsTest(unittest.TestCase):
    """What a profile makes of them."""

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)

    def profile(self, **fields):
        _, path = self.box.node("a", **fields)
        return load(path)

    def words(self, profile):
        return " ".join(switch_rights.make(profile, Ovs(profile.directory, switch_home=switch_rights.home(
            profile.directory))))

    def test_a_node_has_a_user_of_its_own(self):
        users = {user_ids.switch(pathlib.Path("/run/penstock", f"edge{number}")) for number in range(100)}
        self.assertEqual(len(users), 100)
        for user in users:
            self.assertFalse(user_ids.is_taken(user))

    def test_directories_of_devices_are_seen(self):
        sockets = self.box.run_directory / "sockets"
        sockets.mkdir(parents=True)
        profile = self.profile(access_ports=[{"name": "v0", "type": "dpdk",
                                              "devargs": f"net_vhost0,iface={sockets}/a.sock,queues=1"}])
        self.assertIn(f'["{sockets}","{sockets}"]', self.words(profile))

    def test_directories_of_others_are_not(self):
        for path in ("/run/a.sock", "/tmp/a.sock", f"{self.box.run_directory}/a.sock"):
            profile = self.profile(access_ports=[{"name": "v0", "type": "dpdk", "devargs": f"net_vhost0,iface={path}"}])
            self.assertEqual([text.partition(":")[0] for text in switch_rights.problems(profile)],
                             ["access-ports[0].devargs"], path)

    def test_keys_behind_links_are_seen(self):
        there, here = self.box.run_directory / "archive", self.box.run_directory / "live"
        for directory in (there, here):
            directory.mkdir(parents=True)
        for name in ("key", "certificate", "ca"):
            (there / f"{name}1.pem").touch()
            (here / f"{name}.pem").symlink_to(there / f"{name}1.pem")
        profile = self.profile(controller={"tls": {name: str(here / f"{name}.pem")
                                                   for name in ("key", "certificate", "ca")}})
        self.assertEqual(switch_rights.directories(profile), sorted([str(there.resolve()), str(here)]))

    def test_a_device_of_pci_needs_root(self):
        profile = self.profile(access_ports=[{"name": "v0", "type": "dpdk", "devargs": "0000:03:00.0"}])
        self.assertFalse(switch_rights.is_confined(profile))
        self.assertTrue(switch_rights.is_confined(self.profile()))


@pytest.mark.node
class RunningTest(unittest.TestCase):
    """A node that runs."""

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)
        _, self.directory = self.box.running_node("a")
        self.ovs = Ovs(self.directory)

    def process(self):
        return pathlib.Path(f"/proc/{processes.pid_of(self.ovs.switch_process)}")

    def has_its_rights(self):
        """All that matters to the kernel."""
        text = (self.process() / "status").read_text(encoding="ascii")
        facts = dict(re.findall(r"^(\w+):[\t ]*(.*)$", text, re.MULTILINE))
        user = str(user_ids.switch(self.directory))
        self.assertEqual(set(facts["Uid"].split() + facts["Gid"].split()), {user})
        self.assertEqual(facts["Groups"].split(), [])
        for kind in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(facts[kind], 16), _RIGHTS, kind)
        self.assertEqual((facts["NoNewPrivs"], facts["Seccomp"]), ("1", "2"))

    def test_it_has_three_rights_and_sees_few_files(self):
        self.has_its_rights()
        root = self.process() / "root"
        self.assertEqual(sorted(path.name for path in (root / "etc").iterdir()),
                         ["alternatives", "ld.so.cache", "localtime", "ssl"])
        self.assertEqual(list((root / "root").glob("*")) + list((root / "home").glob("*")), [])
        self.assertEqual(sorted(path.name for path in (root / str(self.directory)[1:]).iterdir()),
                         ["database", "functions", "switch", "vhost"])
        options = dict(re.findall(r"^\S+ \S+ \S+ \S+ (\S+) (\S+)", (self.process() / "mountinfo").read_text(
            encoding="ascii"), re.MULTILINE))
        written = {place for place, option in options.items() if option.startswith("rw")}
        self.assertEqual(written, {"/tmp", "/proc", str(self.directory / "switch")})
        # What is started has the name by which ps and pidof find it.
        self.assertEqual((self.process() / "comm").read_text(encoding="ascii"), "ovs-vswitchd\n")
        program = pathlib.Path((self.process() / "cmdline").read_text(encoding="utf-8").partition("\0")[0])
        self.assertEqual((program.parent, program.lstat().st_uid), (self.directory / "database", 0))
        for name in ("sys", "irq", "bus", "fs"):
            self.assertTrue(options[f"/proc/{name}"].startswith("ro"), name)

    def test_the_next_one_has_them_too_and_is_found(self):
        before = processes.pid_of(self.ovs.switch_process)
        os.kill(before, signal.SIGKILL)
        processes.wait_until(lambda: processes.pid_of(self.ovs.switch_process) not in (None, before)
                             and self.ovs.works(), "the next one", 60)
        self.has_its_rights()
        self.assertIn("Open vSwitch", self.ovs.appctl("version"))
        self.assertEqual([path.name for path in self.directory.glob("ovs-vswitchd.*.ctl")],
                         [f"ovs-vswitchd.{processes.pid_of(self.ovs.switch_process)}.ctl"])
