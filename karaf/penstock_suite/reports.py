# SPDX-License-Identifier: Apache-2.0
"""Test reports: JUnit XML of Java and Python in one folder, counted, with the slowest tests."""

from __future__ import annotations

import collections.abc
import dataclasses
import pathlib
import shutil
import textwrap
import xml.etree.ElementTree

SLOWEST = 20
_FAILURES = ("failure", "error")
_WIDTH = 160
_MAVEN_REPORTS = ("surefire-reports", "failsafe-reports")
_SETUP_SECONDS = 1.0


@dataclasses.dataclass(frozen=True)
class Counts:
    """Numbers of tests. A test that could not even run is a failed one. A flaky one failed, and passed when it ran
    once more, alone."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    flaky: int = 0

    def __str__(self) -> str:
        return f"{self.passed + self.flaky} passed, {self.failed} failed, {self.skipped} skipped"


@dataclasses.dataclass(frozen=True)
class Case:
    """One test of one run.

    outcome: the name of a field of Counts. message: the first line of what a failed test says, shortened.
    group: the class, with its package, as the report names it. report: the name of the file, without its suffix.
    """
    name: str
    seconds: float
    outcome: str
    message: str = ""
    group: str = ""
    report: str = ""


def read(path: pathlib.Path) -> list[Case]:
    """The tests of one JUnit XML file, of Surefire, Failsafe or pytest."""
    cases = []
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):  # noqa: S314  (of our own tests)
        failure = next((child for child in case if child.tag in _FAILURES), None)
        outcome = "failed" if failure is not None else "skipped" if case.find("skipped") is not None else "passed"
        group = case.get("classname") or ""
        # Surefire repeats the class for a failure outside of any test, such as one of @BeforeAll, without a name.
        name = ".".join(part for part in (group.rsplit(".", 1)[-1], case.get("name")) if part)
        cases.append(Case(name, _seconds(case), outcome, _message(failure), group, path.stem))
    return cases


def _seconds(element: xml.etree.ElementTree.Element) -> float:
    return float((element.get("time") or "0").replace(",", ""))


def _message(failure: xml.etree.ElementTree.Element | None) -> str:
    text = "" if failure is None else failure.get("message") or failure.text or ""
    return next((textwrap.shorten(line, _WIDTH) for line in text.splitlines() if line.strip()), "")


def read_all(folder: pathlib.Path, prefix: str = "") -> list[Case]:
    """The tests of all reports in the folder whose names begin with `prefix`."""
    return [case for path in sorted(folder.glob(f"{prefix}*.xml")) for case in read(path)]


def count(cases: collections.abc.Iterable[Case]) -> Counts:
    """How many passed, failed, were skipped and were flaky."""
    outcomes = [case.outcome for case in cases]
    return Counts(*(outcomes.count(field.name) for field in dataclasses.fields(Counts)))


def gather(root: pathlib.Path, since: float, folder: pathlib.Path, prefix: str, execution: str = "",
           modules: collections.abc.Collection[str] = ()) -> None:
    """Copies Maven's reports of the modules below `root` that were written after `since` (seconds of the clock).

    prefix: what names of the copies begin with. execution: one that has a directory of its own, <execution>-reports;
    others run in the same module at the same time. modules: those that were tested, by default all; others may be
    tested at the same time.
    """
    for directory in [f"{execution}-reports"] if execution else _MAVEN_REPORTS:
        for path in sorted(root.glob(f"**/target/{directory}/TEST-*.xml")):
            module = path.parents[2].relative_to(root).as_posix()
            if path.stat().st_mtime >= since and (not modules or module in modules):
                shutil.copyfile(path, folder / f"{prefix}-{module.replace('/', '-')}-"
                                f"{path.name.removeprefix('TEST-')}")


def slowest(cases: collections.abc.Iterable[Case], number: int = SLOWEST) -> list[Case]:
    """The tests that took longest, the longest first."""
    return sorted(cases, key=lambda case: -case.seconds)[:number]


def setups(folder: pathlib.Path) -> list[Case]:
    """What classes of Java took beside their tests: @BeforeAll and @AfterAll, of one second at least."""
    found = []
    for path in sorted(folder.glob("*.xml")):
        suite = xml.etree.ElementTree.parse(path).getroot()  # noqa: S314  (of our own tests)
        if suite.tag == "testsuite":
            seconds = _seconds(suite) - sum(map(_seconds, suite.iter("testcase")))
            if seconds >= _SETUP_SECONDS:
                name = (suite.get("name") or path.stem).rsplit(".", 1)[-1]
                found.append(Case(f"{name}, before and after its tests", seconds, "passed", report=path.stem))
    return found


def write_checks(path: pathlib.Path, name: str, findings: collections.abc.Mapping[str, list[str]],
                 seconds: float) -> None:
    """Writes the findings of static checks as a JUnit report: each check is a test, which fails with its findings."""
    suite = xml.etree.ElementTree.Element("testsuite", name=name, tests=str(len(findings)), time="0")
    for check, texts in findings.items():
        case = xml.etree.ElementTree.SubElement(suite, "testcase", classname=name, name=check,
                                                time=f"{seconds / len(findings):.3f}")
        if texts:
            xml.etree.ElementTree.SubElement(case, "failure", message=f"{len(texts)} findings").text = "\n".join(texts)
    xml.etree.ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
