# SPDX-License-Identifier: Apache-2.0
"""`./penstock up` and more than a gate has time for: what is killed comes back; each command and answer there is."""

import concurrent.futures
import json
import re
import unittest

import pytest

from .sample_network import PAGE_TESTS, SITE, URL, SampleCase
from .terminal import ctrl_c_leaves_the_console_open

_BROWSER_SECONDS = 1800


@pytest.mark.up
@pytest.mark.deep
@pytest.mark.restart
class ComesBackTest(SampleCase):
    """All processes are killed, and another time stopped: no person has to do anything."""

    @pytest.mark.timeout(3600)
    def test_all_processes(self):
        with self.undone():
            self.comes_up()
            before = self.pids()
            self.machine.output("kill", "-KILL", *before.values())
            self.eventually(lambda: self.assertFalse(set(self.pids().values()) & set(before.values())))
            self.works()
            before = self.pids()
            self.machine.output("kill", "-STOP", *before.values())
            self.works()
            self.assertEqual(self.pids(), before)
            self.assertIn("Penstock is up already; nothing changed", self.penstock("up"))

    def pids(self):
        """Process ids of what is supervised, but for the watches, by name."""
        files = {"controller": ".controller/controller", **{name: f"edge1/{name}" for name in (
            "ovsdb-server", "ovs-vswitchd", "agent", "functions-agent")}}
        return {name: (self.machine.directory / "run" / f"{path}.process").read_text(encoding="ascii").split()[0]
                for name, path in files.items()}


@pytest.mark.up
@pytest.mark.deep
@pytest.mark.documents
class WholeTest(SampleCase):
    """One test: each step leaves the network as it was."""

    def setUp(self):
        super().setUp()
        self.prepare_browser()

    @pytest.mark.timeout(5400)
    def test_whole_documents_and_clients(self):
        with self.undone():
            self.comes_up()
            self.passes_the_tests_of_the_page()
            for step in (self.loses_no_leaf_of_clients, self.stores_a_table_whole_or_not_at_all,
                         self.answers_as_described, self.serves_the_modules_of_ansible):
                before = self.exported()
                step()
                self.assertEqual(self.exported(), before)
            ctrl_c_leaves_the_console_open(self, self.clone / "penstock", "console", env=self.machine.environment,
                                           inside=self.machine.words(cwd=self.clone))
            self.follows_the_documents("--deep")

    def passes_the_tests_of_the_page(self):
        """They compare it with RESTCONF."""
        said = self.machine.output("node", self.clone / PAGE_TESTS, URL, "admin", self.password,
                                   seconds=_BROWSER_SECONDS)
        self.assertRegex(said, r"(?m)^# pass [1-9][0-9]*$")
        self.assertRegex(said, r"(?m)^# fail 0$")

    def loses_no_leaf_of_clients(self):
        """Clients that change leaves of one tenant at the same time, one of them the same as another."""
        self.penstock("tenant", "add", "quill", *SITE, "attachment=site/vlan=490")
        leaves = ("attachment=site/vlan", "quota/sessions", "quota/learned-hosts", "quota/learned-hosts")
        for base in (500, 600):
            with concurrent.futures.ThreadPoolExecutor(len(leaves)) as clients:
                list(clients.map(lambda number, base=base: self.penstock(
                    "tenant", "set", "quill", f"{leaves[number]}={base + number}"), range(len(leaves))))
            found = json.loads(self.penstock("tenant", "show", "quill", "--json"))["config"]
            self.assertEqual((found["attachment"][0]["vlan"], found["quota"]["sessions"]), (base, base + 1))
            self.assertIn(found["quota"]["learned-hosts"], (base + 2, base + 3))
        self.penstock("tenant", "delete", "quill")

    def stores_a_table_whole_or_not_at_all(self):
        template, table = self.clone / "sites.yaml", self.clone / "sites.csv"
        template.write_text(
            'penstock:tenant: [{name: "{site}", attachment: [{name: site, node: edge1, port: acc0, vlan: "{vlan}"}], '
            'subnet: [{name: lan, prefix: 10.0.0.0/24, gateway: 10.0.0.1}]}]', encoding="utf-8")
        rows = [f"quill-{number},{3000 + number}" for number in range(40)]
        before = self.exported()
        for wrong, told in (("quill-40,3000", "quill-40"), ("quill-40,4095", "line 42: tenant quill-40: .*4095")):
            table.write_text("\n".join(["site,vlan", *rows, wrong]), encoding="utf-8")
            for words in (["import"], ["import", "--dry-run"], ["validate"]):
                done = self.machine.run(self.clone / "penstock", *words, table, "--template", template, cwd=self.clone)
                self.assertEqual(done.returncode, 5 if words == ["import"] else 4, done.stdout)
                self.assertRegex(done.stdout, told)
            self.assertEqual(self.exported(), before)
        table.write_text("\n".join(["site,vlan", *rows]), encoding="utf-8")
        self.assertIn("stored: 40", self.penstock("import", table, "--template", template))
        self.assertEqual(self.penstock("diff", table, "--template", template), "")
        self.penstock("tenant", "delete", *(row.partition(",")[0] for row in rows))

    def answers_as_described(self):
        said = self.program("described")
        self.assertGreater(int(re.search(r"operations: (\d+)", said)[1]), 45)
        self.assertRegex(said, "event: .*penstock-state:configuration-event")

    def serves_the_modules_of_ansible(self):
        self.program("playbook", "quill")


if __name__ == "__main__":
    unittest.main()
