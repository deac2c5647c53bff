# SPDX-License-Identifier: Apache-2.0
"""A real node with the agent of functions, for tests."""

import json
import pathlib
import shutil
import unittest

from penstock_base import processes
from penstock_functions import catalogue
from penstock_node.hugepages import HugePages
from penstock_node.node_protocol import BRIDGE, FUNCTION, FUNCTION_STATE, FUNCTIONS_FOUND
from penstock_node.ovs import Ovs
from sandbox import FUNCTIONS, Sandbox

FORWARDER = {"function": "forwarder", "core": 0, "scheduling": "low"}


class AgentCase(unittest.TestCase):

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

    def until(self, condition, what, seconds=180):
        processes.wait_until(condition, what, seconds)

    def until_state(self, name, words, seconds=180):
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

    def agent(self):
        """Pid of the agent, None if it does not run."""
        return processes.pid_of(self.directory / "functions-agent.process")
