# SPDX-License-Identifier: Apache-2.0
"""./penstock test: every test there is, and one line that counts them."""

import dataclasses
import os
import re
import subprocess
import time
import xml.etree.ElementTree

from penstock_bench import cli as bench
from penstock_node.errors import PenstockError
from penstock_node.steps import say

from . import ROOT, build, exclusive, packages, places
from .progress import StepFailed, Steps

_RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
_RESULT = re.compile(r"^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
_REPORTS = ("surefire-reports", "failsafe-reports")


@dataclasses.dataclass(frozen=True)
class Counts:
    """Numbers of tests. A test that could not even run is a failed one."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def run():
    """Runs all tests and prints the count last. Returns True if all passed and none was skipped."""
    steps = Steps(total=2 + len(places.PYTHON_SUITES))
    total, broken = Counts(), []
    with steps.step("Debian packages", "see that apt-get works: the network, /etc/apt/sources.list") as note:
        installed = packages.install(tuple(dict.fromkeys((*packages.TEST, *bench.PACKAGES))))
        note.text = f"{len(installed)} installed" if installed else "all there"
    for name in places.PYTHON_SUITES:
        try:
            with steps.step(f"tests of {name} (Python)", "see the end of its log above") as note:
                counts, problem = _python(name)
                total += counts
                note.text = str(counts)
                if problem:
                    raise PenstockError(problem)
        except StepFailed as error:
            broken.append(error)
    begun = time.time()
    try:
        with steps.step("tests of the Java modules, traces, packets, and the whole", "see the module's target/"
                        "surefire-reports or failsafe-reports") as note:
            try:
                _maven()
            finally:
                counts = from_reports(ROOT, begun)
                total += counts
                note.text = str(counts)
    except StepFailed as error:
        broken.append(error)
    for error in broken:
        say(f"penstock: {error}")
    good = not broken and not total.failed and not total.skipped and total.passed > 0
    if total.skipped:
        say("penstock: a skipped test fails the run")
    if broken and not total.failed:
        say("penstock: something failed that is not a test: see above")
    print(total, flush=True)
    return good


def environment():
    """Ours without the directories of a running network: tests have their own, and some test the defaults."""
    theirs = {"PENSTOCK_RUN_DIR", "PENSTOCK_STATE_DIR", "PENSTOCK_LOG_DIR"}
    return {name: value for name, value in os.environ.items() if name not in theirs}


def _maven():
    with exclusive.alone("build", "./penstock test", wait=True):
        stamp = build.fingerprint()
        # All modules, even when one fails: a person wants the whole list.
        build.maven("test.log", "install", "--fail-at-end", environment=environment())
        build.record(stamp)


def _python(name):
    """Runs one suite; returns the counts and, if it failed, the end of what it said."""
    log = places.log_directory() / f"test-{name.replace('/', '-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    say(f"log: {log}")
    with open(log, "w", encoding="utf-8") as output:
        # Only `tests`: it sets the path for what is tested, which a walk through all packages would import before.
        done = subprocess.run([places.PYTHON, "-m", "unittest", "discover", "-v", "-t", ".", "-s", "tests"],
                              cwd=ROOT / name, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              check=False, env=environment())
    text = log.read_text(encoding="utf-8", errors="replace")
    counts = from_unittest(text)
    if done.returncode and not counts.failed:
        counts += Counts(failed=1)
    if not done.returncode and not counts.passed:
        return counts, f"no test was found in {name}"
    return counts, "\n".join(text.rstrip().splitlines()[-30:]) if done.returncode else None


def from_unittest(text):
    """Reads the end of unittest's report."""
    ran, results = _RAN.findall(text), list(_RESULT.finditer(text))
    if not ran or not results:
        return Counts()
    details = dict(part.split("=") for part in (results[-1].group(1) or "").split(", ") if "=" in part)
    number = {key: int(value) for key, value in details.items()}
    # A test that passes though it was expected to fail is a failure; one that fails as expected has not run its course.
    failed = sum(number.get(key, 0) for key in ("failures", "errors", "unexpected successes"))
    skipped = number.get("skipped", 0) + number.get("expected failures", 0)
    return Counts(max(int(ran[-1]) - failed - skipped, 0), failed, skipped)


def from_reports(root, since):
    """Sums Maven's reports that were written after `since` (seconds of the clock)."""
    total = Counts()
    for kind in _REPORTS:
        for path in root.glob(f"**/target/{kind}/TEST-*.xml"):
            if path.stat().st_mtime >= since:
                total += _from_report(path)
    return total


def _from_report(path):
    suite = xml.etree.ElementTree.parse(path).getroot()
    tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    return Counts(max(tests - failed - skipped, 0), failed, skipped)
