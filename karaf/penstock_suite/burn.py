# SPDX-License-Identifier: Apache-2.0
"""./penstock test --burn: one class again and again, beside busy processes if wanted."""

import contextlib
import pathlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from penstock_base import places
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_base.steps import say

from . import reports, tiers
from .lanes import Job, Lanes
from .tiers import GATE, Tier, Way

_BUSY = "while True: pass"


def run(name: str, times: int, load: int) -> bool:
    """Runs a class so often with so many busy processes beside it. Returns whether it always passed.

    name: of a class of Java without its package, or of a class or module of Python.
    """
    tier, way = find(name)
    folder = places.TEST_REPORTS
    failed = 0
    with _busy(load):
        for number in range(1, times + 1):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            begun = time.monotonic()
            outcome, = Lanes(1).run(Job(f"burn-{number}", lambda lane: way(tiers.in_place(tier, lane), folder)))
            counts = reports.count(reports.read_all(folder))
            good = outcome.error is None and counts.passed > 0 and not counts.skipped
            failed += not good
            say(f"{number}/{times}: {counts}, {time.monotonic() - begun:.0f} s"
                + ("" if good else f": {outcome.error}"))
    print(f"{times - failed} passed, {failed} failed", flush=True)
    return not failed


def find(name: str, root: pathlib.Path = ROOT) -> tuple[Tier, Way]:
    """The tier of a class, and what runs the class alone, deep tests of it too."""
    gate = {tier.name: tier for tier in GATE}
    java = [path.relative_to(root) for path in root.glob(f"**/src/test/java/**/{name}.java")
            if "target" not in path.parts]
    if java:
        path, = java
        chosen = ("-DexcludedGroups=none", f"-Dit.test={name}", f"-Dtest={name}", "-DfailIfNoTests=false",
                  "-Dsurefire.failIfNoSpecifiedTests=false", "-Dfailsafe.failIfNoSpecifiedTests=false")
        module = str(pathlib.Path(*path.parts[:path.parts.index("src")]))
        if module != tiers.IT or name.endswith("TraceIT"):
            return gate["traces" if module == tiers.IT else "units"], tiers.units(module, *chosen)
        execution = "system" if "system" in path.parts else "packets"
        return gate[execution], tiers.failsafe(execution, *chosen)
    declared = re.compile(rf"^class {re.escape(name)}\b", re.MULTILINE)
    for suite in places.PYTHON_SUITES:
        for path in sorted((root / suite / "tests").glob("test_*.py")):
            if path.stem == name or declared.search(path.read_text(encoding="utf-8")):
                target = f"{suite}:tests/{path.name}" + ("" if path.stem == name else f"::{name}")
                return gate["nodes"], tiers.pytest("", target)
    raise PenstockError(f"there is no test class {name}; give the name of a class of Java or Python without its "
                        "package, or that of a module of Python")


@contextlib.contextmanager
def _busy(number: int) -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(number)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
