# SPDX-License-Identifier: Apache-2.0
"""The agent of functions beside a real node with real functions: orders and reports in the node's database, and
rights."""

import json
import os
import pathlib
import subprocess
import unittest

import pytest

from intruder import attempt, capabilities
from penstock_base import processes
from penstock_functions import catalogue, guest_image
from penstock_node.node_protocol import BRIDGE, FUNCTION, FUNCTION_STATE, NODE_FUNCTIONS
from sandbox import FUNCTIONS

from .agent_case import FORWARDER, AgentCase

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node

_LISTEN = """
import socket, sys, time
sockets = [socket.socket(socket.AF_UNIX) for _ in sys.argv[1:]]
for each, path in zip(sockets, sys.argv[1:]):
    each.bind(path)
    each.listen()
time.sleep(600)
"""


class FunctionsAgentTest(AgentCase):

    def capabilities(self, pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return {line.split()[0].rstrip(":"): int(line.split()[1], 16) for line in status.splitlines()
                if line.startswith("Cap")}

    def test_ordered_and_withdrawn(self):
        self.order("hop", FORWARDER)
        self.ovs.vsctl("--no-wait", "set", "interface", "hop-in", "external_ids:foreign=kept")
        self.until_state("hop", "running")
        entry = self.status()["hop"]
        self.assertEqual((entry["state"], entry["ordered"], entry["core"], entry["scheduling"]),
                         ("attached", True, 0, "low"))
        self.assertEqual(self.keys("hop"), {FUNCTION: json.dumps(FORWARDER), FUNCTION_STATE: "running",
                                            "foreign": "kept"})
        self.assertIsNone(self.found())
        self.withdraw("hop")
        self.until(lambda: FUNCTION_STATE not in self.keys("hop"), "the end of the report")
        self.assertEqual(self.keys("hop"), {"foreign": "kept"})
        self.until_nothing_left("hop")
        self.order("hop", FORWARDER)
        self.until_state("hop", "running")
        self.remove("hop")
        self.until_nothing_left("hop")

    def test_facts(self):
        """What the node has is in its database, and follows the catalogue."""
        self.ports("hop")

        def functions():
            facts = self.ovs.get("Bridge", BRIDGE, "external_ids").get(NODE_FUNCTIONS, "{}")
            return json.loads(facts).get("functions", {})
        self.until(lambda: "greedy" in functions(), "the catalogue")
        self.assertEqual(functions()["router-vm"], {"form": "vm", "mode": "routed", "shared": False})
        text = (self.catalogue / "forwarder.yaml").read_text()
        (self.catalogue / "later.yaml").write_text(text.replace("name: forwarder", "name: later"))
        self.until(lambda: "later" in functions(), "a new description")
        (self.catalogue / "later.yaml").unlink()
        self.until(lambda: "later" not in functions(), "a description that has gone")

    def test_waits_for_the_switch(self):
        self.order("lone", FORWARDER, sides=("in",))
        self.until_state("lone", "waiting")
        self.ports("lone")
        self.until_state("lone", "running")

    def test_waits_for_the_second_output(self):
        self.order("both", {"function": "packet-divert-ct", "scheduling": "normal"})
        self.until_state("both", "waiting")
        self.assertFalse(self.status()["both"]["sockets"]["alt"]["connected"])
        self.ports("both", sides=("alt",))
        self.until_state("both", "running")
        self.withdraw("both")
        self.until_nothing_left("both")

    def test_rights(self):
        self.order("filter", {"function": "packet-filter", "scheduling": "low"})
        self.order("plain", FORWARDER)
        self.until_state("filter", "running")
        self.until_state("plain", "running")
        self.assertIn("denied", self.status()["filter"]["counters"])
        bits = {name: 1 << number for number, name in enumerate(capabilities((1 << 32) - 1))}
        agent = sum(bits[name] for name in ("chown", "dac_override", "kill", "mknod", "net_admin", "setgid", "setpcap",
                                            "setuid", "sys_admin"))
        for pid, rights in ((self.pid("plain"), 0), (self.pid("filter"), bits["net_admin"])):
            self.assertEqual(set(self.capabilities(pid).values()), {rights})
        self.assertEqual(self.capabilities(self.agent()), {"CapInh": 0, "CapPrm": agent, "CapEff": agent,
                                                              "CapBnd": agent, "CapAmb": 0})
        self.check_apart(self.pid("plain"), self.pid("filter"))
        networks = {os.readlink(f"/proc/{pid}/ns/net") for pid in (self.pid("plain"), self.pid("filter"), "self")}
        self.assertEqual(len(networks), 3, "each has a network of its own")

    def check_apart(self, plain, other):
        sockets = self.directory / "vhost"
        for action in (f"os.kill({other}, 9)", f"os.listdir('/proc/{other}')", f"connect('{sockets}/filter-in.sock')",
                       f"connect('{self.directory}/functions/filter/own/filter-in.sock')",
                       f"connect('{self.directory}/db.sock')", "write('/etc/cron.d/penstock-test')"):
            with self.subTest(action=action):
                self.assertRegex(attempt(plain, action), "^(FileNotFound|Permission|ProcessLookup|OS)Error")
        self.assertEqual(sorted(path.name for path in pathlib.Path(f"/proc/{plain}/root{sockets}").iterdir()),
                         ["plain-in.sock", "plain-out.sock"])
        self.assertEqual(self.pid("filter"), other, "it runs on")

    @pytest.mark.deep
    @pytest.mark.guest
    def test_guest(self):
        guest_image.build(catalogue.find("router-vm").rules)  # To fetch its packages may take minutes.
        self.order("guest", {"function": "router-vm", "scheduling": "normal"})
        self.until_state("guest", "running", 540)  # An emulated guest boots as fast as the machine lets it.
        self.assertFalse(processes.log_tail(self.directory / "functions-agent.log", 1000).count("guest: failed"))

    def test_changed_order(self):
        self.order("alter", FORWARDER)
        self.until_state("alter", "running")
        pid = self.pid("alter")
        self.order("alter", FORWARDER | {"scheduling": "idle"})
        self.until(lambda: self.status().get("alter", {}).get("scheduling") == "idle", "the new order")
        self.until_state("alter", "running")
        self.assertNotEqual(self.pid("alter"), pid)
        self.assertFalse(processes.log_tail(self.directory / "functions-agent.log", 1000).count("alter: failed"))

    def test_wrong_orders(self):
        self.order("good", FORWARDER)
        self.until_state("good", "running")
        pid = self.pid("good")
        for order, words in (("{", "refused: order: is not JSON"),
                             ({"function": "none"}, "refused: function: the catalogue has no function none"),
                             (FORWARDER | {"core": 4096}, "refused: core: this machine has no core 4096"),
                             (FORWARDER | {"scheduling": "high"}, 'refused: scheduling: "high"')):
            with self.subTest(words):
                self.order("bad", order)
                self.until_state("bad", words)
                self.assertIsNone(self.pid("bad"))
        self.order("Bad", FORWARDER)
        self.until_state("Bad", "refused: name: Bad")
        self.order("bad", FORWARDER)
        self.until_state("bad", "running")
        self.order("good", "{")
        self.until_state("good", "refused: order")
        self.assertEqual(self.pid("good"), pid, "a wrong order leaves what runs as it is")

    def test_started_by_hand(self):
        self.functions("start", "hand", "--function", "forwarder", "--scheduling", "low")
        self.addCleanup(self.functions, "stop", "hand")
        pid = self.pid("hand")
        self.until(lambda: self.found() == "hand", "the offer")
        self.order("hand", FORWARDER | {"scheduling": "normal"})
        self.until_state("hand", "running")
        self.until(lambda: self.found() is None, "the end of the offer")
        self.order("hand", {"function": "packet-filter"})
        self.until_state("hand", "refused: function: hand runs already, started by hand as forwarder")
        self.withdraw("hand")
        self.until(lambda: FUNCTION_STATE not in self.keys("hand"), "the end of the report")
        self.remove("hand")
        self.until(lambda: self.found() == "hand", "the offer")
        self.assertEqual(self.pid("hand"), pid)
        self.assertIn("was started by hand; nothing changed", self.functions("stop", "hand", "--ordered"))
        self.assertEqual(self.pid("hand"), pid)

    def test_those_of_others_are_found(self):
        """Whoever listens at both sockets, in any network namespace; a socket that nobody listens at is none. One for a
        second output is no other function."""
        sockets = [str(self.directory / "vhost" / f"guest-{side}.sock") for side in ("in", "out", "alt")]
        namespace = self.box.namespace(f"psh-{os.getpid()}-guest")
        guest = subprocess.Popen(["ip", "netns", "exec", namespace, "/usr/bin/python3", "-c", _LISTEN, *sockets])
        self.addCleanup(lambda: [pathlib.Path(path).unlink() for path in sockets])
        self.addCleanup(guest.wait)
        self.addCleanup(guest.kill)
        self.until(lambda: self.found() == "guest", "the offer")
        guest.kill()
        self.until(lambda: self.found() is None, "the end of the offer")

    def test_foreground_and_end(self):
        self.order("stays", FORWARDER)
        self.until_state("stays", "running")
        pid = self.pid("stays")
        self.assertIn("runs already; nothing changed", self.functions("agent", "--detach"))
        self.assertIn("runs already, as process", self.functions("agent", code=1))
        self.functions("agent", "--stop")
        self.assertIn("nothing to do", self.functions("agent", "--stop"))
        self.assertIsNone(self.agent())
        self.withdraw("stays")
        agent = subprocess.Popen([FUNCTIONS, "agent", "--node", self.name, "--run-directory", self.box.run_directory],
                                 stderr=subprocess.DEVNULL)
        try:
            self.until(lambda: self.agent() == agent.pid, "the agent")
            self.until_nothing_left("stays")
            self.order("stays", FORWARDER)
            self.until_state("stays", "running")
            # The state of before is there for a moment after the process and its files.
            self.until(lambda: self.pid("stays") not in (None, pid), "the next process")
        finally:
            agent.terminate()
            ended = agent.wait(180)
            left = self.pid("stays")
            self.start_agent()
        self.assertEqual(ended, 0)
        self.assertIsNotNone(left)

if __name__ == "__main__":
    unittest.main()
