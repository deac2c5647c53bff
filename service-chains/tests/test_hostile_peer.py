# SPDX-License-Identifier: Apache-2.0
"""A function that ends the switch, beside a real switch with its supervisor and its watch, and a real function."""

import contextlib
import json
import os
import pathlib
import re
import signal
import unittest

import pytest

from penstock_base import processes
from penstock_base.commands import run
from penstock_functions.instance_files import InstanceFiles
from penstock_node import node_watch, quarantine, supervision
from sandbox import reaches

from .function_case import OUTSIDE, FunctionCase

# Starts switches with DPDK, or guests.
pytestmark = [pytest.mark.node, pytest.mark.hostile, pytest.mark.deep, pytest.mark.supervision]

_PROGRAM = pathlib.Path(__file__).with_name("hostile_peer.py")


class HostilePeerTest(FunctionCase):

    def setUp(self):
        super().setUp()
        self.node(tenants=1)
        self.start("hop", "--function", "forwarder")
        self.attach("hop", tenants=1)
        self.start("hop", "--function", "forwarder", "--wait", 15)
        self.tree = supervision.Tree(self.ovs.directory)

    def attacker(self, name, deed):
        """An instance with the attacking program in place of a function's; it has the rights of every other one."""
        instance = InstanceFiles(name, self.name, self.box.run_directory)
        instance.directory.mkdir(parents=True)
        instance.save(function="forwarder", form="container", mode="transparent", outputs=1, processes=["testpmd"],
                      core=None, scheduling="normal", order=None, complete=True,
                      vhost_user_directory=str(self.ovs.directory / "vhost"), **{"control-group": {"missing": "none"}})
        instance.make_own()
        path = instance.sockets["in"]
        processes.start([*instance.confined(readable=(_PROGRAM,), huge_pages=True), "/usr/bin/python3", "-I", "-B",
                         _PROGRAM, path, deed], instance.process, instance.log)
        # The switch may have ended before it says that the port is there.
        self.ovs.vsctl("--no-wait", "add-port", "br0", f"{name}-in", "--", "set", "interface", f"{name}-in",
                       "type=dpdkvhostuserclient", f"options:vhost-server-path={path}")
        return instance

    def until(self, condition, what, seconds=15):
        try:
            processes.wait_until(condition, what, seconds)
        except Exception as error:
            log = self.ovs.switch_log.read_text(encoding="utf-8")[-3000:]
            raise AssertionError("\n".join([str(error), self.watched(), log])) from error

    def watched(self):
        """The log of the node's watch."""
        return (self.ovs.directory / "watch.log").read_text(encoding="utf-8")

    def share(self, instance):
        """Waits until the switch has its memory and the watch has seen that."""
        self.until(lambda: "shared" in instance.log.read_text(encoding="utf-8"), "its memory")
        self.until(lambda: self.holds(instance.state["uid"]), "the look of the watch")

    def holds(self, uid):
        """Whether the watch keeps a file of this user open."""
        found = set()
        for path in pathlib.Path(f"/proc/{processes.pid_of(node_watch.process_of(self.ovs.directory))}/fd").iterdir():
            with contextlib.suppress(OSError):  # It was closed this moment.
                found.add(path.stat().st_uid)
        return uid in found

    @contextlib.contextmanager
    def unwatched(self, restored=None):
        """The watch looks again when the switch has ended by what is done here: otherwise it may see the deed first.

        restored: the instance that has to say before that it has given its file back
        """
        switch = processes.pid_of(self.ovs.switch_process)
        watch = processes.pid_of(node_watch.process_of(self.ovs.directory))
        os.kill(watch, signal.SIGSTOP)
        try:
            yield
            self.until(lambda: processes.pid_of(self.ovs.switch_process) != switch, "the end of the switch")
            if restored:
                self.until(lambda: "restored" in restored.log.read_text(encoding="utf-8"), "its file", 5)
        finally:
            os.kill(watch, signal.SIGCONT)

    def attack(self, instance):
        os.kill(processes.pid_of(instance.process), signal.SIGUSR1)

    def send_for_two_seconds(self):
        """Packets through the other function, none of which is lost."""
        # With -w it waits for eleven answers, also for late ones; when one is lost they are not the first eleven.
        said = run("ip", "netns", "exec", self.hosts[0][0], "ping", "-c", "11", "-i", "0.2", "-w", "10", OUTSIDE)
        answered = set(map(int, re.findall(r"icmp_seq=(\d+) ", said)))
        self.assertLessEqual(set(range(1, 12)), answered, said)

    def endings(self):
        return self.tree.endings()["ovs-vswitchd"]

    def check(self, name, reason, endings=1):
        """The switch has ended by it, once. It alone is in quarantine; the others work, and the switch lives on."""
        self.until(lambda: quarantine.of(self.ovs.directory, name), f"the quarantine of {name}")
        self.assertEqual(quarantine.of(self.ovs.directory, name)["reason"], reason, self.watched())
        self.until(self.ovs.is_running, "the next switch")
        self.start("hop", "--function", "forwarder", "--wait", 15)
        self.add_flows(1)
        self.assertTrue(reaches(self.hosts[0][0], OUTSIDE))
        switch = processes.pid_of(self.ovs.switch_process)
        self.send_for_two_seconds()
        self.assertEqual(processes.pid_of(self.ovs.switch_process), switch)
        self.assertEqual((self.endings(), self.tree.last_signal("ovs-vswitchd")), (endings, signal.SIGBUS))
        self.assertEqual({entry["name"] for entry in self.status() if entry["state"] != "quarantined"}, {"hop"})

    def test_truncated_memory(self):
        instance = self.attacker("evil", "truncates")
        self.share(instance)
        self.assertTrue(reaches(self.hosts[0][0], OUTSIDE))
        with self.unwatched():
            self.attack(instance)
        self.check("evil", "it truncated its memory and ended the switch")
        self.assertFalse(instance.is_running())
        self.check_release()

    def check_release(self):
        """What people see of a quarantine, and how they end it."""
        entry = next(entry for entry in self.status() if entry["name"] == "evil")
        self.assertEqual((entry["state"], entry["quarantine"]["reason"], entry["function"]),
                         ("quarantined", "it truncated its memory and ended the switch", "forwarder"))
        self.assertIn(f"functions release evil --node {self.name}", self.box.functions("status"))
        refused = self.start("evil", "--function", "forwarder", code=1)
        self.assertRegex(refused, r"functions: evil: quarantined at \S+Z: it truncated its memory")
        self.assertIn("quarantined", self.box.functions("status", "--node", self.name))
        released = json.loads(self.box.functions("release", "evil", "--node", self.name, "--json").splitlines()[0])
        self.assertEqual(released, {"name": "evil", "node": self.name, "released": True})
        self.assertIn("is not in quarantine", self.box.functions("release", "evil", "--node", self.name))
        # Its second port is missing, so it waits.
        self.start("evil", "--function", "forwarder")
        self.assertEqual({entry["name"]: entry["state"] for entry in self.status()},
                         {"evil": "waiting", "hop": "attached"})

    def test_without_the_evidence_of_a_short_file(self):
        """Before its memory was seen; with other memory at its next connection; and with a file that it restores."""
        reason = "it was the last to speak with the switch before it ended by SIGBUS"
        for number, (name, deed) in enumerate((("fast", "hastens"), ("other", "returns"), ("sly", "restores")), 1):
            with self.subTest(deed):
                if deed == "hastens":
                    with self.unwatched():
                        self.attacker(name, deed)
                else:
                    instance = self.attacker(name, deed)
                    self.share(instance)
                    self.send_for_two_seconds()  # Its connection is nothing new then.
                    with self.unwatched(restored=instance if deed == "restores" else None):
                        self.attack(instance)
                self.check(name, reason, number)


if __name__ == "__main__":
    unittest.main()
