# SPDX-License-Identifier: Apache-2.0
"""Reports and --json state the sources that were measured, in the form that the documentation checks."""

import contextlib
import io
import json
import pathlib
import re
import tempfile
import unittest

from penstock_base.commands import run
from penstock_bench import budget, cli, functions_report, measured, nat_report, ratios, report, services_report

from .made_up import results

_LINE = "Measured at commit `0123456-dirty`, plans `89abcdef`."


class SourcesTest(unittest.TestCase):

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.directory = pathlib.Path(made.name)
        self.file = self.directory / "file"

    def git(self, *arguments):
        return run("git", "-C", self.directory, "-c", "user.name=n", "-c", "user.email=n@example.net", *arguments)

    def test_commit_of_a_tree_with_and_without_changes(self):
        self.git("init", "-q")
        self.file.write_text("1", encoding="ascii")
        self.git("add", "file")
        self.git("commit", "-q", "-m", "m")
        self.git("tag", "-a", "-m", "m", "v1")
        clean = measured.commit(self.directory)
        self.assertRegex(clean, "^[0-9a-f]{7,40}$")
        self.assertTrue(self.git("rev-parse", "HEAD").startswith(clean))
        self.file.write_text("2", encoding="ascii")
        self.assertEqual(measured.commit(self.directory), f"{clean}-dirty")

    def test_a_tree_that_is_no_repository(self):
        self.assertEqual(measured.commit(self.directory), "unknown")

    def test_plans_are_those_of_the_tree(self):
        self.assertEqual(measured.sources()["plans"], budget.plans())


class LineTest(unittest.TestCase):

    def test_every_report_has_it_first(self):
        content = {"version": 1, "measured": results()["measured"]}
        for document in (report.render(content), nat_report.render(content), services_report.render(content),
                         functions_report.render(content)):
            with self.subTest(document.title):
                text = document.markdown()
                self.assertLess(text.index(_LINE), text.index("\n## "))
        del content["measured"]
        self.assertNotIn("Measured at commit", report.render(content).markdown())

    def test_it_is_printed_and_in_the_file(self):
        content = results()
        content["ratios"] = ratios.compute(content)
        with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stdout(io.StringIO()) as said:
            path = pathlib.Path(directory) / "ratios.json"
            cli.tell(content, ("report.md", "report.html"), path, {"more": 1})
            written = json.loads(path.read_text(encoding="utf-8"))
        self.assertTrue(re.search(f"^{re.escape(_LINE)}$", said.getvalue(), re.MULTILINE))
        self.assertEqual(written, ratios.values(content["ratios"]) | {"measured": content["measured"],
                                                                       "detail": {"more": 1}})


if __name__ == "__main__":
    unittest.main()
