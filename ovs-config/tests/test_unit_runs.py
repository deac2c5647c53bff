# SPDX-License-Identifier: Apache-2.0
"""The unit of a node in a real systemd, with a real switch."""

import json
import os
import signal
import unittest

import pytest

from own_systemd import Systemd
from penstock_base import namespaces
from sandbox import OVS_CONFIG, Sandbox, hanging

pytestmark = pytest.mark.node


class UnitRunsTest(unittest.TestCase):

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)
        self.name, profile = self.box.node("a")
        self.systemd = Systemd(self.box.controller)
        self.addCleanup(self.systemd.close)
        self.service = f"penstock-{self.name}.service"
        code, text = self.systemd.run(OVS_CONFIG, "unit", profile)
        self.assertEqual(code, 0, text)
        (self.systemd.units / self.service).write_text(text, encoding="utf-8")
        # There is no journal.
        self.change(f"StandardOutput=append:{self.systemd.log}\nStandardError=inherit")

    def change(self, text):
        """Adds to the unit."""
        folder = self.systemd.units / f"{self.service}.d"
        folder.mkdir(exist_ok=True)
        (folder / f"{len(list(folder.iterdir()))}.conf").write_text(f"[Service]\n{text}\n", encoding="utf-8")
        self.systemd.ctl("daemon-reload")

    def pids(self, *words):
        return [pid for pid, text in self.systemd.processes().items() if all(word in text for word in words)]

    def pid(self, *words):
        """That of the only such process. Just after a start the one before may still be about to end."""
        found = []

        def is_one():
            found[:] = self.pids(*words)
            return len(found) == 1
        self.systemd.until(is_one, f"one process of {' '.join(words)}")
        return found[0]

    def restarts(self):
        return int(self.systemd.show(self.service, "NRestarts"))

    def until_restarted(self, number, seconds):
        self.systemd.until(lambda: self.restarts() >= number
                           and self.systemd.ctl("is-active", self.service) == "active", "the next start", seconds)

    def test_started_kept_and_stopped(self):
        self.systemd.start(self.service)
        status = json.loads(self.systemd.run("env", f"PENSTOCK_RUN_DIR={self.box.run_directory}", OVS_CONFIG, "status",
                                             "--json")[1])
        self.assertEqual([(node["name"], node["state"]) for node in status], [(self.name, "running")])
        switch = self.pid("ovs-vswitchd-dpdk unix:")
        with self.subTest("the root of the tree is killed"):
            os.kill(self.pid("s6-svscan"), signal.SIGKILL)
            self.until_restarted(1, 120)
            self.assertEqual(self.pid("ovs-vswitchd-dpdk unix:"), switch)
        with self.subTest("the switch is killed, which is not systemd's matter"):
            os.kill(switch, signal.SIGKILL)
            self.systemd.until(lambda: self.next_of("ovs-vswitchd-dpdk unix:", switch), "the next switch")
            self.assertEqual(self.restarts(), 1)
        switch = self.pid("ovs-vswitchd-dpdk unix:")
        with self.subTest("a stop leaves the node as it is, and a start finds it"):
            for state, word in (("inactive", "stop"), ("active", "start"), ("active", "restart")):
                self.systemd.ctl(word, self.service)
                self.assertEqual(self.systemd.ctl("is-active", self.service), state, self.systemd.log.read_text())
                self.assertEqual(self.pid("ovs-vswitchd-dpdk unix:"), switch)
        with self.subTest("agent and watch are those of the version that was started last"):
            agent, watch = self.pid("penstock_node.agent"), self.pid("penstock_node.node_watch")
            state = self.box.run_directory / self.name / "state.json"
            state.write_text(json.dumps(json.loads(state.read_text()) | {"version": "0.0.9"}))
            self.systemd.ctl("restart", self.service)
            # The start ends when their processes are there, which then become the programs.
            self.systemd.until(lambda: self.next_of("penstock_node.agent", agent), "the next agent")
            self.systemd.until(lambda: self.next_of("penstock_node.node_watch", watch), "the next watch")
            # While the node is taken down there is none, and systemd waits for one no longer than its limit.
            before = self.sign()
            self.systemd.until(lambda: self.sign() > before, "a sign of life of the next watch")
            self.assertEqual(self.pid("ovs-vswitchd-dpdk unix:"), switch)
        code, text = self.systemd.run(OVS_CONFIG, "down", "--run-directory", self.box.run_directory, self.name)
        self.assertEqual(code, 0, text)
        self.systemd.until(lambda: self.systemd.ctl("is-active", self.service) == "inactive", "the end of the unit")
        self.assertEqual(self.systemd.processes(), {})
        self.assertFalse((self.box.run_directory / self.name).exists())
        self.assertFalse(namespaces.link_exists(f"psm-{self.name}", self.box.controller))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_a_watch_that_hangs(self):
        self.change("WatchdogSec=15")  # The watch gives a sign every five seconds.
        self.systemd.start(self.service)
        switch = self.pid("ovs-vswitchd-dpdk unix:")
        with hanging(self.pid("penstock_node.node_watch")):
            self.until_restarted(1, 240)
        self.assertEqual(self.systemd.show(self.service, "Result"), "success")
        self.assertEqual(self.pid("ovs-vswitchd-dpdk unix:"), switch)
        code, text = self.systemd.run(OVS_CONFIG, "down", "--run-directory", self.box.run_directory, self.name)
        self.assertEqual(code, 0, text)

    def sign(self):
        """When systemd got the last sign of life of the node, in microseconds."""
        return int(self.systemd.show(self.service, "WatchdogTimestampMonotonic"))

    def next_of(self, word, before):
        return any(word in text and pid != before for pid, text in self.systemd.processes().items())


if __name__ == "__main__":
    unittest.main()
