# SPDX-License-Identifier: Apache-2.0
"""The agent of functions beside a real node: deaths of functions, agent and node, and nothing left."""

import os
import pathlib
import signal
import unittest

import pytest

from penstock_base import processes
from penstock_functions import rings
from penstock_node import quarantine
from penstock_node.node_protocol import FUNCTION_STATE
from sandbox import Sandbox, pages_of_nobody

from . import silent_function
from .agent_case import FORWARDER, AgentCase

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node

class DeathsTest(AgentCase):

    def kill(self, name):
        """Kills the process of an instance, and waits for the next one."""
        log = self.directory / "functions-agent.log"
        pid, told = self.pid(name), log.read_text().count(f"{name}: its process ended")
        os.kill(pid, signal.SIGKILL)
        self.until(lambda: self.pid(name) not in (None, pid), f"the next {name}")
        self.assertEqual(log.read_text().count(f"{name}: its process ended"), told + 1)
        self.until_state(name, "running")

    def test_killed(self):
        self.order("weak", FORWARDER)
        self.order("other", FORWARDER)
        for name in ("weak", "other"):
            self.until_state(name, "running")
        other = self.pid("other")
        self.kill("weak")
        self.assertEqual((self.pid("other"), self.keys("other")[FUNCTION_STATE]), (other, "running"))
        self.withdraw("weak")
        self.until_nothing_left("weak")

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_killed_function(self):
        self.order("weak", FORWARDER)
        self.order("other", FORWARDER)
        self.until_state("weak", "running")
        self.until_state("other", "running")
        other = self.pid("other")
        for pause in (1, 2, 4):
            pid = self.pid("weak")
            os.kill(pid, signal.SIGKILL)
            self.until_state("weak", "failed: its process ended")
            self.assertIn(f"; next try in {pause} s", self.keys("weak")[FUNCTION_STATE])
            self.until_nothing_left("weak")
            self.until_state("weak", "running")
            self.assertNotIn(self.pid("weak"), (None, pid))
        self.assertEqual(self.pid("other"), other)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_killed_part_of_a_function(self):
        """Of two processes the one that forwards goes on; the function has failed all the same."""
        self.order("duo", {"function": "packet-filter-ct", "scheduling": "normal"})
        self.until_state("duo", "running")
        os.kill(self.pid("duo", "ovsdb-server"), signal.SIGKILL)
        self.until_state("duo", "failed: its process ended")
        self.until_nothing_left("duo")
        self.until_state("duo", "running")
        self.withdraw("duo")
        self.until_nothing_left("duo")

    def test_quarantine(self):
        """It stays ended over a restart of the agent, and runs again when it is released."""
        self.order("evil", FORWARDER)
        self.order("other", FORWARDER)
        self.until_state("evil", "running")
        self.until_state("other", "running")
        other = self.pid("other")
        quarantine.impose(self.directory, "evil", "it truncated its memory and ended the switch")
        self.assertFalse((self.directory / "vhost" / "evil-in.sock").is_symlink())
        words = ("Z: it truncated its memory and ended the switch; to release it: functions release evil --node "
                 + self.name)
        self.until_state("evil", words)
        self.assertTrue(self.keys("evil")[FUNCTION_STATE].startswith("failed: quarantined at 20"), self.keys("evil"))
        self.until_nothing_left("evil")
        agent = self.agent()
        os.kill(agent, signal.SIGKILL)
        self.withdraw("evil")
        self.until(lambda: self.agent() not in (None, agent), "the next agent")
        self.until(lambda: FUNCTION_STATE not in self.keys("evil"), "the end of the report")
        self.order("evil", FORWARDER)
        self.until_state("evil", words)
        self.assertEqual(self.status()["evil"]["state"], "quarantined")
        self.functions("release", "evil")
        self.until_state("evil", "running")
        self.assertEqual((self.pid("other"), self.keys("other")[FUNCTION_STATE]), (other, "running"))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_stopped_process(self):
        """It goes on after two seconds. When it is stopped again it is ended, and started again."""
        self.order("idle", FORWARDER)
        self.until_state("idle", "running")
        pid = self.pid("idle")
        process = self.directory / "functions" / "idle" / "testpmd.process"
        os.kill(pid, signal.SIGSTOP)
        self.until(lambda: processes.is_stopped(process), "it is stopped")
        self.until(lambda: not processes.is_stopped(process), "it goes on", 60)
        self.assertEqual((self.pid("idle"), self.keys("idle")[FUNCTION_STATE]), (pid, "running"))
        os.kill(pid, signal.SIGSTOP)
        self.until_state("idle", "failed: its process was stopped twice within 60 s, and is ended; next try in 1 s")
        self.until_state("idle", "running")
        self.assertNotIn(self.pid("idle"), (None, pid))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_no_ring(self):
        """The switch is connected and the function has enabled no ring: it is ended, and started again."""
        self.order("mute", FORWARDER)
        self.order("other", FORWARDER)
        self.until_state("mute", "running")
        self.until_state("other", "running")
        other = self.pid("other")
        self.functions("agent", "--stop")
        silent = silent_function.replace(self, self.directory, "mute")
        self.start_agent()
        self.until_state("mute", "failed: it has enabled no ring since the switch connected to it, and is ended; next "
                         "try in 1 s")
        self.until_state("mute", "running")
        self.assertNotIn(self.pid("mute"), (None, silent))
        self.until(lambda: not rings.without_ring(self.ovs.appctl("dpif-netdev/pmd-rxq-show")), "its rings")
        self.assertEqual((self.pid("other"), self.keys("other")[FUNCTION_STATE]), (other, "running"))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_crash_loop_disturbs_nobody(self):
        self.order("steady", FORWARDER)
        self.until_state("steady", "running")
        pid = self.pid("steady")
        self.order("loop", {"function": "greedy"})
        said = self.until_state("loop", "; next try in 2 s")[-1]
        self.assertIn("failed: start.memory-mb: 65536 MB of huge pages are requested", said)
        self.order("late", FORWARDER)
        self.until_state("late", "running")
        # How many times it was tried meanwhile depends on how fast the other one was: perhaps not once.
        self.until(lambda: self.pause("loop") > 2, "a longer pause")
        self.assertEqual((self.pid("steady"), self.keys("steady")[FUNCTION_STATE]), (pid, "running"))
        self.until_nothing_left("loop")
        self.order("loop", FORWARDER)
        self.until_state("loop", "running")

    def test_killed_agent(self):
        self.order("long", FORWARDER)
        self.order("gone", FORWARDER)
        self.until_state("long", "running")
        self.until_state("gone", "running")
        pid = self.pid("long")
        agent = self.agent()
        os.kill(agent, signal.SIGKILL)
        self.until(lambda: self.agent() not in (None, agent), "the next agent")
        self.order("new", FORWARDER)
        self.until_state("new", "running")
        self.assertEqual((self.pid("long"), self.keys("long")[FUNCTION_STATE]), (pid, "running"))
        self.functions("agent", "--stop")
        self.assertIsNone(self.agent())
        self.remove("gone")
        self.start_agent()
        self.until_nothing_left("gone")
        self.kill("new")
        self.assertEqual((self.pid("long"), self.keys("long")[FUNCTION_STATE]), (pid, "running"))

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_killed_while_it_starts(self):
        """Whatever moment: the start that is under way, or the next one, comes to its end."""
        self.order("early", {"function": "packet-filter", "scheduling": "low"})
        self.until_state("early", "starting")
        agent = self.agent()
        children = pathlib.Path(f"/proc/{agent}/task/{agent}/children").read_text().split()
        for pid in (agent, *map(int, children)):
            os.kill(pid, signal.SIGKILL)
        self.until(lambda: self.agent() not in (None, agent), "the next agent")
        self.until_state("early", "running")
        self.assertIn("denied", self.status()["early"]["counters"])


class EndOfNodeTest(unittest.TestCase):

    def test_agent_ends_with_its_node(self):
        box = Sandbox()
        self.addCleanup(box.close)
        name, _ = box.running_node("b")
        box.functions("agent", "--node", name, "--detach")
        box.ovs_config("down", name)
        processes.wait_until(lambda: box.processes() == [], "the end of the agent", 60)
        self.assertEqual(box.namespaces_left(), [])
        self.assertFalse((box.run_directory / name).exists())
        self.assertEqual(pages_of_nobody(), box.pages_of_nobody)
        self.assertIn("is not up", box.functions("agent", "--node", name, code=1))

if __name__ == "__main__":
    unittest.main()
