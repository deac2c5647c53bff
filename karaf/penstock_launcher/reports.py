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


@dataclasses.dataclass(frozen=True)
class Counts:
    """Numbers of tests. A test that could not even run is a failed one."""
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclasses.dataclass(frozen=True)
class Case:
    """One test of one run.

    outcome: the name of a field of Counts. message: the first line of what a failed test says, shortened.
    """
    name: str
    seconds: float
    outcome: str
    message: str = ""


def read(path: pathlib.Path) -> list[Case]:
    """The tests of one JUnit XML file, of Surefire, Failsafe or pytest."""
    cases = []
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):  # noqa: S314  (of our own tests)
        failure = next((child for child in case if child.tag in _FAILURES), None)
        outcome = "failed" if failure is not None else "skipped" if case.find("skipped") is not None else "passed"
        group = (case.get("classname") or "").rsplit(".", 1)[-1]
        # Surefire repeats the class for a failure outside of any test, such as one of @BeforeAll, without a name.
        name = ".".join(part for part in (group, case.get("name")) if part)
        cases.append(Case(name, float((case.get("time") or "0").replace(",", "")), outcome, _message(failure)))
    return cases


def _message(failure: xml.etree.ElementTree.Element | None) -> str:
    text = "" if failure is None else failure.get("message") or failure.text or ""
    return next((textwrap.shorten(line, _WIDTH) for line in text.splitlines() if line.strip()), "")


def read_all(folder: pathlib.Path, prefix: str = "") -> list[Case]:
    """The tests of all reports in the folder whose names begin with `prefix`."""
    return [case for path in sorted(folder.glob(f"{prefix}*.xml")) for case in read(path)]


def count(cases: collections.abc.Iterable[Case]) -> Counts:
    """How many passed, failed and were skipped."""
    outcomes = [case.outcome for case in cases]
    return Counts(*(outcomes.count(field.name) for field in dataclasses.fields(Counts)))


def gather(root: pathlib.Path, since: float, folder: pathlib.Path, prefix: str) -> None:
    """Copies Maven's reports of the modules below `root` that were written after `since` (seconds of the clock).

    Several tiers run in one module, so `prefix` names the tier: reports of another tier are left out by their time or
    are in a directory of their own, <tier>-reports.
    """
    for directory in (*_MAVEN_REPORTS, f"{prefix}-reports"):
        for path in sorted(root.glob(f"**/target/{directory}/TEST-*.xml")):
            if path.stat().st_mtime >= since:
                module = path.parents[2].relative_to(root).as_posix().replace("/", "-")
                shutil.copyfile(path, folder / f"{prefix}-{module}-{path.name.removeprefix('TEST-')}")


def slowest(cases: collections.abc.Iterable[Case], number: int = SLOWEST) -> list[Case]:
    """The tests that took longest, the longest first."""
    return sorted(cases, key=lambda case: -case.seconds)[:number]


def write_checks(path: pathlib.Path, name: str, findings: collections.abc.Mapping[str, list[str]],
                 seconds: float) -> None:
    """Writes the findings of static checks as a JUnit report: each check is a test, which fails with its findings."""
    suite = xml.etree.ElementTree.Element("testsuite", name=name, tests=str(len(findings)), time=f"{seconds:.3f}")
    for check, texts in findings.items():
        case = xml.etree.ElementTree.SubElement(suite, "testcase", classname=name, name=check, time="0")
        if texts:
            xml.etree.ElementTree.SubElement(case, "failure", message=f"{len(texts)} findings").text = "\n".join(texts)
    xml.etree.ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
