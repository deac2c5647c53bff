# SPDX-License-Identifier: Apache-2.0
"""What a new user does: `./penstock up` in a clean clone, commands of the documents, `./penstock down`.

What takes longer than a gate may is in test_up_deep.py.
"""

import json
import unittest

import pytest

from .sample_network import SITE, URL, SampleCase

pytestmark = pytest.mark.up


class UserTest(SampleCase):
    """One test: each step needs what the one before has left."""

    def setUp(self):
        super().setUp()
        self.prepare_browser()

    @pytest.mark.timeout(3600)
    def test_up_documents_down(self):
        before = self.machine.traces()
        self.assertEqual(before["processes"], [])
        with self.undone():
            self.comes_up()
            self.sees_that_a_second_up_changes_nothing()
            self.sees_the_page_in_a_browser()
            self.changes_a_tenant()
            self.follows_the_documents()
        self.assertEqual(self.machine.traces(), before)
        self.assertEqual(self.machine.run(self.clone / "penstock", "status", "--json").returncode, 3)
        # Nothing is taken away twice, and that is no error.
        self.penstock("down")
        self.assertEqual(self.machine.traces(), before)

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
        """It loads, and shows the tenants."""
        self.machine.output("node", self.clone / "karaf" / "tests" / "page.mjs", URL, "admin", self.password,
                            "red", "green", "blue")

    def changes_a_tenant(self):
        self.penstock("tenant", "add", "quill", *SITE, "attachment=site/vlan=490")
        self.penstock("tenant", "set", "quill", "attachment=site/vlan=491", "quota/sessions=1000")
        self.eventually(self.sees_the_change)
        self.penstock("tenant", "delete", "quill")
        self.assertNotIn("quill", self.penstock("tenant", "list", "--names").split())

    def sees_the_change(self):
        found = json.loads(self.penstock("tenant", "show", "quill", "--json"))
        self.assertEqual((found["config"]["attachment"][0]["vlan"], found["config"]["quota"]["sessions"]), (491, 1000))


if __name__ == "__main__":
    unittest.main()
