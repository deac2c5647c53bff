# SPDX-License-Identifier: Apache-2.0
"""Tables that fill templates."""

import pathlib
import tempfile
import unittest

from penstock_client import template
from penstock_client.errors import WrongUsage

TEMPLATE = """
penstock:tenant:
- name: "{customer}"
  attachment: [{name: office, vlan: "{vlan}"}]
  quota: {sessions: "{sessions}"}
penstock:pool:
- {name: shared, prefix: [203.0.113.0/28]}
"""


class TemplateTest(unittest.TestCase):
    def units(self, table, text=TEMPLATE):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "t.csv").write_bytes(table.encode())
        (directory / "t.yaml").write_text(text, encoding="utf-8")
        return template.units(directory / "t.csv", directory / "t.yaml")

    def wrong(self, table, words, text=TEMPLATE):
        with self.assertRaisesRegex(WrongUsage, words):
            self.units(table, text)

    def test_each_row_is_an_entry_and_what_is_shared_is_there_once(self):
        found = self.units('\ufeffcustomer,vlan,sessions\r\na,1,\r\n"b, ""c""",2,500\r\n\r\n')
        self.assertEqual(["tenant=a", "pool=shared", "tenant=b%2C%20%22c%22"], [unit.where for unit in found])
        self.assertEqual({"name": "a", "attachment": [{"name": "office", "vlan": "1"}]}, found[0].value)
        self.assertEqual("500", found[2].value["quota"]["sessions"])
        self.assertIn("t.csv: line 3", found[2].origin)

    def test_a_cell_is_text_whatever_it_has(self):
        found = self.units('customer,vlan,sessions\n"x"", dns: {domain: y}","{vlan}",$(id)\n')
        self.assertEqual({"name": 'x", dns: {domain: y}', "attachment": [{"name": "office", "vlan": "{vlan}"}],
                          "quota": {"sessions": "$(id)"}}, found[0].value)

    def test_braces(self):
        found = self.units("a\n1\n", 'penstock:pool: [{name: "{{a}}-{a}"}]')
        self.assertEqual("{a}-1", found[0].value["name"])

    def test_errors_name_the_line(self):
        head = "customer,vlan,sessions\n"
        self.wrong(head + "a,1\n", "line 2: has 2 cells, and there are 3 columns")
        self.wrong(head + 'a,1,"x\n', "is not CSV")
        self.wrong("customer,vlan\na,1\n", "line 2: .*there is no column sessions; the table has customer, vlan")
        self.wrong("customer,vlan,vlan\n", "line 1: has to have the names of the columns, each once")
        self.wrong(head, "has no rows")
        self.wrong(head + "a,1,2\na,2,2\n", "line 3: tenant=a differs from that of .*line 2")
        self.wrong(head + ",1,2\n", "line 2: entry 1 of tenant has no name")
        self.wrong("a\n\"\"\n", "line 2: .*nothing is left", 'penstock:pool: [{name: "{a}"}]')
        self.wrong("a\n1\n", "a brace by itself", 'penstock:pool: [{name: "{a"}]')


if __name__ == "__main__":
    unittest.main()
