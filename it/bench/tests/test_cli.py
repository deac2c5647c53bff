# SPDX-License-Identifier: Apache-2.0
"""What a run's end means to who started it: the exit code, and what is said beside it."""

import contextlib
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from penstock_base.errors import PenstockError
from penstock_bench import baseline, cli, needs, plan, ratios
from penstock_node.hugepages import HugePages

from .made_up import results

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

class JudgeTest(unittest.TestCase):

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.path = pathlib.Path(made.name) / "baseline.json"
        self.found = ratios.compute(results())
        baseline.update(self.found, self.path)

    def judged(self, found, mode="full"):
        """Exit code and what was printed."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = cli.judge(found, self.path, mode)
        return code, said.getvalue()

    def test_the_same_again_is_fine(self):
        code, said = self.judged(self.found)
        self.assertEqual(code, 0)
        self.assertIn(f"{len(ratios.TARGETS)} ratios held against the baseline, 0 regressions", said)

    def test_each_ratio_that_is_worse_ends_with_an_error(self):
        for name, ratio in self.found.items():
            with self.subTest(name):
                worse = ratio["value"] * (0.5 if ratios.TARGETS[name].better == "higher" else 2)
                code, said = self.judged(self.found | {name: ratio | {"value": worse}})
                self.assertEqual(code, cli.REGRESSION)
                self.assertIn(f"regression: {name}: ", said)

    def test_a_ratio_that_was_not_measured_ends_with_an_error(self):
        code, said = self.judged({name: ratio for name, ratio in self.found.items() if name != "retention_one_way"})
        self.assertEqual(code, cli.REGRESSION)
        self.assertIn("in the baseline, but not measured: retention_one_way", said)

    def test_a_quick_run_need_not_measure_what_only_a_full_run_does(self):
        quick = {name: ratio for name, ratio in self.found.items() if ratios.TARGETS[name].quick}
        self.assertLess(len(quick), len(self.found))
        self.assertEqual(self.judged(quick, "quick")[0], 0)
        self.assertEqual(self.judged(quick, "full")[0], cli.REGRESSION)
        del quick["retention_one_way"]
        self.assertEqual(self.judged(quick, "quick")[0], cli.REGRESSION)

    def test_a_baseline_that_is_none_is_named(self):
        self.path.write_text("[]", encoding="utf-8")
        with self.assertRaisesRegex(PenstockError, "baseline.json: must be an object"):
            cli.judge(self.found, self.path, "full")


class InterruptTest(unittest.TestCase):
    """Runs whose work is replaced: the outer process, and the one that measures."""

    OUTER = """
import sys
from unittest import mock
from penstock_bench import cli, interrupts
interrupts.expect(once=False)
with mock.patch.object(cli, "_refuse_company"), mock.patch.object(cli.packages, "install"):
    sys.exit(cli._again_inside("cores"))
"""
    MEASURES = """
import sys, time
from penstock_bench import interrupts
interrupts.expect(once=True)
try:
    print("runs", flush=True)
    # A signal that comes just before a sleep does not interrupt it.
    for _ in range(600):
        time.sleep(0.1)
finally:
    print("ends", flush=True)
    sys.stdin.readline()
    print("has ended", flush=True)
"""
    # In the place of unshare, which the outer process starts.
    STARTED = """#!/bin/sh
trap 'echo has ended; exit 130' TERM
echo runs
echo runs > "$0.runs"
while :; do sleep 0.1; done
"""

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        program = pathlib.Path(made.name) / "unshare"
        program.write_text(self.STARTED, encoding="ascii")
        program.chmod(0o755)
        self.environment = os.environ | {"PATH": f"{made.name}:{os.environ['PATH']}",
                                         "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}

    def start(self, program, *before):
        process = subprocess.Popen(
            [*before, sys.executable, "-c", program], env=self.environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            # Whoever runs the tests may ignore some of them, as cron and nohup do.
            preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL)  # noqa: PLW1509  (one thread)
                                for number in _SIGNALS])
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "runs\n")
        return process

    def test_a_signal_ends_what_was_started(self):
        for number in _SIGNALS:
            with self.subTest(number=number):
                process = self.start(self.OUTER)
                process.send_signal(number)
                self.assertEqual(process.stdout.readline(), "has ended\n")
                self.assertEqual(process.wait(), 130)

    def test_a_signal_during_the_start_is_not_lost(self):
        late = self.OUTER.replace("interrupts.expect(once=False)", """
import os, pathlib, shutil, signal, subprocess, time
class Popen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        while not pathlib.Path(shutil.which("unshare") + ".runs").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
subprocess.Popen = Popen
interrupts.expect(once=False)""")
        process = self.start(late)
        self.assertEqual(process.stdout.readline(), "has ended\n")
        self.assertEqual(process.wait(), 130)

    def test_the_end_is_not_interrupted(self):
        for number in _SIGNALS:
            with self.subTest(number=number):
                process = self.start(self.MEASURES)
                process.send_signal(number)
                self.assertEqual(process.stdout.readline(), "ends\n")
                for more in _SIGNALS:
                    process.send_signal(more)
                process.stdin.write("\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), "has ended\n")

    def test_a_signal_that_is_ignored_stays_so(self):
        process = self.start(self.MEASURES, "nohup")
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        self.assertTrue(int(re.search(r"SigIgn:\s(\w+)", status)[1], 16) & 1 << signal.SIGHUP - 1)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.stdout.readline(), "ends\n")


class LeftoversTest(unittest.TestCase):
    def test_the_next_run_gives_back_the_pages_of_a_killed_one(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "sys/vm").mkdir(parents=True)
        number = directory / "sys/vm/nr_hugepages"
        number.write_text("0\n", encoding="ascii")
        (directory / "meminfo").write_text(
            "HugePages_Total: 4\nHugePages_Free: 0\nHugePages_Rsvd: 0\nHugepagesize: 2048 kB\n", encoding="ascii")
        pages = HugePages(directory, directory / "locks")
        node = f"node {directory}/run/nodes/b"
        for owner in (node, "generator penstock-bench", "node /run/penstock/b", f"node {directory}/runs/nodes/b"):
            with pages.reserve(owner, 2):
                pass
        with unittest.mock.patch.object(plan, "HugePages", lambda: pages):
            plan.end_leftovers(directory / "run")
        self.assertEqual(pages.owners(), ["node /run/penstock/b", f"node {directory}/runs/nodes/b"])


class CommandTest(unittest.TestCase):

    def run_cli(self, *arguments, user=0):
        """Exit code, and what was printed for people."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said), unittest.mock.patch("os.geteuid", return_value=user):
            return cli.main(arguments), said.getvalue()

    def test_parts_are_of_runs_that_have_some(self):
        code, said = self.run_cli("nat", "--parts", "dns")
        self.assertEqual(code, 1)
        self.assertIn("penstock: only bench services, bench chain, bench load, bench cores, bench scale, bench "
                      "switches have parts", said)

    def test_root_is_needed(self):
        self.assertEqual(self.run_cli(user=1000), (1, "penstock: 'bench' needs root: run it with sudo\n"))

    def test_what_is_needed_is_named_for_the_tests(self):
        self.assertLessEqual({"iproute2", "ovn-central", "python3-matplotlib"}, set(needs.PACKAGES))


if __name__ == "__main__":
    unittest.main()
