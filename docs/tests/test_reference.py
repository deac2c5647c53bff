# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/model.md are right; first the check itself, each with a table that has one fault."""

import unittest

from . import checks, documents, reference, yang
from .test_checks import document

MODEL = yang.Module("""
module m { container network { list pool { key name; leaf name { type string; }
  leaf colour { type enumeration { enum red; enum blue; } default red; }
  leaf size { type uint8; mandatory true; } container deep { leaf a { type string; } leaf b { type string; } } } } }""")
NETWORK = MODEL.nodes["network"]


class ChecksTest(unittest.TestCase):
    """One fault, one complaint; the same without the fault, none."""

    def of(self, row):
        table = f"| leaf | type, range | default |\n|---|---|---|\n{row}\n"
        return reference.faults(document(f"# pool\n\n{table}"), NETWORK)

    def finds(self, bad, good, word):
        self.assertEqual([], self.of(good))
        faults = self.of(bad)
        self.assertEqual(1, len(faults), faults)
        self.assertIn(word, faults[0])

    def test_leaves_exist(self):
        self.finds("| `deep/c` | text | - |", "| `deep/a` | text | - |", "deep/c: is not in the model")
        self.finds("| `deep/a`, `c` | text | - |", "| `deep/a`, `b` | text | - |", "deep/c: is not in the model")
        self.finds("| `pool`, `deep`: `a` | text | - |", "| `deep`: `a` | text | - |", "pool/a: is not in the model")

    def test_values(self):
        self.finds("| `colour` | `red` | red |", "| `colour` | `red` or `blue` | red |", "the values red, blue")

    def test_defaults(self):
        self.finds("| `colour` | `red` or `blue` | `blue` |", "| `colour` | `red` or `blue` | `red` |", "is red unless")

    def test_needs(self):
        self.finds("| `size` | 0 to 255 | - |", "| `size` | 0 to 255 | needed |", "size: is needed")

    def test_headings(self):
        bad = document("# Fish\n\n| leaf | type | default |\n|---|---|---|\n| `size` | 0 to 255 | needed |\n")
        self.assertEqual(["docs/page.md: Fish: no place in the model"], reference.faults(bad, NETWORK))


class ModelTest(unittest.TestCase):
    """The tables as they are."""

    def test_tables_are_those_of_the_model(self):
        model = next(each for each in documents.ours() if each.path.name == "model.md")
        self.assertGreater(len(list(reference.rows(model))), 100)
        self.assertEqual([], reference.faults(model, checks.modules()["penstock"].nodes["network"]))
