# SPDX-License-Identifier: Apache-2.0
"""The documents as they are have no faults."""

import unittest

from penstock_base.documents import read_yaml
from penstock_node import profile

from . import checks, documents, runner

ROOT = documents.ROOT
OURS = documents.ours()
ALL = documents.everything()


class DocumentsTest(unittest.TestCase):
    """Each check on each document."""

    def faultless(self, check, chosen):
        self.assertEqual([], [fault for document in chosen for fault in check(document)])

    def test_there_are_documents_and_tests_in_them(self):
        self.assertGreater(len(OURS), 8)
        self.assertGreater(sum("test" in block.marks for document in OURS for block in document.blocks), 15)

    def test_blocks_are_marked(self):
        self.faultless(checks.marks, OURS)

    def test_blocks_are_shell(self):
        self.faultless(checks.syntax, OURS)

    def test_subcommands_and_options_exist(self):
        self.faultless(checks.calls, ALL)

    def test_console_commands_exist(self):
        self.faultless(checks.console, ALL)

    def test_restconf_paths_and_rpcs_exist(self):
        self.faultless(checks.paths, ALL)

    def test_json_fits_the_models(self):
        self.faultless(checks.json_blocks, OURS)
        # orange-wrong.json is wrong in its values, not in its form.
        for path in [*ROOT.glob("docs/examples/*.json"), *ROOT.glob("service-chains/examples/*/network.json")]:
            self.assertEqual([], checks.json_problems(path.read_text(encoding="utf-8")), path)

    def test_links_files_and_tests_exist(self):
        self.faultless(checks.links, ALL)

    def test_profiles_are_right(self):
        blocks = [block for document in OURS for block in document.blocks if "profile" in block.marks]
        self.assertTrue(blocks)
        for block in blocks:
            with runner.temporary_file(block.text) as path:
                profile.parse(read_yaml(path))

    def test_every_drop_is_explained(self):
        operations = next(document for document in OURS if document.path.name == "operations.md")
        golden = [path.read_text(encoding="utf-8")
                  for path in ROOT.glob("odl-apps/pipeline/src/test/resources/golden/*.flows")]
        self.assertTrue(golden)
        self.assertEqual([], checks.drops(operations, golden))

    def test_every_leaf_is_named(self):
        self.assertEqual([], checks.leaves(OURS))

    def test_every_decision_is_in_the_index(self):
        folder = ROOT / "docs" / "adr"
        index = documents.parse(ROOT, (folder / "README.md").relative_to(ROOT))
        self.assertEqual([], checks.decisions(index, sorted(path.name for path in folder.glob("0*.md"))))

    def test_attacks_are_listed(self):
        testing = next(document for document in OURS if document.path.name == "testing.md")
        paths = [*ROOT.glob("it/src/test/java/**/*.java"), *ROOT.glob("odl-apps/*/src/test/java/**/*.java"),
                 *ROOT.glob("*/tests/test_*.py"), *ROOT.glob("it/bench/tests/test_*.py")]
        tests = {path.name.removesuffix(".java"): "" for path in paths}
        for path in paths:
            tests[path.name.removesuffix(".java")] += path.read_text(encoding="utf-8")
        self.assertEqual([], checks.attacks(testing, tests))
