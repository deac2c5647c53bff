# SPDX-License-Identifier: Apache-2.0
"""What a new user does: `./penstock up` in a clean clone, every command of the documents, `./penstock down`."""

import concurrent.futures
import json
import re
import subprocess
import time
import unittest

import pytest

from .machine import UpCase
from .terminal import ctrl_c_leaves_the_console_open

pytestmark = pytest.mark.up

_DOCUMENTS_SECONDS = 900
_BACK_SECONDS = 120
_BROWSER_SECONDS = 300
_PAGE_TESTS = "odl-apps/page/src/test/browser/run.mjs"
_SITE = ("attachment=site/node=edge1", "attachment=site/port=acc0", "subnet=lan/prefix=10.0.0.0/24",
         "subnet=lan/gateway=10.0.0.1")


class UserTest(UpCase):
    """One test: each step needs what the one before has left."""

    def setUp(self):
        super().setUp()
        # The machine of the test is cut off from the network.
        subprocess.run(["node", self.clone / _PAGE_TESTS, "--install"], check=True)

    @pytest.mark.timeout(1800)  # Alone on a machine it takes twelve minutes.
    def test_up_documents_down(self):
        before = self.machine.traces()
        self.assertEqual(before["processes"], [])
        with self.undone():
            self.assertIn("Penstock is up (", self.penstock("up"))
            self.sees_that_it_works()
            self.sees_that_a_second_up_changes_nothing()
            self.sees_the_page_in_a_browser()
            self.sees_that_it_comes_back()
            self.sees_that_clients_lose_no_leaf()
            self.sees_that_a_table_is_stored_whole_or_not_at_all()
            self.sees_that_answers_are_as_described()
            self.sees_that_the_modules_of_ansible_work()
            self.sees_that_ctrl_c_leaves_the_console_open()
            self.follows_the_documents()
        self.assertEqual(self.machine.traces(), before)
        self.assertEqual(self.machine.run(self.clone / "penstock", "status", "--json").returncode, 3)
        # Nothing is taken away twice, and that is no error.
        self.penstock("down")
        self.assertEqual(self.machine.traces(), before)

    def sees_that_it_works(self):
        state = json.loads(self.penstock("status", "--json"))
        self.assertEqual([(node["name"], node["connected"]) for node in state["nodes"]], [("edge1", True)])
        self.assertTrue(self.machine.traces()["control groups"], "functions have groups, which are seen")
        flows = state["nodes"][0]["flows"]
        self.assertGreater(flows["planned"], 0)
        self.assertEqual(flows, {"planned": flows["planned"], "installed": flows["planned"], "missing": 0, "excess": 0,
                                 "wrong": 0})
        self.assertEqual([(tenant["name"], tenant["state"]) for tenant in state["tenants"]],
                         [("blue", "active"), ("green", "active"), ("red", "active")])
        # What `up` has printed as the first thing to try.
        self.assertIn(" 0% packet loss", self.machine.output(
            "ip", "netns", "exec", "psl-red", "ping", "-c", "3", "-i", "0.2", "198.51.100.10"))

    def switch_state(self):
        """What a second `up` must not change: processes, and when the youngest flow came."""
        return [line for line in self.machine.processes()
                if any(word in line for word in ("ovs-vswitchd", "ovsdb-server", "org.apache.karaf", "testpmd"))]

    def sees_that_a_second_up_changes_nothing(self):
        before = self.switch_state()
        self.assertEqual(len(before), len(set(before)))
        self.assertGreaterEqual(len(before), 4)
        host = self.clone / "docs" / "examples" / "host"
        self.machine.output(host, "add", "visitor", "400", "10.40.0.10/24", "10.40.0.1")
        self.assertIn("Penstock is up already; nothing changed", self.penstock("up"))
        self.assertEqual(self.switch_state(), before)
        database = f"--db=unix:{self.machine.directory}/run/edge1/db.sock"
        trunks = self.machine.output("ovs-vsctl", database, "get", "Port", "cust", "trunks")
        self.assertIn("400", trunks, "the VLAN of a host that was added")
        self.machine.output(host, "remove", "visitor")

    def sees_the_page_in_a_browser(self):
        """Its tests compare it with RESTCONF. What they need of npm was fetched outside: here is no network."""
        password = (self.machine.directory / "state" / "controller" / "password").read_text(encoding="ascii").strip()
        said = self.machine.output("node", self.clone / _PAGE_TESTS, "http://127.0.0.1:8181", "admin", password,
                                   seconds=_BROWSER_SECONDS)
        self.assertRegex(said, r"(?m)^# pass [1-9][0-9]*$")
        self.assertRegex(said, r"(?m)^# fail 0$")

    def sees_that_it_comes_back(self):
        """All processes are killed, and another time stopped: no person has to do anything."""
        for signal in ("KILL", "STOP"):
            before = self.pids()
            self.machine.output("kill", f"-{signal}", *before.values())
            deadline = time.monotonic() + _BACK_SECONDS
            while signal == "KILL" and set(self.pids().values()) & set(before.values()):
                self.assertLess(time.monotonic(), deadline, self.pids())
                time.sleep(0.5)
            while True:
                try:
                    self.sees_that_it_works()
                    break
                except AssertionError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(1)
            if signal == "STOP":
                self.assertEqual(self.pids(), before)
        self.assertIn("Penstock is up already; nothing changed", self.penstock("up"))

    def sees_that_clients_lose_no_leaf(self):
        """Clients that change leaves of one tenant at the same time, one of them the same as another."""
        self.penstock("tenant", "add", "quill", *_SITE, "attachment=site/vlan=490")
        leaves = ("attachment=site/vlan", "quota/sessions", "quota/learned-hosts", "quota/learned-hosts")
        for base in (500, 600):
            with concurrent.futures.ThreadPoolExecutor(len(leaves)) as clients:
                list(clients.map(lambda number, base=base: self.penstock(
                    "tenant", "set", "quill", f"{leaves[number]}={base + number}"), range(len(leaves))))
            found = json.loads(self.penstock("tenant", "show", "quill", "--json"))["config"]
            self.assertEqual((found["attachment"][0]["vlan"], found["quota"]["sessions"]), (base, base + 1))
            self.assertIn(found["quota"]["learned-hosts"], (base + 2, base + 3))
        self.penstock("tenant", "delete", "quill")

    def sees_that_a_table_is_stored_whole_or_not_at_all(self):
        template, table = self.clone / "sites.yaml", self.clone / "sites.csv"
        template.write_text(
            'penstock:tenant: [{name: "{site}", attachment: [{name: site, node: edge1, port: acc0, vlan: "{vlan}"}], '
            'subnet: [{name: lan, prefix: 10.0.0.0/24, gateway: 10.0.0.1}]}]', encoding="utf-8")
        rows = [f"quill-{number},{3000 + number}" for number in range(40)]
        before = self.penstock("export")
        for wrong, told in (("quill-40,3000", "quill-40"), ("quill-40,4095", "line 42: tenant quill-40: .*4095")):
            table.write_text("\n".join(["site,vlan", *rows, wrong]), encoding="utf-8")
            for words in (["import"], ["import", "--dry-run"], ["validate"]):
                done = self.machine.run(self.clone / "penstock", *words, table, "--template", template, cwd=self.clone)
                self.assertEqual(done.returncode, 5 if words == ["import"] else 4, done.stdout)
                self.assertRegex(done.stdout, told)
            self.assertEqual(self.penstock("export"), before)
        table.write_text("\n".join(["site,vlan", *rows]), encoding="utf-8")
        self.assertIn("stored: 40", self.penstock("import", table, "--template", template))
        self.assertEqual(self.penstock("diff", table, "--template", template), "")
        self.penstock("tenant", "delete", *(row.partition(",")[0] for row in rows))
        self.assertEqual(json.loads(self.penstock("export")), json.loads(before))

    def sees_that_answers_are_as_described(self):
        before = self.penstock("export")
        said = self.machine.output(
            "env", "PYTHONPATH=.:../ovs-config", "/usr/bin/python3", "-m", "tests.described", "http://127.0.0.1:8181",
            self.machine.directory / "state" / "controller" / "password", cwd=self.clone / "karaf")
        self.assertGreater(int(re.search(r"operations: (\d+)", said)[1]), 45)
        self.assertRegex(said, "event: .*penstock-state:configuration-event")
        self.assertEqual(json.loads(self.penstock("export")), json.loads(before))

    def sees_that_the_modules_of_ansible_work(self):
        before = self.penstock("export")
        self.machine.output(
            "env", "PYTHONPATH=.:../ovs-config", "/usr/bin/python3", "-m", "tests.playbook", "http://127.0.0.1:8181",
            self.machine.directory / "state" / "controller" / "password", "quill", cwd=self.clone / "karaf")
        self.assertEqual(json.loads(self.penstock("export")), json.loads(before))

    def sees_that_ctrl_c_leaves_the_console_open(self):
        ctrl_c_leaves_the_console_open(self, self.clone / "penstock", "console", env=self.machine.environment,
                                       inside=self.machine.words(cwd=self.clone))

    def pids(self):
        """Process ids of what is supervised, but for the watches, by name."""
        files = {"controller": ".controller/controller", **{name: f"edge1/{name}" for name in (
            "ovsdb-server", "ovs-vswitchd", "agent", "functions-agent")}}
        return {name: (self.machine.directory / "run" / f"{path}.process").read_text(encoding="ascii").split()[0]
                for name, path in files.items()}

    def follows_the_documents(self):
        ran = self.machine.output(self.clone / "docs" / "run-docs", "--against-running", seconds=_DOCUMENTS_SECONDS,
                                  cwd=self.clone)
        with_blocks = [str(path.relative_to(self.clone)) for path in (
            *self.clone.glob("*.md"), *self.clone.glob("docs/*.md"), *self.clone.glob("*/README.md"))
            if "```sh test=" in path.read_text(encoding="utf-8")]
        self.assertGreater(len(with_blocks), 10)
        for document in with_blocks:
            self.assertRegex(ran, rf"(?m)^{document}: [1-9][0-9]* blocks$")
        # They leave the network as they found it.
        self.sees_that_it_works()


if __name__ == "__main__":
    unittest.main()
