# SPDX-License-Identifier: Apache-2.0
"""A node whose processes end or hang: what comes back without a controller."""

import fcntl
import mmap
import os
import pathlib
import signal
import subprocess
import time
import unittest

import pytest

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import polling, supervision
from penstock_node.hugepages import HugePages
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import Sandbox, hanging, internal_ports, reaches

_MAP_HUGETLB = 0x40000


def _polling_thread(pid):
    return next(int(task.name) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                if (task / "comm").read_text(encoding="ascii").startswith("pmd-"))


@pytest.mark.node
class NodeTest(unittest.TestCase):
    """A real node between two hosts. It has no controller: what comes back is what the node brings back alone."""

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.name, cls.profile = cls.box.node("a")
        cls.box.ovs_config("up", cls.profile)
        cls.directory = cls.box.run_directory / cls.name
        cls.ovs = Ovs(cls.directory)
        cls.tree = supervision.Tree(cls.directory)
        cls.files = cls.tree.processes()
        cls.namespace = cls.box.status(cls.name)["namespace"]

    def pid(self, name):
        return processes.pid_of(self.files[name])

    def until_next(self, name, before, seconds=60):
        processes.wait_until(lambda: self.pid(name) not in (None, before), f"the next {name}", seconds)

    def until_works(self):
        """Waits until all services run and answer, and the switch has its settings."""
        processes.wait_until(lambda: all(map(processes.is_running, self.files.values())), "all services", 180)
        processes.wait_until(lambda: self.box.status(self.name)["state"] == "running", "the node runs", 180)
        processes.wait_until(self.is_prepared, "the switch has its settings", 180)

    def is_prepared(self):
        try:
            return ("disabled" in self.ovs.appctl("dpctl/ct-get-tcp-seq-chk")
                    and BRIDGE in self.ovs.vsctl("list-br"))
        except Exception:  # noqa: BLE001  (it is being started)
            return False

    def test_services(self):
        self.assertEqual(sorted(self.files), ["agent", "ovs-vswitchd", "ovsdb-server", "watch"])
        self.assertEqual(set(self.box.status(self.name)["endings"]), set(self.files))

    def test_killed(self):
        for name in self.files:
            with self.subTest(name):
                before = self.pid(name)
                os.kill(before, signal.SIGKILL)
                self.until_next(name, before)
                self.until_works()
                self.assertGreater(self.box.status(self.name)["endings"][name], 0)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_stopped(self):
        for name in self.files:
            with self.subTest(name):
                pid = self.pid(name)
                os.kill(pid, signal.SIGSTOP)
                processes.wait_until(lambda pid=pid: _state(pid) != "T", f"{name} goes on", 10)
                self.assertEqual(self.pid(name), pid)
                self.until_works()

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_a_switch_that_hangs_is_ended(self):
        pid = self.pid("ovs-vswitchd")
        with hanging(pid):
            self.until_next("ovs-vswitchd", pid, 60)
        self.until_works()

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_a_switch_of_which_a_polling_thread_hangs_is_ended(self):
        # Polling threads are there for ports of DPDK alone.
        self.ovs.vsctl("add-port", BRIDGE, "polled", "--", "set", "Interface", "polled",
                       "type=dpdkvhostuserclient", f"options:vhost-server-path={self.directory}/polled.sock")
        self.addCleanup(self.ovs.vsctl, "del-port", "polled")
        pid = self.pid("ovs-vswitchd")
        self.assertEqual(len(polling.with_ports(self.ovs.appctl("dpif-netdev/pmd-rxq-show"))), 1)
        self.assertEqual(len(polling.turns(self.ovs.appctl("dpif-netdev/pmd-perf-show"))), 1)
        with hanging(_polling_thread(pid)):
            # Also the main thread stops if it still has to wait for the other one, so the log may tell either.
            self.until_next("ovs-vswitchd", pid, 60)
        self.until_works()

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_huge_pages_that_others_have_taken_meanwhile(self):
        megabytes = 832
        pages = HugePages()
        with open(self.directory / "supervised" / "ovs-vswitchd" / "turn", "w", encoding="ascii") as turn:
            before = self.pid("ovs-vswitchd")
            os.kill(before, signal.SIGKILL)
            fcntl.flock(turn, fcntl.LOCK_EX)
            processes.wait_until(lambda: self.pid("ovs-vswitchd") is None, "the end of the switch", 10)
            self.addCleanup(pages.give_back, "another node")
            with pages.reserve("another node", megabytes):
                taken = mmap.mmap(-1, megabytes << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_HUGETLB)
                self.addCleanup(taken.close)
        self.until_next("ovs-vswitchd", before)
        self.until_works()

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_settings_that_cannot_be_given_now(self):
        ovs = Ovs(self.directory, patience_seconds=1)
        with hanging(self.pid("ovsdb-server")):
            begun = time.monotonic()
            with self.assertRaisesRegex(PenstockError, "ovs-vsctl"):
                ovs.prepare_bridge()
            self.assertLess(time.monotonic() - begun, 5)
        self.until_works()

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_the_signal_of_a_former_end_is_not_that_of_the_last(self):
        # The supervisor of the one that runs now may be another than that which has started it.
        for supervised, cause in ((True, ""), (True, "SIGKILL"), (False, "a cause that is not known")):
            self.until_works()
            told = len(self.ends())
            time.sleep(1)  # The watch has to have seen it run.
            before = self.pid("ovs-vswitchd")
            if not supervised:
                os.kill(supervision.supervisor(self.directory / "supervised" / "ovs-vswitchd"), signal.SIGKILL)
            os.kill(before, signal.SIGKILL)
            self.until_next("ovs-vswitchd", before)
            processes.wait_until(lambda told=told: len(self.ends()) > told, "the watch has seen the end", 20)
            self.assertIn(f"ended by {cause}", self.ends()[-1])
            self.until_works()

    def ends(self):
        """What the watch says about ends of the switch."""
        lines = (self.directory / "watch.log").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if "the switch has ended by" in line]

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_supervisors_are_replaced(self):
        before = {name: self.pid(name) for name in self.files}
        for pid in self.tree.supervisors():
            os.kill(pid, signal.SIGKILL)
        processes.wait_until(lambda: len(self.tree.supervisors()) == 5, "new supervisors", 20)
        self.assertEqual({name: self.pid(name) for name in self.files}, before)
        for pid in self.tree.supervisors():
            os.kill(pid, signal.SIGSTOP)
        processes.wait_until(lambda: all(_state(pid) != "T" for pid in self.tree.supervisors()), "they go on", 10)

    def test_packets_pass_again_when_the_database_is_started_again(self):
        """By the same flows of the same switch. While it has no database it reads no port of type `system`
        (docs/limits.md), for how long depends on how fast the next one begins."""
        left, right = self.hosts()
        switch, flows = self.pid("ovs-vswitchd"), self.flows()
        before = self.pid("ovsdb-server")
        os.kill(before, signal.SIGKILL)
        self.until_next("ovsdb-server", before)
        self.assertTrue(reaches(left, "10.9.0.2"))
        self.assertTrue(reaches(right, "10.9.0.1"))
        self.assertEqual((self.pid("ovs-vswitchd"), self.flows()), (switch, flows))

    def hosts(self):
        """Namespaces of two hosts of which the first has reached the second."""
        internal_ports(self.ovs, self.namespace, "pA", "pB")
        hosts = [self.box.namespace(f"psh-{os.getpid()}-{side}") for side in ("a", "b")]
        for port, host in zip(("pA", "pB"), hosts, strict=True):
            self.addCleanup(self.box.remove_namespace, host)
            self.addCleanup(self.ovs.vsctl, "del-port", port)
        for device, namespace, address in zip(("pA", "pB"), hosts, ("10.9.0.1/24", "10.9.0.2/24"), strict=True):
            run("ip", "-n", self.namespace, "link", "set", device, "netns", namespace)
            run("ip", "-n", namespace, "address", "add", address, "dev", device)
            run("ip", "-n", namespace, "link", "set", device, "up")
        run("ovs-ofctl", "add-flow", BRIDGE, "actions=normal", environment=self.ovs.environment)
        self.assertTrue(reaches(hosts[0], "10.9.0.2"))
        return hosts

    def flows(self):
        """All flows of the bridge, without counters."""
        return run("ovs-ofctl", "--no-stats", "dump-flows", BRIDGE, environment=self.ovs.environment)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_packets_pass_while_the_database_is_started_again(self):
        left, _ = self.hosts()
        # It has run for some time: the next one begins at once, before the switch asks for it a second later. If that
        # is too early the switch waits for two seconds, then for four.
        begun = self.directory / "supervised" / "ovsdb-server" / supervision.BEGUN
        begun.write_text(f"{int(begun.read_text(encoding='ascii')) - 100}\n", encoding="ascii")
        ping = subprocess.Popen(["ip", "netns", "exec", left, "ping", "-i", "0.1", "-c", "60", "10.9.0.2"],
                                stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        os.kill(self.pid("ovsdb-server"), signal.SIGKILL)
        said, _ = ping.communicate(timeout=30)
        answers = said.count("bytes from")
        self.assertGreater(answers, 50, said)

    def test_up_finds_the_node_running(self):
        os.kill(self.pid("ovs-vswitchd"), signal.SIGKILL)
        self.assertIn("is running already", self.box.ovs_config("up", self.profile))
        self.until_works()


def _state(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]

if __name__ == "__main__":
    unittest.main()
