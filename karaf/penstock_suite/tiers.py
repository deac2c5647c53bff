# SPDX-License-Identifier: Apache-2.0
"""All tests by tier: those of the gate, and those of the deep suite. What belongs where: docs/testing.md."""

from __future__ import annotations

import collections.abc
import dataclasses
import functools
import os
import pathlib
import re
import time

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_controller import build
from penstock_functions import guest_image
from penstock_launcher import lint

from . import reports
from .lanes import Lane, quiet_environment

# Directories of a running network: tests have their own, and some test the defaults.
_THEIRS = ("PENSTOCK_RUN_DIR", "PENSTOCK_STATE_DIR", "PENSTOCK_LOG_DIR")
_TESTS_FAILED, _NO_TEST_SELECTED = 1, 5
"""Exit codes of pytest."""
_NO_REPORT = -1
BUILD = "build"
_NO_TESTS_RUN = "-DskipTests"
BUILD_GOALS = ("install", "--activate-profiles=analysis", "--fail-at-end", "--threads=2", _NO_TESTS_RUN,
          "-Dpenstock.spotbugs.skip")

_FIRST = ("nice", "-n", "-5")
"""In front of the build: the longest tiers wait for it. Where that is not permitted, nice runs it as it is."""

_CRASH = re.compile(r"The forked VM terminated|There was a timeout|Error occurred in starting fork|Crashed tests")
"""Words of Surefire: tests did not run, whichever are reported."""
_FAILED = "There are test failures"


class TestsFailed(PenstockError):
    """Tests failed, and all of them ran. Any other error may have left tests out."""


Way = collections.abc.Callable[[Lane, pathlib.Path], None]
"""Runs tests, and leaves the reports in the folder as <lane's name>-*.xml. Raises PenstockError when anything failed,
which may be a test."""


@dataclasses.dataclass(frozen=True)
class Tier:
    """Tests that run one after the other.

    needs: tiers that have to be done before. again: runs the class of a failed test once more; None where nothing
    depends on the machine, so that a second run shows nothing. network: the tests need the network of the machine.
    """
    name: str
    what: str
    run: Way
    needs: tuple[str, ...] = ()
    again: collections.abc.Callable[[reports.Case], Way] | None = None
    network: bool = False


def _environment() -> dict[str, str]:
    return quiet_environment(_THEIRS)


def _maven(*arguments: str, execution: str = "", modules: collections.abc.Collection[str] = ()) -> Way:
    """Calls Maven. execution: of the integration tests, whose reports are in a directory of their own. modules: those
    that are tested, by default all."""
    def way(lane: Lane, folder: pathlib.Path) -> None:
        begun, log = time.time(), f"test-{lane.name}.log"
        try:
            build.maven(log, *arguments, environment=_environment(), lane=lane)
        except PenstockError as error:
            text = (places.log_directory() / log).read_text(encoding="utf-8", errors="replace")
            if _FAILED in text and not _CRASH.search(text):
                raise TestsFailed(str(error)) from error
            raise
        finally:
            reports.gather(ROOT, begun, folder, lane.name, execution, modules)
    return way


def _in_turn(*ways: Way) -> Way:
    """All of them, whichever fail."""
    def way(lane: Lane, folder: pathlib.Path) -> None:
        errors = []
        for number, each in enumerate(ways):
            try:
                each(lane.named(f"{lane.name}-{number}"), folder)  # Each has logs of its own.
            except PenstockError as error:
                errors.append(error)
        if errors:
            only_tests = all(isinstance(error, TestsFailed) for error in errors)
            raise (TestsFailed if only_tests else PenstockError)("\n".join(map(str, errors)))
    return way


def build_of(*modules: str) -> Way:
    """Builds and analyses modules, by default all, and runs no test."""
    def way(lane: Lane, folder: pathlib.Path) -> None:
        _check(lane, folder, "modules", lambda: build_all(lane, *modules))
    return way


def build_all(lane: Lane | None, *modules: str) -> None:
    """Builds modules, by default all, and their tests. Fetches what Maven needs to run tests without a network."""
    stamp = build.fingerprint()
    build.maven("test-build.log", *BUILD_GOALS, *modules, environment=_environment(),
                lane=lane.inside(*_FIRST) if lane else None)
    # Surefire fetches what runs tests when it runs some. A small module, a second.
    build.maven("test-provider.log", "surefire:test", "--file", "odl-apps/events/pom.xml", environment=_environment(),
                lane=lane)
    if not modules:
        build.record(stamp)


def _check(lane: Lane, folder: pathlib.Path, name: str, work: collections.abc.Callable[[], object]) -> None:
    """Reports work that either succeeds or does not as one test."""
    begun, error = time.monotonic(), []
    try:
        work()
    except PenstockError as failure:
        error = [str(failure)]
    reports.write_checks(folder / f"{lane.name}-{name}.xml", lane.name, {name: error}, time.monotonic() - begun)
    if error:
        raise PenstockError(error[0])


def pytest(expression: str, only: str = "", suites: collections.abc.Sequence[str] = places.PYTHON_SUITES) -> Way:
    """The tests in Python whose markers fit an expression of pytest's option -m.

    only: SUITE:PATH::CLASS of a class, to run no other.
    """
    suite_alone, _, target = only.partition(":")

    def way(lane: Lane, folder: pathlib.Path) -> None:
        broken, codes = [], set()
        for suite in (suite_alone,) if only else suites:
            name = f"{lane.name}-{suite.replace('/', '-')}"
            log, begun = places.log_directory() / f"test-{name}.log", time.monotonic()
            code = lane.run([places.PYTHON, "-B", "-m", "pytest", "-c", ROOT / "pyproject.toml", "-m", expression,
                             f"--junitxml={folder / name}.xml", target or "tests"], log, ROOT / suite, _environment())
            if code == _NO_TEST_SELECTED:
                (folder / f"{name}.xml").unlink(missing_ok=True)
                continue
            lane.say(f"{suite} {time.monotonic() - begun:.1f} s")
            if not (folder / f"{name}.xml").exists():
                # A test that had another program take the place of pytest would end all others in silence.
                broken.append(f"pytest ended with exit code {code} and without a report: see {log}")
                codes.add(_NO_REPORT)
                continue
            if code:
                codes.add(code)
                lines = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
                # At once: a run that is cut off never comes to its report.
                for line in lines:
                    if line.startswith(("FAILED ", "ERROR ")):
                        lane.say(line)
                broken.append("\n".join(lines[-30:]) + f"\nall of it is in {log}")
        if broken:
            raise (TestsFailed if codes == {_TESTS_FAILED} else PenstockError)("\n".join(broken))
    return way


def _pytest_again(expression: str, case: reports.Case) -> Way:
    # The report is <tier>-<suite>, the class <suite, with dots>.tests.<module>.<class>.
    suite = next(suite for suite in places.PYTHON_SUITES
                 if case.report.endswith("-" + suite.replace("/", "-")))
    module, name = case.group.split(".")[-2:]
    return pytest(expression, f"{suite}:tests/{module}.py::{name}")


def _lint(lane: Lane, folder: pathlib.Path) -> None:
    begun = time.monotonic()
    found = {tool: [str(finding) for finding in findings] for tool, findings in lint.by_tool().items()}
    reports.write_checks(folder / f"{lane.name}-checks.xml", lane.name, found, time.monotonic() - begun)
    texts = [text for some in found.values() for text in some]
    if texts:
        raise PenstockError("\n".join(texts))


def analyse(lane: Lane | None) -> None:
    """SpotBugs over all modules. It fetches its detectors when it first runs."""
    build.maven("test-analysis.log", "--activate-profiles=analysis", "--file", "odl-apps/analysis/pom.xml", "verify",
                _NO_TESTS_RUN, environment=_environment(), lane=lane)


def _analysis(lane: Lane, folder: pathlib.Path) -> None:
    _check(lane, folder, "spotbugs", lambda: analyse(lane))


def _guest(lane: Lane, folder: pathlib.Path) -> None:
    """Makes the image of a guest, for which apt-get may take minutes: tests of guests do not wait so long."""
    _check(lane, folder, "image", lambda: guest_image.build(rules=None))


def failsafe(name: str, *more: str) -> Way:
    """One execution of the integration tests, on what the build has left."""
    return _maven("--offline", "--file", "it/pom.xml", f"failsafe:integration-test@{name}", f"failsafe:verify@{name}",
                  *more, execution=name)


def _failsafe_again(name: str, case: reports.Case) -> Way:
    return failsafe(name, f"-Dit.test={case.group.rsplit('.', 1)[-1]}")


_UNITS = ("--offline", "--fail-never", "surefire:test")
"""Goals without a life cycle: nothing is compiled again. Modules that depend on one whose tests fail are tested too."""
_PAGE = "odl-apps/page"
IT = "it"
"""The module of the integration tests."""
_INTEGRATION = ("failsafe:integration-test", "failsafe:verify")


def units(module: str, *more: str) -> Way:
    """The tests of one module that need no core of their own, on what the build has left."""
    execution = "@traces" if module == IT else ""
    return _maven(*_UNITS, *(f"{goal}{execution}" for goal in _INTEGRATION), "--file", f"{module}/pom.xml", *more,
                  modules=(module,))


def units_of(modules: collections.abc.Collection[str]) -> Way:
    """Those of some modules. Of `it` only the traces: a goal without an execution runs all classes there."""
    others, ways = sorted(set(modules) - {IT}), []
    if others:
        ways.append(_maven(*_UNITS, *_INTEGRATION, "--threads=2", "--projects", ",".join(others), modules=others))
    if _PAGE in modules:
        ways.append(_maven("--offline", "--file", f"{_PAGE}/pom.xml", "exec:exec@test-page", modules=(_PAGE,)))
    if IT in modules:
        ways.append(units(IT))
    return _in_turn(*ways)


def modules_with_tests(root: pathlib.Path = ROOT) -> set[str]:
    """Modules of Maven that have tests in Java."""
    return {str(path.parents[2].relative_to(root)) for pattern in ("odl-apps/*", "it")
            for path in root.glob(f"{pattern}/src/test/java")}


_SYSTEM = functools.partial(_failsafe_again, "system")
_PACKETS = functools.partial(_failsafe_again, "packets")
_NODE = "node and not deep"
_UP = "up and not deep"
AGAIN = "again-"
"""In front of the name of a tier in which the class of a failed test runs once more."""

GATE = (
    Tier(BUILD, "all modules, with ErrorProne and NullAway", build_of(), network=True),
    Tier("nodes", "nodes, agents and functions", pytest(_NODE), again=functools.partial(_pytest_again, _NODE)),
    Tier("python", "unit tests in Python, documents", pytest("not node and not up and not deep")),
    Tier("system", "the controller as it is shipped, two nodes, hosts", failsafe("system"), (BUILD,),
         _SYSTEM),
    Tier("units", "unit tests in Java, wire formats, the controller in one JVM",
         units_of(modules_with_tests() - {IT}), (BUILD,)),
    Tier("packets", "packets through two nodes with plans loaded by hand",
         failsafe("packets", "-Dpackets.forks=2"), (BUILD,), _PACKETS),
    Tier("traces", "plans in switches without datapaths", units(IT), (BUILD,)),
    Tier("up", "./penstock up in a clean clone, the commands of all documents, ./penstock down", pytest(_UP), (BUILD,),
         functools.partial(_pytest_again, _UP)),
    Tier("lint", "static analysis of Python, shell and YANG", _lint, (BUILD,)),
    Tier("analysis", "SpotBugs", _analysis, (BUILD,), network=True),
)
"""In the order in which lanes take them: the longest first."""
QUICK = ("build", "python", "units", "traces", "lint")
"""Those that need no core of their own."""


def _tests_of(tag: str) -> re.Pattern[str]:
    return re.compile(rf'@Tag\("{tag}"\)')


def _java(tag: str) -> Way:
    """The deep tests in Java with a tag, of all modules."""
    def way(lane: Lane, folder: pathlib.Path) -> None:
        found = [path.relative_to(ROOT) for path in (*ROOT.glob("odl-apps/*/src/test/java/**/*.java"),
                                                     *ROOT.glob("it/src/test/java/**/*.java"))
                 if _tests_of(tag).search(path.read_text(encoding="utf-8"))]
        modules = sorted({"/".join(path.parts[:2]) for path in found if path.parts[0] != "it"})
        tests = [path for path in found if path.parts[0] == "it"]
        chosen, ways = ("-DexcludedGroups=none", f"-Dgroups={tag}"), []
        if modules:
            ways.append(_maven(*_UNITS, *_INTEGRATION, "--projects", ",".join(modules), *chosen, modules=modules))
        if any("system" in path.parts for path in tests):
            ways.append(failsafe("system", "-DexcludedGroups=none", f"-Dsystem.groups=system & {tag}"))
        if any(path.stem.endswith("PacketsIT") for path in tests):
            ways.append(failsafe("packets", *chosen))
        if any(path.stem.endswith("TraceIT") for path in tests):
            ways.append(units("it", *chosen))
        _in_turn(*ways)(lane, folder)
    return way


def _deep(tag: str) -> Way:
    return _in_turn(_java(tag), pytest(f"deep and {tag}"))


DEEP = (
    Tier("restart", "processes killed, stopped and started again, full disks", _deep("restart")),
    Tier("crash", "each process killed at each step of a change", _deep("crash")),
    Tier("fuzz", "odd packets and requests, the largest ones, conflicts, with drawn seeds", _deep("fuzz")),
    Tier("flood", "hostile tenants, functions and hosts at full rate", _deep("flood")),
    Tier("restricted", "packets on the machine's own Open vSwitch, whose faults the profile accepts",
         _deep("restricted")),
    Tier("loss", "packets lost in planned changes and failures", _deep("loss")),
    Tier("guest", "functions in virtual machines", _in_turn(_guest, _deep("guest")), network=True),
    Tier("supervision", "supervised nodes, hangs, kills at any moment, huge pages, OVN, the generator",
         _deep("supervision")),
    Tier("trust", "certificates and roles of the whole product", _deep("trust")),
    Tier("scale", "many tenants and hosts", _deep("scale")),
    Tier("metrics", "alerts that real faults fire", _deep("metrics")),
    Tier("documents", "what of ./penstock up is too long for the gate", _deep("documents"), network=True),
    Tier("feature", "the feature in an empty Karaf", _maven("--file", "features/odl-penstock/pom.xml", "verify",
                                                           "--activate-profiles=feature-tests"), network=True),
    Tier("cluster", "three controllers: faults, changes of members, upgrade", pytest("cluster")),
    Tier("packages", "Debian packages, installed, upgraded and removed in a Debian 12 with systemd",
         pytest("packages"), network=True),
)
DEEP_TIERS = tuple(tier.name for tier in DEEP)


def in_place(tier: Tier, lane: Lane) -> Lane:
    """The lane as the tests of a tier need it: without the network of the machine, but for those that fetch."""
    if tier.network or os.geteuid() != 0:
        return lane
    return lane.inside("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
