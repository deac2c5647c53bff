# SPDX-License-Identifier: Apache-2.0
"""./penstock test: which tests there are, in which order and beside what they run, and the report at the end.

Three stages. The first needs no core of its own: static checks, the unit tests of both languages, and plans in switches
without a real datapath. The second has real switches, packets, functions and the controller as it is shipped. The third
has three controllers, whose start takes both cores for a minute: tests beside it would wait longer than they can tell
from a fault.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import os
import pathlib
import shutil
import time

from penstock_base import commands, exclusive, packages, places
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_base.steps import say
from penstock_controller import build
from penstock_functions import guest_image

from . import lint, reports
from .lanes import Lane, Lanes, Outcome, quiet_environment
from .progress import StepFailed, Steps

# Directories of a running network: tests have their own, and some test the defaults.
_THEIRS = ("PENSTOCK_RUN_DIR", "PENSTOCK_STATE_DIR", "PENSTOCK_LOG_DIR")
PACKAGES = "packages"
APART = "apart"
"""The stage of tiers that run only when they are named: what they test changes rarely, and they take minutes."""
_NO_TEST_SELECTED = 5
"""Exit code of pytest."""


@dataclasses.dataclass(frozen=True)
class Tier:
    """Tests that run one after the other.

    lane: tiers of one lane run one after the other, lanes of a stage side by side.
    run: does it all, and leaves its reports in the folder as <name>-*.xml. Raises PenstockError when something failed,
    which may be a test.
    """
    name: str
    stage: str
    lane: int
    what: str
    run: collections.abc.Callable[[Lane, pathlib.Path], None]


def run(quick: bool = False, only: collections.abc.Collection[str] = ()) -> bool:
    """Runs the tests and prints the count last. Returns True if all passed and none was skipped.

    quick: only the stage that needs no core of its own. only: names of tiers, all others are left out. Without names
    the tiers of the stage APART are left out.
    """
    chosen = [tier for tier in TIERS if (tier.name in only if only else tier.stage != APART)
              and (not quick or tier.stage == "quick")]
    stages = list(dict.fromkeys(tier.stage for tier in chosen))
    steps = Steps(total=1 + len(stages))
    folder = places.TEST_REPORTS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begun = time.monotonic()
    with steps.step("Debian packages", "check that apt-get works: the network, /etc/apt/sources.list") as note:
        installed = packages.install(tuple(dict.fromkeys((*packages.TEST, *packages.LINT, *_needs_of_the_benchmark()))))
        note.text = f"{len(installed)} installed" if installed else "all there"
    if APART in stages:
        build.ensure()  # No tier before has built anything.
    outcomes: list[Outcome] = []
    # A build of another run would replace what is tested.
    with exclusive.alone("build", "./penstock test", wait=True):
        for stage in stages:
            try:
                with steps.step(f"stage {stage}", "see the logs that are named above"):
                    outcomes += _side_by_side([tier for tier in chosen if tier.stage == stage], folder)
                    if any(outcome.error for outcome in outcomes):
                        raise PenstockError("see the end")
            except StepFailed:
                # The report names each failure. Without a build there is nothing that the next stage could test.
                if not build.is_current(build.fingerprint()):
                    break
    return report(outcomes, folder, time.monotonic() - begun)


def _needs_of_the_benchmark() -> list[str]:
    """The packages that the benchmark names: its tests are among ours, its code is not."""
    return commands.run(places.PYTHON, "-m", "penstock_bench.needs",
                        environment=os.environ | {"PYTHONPATH": places.python_path()}).split()


def report(outcomes: collections.abc.Sequence[Outcome], folder: pathlib.Path, seconds: float) -> bool:
    """Prints what went wrong, the slowest tests, the time of each tier, the failed tests and the count.

    Returns whether all is well.
    """
    cases = reports.read_all(folder)
    total = reports.count(cases)
    for outcome in outcomes:
        if outcome.error:
            say(f"penstock: {outcome.name}: {outcome.error}")
    if cases:
        say("slowest tests:")
        for case in reports.slowest(cases):
            say(f"  {case.seconds:6.1f} s  {case.name}")
    say("tiers, side by side in their stage:")
    for outcome in outcomes:
        say(f"  {outcome.seconds:6.0f} s  {outcome.name:<9} {reports.count(reports.read_all(folder, outcome.name))}")
    say(f"  {seconds:6.0f} s  all; reports: {folder}")
    broken = any(outcome.error for outcome in outcomes)
    if total.failed:
        say("failed tests:")
        for case in cases:
            if case.outcome == "failed":
                say(f"  {case.name}: {case.message}")
    if total.skipped:
        say("penstock: a skipped test fails the run")
    if broken and not total.failed:
        say("penstock: the run failed outside the tests: see above")
    print(total, flush=True)
    return not broken and not total.failed and not total.skipped and total.passed > 0


def _side_by_side(tiers: collections.abc.Sequence[Tier], folder: pathlib.Path) -> list[Outcome]:
    for tier in tiers:
        say(f"{tier.name}: {tier.what}")
    lanes = [[tier for tier in tiers if tier.lane == lane] for lane in sorted({tier.lane for tier in tiers})]
    return Lanes().run(*({tier.name: _job(tier, folder) for tier in lane} for lane in lanes))


def _job(tier: Tier, folder: pathlib.Path) -> collections.abc.Callable[[Lane], None]:
    def job(lane: Lane) -> None:
        tier.run(lane, folder)
        counts = reports.count(reports.read_all(folder, f"{tier.name}-"))
        if not counts.passed:
            raise PenstockError("no test ran")
        if counts.failed:
            raise PenstockError(f"{counts.failed} tests failed")
    return job


def _environment() -> dict[str, str]:
    return quiet_environment(_THEIRS)


def _maven(*arguments: str) -> collections.abc.Callable[[Lane, pathlib.Path], None]:
    """A tier that is a call of Maven."""
    def tier(lane: Lane, folder: pathlib.Path) -> None:
        begun = time.time()
        try:
            build.maven(f"test-{lane.name}.log", *arguments, environment=_environment(), lane=lane)
        finally:
            reports.gather(ROOT, begun, folder, lane.name)
    return tier


def _java(lane: Lane, folder: pathlib.Path) -> None:
    """Builds and analyses all modules, with the tests that belong to the build."""
    stamp = build.fingerprint()
    # All modules, even when one fails: a person wants the whole list.
    _maven("install", "--activate-profiles=analysis,feature-tests", "--fail-at-end", "--threads=2")(lane, folder)
    build.record(stamp)


def _python(expression: str) -> collections.abc.Callable[[Lane, pathlib.Path], None]:
    """A tier of the tests in Python whose markers fit an expression of pytest's option -m."""
    def tier(lane: Lane, folder: pathlib.Path) -> None:
        broken = []
        for suite in places.PYTHON_SUITES:
            name = f"{lane.name}-{suite.replace('/', '-')}"
            log, begun = places.log_directory() / f"test-{name}.log", time.monotonic()
            code = lane.run([places.PYTHON, "-B", "-m", "pytest", "-c", ROOT / "pyproject.toml", "-m", expression,
                             f"--junitxml={folder / name}.xml", "tests"], log, ROOT / suite, _environment())
            if code == _NO_TEST_SELECTED:
                (folder / f"{name}.xml").unlink()
                continue
            lane.say(f"{suite} {time.monotonic() - begun:.1f} s")
            if code:
                lines = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
                # At once: a run that is cut off never comes to its report.
                for line in lines:
                    if line.startswith(("FAILED ", "ERROR ")):
                        lane.say(line)
                broken.append("\n".join(lines[-30:]) + f"\nall of it is in {log}")
        if broken:
            raise PenstockError("\n".join(broken))
    return tier


def _lint(lane: Lane, folder: pathlib.Path) -> None:
    begun = time.monotonic()
    found = {tool: [str(finding) for finding in findings] for tool, findings in lint.by_tool().items()}
    reports.write_checks(folder / f"{lane.name}-checks.xml", lane.name, found, time.monotonic() - begun)
    texts = [text for some in found.values() for text in some]
    if texts:
        raise PenstockError("\n".join(texts))


def _guest(lane: Lane, folder: pathlib.Path) -> None:
    """Makes the image of a guest, for which apt-get may take minutes: tests of guests do not wait so long."""
    begun, error = time.monotonic(), []
    try:
        guest_image.build(rules=None)
    except PenstockError as failure:
        error = [str(failure)]
    reports.write_checks(folder / f"{lane.name}-image.xml", lane.name, {"guest image": error},
                         time.monotonic() - begun)
    if error:
        raise PenstockError(error[0])


def _failsafe(name: str) -> tuple[str, ...]:
    """The goals of one execution of the integration tests, on what the build has left."""
    return ("--offline", "--file", "it/pom.xml", f"failsafe:integration-test@{name}", f"failsafe:verify@{name}")


# Two lanes: a third would have packets wait for a core longer than the tests can tell from a fault. The tier with the
# longest time has a lane for itself. Static checks of YANG need modules that the build has unpacked by then.
TIERS = (
    Tier("java", "quick", 1, "build, static analysis, unit tests, wire formats, plans in switches without datapaths",
         _java),
    Tier("python", "quick", 2, "unit tests, documents", _python("not node and not up")),
    Tier("lint", "quick", 2, "static analysis of Python, shell and YANG", _lint),
    Tier("guest", "quick", 2, "the image of guests, of Debian's packages", _guest),
    Tier("system", "whole", 1, "the controller as it is shipped, two nodes, hosts", _maven(*_failsafe("system"))),
    Tier("up", "whole", 1, "./penstock up, the commands of all documents, ./penstock down", _python("up")),
    Tier("packets", "whole", 2, "packets through a node with a plan loaded by hand", _maven(*_failsafe("packets"))),
    Tier("nodes", "whole", 2, "nodes, agents and functions", _python("node and not packages and not cluster")),
    Tier("cluster", "cluster", 1, "three controllers: faults, changes of members, upgrade", _python("cluster")),
    Tier(PACKAGES, APART, 1, "Debian packages, installed, upgraded and removed in a Debian 12 with systemd",
         _python("packages")),
)
