# SPDX-License-Identifier: Apache-2.0
"""Each feature that the documents promise has a test in the gate."""

import pathlib
import unittest

from . import documents, features
from .test_checks import document

ROOT = documents.ROOT
JAVA = "class A {\n\n    @Test\n    void one() {\n    }\n\n    @Test\n    %s@Timeout(3)\n    void two() {\n    }\n}\n"
PYTHON = "class A:\n    def test_one(self):\n        pass\n\n    %sdef test_two(self):\n        pass\n"


def sources():
    """Of all tests, by the name of the class or the Python file, of which modules may have one each."""
    paths = [*ROOT.glob("it/src/test/java/**/*.java"), *ROOT.glob("odl-apps/*/src/test/java/**/*.java"),
             *ROOT.glob("*/tests/test_*.py"), *ROOT.glob("it/bench/tests/test_*.py")]
    found = {}
    for path in paths:
        found.setdefault(path.name.removesuffix(".java"), []).append(path.read_text(encoding="utf-8"))
    return found


class FeaturesTest(unittest.TestCase):
    def test_each_has_a_test_in_the_gate(self):
        readme, model, testing = (documents.parse(ROOT, pathlib.Path(path))
                                  for path in ("README.md", "docs/model.md", "docs/testing.md"))
        promised = features.promised(readme, model)
        self.assertGreater(len(promised), 30)
        self.assertEqual([], features.problems(promised, features.rows(testing), sources()))

    def test_promised(self):
        readme = document("* **no**\n## What it does\n* **NAT** is.\n* **It works.** Yes.\n## Other\n* **no**\n")
        self.assertEqual(["NAT", "It works", "node", "Names"],
                         features.promised(readme, document("# Model\n## node\n### Names\n")))

    def test_a_row(self):
        java, python = JAVA % "", PYTHON % ""
        deep_java, deep_python = JAVA % '@Tag("deep")\n    ', PYTHON % "@pytest.mark.deep\n    "
        whole_java, whole_python = '@Tag("deep")\n' + java, "pytestmark = [pytest.mark.deep]\n" + python
        for gate, deep, wrong in (
                (("`AIT`", java), "", None), (("`AIT.two`", java), "", None), (("`test_a.py`", python), "", None),
                (("`AIT`", deep_java), "`AIT`", None), (("`test_a.py`", deep_python), "`test_a.py`", None),
                (("`AIT.one`", deep_java), "`AIT.two`", None), (("`AIT.two`", deep_java), "", "it is deep"),
                (("`test_a.py.test_two`", deep_python), "", "it is deep"), (("`AIT`", whole_java), "", "it is deep"),
                (("`test_a.py`", whole_python), "", "it is deep"), (("`AIT`", java), "`AIT`", "it is not deep"),
                (("`BIT`", java), "", "no such test"), (("`AIT.three`", java), "", "no test three"),
                (("", java), "", "names no test"), (("a test", java), "", "names no test")):
            cell, source = gate
            table = features.rows(document(f"## Features and their tests\n| feature | gate | deep |\n|---|---|---|\n"
                                           f"| [NAT](a.md#b) | {cell} | {deep} |\n## Next\n"))
            found = features.problems(["NAT"], table, {("test_a.py" if "test_" in cell else "AIT"): [source]})
            with self.subTest(cell=cell, deep=deep, source=source):
                self.assertEqual(wrong is not None, bool(found))
                self.assertIn(wrong or "", "".join(found))

    def test_rows_and_features_agree(self):
        table = {"one": ("`AIT`", ""), "two": ("`AIT`", "")}
        self.assertEqual(["three: no row", "two: no such feature"],
                         features.problems(["one", "three"], table, {"AIT": [JAVA % ""]}))
