# SPDX-License-Identifier: Apache-2.0
"""./penstock test --prepare: fetches all that tests need, so that they run without a network afterwards."""

import collections.abc
import os

from penstock_base import commands, packages, places
from penstock_base.errors import PenstockError
from penstock_base.steps import step
from penstock_functions import guest_image
from penstock_launcher import lint
from penstock_node import switch_root

from . import tiers

_FETCH_SECONDS = 4000
_BROWSER_TESTS = "odl-apps/page/src/test/browser/run.mjs"


def run(deep: bool = False) -> None:
    """Fetches what is not there. deep: also what the deep suite alone needs. Raises PenstockError."""
    wanted = (*packages.TEST, *packages.LINT, *packages.PACKAGE, *(packages.TEST_PACKAGES if deep else ()),
              *_needs_of_the_benchmark())
    _fetch("Debian packages", lambda: packages.install(tuple(dict.fromkeys(wanted))))
    _fetch("Open vSwitch", switch_root.ensure)
    _fetch("tools of static analysis", lint.install)
    _fetch("the page's browser tests", lambda: commands.run("node", places.ROOT / _BROWSER_TESTS, "--install",
                                                           timeout_seconds=600))
    _fetch("bytecode of Python", _compile)
    if deep:
        _fetch("the guest's kernel", lambda: guest_image.build(rules=None))
        _fetch("the peer of the benchmark", lambda: _of_the_benchmark("peer", seconds=_FETCH_SECONDS))


def run_all() -> None:
    """The same with Maven's repository: a build, and what its tests run with."""
    run(deep=True)
    _fetch("Maven's repository", lambda: tiers.build_all(None))
    _fetch("SpotBugs", lambda: tiers.analyse(None))


def _fetch(what: str, work: collections.abc.Callable[[], object]) -> None:
    try:
        with step(f"preparing: {what}"):
            work()
    except PenstockError as error:
        raise PenstockError(f"could not prepare {what}, so no test has run: {error}") from error


def _compile() -> None:
    """Tests start thousands of programs in Python, which themselves write no bytecode."""
    commands.run(places.PYTHON, "-m", "compileall", "-q", *(places.ROOT / suite for suite in places.PYTHON_SUITES))


def _needs_of_the_benchmark() -> list[str]:
    """The packages that the benchmark names: its tests are among ours, its code is not."""
    return _of_the_benchmark().split()


def _of_the_benchmark(*words: str, seconds: float = 60) -> str:
    return commands.run(places.PYTHON, "-m", "penstock_bench.needs", *words, timeout_seconds=seconds,
                        environment=os.environ | {"PYTHONPATH": places.python_path()})
