# SPDX-License-Identifier: Apache-2.0
"""The build of the controller: what it depends on, what it says, and downloads that fail."""

import os
import unittest
import unittest.mock
import xml.etree.ElementTree

from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_controller import build

from .test_launcher import Directory


class BuildTest(Directory):
    def fingerprint_after(self, name, text="x"):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
        return build.fingerprint(self.directory)

    def test_fingerprint_knows_sources(self):
        first = self.fingerprint_after("odl-apps/model/src/main/yang/a.yang")
        self.assertEqual(build.fingerprint(self.directory), first)
        self.assertNotEqual(self.fingerprint_after("odl-apps/model/src/main/yang/a.yang", "y"), first)
        self.assertNotEqual(self.fingerprint_after("pom.xml"), first)

    def test_fingerprint_ignores_what_is_not_in_the_distribution(self):
        first = self.fingerprint_after("pom.xml")
        for name in ("karaf/target/a", "karaf/penstock_launcher/a.py", "it/src/a.java", "karaf/README.md",
                     "odl-apps/model/src/test/java/A.java", "odl-apps/model/.flattened-pom.xml"):
            with self.subTest(name):
                self.assertEqual(self.fingerprint_after(name), first)

    def test_own_tree_has_sources(self):
        names = {path.name for path in build._files(ROOT)}
        self.assertLessEqual({"pom.xml", "penstock.yang", "Planner.java"}, names)

    def test_report_names_modules_downloads_and_errors(self):
        said, now = [], [0.0]
        report = build.Report(said.append, lambda: now[0])
        report.line("[INFO] Building Penstock :: model 0.1.0-SNAPSHOT                        [2/16]")
        now[0] = 20.0
        report.line("[INFO] Downloaded from central: https://example.org/a.jar (1.5 MB at 3 MB/s)")
        now[0] = 40.0
        report.line("[INFO] Running io.penstock.it.PacketsIT")
        report.line("[INFO] Running io.penstock.it.SmallTest")
        report.line("[ERROR] /a/B.java:[3,4] cannot find symbol")
        report.line("[ERROR] ")
        report.line("[ERROR] io.penstock.it.AIT.b(Customer)[1] -- Time elapsed: 0.053 s <<< FAILURE!")
        report.line("org.opentest4j.AssertionFailedError: ")
        report.line("")
        report.line("expected: 24")
        report.line("\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)")
        report.line("[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0 <<< FAILURE! -- in io.penstock.it.AIT")
        report.line("[ERROR] Re-run Maven using the -X switch to enable full debug logging.")
        self.assertEqual(said, ["[ 2/16] Penstock :: model", "fetched 1 files, 2 MB", "        PacketsIT",
                                "        failed: io.penstock.it.AIT.b(Customer)[1]"])
        self.assertEqual(report.errors[0], "/a/B.java:[3,4] cannot find symbol")
        self.assertEqual(report.failed_tests, ["io.penstock.it.AIT.b(Customer)[1]\n"
                                               "  org.opentest4j.AssertionFailedError:\n  expected: 24"])

    def test_warnings_that_fail_the_build_are_its_reasons(self):
        report = build.Report(lambda said: None)
        report.line("[WARNING] /a/target/generated-sources/A.java:[1,2] RpcService has been deprecated")
        report.line("[WARNING] /a/B.java:[3,4] [UnusedVariable] The field 'c' is never read.")
        self.assertEqual(report.reasons, [])
        report.line("[ERROR] COMPILATION ERROR : ")
        report.line("[ERROR] warnings found and -Werror specified")
        self.assertEqual(report.reasons[0], "/a/B.java:[3,4] [UnusedVariable] The field 'c' is never read.")


class AnalysisTest(unittest.TestCase):
    """SpotBugs reads the modules that the module of the analysis depends on."""

    def test_all_modules_are_analysed(self):
        poms = {path.parent.name: path for path in ROOT.glob("odl-apps/*/pom.xml")}
        with_code = {name for name, path in poms.items() if (path.parent / "src/main/java").is_dir()}
        analysed: set[str] = set()
        open_ends = ["analysis"]
        while open_ends:
            for name in self._uses(poms[open_ends.pop()]) - analysed:
                analysed.add(name)
                open_ends.append(name)
        self.assertEqual(with_code - analysed, set())

    @staticmethod
    def _uses(pom):
        """Names of our modules that a module passes on to those that depend on it."""
        own = set()
        for dependency in xml.etree.ElementTree.parse(pom).findall("{*}dependencies/{*}dependency"):
            text = {each.tag.rpartition("}")[2]: each.text for each in dependency}
            if text["groupId"] == "io.penstock" and text.get("scope", "compile") == "compile" and "type" not in text:
                own.add(text["artifactId"])
        return own


class FailuresTest(Directory):
    """Maven that fails: a program in its place that fails as it does."""

    def run_maven(self, failures, error, end="exit 1"):
        program = self.directory / "mvn"
        program.write_text(f"""#!/bin/sh
echo "$*" >> {self.directory}/calls
[ $(wc -l < {self.directory}/calls) -gt {failures} ] || {{ echo '[ERROR] {error}'; {end}; }}
""", encoding="ascii")
        program.chmod(0o755)
        environment = dict(os.environ) | {"PATH": f"{self.directory}:{os.environ['PATH']}"}
        with unittest.mock.patch.object(build, "_RETRY_SECONDS", 0):
            build.maven("maven.log", "validate", environment=environment)

    def calls(self):
        return (self.directory / "calls").read_text(encoding="ascii").splitlines()

    def test_a_failed_download_is_tried_again(self):
        self.run_maven(2, "P: Could not transfer artifact g:a:pom:1 from/to central: Unknown host")
        self.assertEqual(self.calls(), ["--batch-mode validate", *2 * ["--batch-mode --update-snapshots validate"]])

    def test_not_for_ever(self):
        with self.assertRaisesRegex(PenstockError, "Could not transfer artifact"):
            self.run_maven(9, "P: Could not transfer artifact g:a:pom:1 from/to central: Unknown host")
        self.assertEqual(len(self.calls()), 4)

    def test_failures_that_maven_ignores_are_failures(self):
        with self.assertRaisesRegex(PenstockError, "There are test failures"):
            self.run_maven(9, "goal: There are test failures", "echo '[INFO] Build failures were ignored.'; exit 0")
        with self.assertRaisesRegex(PenstockError, "failed tests:\nATest.holds"):
            self.run_maven(9, "ATest.holds -- Time elapsed: 1 s <<< FAILURE!",
                           "echo '[INFO] Build failures were ignored.'; exit 0")

    def test_other_failures_are_not(self):
        with self.assertRaisesRegex(PenstockError, "cannot find symbol"):
            self.run_maven(9, "A.java cannot find symbol")
        self.assertEqual(len(self.calls()), 1)


if __name__ == "__main__":
    unittest.main()
