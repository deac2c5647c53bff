# SPDX-License-Identifier: Apache-2.0
"""./penstock test: what a change has to pass, and the report at the end.

All tiers run in four lanes. Then the class of each failed test runs once more, alone, where the machine can have been
at fault: docs/adr/0089-gate-and-deep-suite.md has the rules.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import functools
import os
import pathlib
import re
import shutil
import time

from penstock_base import places
from penstock_base.commands import run as command
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_base.steps import say

from . import flakes, reports, tiers
from .lanes import Job, Lane, Lanes, Outcome
from .tiers import AGAIN, Tier

LANES = 4
"""More than cores: a lane waits for events for a part of its time."""
LIMIT_SECONDS = 40 * 60
"""A run that takes longer, and says nothing any more, hangs."""
MOST_AGAIN = 5
"""With more failed classes something is broken, and none of them runs again."""
_FIRST = "first"
"""The folder with the reports of the failures before a class ran again."""
_Class = tuple[str, str]
"""A class of tests in a run: its report and its name."""
_SAFETY = re.compile(r'@Tag\("safety"\)|pytest\.mark\.safety')


def run(chosen: collections.abc.Sequence[Tier], number_of_lanes: int = LANES, repeat: bool = True) -> bool:
    """Runs the tiers and prints the count last. Returns True if all passed and none was skipped.

    repeat: classes that fail run once more.
    """
    folder = places.TEST_REPORTS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lanes, begun = Lanes(number_of_lanes, LIMIT_SECONDS), time.monotonic()
    for tier in chosen:
        say(f"{tier.name}: {tier.what}")
    outcomes = lanes.run(*(Job(tier.name, _job(tier, folder), tier.needs) for tier in chosen))
    passed_again = _again(chosen, folder) if repeat else set()
    return report(outcomes, folder, time.monotonic() - begun, passed_again)


def _job(tier: Tier, folder: pathlib.Path) -> collections.abc.Callable[[Lane], None]:
    def job(lane: Lane) -> None:
        tier.run(tiers.in_place(tier, lane), folder)
        counts = reports.count(reports.read_all(folder, f"{tier.name}-"))
        if not counts.passed:
            raise PenstockError("no test ran")
        if counts.failed:
            raise PenstockError(f"{counts.failed} tests failed")
    return job


def _again(chosen: collections.abc.Sequence[Tier], folder: pathlib.Path) -> set[_Class]:
    """Runs each failed class once more, alone. Returns those that passed."""
    failed = {(case.report, case.group): (tier, case) for tier in chosen if tier.again
              for case in reports.read_all(folder, f"{tier.name}-") if case.outcome == "failed"}
    able = {key: found for key, found in failed.items() if not _is_of_safety(found[1].group)}
    for (_, group) in failed.keys() - able.keys():
        say(f"{group} has tests of safety: it does not run again")
    if len(failed) > MOST_AGAIN:
        say(f"{len(failed)} classes failed: none of them runs again")
        return set()
    passed = set[_Class]()
    for number, (key, (tier, case)) in enumerate(able.items()):
        say(f"once more, alone: {case.group}")
        _keep(folder, tier, case)
        name = f"{AGAIN}{tier.name}"
        outcome, = Lanes(1, LIMIT_SECONDS).run(Job(name, functools.partial(_once_more, tier, case, folder)))
        counts = reports.count(reports.read_all(folder, f"{name}-"))
        for path in folder.glob(f"{name}-*.xml"):
            path.rename(folder / _FIRST / f"{path.stem}-{number}.xml")
        if outcome.error is None and counts.passed and not counts.failed and not counts.skipped:
            passed.add(key)
    return passed


def _once_more(tier: Tier, case: reports.Case, folder: pathlib.Path, lane: Lane) -> None:
    if tier.again:
        tier.again(case)(tiers.in_place(tier, lane), folder)


def _is_of_safety(group: str) -> bool:
    """Whether the class has tests of safety, by the sources: reports have no tags."""
    name = group.rsplit(".", 1)[-1].partition("$")[0]
    module = group.rsplit(".", 2)[-2] if group.count(".") > 1 else ""
    paths = [*ROOT.glob(f"**/src/test/java/**/{name}.java"), *ROOT.glob(f"**/tests/{module}.py")]
    return any(_SAFETY.search(path.read_text(encoding="utf-8")) for path in paths if "target" not in path.parts)


def _keep(folder: pathlib.Path, tier: Tier, case: reports.Case) -> None:
    """Copies the report and the log of a failure to where nothing replaces them."""
    first = folder / _FIRST
    first.mkdir(exist_ok=True)
    shutil.copy(folder / f"{case.report}.xml", first)
    for log in places.log_directory().glob(f"test-{tier.name}*.log"):
        shutil.copy(log, first)


def report(outcomes: collections.abc.Sequence[Outcome], folder: pathlib.Path, seconds: float,
           passed_again: collections.abc.Collection[_Class] = ()) -> bool:
    """Prints what failed, the slowest tests, the time of each tier, the failed tests and the count.

    Returns whether the run is green.
    """
    cases = _with_flakes(reports.read_all(folder), passed_again)
    total = reports.count(cases)
    errors = [outcome for outcome in outcomes if outcome.error and not _is_explained(outcome, cases)]
    for outcome in outcomes:
        if outcome.error:
            say(f"penstock: {outcome.name}: {outcome.error}")
    if cases:
        say("slowest tests:")
        for case in reports.slowest([*cases, *reports.setups(folder)]):
            say(f"  {case.seconds:6.1f} s  {case.name}")
    say("tiers, side by side:")
    for outcome in outcomes:
        say(f"  {outcome.seconds:6.0f} s  {outcome.name:<9} {reports.count(reports.read_all(folder, outcome.name))}")
    say(f"  {seconds:6.0f} s  all; reports: {folder}")
    faults = _note_flakes([case for case in cases if case.outcome == "flaky"], folder, seconds)
    if total.failed:
        say("failed tests:")
        for case in cases:
            if case.outcome == "failed":
                say(f"  {case.name}: {case.message}")
    if total.skipped:
        faults.append("a skipped test fails the run")
    if errors and not total.failed:
        faults.append("the run failed outside the tests: see above")
    for fault in faults:
        say(f"penstock: {fault}")
    print(total, flush=True)
    return not errors and not faults and not total.failed and total.passed + total.flaky > 0


def _with_flakes(cases: list[reports.Case], passed_again: collections.abc.Collection[_Class]
                 ) -> list[reports.Case]:
    return [dataclasses.replace(case, outcome="flaky")
            if case.outcome == "failed" and (case.report, case.group) in passed_again else case
            for case in cases]


def _is_explained(outcome: Outcome, cases: collections.abc.Iterable[reports.Case]) -> bool:
    """Whether all that was wrong with a tier is failed tests that passed when they ran again."""
    if not isinstance(outcome.error, tiers.TestsFailed):
        return False
    counts = reports.count(case for case in cases if case.report.startswith(f"{outcome.name}-"))
    return counts.flaky > 0 and counts.failed == 0


def _note_flakes(cases: collections.abc.Sequence[reports.Case], folder: pathlib.Path, seconds: float) -> list[str]:
    """Prints flaky tests and adds them to the ledgers. Returns why they fail the run."""
    before = flakes.read(flakes.LEDGER)
    if not cases:
        return flakes.faults(before, [])
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    commit = command("git", "-C", ROOT, "rev-parse", "--short=8", "HEAD").strip()
    first = dict[_Class, reports.Case]()
    for case in cases:
        first.setdefault((case.report, case.group), case)
    new = [flakes.Flake(case.name, case.message, now, commit, round(os.getloadavg()[0], 1), round(seconds))
           for case in first.values()]
    for case in cases:
        say(f"FLAKY: {case.name} failed, and passed when it ran again alone: {case.message}")
    say(f"FLAKY: first failures: {folder / _FIRST}; lines: {flakes.LEDGER.relative_to(ROOT)}, which is to be committed")
    flakes.add(flakes.LEDGER, new)
    flakes.add(flakes.machine_ledger(), new)
    return flakes.faults(before, new)
