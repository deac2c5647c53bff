# SPDX-License-Identifier: Apache-2.0
"""The agent of functions beside a real node with real functions: orders and reports in the node's database, deaths of
function and agent, and nothing left."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

import pytest

from intruder import attempt, capabilities
from penstock_base import processes
from penstock_functions import agent_rings, catalogue, guest_image
from penstock_node import quarantine
from penstock_node.hugepages import HugePages
from penstock_node.node_protocol import BRIDGE, FUNCTION, FUNCTION_STATE, FUNCTIONS_FOUND, NODE_FUNCTIONS
from penstock_node.ovs import Ovs
from sandbox import FUNCTIONS, Sandbox, pages_of_nobody

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node

FORWARDER = {"function": "forwarder", "core": 0, "scheduling": "low"}
_LISTEN = """
import socket, sys, time
sockets = [socket.socket(socket.AF_UNIX) for _ in sys.argv[1:]]
for each, path in zip(sockets, sys.argv[1:]):
    each.bind(path)
    each.listen()
time.sleep(600)
"""
# The switch is connected, and never gets an answer.
_SILENT = """
import socket, sys, time
listening = [socket.socket(socket.AF_UNIX) for _ in sys.argv[1:]]
for each, path in zip(listening, sys.argv[1:]):
    each.bind(path)
    each.listen()
print("ready", flush=True)
connected = [each.accept() for each in listening]
time.sleep(600)
"""


class FunctionsAgentTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.name, cls.directory = cls.box.running_node("a")
        cls.ovs = Ovs(cls.directory)
        cls.catalogue = cls.box.run_directory / "catalogue"
        shutil.copytree(catalogue.DIRECTORY, cls.catalogue)
        (cls.catalogue / "greedy.yaml").write_text(
            (cls.catalogue / "forwarder.yaml").read_text().replace("name: forwarder", "name: greedy")
            .replace("memory-mb: 64", "memory-mb: 65536"))
        cls.addClassCleanup(lambda: cls.functions("agent", "--stop"))
        cls.start_agent()

    def tearDown(self):
        for row in self.ovs.rows("Interface", "name"):
            if row["name"].endswith("-in"):
                self.remove(row["name"].removesuffix("-in"))
        self.until(lambda: not any(entry["ordered"] for entry in self.status().values()), "the end of all ordered ones")

    @classmethod
    def functions(cls, *args, code=0):
        return cls.box.functions(*args, "--node", cls.name, code=code)

    @classmethod
    def start_agent(cls):
        cls.functions("agent", "--detach", "--catalogue", cls.catalogue)

    def status(self):
        entries = json.loads(self.box.command(FUNCTIONS, "status", "--json", "--node", self.name))
        return {entry["name"]: entry for entry in entries}

    def ports(self, name, sides=("in", "out")):
        """Makes the ports of an instance, as the controller does."""
        command = []
        for side in sides:
            port = f"{name}-{side}"
            path = self.directory / "vhost" / f"{port}.sock"
            command += ["--", "--may-exist", "add-port", BRIDGE, port, "--", "set", "interface", port,
                        "type=dpdkvhostuserclient", f"options:vhost-server-path={path}"]
        self.ovs.vsctl(*command[1:])

    def order(self, name, order, sides=("in", "out")):
        """Writes an order, an object or a text; the ports are made when they are missing."""
        self.ports(name, sides)
        text = order if isinstance(order, str) else json.dumps(order)
        self.ovs.vsctl("--no-wait", "set", "interface", f"{name}-in", f"external_ids:{FUNCTION}={json.dumps(text)}")

    def withdraw(self, name):
        self.ovs.vsctl("--no-wait", "remove", "interface", f"{name}-in", "external_ids", FUNCTION)

    def remove(self, name):
        """Takes the ports away, with whatever is ordered."""
        for side in ("in", "out", "alt"):
            self.ovs.vsctl("--if-exists", "del-port", f"{name}-{side}")

    def keys(self, name):
        return self.ovs.get("Interface", f"{name}-in", "external_ids")

    def found(self):
        return self.ovs.get("Bridge", BRIDGE, "external_ids").get(FUNCTIONS_FOUND)

    def pid(self, name, program="testpmd"):
        return processes.pid_of(self.directory / "functions" / name / f"{program}.process")

    def until(self, condition, what, seconds=30):
        processes.wait_until(condition, what, seconds)

    def until_state(self, name, words, seconds=30):
        said = []

        def fits():
            state = self.keys(name).get(FUNCTION_STATE)
            if state not in said[-1:]:
                said.append(state)
            return words in (state or "")
        try:
            self.until(fits, words, seconds)
        except Exception as error:
            raise AssertionError(f"{name}: {said} instead of {words!r}\n"
                                 + (self.directory / "functions-agent.log").read_text()) from error
        return said

    def pause(self, name):
        """Seconds until an instance that failed is started again, as its state says; 0 when it says none."""
        _, _, text = (self.keys(name).get(FUNCTION_STATE) or "").partition("; next try in ")
        return int(text.split()[0]) if text else 0

    def until_nothing_left(self, name):
        self.until(lambda: not (self.directory / "functions" / name).exists(), f"the end of {name}")
        self.assertFalse(pathlib.Path(f"/run/netns/psf-{self.name}-{name}").exists())
        self.assertFalse((self.directory / "vhost" / f"{name}-in.sock").exists())
        self.assertEqual(HugePages().added_by(f"function {self.directory / 'functions' / name}"), 0)
        self.assertEqual([text for text in self.box.processes()
                          if f"/{name}-in.sock" in text or f"/functions/{name}/" in text], [])

    def capabilities(self, pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return {line.split()[0].rstrip(":"): int(line.split()[1], 16) for line in status.splitlines()
                if line.startswith("Cap")}

    def agent(self):
        """Pid of the agent, None if it does not run."""
        return processes.pid_of(self.directory / "functions-agent.process")

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

    def test_guest(self):
        guest_image.build(catalogue.find("router-vm").rules)  # To fetch its packages may take minutes.
        self.order("guest", {"function": "router-vm", "scheduling": "normal"})
        self.until_state("guest", "running")
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

    def test_stopped_process(self):
        """It goes on after two seconds. When it is stopped again it is ended, and started again."""
        self.order("idle", FORWARDER)
        self.until_state("idle", "running")
        pid = self.pid("idle")
        process = self.directory / "functions" / "idle" / "testpmd.process"
        os.kill(pid, signal.SIGSTOP)
        self.until(lambda: processes.is_stopped(process), "it is stopped")
        self.until(lambda: not processes.is_stopped(process), "it goes on", 10)
        self.assertEqual((self.pid("idle"), self.keys("idle")[FUNCTION_STATE]), (pid, "running"))
        os.kill(pid, signal.SIGSTOP)
        self.until_state("idle", "failed: its process was stopped twice within 60 s, and is ended; next try in 1 s")
        self.until_state("idle", "running")
        self.assertNotIn(self.pid("idle"), (None, pid))

    def test_no_ring(self):
        """The switch is connected and the function has enabled no ring: it is ended, and started again."""
        self.order("mute", FORWARDER)
        self.order("other", FORWARDER)
        self.until_state("mute", "running")
        self.until_state("other", "running")
        other = self.pid("other")
        self.functions("agent", "--stop")
        process = self.directory / "functions" / "mute" / "testpmd.process"
        processes.stop(process)
        sockets = [self.directory / "vhost" / f"mute-{side}.sock" for side in ("in", "out")]
        for path in sockets:
            path.unlink()
        silent = subprocess.Popen(["/usr/bin/python3", "-c", _SILENT, *sockets], stdout=subprocess.PIPE)
        self.addCleanup(silent.wait)
        self.addCleanup(silent.stdout.close)
        silent.stdout.readline()
        processes.record(silent.pid, process)
        self.start_agent()
        self.until_state("mute", "failed: it has enabled no ring since the switch connected to it, and is ended; next "
                         "try in 1 s")
        self.until_state("mute", "running")
        self.assertNotIn(self.pid("mute"), (None, silent.pid))
        self.until(lambda: not agent_rings.without_ring(self.ovs.appctl("dpif-netdev/pmd-rxq-show")), "its rings")
        self.assertEqual((self.pid("other"), self.keys("other")[FUNCTION_STATE]), (other, "running"))

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
        os.kill(self.pid("new"), signal.SIGKILL)
        self.until_state("new", "failed")
        self.until_state("new", "running")
        self.assertEqual((self.pid("long"), self.keys("long")[FUNCTION_STATE]), (pid, "running"))

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
            self.assertNotEqual(self.pid("stays"), pid)
        finally:
            agent.terminate()
            ended = agent.wait(30)
            left = self.pid("stays")
            self.start_agent()
        self.assertEqual(ended, 0)
        self.assertIsNotNone(left)


class EndOfNodeTest(unittest.TestCase):

    def test_agent_ends_with_its_node(self):
        box = Sandbox()
        self.addCleanup(box.close)
        name, _ = box.running_node("b")
        box.functions("agent", "--node", name, "--detach")
        box.ovs_config("down", name)
        processes.wait_until(lambda: box.processes() == [], "the end of the agent", 10)
        self.assertEqual(box.namespaces_left(), [])
        self.assertFalse((box.run_directory / name).exists())
        self.assertEqual(pages_of_nobody(), box.pages_of_nobody)
        self.assertIn("is not up", box.functions("agent", "--node", name, code=1))


if __name__ == "__main__":
    unittest.main()
