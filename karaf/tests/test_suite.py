# SPDX-License-Identifier: Apache-2.0
"""The run of all tests: jobs side by side, reports of both languages, and what makes a run fail."""

import contextlib
import io
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest
from unittest import mock

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_launcher import reports, suites
from penstock_launcher.lanes import Lanes, Outcome
from penstock_launcher.reports import Case, Counts

_PYTEST = """<testsuites><testsuite name="pytest" tests="3">
<testcase classname="tests.test_a.ATest" name="test_good" time="0.5"/>
<testcase classname="tests.test_a.ATest" name="test_bad" time="1.25"><failure message="no">trace</failure></testcase>
<testcase classname="tests.test_a.ATest" name="test_late" time="0"><skipped message="why"/></testcase>
</testsuite></testsuites>"""
_GOOD = _PYTEST.replace("<skipped", "<hidden").replace("<failure", "<hidden").replace("</failure", "</hidden")
_SUREFIRE = """<testsuite name="io.penstock.AIT" tests="2" time="2,001.5">
<testcase classname="io.penstock.AIT" name="passes" time="2,000.5"/>
<testcase classname="io.penstock.AIT" name="" time="1"><error type="java.lang.AssertionError">
java.lang.AssertionError: 3 of 4
at AIT.java:3</error></testcase>
</testsuite>"""


class Folder(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


class ReportsTest(Folder):
    def test_tests_of_both_languages(self):
        self.write("python.xml", _PYTEST)
        self.write("java-it-AIT.xml", _SUREFIRE)
        cases = reports.read_all(self.folder)
        self.assertEqual(reports.count(cases), Counts(passed=2, failed=2, skipped=1))
        self.assertEqual([case.name for case in reports.slowest(cases, 2)], ["AIT.passes", "ATest.test_bad"])
        # The tier's own, and a failure of a whole class, which has no name.
        self.assertEqual([case for case in reports.read_all(self.folder, "java-") if case.outcome == "failed"],
                         [Case("AIT", 1.0, "failed", "java.lang.AssertionError: 3 of 4")])

    def test_only_new_reports_of_the_tier_are_gathered(self):
        for path, age in (("m/target/surefire-reports/TEST-A.xml", 0), ("a/m/target/failsafe-reports/TEST-B.xml", 0),
                          ("m/target/surefire-reports/TEST-Old.xml", 100), ("m/target/packets-reports/TEST-P.xml", 0)):
            os.utime(self.write(path, _SUREFIRE), (1000 - age, 1000 - age))
        target = self.folder / "reports"
        target.mkdir()
        reports.gather(self.folder, 950, target, "java")
        self.assertEqual(sorted(path.name for path in target.iterdir()), ["java-a-m-B.xml", "java-m-A.xml"])
        reports.gather(self.folder, 950, target, "packets")
        self.assertIn("packets-m-P.xml", [path.name for path in target.iterdir()])

    def test_findings_are_failed_tests(self):
        reports.write_checks(self.folder / "lint.xml", "lint", {"ruff": ["a.py:1: wrong"], "mypy": []}, 1.5)
        self.assertEqual(reports.read_all(self.folder),
                         [Case("lint.ruff", 0.0, "failed", "1 findings"), Case("lint.mypy", 0.0, "passed")])


class LanesTest(Folder):
    def run_lanes(self, **jobs):
        """Each job has a lane of its own."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            outcomes = Lanes().run(*({name: job} for name, job in jobs.items()))
        return outcomes, said.getvalue()

    def test_jobs_run_at_the_same_time_and_one_that_fails_stops_no_other(self):
        both = threading.Barrier(2, timeout=30)

        def fails(_):
            both.wait()
            raise PenstockError("no luck")

        def works(lane):
            both.wait()
            lane.say("half way\n")
        outcomes, said = self.run_lanes(fails=fails, works=works)
        self.assertEqual([(each.name, str(each.error)) for each in outcomes], [("fails", "no luck"), ("works", "None")])
        self.assertIn("works: half way\n", said)
        self.assertRegex(said, " 0:[0-9]{2} fails: failed after [0-9]+ s\n")

    def test_jobs_of_a_lane_run_one_after_the_other(self):
        order = []

        def job(lane):
            order.append(f"{lane.name} begins")
            if lane.name == "a":
                raise PenstockError("no luck")
            order.append(f"{lane.name} ends")
        with contextlib.redirect_stderr(io.StringIO()):
            outcomes = Lanes().run({"a": job, "b": job})
        self.assertEqual(order, ["a begins", "b begins", "b ends"])
        self.assertEqual([each.name for each in outcomes], ["a", "b"])

    def test_output_goes_to_the_log(self):
        codes = []

        def job(lane):
            codes.append(lane.run(["sh", "-c", "echo out; echo err >&2; exit 3"], self.folder / "a" / "log",
                                  self.folder, {"PATH": os.environ["PATH"]}))
        self.run_lanes(job=job)
        self.assertEqual(codes, [3])
        self.assertEqual((self.folder / "a" / "log").read_text(encoding="ascii"), "out\nerr\n")

    def test_an_interrupt_ends_the_processes_of_all(self):
        started, interrupted = threading.Event(), []

        def sleeps(lane):
            with lane.process(["sleep", "600"]) as process:
                started.set()
                interrupted.append(process.wait(60))
        lanes = Lanes()
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(KeyboardInterrupt), \
                mock.patch("concurrent.futures.Future.result", side_effect=lambda: self._interrupt(started)):
            lanes.run({"sleeps": sleeps})
        self.assertEqual(interrupted, [-15])

    @staticmethod
    def _interrupt(started):
        started.wait(30)
        raise KeyboardInterrupt


class RunTest(Folder):
    """Of tiers made for the test."""

    def setUp(self):
        super().setUp()
        for name, value in (("TEST_REPORTS", self.folder / "reports"),):
            patch = mock.patch.object(places, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        for patch in (mock.patch("penstock_base.packages.install", return_value=[]),
                      mock.patch("penstock_controller.build.is_current", return_value=True),
                      mock.patch("penstock_controller.build.fingerprint", return_value="x"),
                      mock.patch.dict(os.environ, {"PENSTOCK_LOCK_DIR": str(self.folder / "locks")})):
            patch.start()
            self.addCleanup(patch.stop)
        self.ran = []

    def tier(self, name, stage, report=_GOOD, error=None):
        def run(_, folder):
            self.ran.append(name)
            if report:
                (folder / f"{name}-a.xml").write_text(report, encoding="utf-8")
            if error:
                raise error
        return suites.Tier(name, stage, 1, "made up", run)

    def run_tiers(self, *tiers, **options):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.object(suites, "TIERS", tiers), contextlib.redirect_stdout(out), \
                contextlib.redirect_stderr(err):
            good = suites.run(**options)
        return good, out.getvalue(), err.getvalue()

    def test_all_is_well(self):
        good, out, err = self.run_tiers(self.tier("fast", "quick"), self.tier("slow", "whole"))
        self.assertTrue(good)
        self.assertEqual(out, "6 passed, 0 failed, 0 skipped\n")
        self.assertRegex(err, r"(?s)slowest tests:\n *1.2 s  ATest.test_bad\n.*\n *0 s  slow *3 passed, 0 failed")

    def test_quick_and_only(self):
        tiers = self.tier("fast", "quick"), self.tier("slow", "whole")
        self.run_tiers(*tiers, quick=True)
        self.run_tiers(*tiers, only=["slow"])
        self.assertEqual(self.ran, ["fast", "slow"])

    def test_what_is_apart_runs_by_its_name_alone(self):
        tiers = self.tier("slow", "whole"), self.tier("rare", suites.APART)
        with mock.patch("penstock_controller.build.ensure") as ensure:
            self.run_tiers(*tiers)
            self.assertEqual((self.ran, ensure.called), (["slow"], False))
            self.run_tiers(*tiers, only=["rare"])
        self.assertEqual((self.ran, ensure.called), (["slow", "rare"], True))

    def test_whatever_is_wrong_fails_the_run(self):
        for name, tier in {"a failed test": self.tier("x", "quick", _SUREFIRE),
                           "a skipped test": self.tier("x", "quick", _PYTEST.replace("<failure", "<hidden")
                                                       .replace("</failure", "</hidden")),
                           "no test": self.tier("x", "quick", None),
                           "an error beside the tests": self.tier("x", "quick", error=PenstockError("no JVM"))}.items():
            with self.subTest(name):
                self.assertFalse(self.run_tiers(tier, self.tier("y", "whole"))[0])
        # Each time the other stage was run all the same.
        self.assertEqual(self.ran.count("y"), 4)

    def test_failed_tests_are_named_last(self):
        _, _, err = self.run_tiers(self.tier("x", "quick", _PYTEST), self.tier("y", "whole"))
        self.assertRegex(err, r"all; reports: .*\nfailed tests:\n +ATest.test_bad: no\n")

    def test_nothing_is_tested_without_a_build(self):
        with mock.patch("penstock_controller.build.is_current", return_value=False):
            good, _, err = self.run_tiers(self.tier("x", "quick", None, PenstockError("cannot find symbol")),
                                          self.tier("y", "whole"))
        self.assertEqual((good, self.ran), (False, ["x"]))
        self.assertIn("penstock: x: cannot find symbol", err)

    def test_old_reports_are_gone(self):
        self.write("reports/x-old.xml", _SUREFIRE)
        self.assertTrue(self.run_tiers(self.tier("x", "quick"))[0])

    def test_python_tiers_leave_out_suites_without_such_tests(self):
        code = subprocess.run([places.PYTHON, "-B", "-m", "pytest", "-q", "-m", "node", "tests"],
                              cwd=places.ROOT / "docs", capture_output=True, check=False).returncode
        self.assertEqual(code, suites._NO_TEST_SELECTED)


class TiersTest(unittest.TestCase):
    def test_names_are_no_prefixes_of_each_other(self):
        names = [f"{tier.name}-" for tier in suites.TIERS]
        self.assertEqual([(a, b) for a in names for b in names if a != b and b.startswith(a)], [])
        self.assertEqual({tier.stage for tier in suites.TIERS}, {"quick", "whole", "cluster", suites.APART})

    def test_a_tier_without_a_passed_test_fails(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(PenstockError, "no test ran"):
            suites._job(suites.Tier("x", "quick", 1, "", lambda lane, path: None), pathlib.Path(folder))(None)

    def test_outcome_of_a_tier_is_counted_by_its_reports_alone(self):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            (pathlib.Path(name) / "x-a.xml").write_text("<testsuite/>", encoding="ascii")
            self.assertFalse(suites.report([Outcome("x", 1.0, None)], pathlib.Path(name), 1.0))


if __name__ == "__main__":
    unittest.main()
