# SPDX-License-Identifier: Apache-2.0
"""The test suite: jobs side by side, reports of both languages, what makes a run fail, flaky tests, the sandbox."""

import contextlib
import io
import itertools
import os
import pathlib
import queue
import subprocess
import tempfile
import threading
import unittest
from unittest import mock

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_suite import deep, flakes, gate, reports, tiers
from penstock_suite.lanes import Job, Lanes
from penstock_suite.reports import Case, Counts

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
                         [Case("AIT", 1.0, "failed", "java.lang.AssertionError: 3 of 4", "io.penstock.AIT",
                               "java-it-AIT")])

    def test_only_new_reports_of_the_tier_are_gathered(self):
        for path, age in (("m/target/surefire-reports/TEST-A.xml", 0), ("a/m/target/failsafe-reports/TEST-B.xml", 0),
                          ("m/target/surefire-reports/TEST-Old.xml", 100), ("m/target/packets-reports/TEST-P.xml", 0)):
            os.utime(self.write(path, _SUREFIRE), (1000 - age, 1000 - age))
        target = self.folder / "reports"
        target.mkdir()
        reports.gather(self.folder, 950, target, "java")
        self.assertEqual(sorted(path.name for path in target.iterdir()), ["java-a-m-B.xml", "java-m-A.xml"])
        reports.gather(self.folder, 950, target, "packets", "packets")
        self.assertIn("packets-m-P.xml", [path.name for path in target.iterdir()])
        reports.gather(self.folder, 950, target, "other", modules=("a/m",))
        self.assertEqual([path.name for path in target.glob("other-*")], ["other-a-m-B.xml"])

    def test_findings_are_failed_tests(self):
        reports.write_checks(self.folder / "lint.xml", "lint", {"ruff": ["a.py:1: wrong"], "mypy": []}, 1.5)
        self.assertEqual(reports.read_all(self.folder), [
            Case("lint.ruff", 0.75, "failed", "1 findings", "lint", "lint"),
            Case("lint.mypy", 0.75, "passed", "", "lint", "lint")])

    def test_the_time_before_and_after_tests_counts(self):
        self.write("java-AIT.xml", _SUREFIRE.replace("2,001.5", "2,031.5"))
        self.assertEqual([(case.name, case.seconds) for case in reports.setups(self.folder)],
                         [("AIT, before and after its tests", 30.0)])


class LanesTest(Folder):
    def run_lanes(self, number=2, limit=None, **jobs):
        """Jobs by name: what each does, or that and what it needs."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            outcomes = Lanes(number, limit).run(*(
                Job(name, *(job if isinstance(job, tuple) else (job,))) for name, job in jobs.items()))
        return outcomes, said.getvalue()

    def test_jobs_run_at_the_same_time_and_one_that_fails_stops_no_other(self):
        both = threading.Barrier(2, timeout=60)

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

    def test_one_lane_runs_jobs_one_after_the_other(self):
        order = []

        def job(lane):
            order.append(f"{lane.name} begins")
            if lane.name == "a":
                raise PenstockError("no luck")
            order.append(f"{lane.name} ends")
        outcomes, _ = self.run_lanes(1, a=job, b=job)
        self.assertEqual(order, ["a begins", "b begins", "b ends"])
        self.assertEqual([each.name for each in outcomes], ["a", "b"])

    def test_a_job_waits_for_its_needs_and_does_not_run_without_them(self):
        order = []

        def job(lane):
            order.append(lane.name)
            if lane.name == "bad":
                raise PenstockError("no luck")
        outcomes, _ = self.run_lanes(
            3, last=(job, ("good",)), never=(job, ("bad",)), free=(job, ("not among them",)), good=job, bad=job)
        self.assertLess(order.index("good"), order.index("last"))
        self.assertNotIn("never", order)
        self.assertIn("free", order)
        self.assertEqual([str(each.error) for each in outcomes if each.error], ["did not run: bad failed", "no luck"])

    def test_output_goes_to_the_log(self):
        codes = []

        def job(lane):
            inside = lane.inside("env", "WORD=word")
            codes.append(inside.run(["sh", "-c", "echo $WORD; echo err >&2; exit 3"], self.folder / "a" / "log",
                                    self.folder, {"PATH": os.environ["PATH"]}))
        self.run_lanes(job=job)
        self.assertEqual(codes, [3])
        self.assertEqual((self.folder / "a" / "log").read_text(encoding="ascii"), "word\nerr\n")

    def test_an_interrupt_ends_the_processes_of_all(self):
        started, codes = threading.Event(), queue.Queue()

        def sleeps(lane):
            with lane.process(["sleep", "600"]) as process:
                started.set()
                codes.put(process.wait(60))

        class Interrupted(threading.Condition):
            def wait(self, timeout=None):
                if threading.current_thread() is threading.main_thread():
                    self.release()
                    started.wait(60)
                    self.acquire()
                    raise KeyboardInterrupt
                return super().wait(timeout)
        lanes = Lanes(1)
        lanes._changed = Interrupted()
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(KeyboardInterrupt):
            lanes.run(Job("sleeps", sleeps))
        self.assertEqual(codes.get(timeout=60), -15)

    def test_a_run_that_hangs_ends_with_the_stacks_of_all(self):
        module = self.write("tests/test_hangs.py", """import threading
def test_hangs():
    open("begun", "w").close()
    threading.Event().wait()
""")
        log = self.folder / "log"
        begun = self.folder / "begun"
        moments = itertools.count()

        def clock():
            # The limit comes when the test waits, however long that takes.
            return next(moments) * 1e-6 + (1000 if begun.exists() else 0)

        def hangs(lane):
            code = lane.run([places.PYTHON, "-m", "pytest", "-p", "no:cacheprovider", module], log, self.folder,
                            dict(os.environ))
            raise PenstockError(f"exit code {code}")
        with contextlib.redirect_stderr(io.StringIO()), mock.patch("penstock_suite.lanes._LOOK_SECONDS", 0.05):
            outcome, = Lanes(1, 100, clock).run(Job("hangs", hangs))
        self.assertRegex(str(outcome.error), "(?s)^not done after 100 s: .*exit code -")
        self.assertIn("in test_hangs", log.read_text(encoding="utf-8"))

    def test_a_run_that_is_slow_goes_on(self):
        now, looks = [0], itertools.count()
        seen = [0]

        def clock():
            seen[0] = next(looks)
            return now[0]

        def slow(lane):
            for _ in range(5):
                lane.say("goes on")
                now[0] += 600
                looked = seen[0]
                while seen[0] < looked + 3:
                    threading.Event().wait(0.01)
        with contextlib.redirect_stderr(io.StringIO()), mock.patch("penstock_suite.lanes._LOOK_SECONDS", 0.01):
            outcome, = Lanes(1, 1000, clock).run(Job("slow", slow))
        self.assertIsNone(outcome.error)


class RunTest(Folder):
    """Of tiers made for the test."""

    def setUp(self):
        super().setUp()
        for patch in (mock.patch.object(places, "TEST_REPORTS", self.folder / "reports"),
                      mock.patch.object(flakes, "LEDGER", places.ROOT / "target" / self.folder.name),
                      mock.patch.dict(os.environ, {"PENSTOCK_LOCK_DIR": str(self.folder / "locks"),
                                                   "PENSTOCK_LOG_DIR": str(self.folder / "log")})):
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(lambda: flakes.LEDGER.unlink(missing_ok=True))
        self.ran = []

    def tier(self, name, report=_GOOD, error=None, needs=(), again=None):
        """again: the report of a second run; its error is that of the first if it has a failure."""
        def way(report, error):
            def run(lane, folder):
                self.ran.append(lane.name)
                if report:
                    (folder / f"{lane.name}-a.xml").write_text(report, encoding="utf-8")
                if error:
                    raise error
            return run
        second = way(again, tiers.TestsFailed("again") if again and "<failure" in again else None)
        return tiers.Tier(name, "made up", way(report, error), needs, (lambda case: second) if again else None)

    def run_tiers(self, *chosen, **options):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                mock.patch.object(tiers, "in_place", lambda tier, lane: lane):
            good = gate.run(chosen, **options)
        return good, out.getvalue(), err.getvalue()

    def test_all_is_well(self):
        good, out, err = self.run_tiers(self.tier("fast"), self.tier("slow"))
        self.assertTrue(good)
        self.assertEqual(out, "6 passed, 0 failed, 0 skipped\n")
        self.assertRegex(err, r"(?s)slowest tests:\n *1.2 s  ATest.test_bad\n.*\n *0 s  slow *3 passed, 0 failed")

    def test_whatever_is_wrong_fails_the_run(self):
        for name, tier in {"a failed test": self.tier("x", _SUREFIRE),
                           "a skipped test": self.tier("x", _PYTEST.replace("<failure", "<hidden")
                                                       .replace("</failure", "</hidden")),
                           "no test": self.tier("x", None),
                           "an error beside the tests": self.tier("x", error=PenstockError("no JVM"))}.items():
            with self.subTest(name):
                self.assertFalse(self.run_tiers(tier, self.tier("y"))[0])
        # Each time the other tier was run all the same.
        self.assertEqual(self.ran.count("y"), 4)

    def test_failed_tests_are_named_last(self):
        _, _, err = self.run_tiers(self.tier("x", _PYTEST), self.tier("y"))
        self.assertRegex(err, r"all; reports: .*\nfailed tests:\n +ATest.test_bad: no\n")

    def test_a_failed_unit_test_stops_no_other_tier_and_a_failed_build_those_that_need_it(self):
        chosen = (self.tier("build", error=PenstockError("cannot find symbol")), self.tier("y", needs=("build",)),
                  self.tier("z", _SUREFIRE, tiers.TestsFailed("1")), self.tier("last"))
        good, _, err = self.run_tiers(*chosen)
        self.assertFalse(good)
        self.assertEqual(sorted(self.ran), ["build", "last", "z"])
        self.assertIn("penstock: y: did not run: build failed", err)

    def test_old_reports_are_gone(self):
        self.write("reports/x-old.xml", _SUREFIRE)
        self.assertTrue(self.run_tiers(self.tier("x"))[0])

    def fails(self, name="x", **options):
        report = _PYTEST.replace("<skipped", "<hidden")
        return self.tier(name, report, tiers.TestsFailed("1 failed"), **options)

    def test_a_class_that_passes_again_is_flaky(self):
        good, out, err = self.run_tiers(self.fails(again=_GOOD))
        self.assertTrue(good, err)
        self.assertEqual((self.ran, out), (["x", "again-x"], "3 passed, 0 failed, 0 skipped\n"))
        self.assertIn("FLAKY: ATest.test_bad failed, and passed when it ran again alone: no\n", err)
        line, = flakes.read(flakes.LEDGER)
        self.assertEqual((line.test, line.message, line.cause), ("ATest.test_bad", "no", ""))
        self.assertEqual(flakes.read(flakes.machine_ledger()), [line])
        self.assertTrue((self.folder / "reports" / "first" / "x-a.xml").exists())
        # A second time.
        good, out, err = self.run_tiers(self.fails(again=_GOOD))
        self.assertFalse(good)
        self.assertIn("ATest has an open line", err)

    def test_a_class_of_which_more_tests_fail_is_one_failure(self):
        report = _PYTEST.replace("<skipped", "<failure")
        many = self.tier("x", report, tiers.TestsFailed("2 failed"), again=_GOOD)
        good, _, err = self.run_tiers(many)
        self.assertTrue(good, err)
        self.assertEqual(err.count("FLAKY: ATest."), 2)
        line, = flakes.read(flakes.LEDGER)
        self.assertEqual(line.test, "ATest.test_bad")

    def test_a_class_that_fails_again_fails_the_run(self):
        good, out, _ = self.run_tiers(self.fails(again=_PYTEST))
        self.assertEqual((good, out), (False, "2 passed, 1 failed, 0 skipped\n"))
        self.assertEqual(flakes.read(flakes.LEDGER), [])

    def test_what_never_runs_again(self):
        """Deterministic tiers, tests of safety, and any class when many have failed."""
        self.assertFalse(self.run_tiers(self.fails())[0])
        with mock.patch.object(gate, "_is_of_safety", lambda group: group == "tests.test_a.ATest"):
            self.assertFalse(self.run_tiers(self.fails(again=_GOOD))[0])
        many = [self.fails(f"tier{number}", again=_GOOD) for number in range(gate.MOST_AGAIN + 1)]
        self.assertFalse(self.run_tiers(*many)[0])
        self.assertFalse(self.run_tiers(self.fails(again=_GOOD), repeat=False)[0])
        self.assertEqual([name for name in self.ran if name.startswith("again")], [])

    def test_a_crash_beside_a_flaky_test_fails_the_run(self):
        crashed = self.tier("x", _PYTEST.replace("<skipped", "<hidden"), PenstockError("The forked VM terminated"),
                            again=_GOOD)
        self.assertFalse(self.run_tiers(crashed)[0])

    def test_safety_is_found_in_the_sources(self):
        tagged = next(path for path in places.ROOT.glob("it/src/test/java/**/*IT.java")
                      if '@Tag("safety")' in path.read_text(encoding="utf-8"))
        self.assertTrue(gate._is_of_safety(f"io.penstock.it.{tagged.stem}"))
        self.assertFalse(gate._is_of_safety("tests.test_arrows.ArrowsTest"))

    def test_python_tiers_leave_out_suites_without_such_tests(self):
        code = subprocess.run([places.PYTHON, "-B", "-m", "pytest", "-q", "-m", "node", "tests"],
                              cwd=places.ROOT / "docs", capture_output=True, check=False).returncode
        self.assertEqual(code, tiers._NO_TEST_SELECTED)


class FlakesTest(Folder):
    @staticmethod
    def flake(test, time="2026-11-28T00:00:00+00:00", cause=""):
        return flakes.Flake(test, "no", time, "12345678", 1.5, 100, cause)

    def test_open_lines(self):
        known = [self.flake("a", cause="a race of the test, repaired"), self.flake("b")]
        self.assertEqual(flakes.faults(known, [self.flake("a"), self.flake("c")]), [])
        self.assertRegex(flakes.faults(known, [self.flake("b")])[0], "^b has an open line")
        self.assertRegex(flakes.faults([self.flake("B.one")], [self.flake("B.two")])[0], "^B has an open line")
        many = [self.flake(str(number)) for number in range(flakes.MOST_OPEN)]
        self.assertEqual(flakes.faults([], many), [])
        self.assertRegex(flakes.faults(known, many)[0], "^6 open lines .* 5 at most")

    def test_lines_of_the_machine_are_taken_over_once(self):
        tree, machine = self.folder / "tree", self.folder / "machine"
        flakes.add(tree, [self.flake("a")])
        flakes.add(machine, [self.flake("a"), self.flake("b")])
        self.assertEqual((flakes.take_over(tree, machine), flakes.take_over(tree, machine)), (1, 0))
        self.assertEqual([flake.test for flake in flakes.read(tree)], ["a", "b"])

    def test_the_ledgers_of_the_tree_have_their_form(self):
        self.assertLessEqual(sum(not flake.cause for flake in flakes.read(flakes.LEDGER)), flakes.MOST_OPEN)
        for result in deep.read():
            self.assertIn(result.tier, tiers.DEEP_TIERS)
            self.assertIn(result.verdict, deep.VERDICTS)
            self.assertRegex(result.inputs, "^[0-9a-f]{16}$")


if __name__ == "__main__":
    unittest.main()
