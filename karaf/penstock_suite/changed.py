# SPDX-License-Identifier: Apache-2.0
"""./penstock test --changed: the tests without a core of their own that depend on files that differ from a commit."""

from __future__ import annotations

import collections.abc
import pathlib
import re
import subprocess
import tomllib

from penstock_base import places
from penstock_base.places import ROOT
from penstock_base.steps import say

from . import gate, tiers
from .tiers import BUILD, Tier

_EVERYTHING = ("pom.xml", "odl-apps/parent/", "odl-apps/pom.xml", ".mvn/", "odl-apps/testkit/", "odl-apps/model/",
               "features/")
"""What all modules depend on."""
_ARTIFACT = re.compile("<artifactId>([^<]+)</artifactId>")


def run(commit: str) -> bool:
    """Runs them. Returns whether all passed."""
    chosen = choose(_differing(commit))
    if not chosen:
        say("nothing that differs has tests without a core of their own")
        print("0 passed, 0 failed", flush=True)
        return True
    return gate.run(chosen, repeat=False)


def _differing(commit: str) -> list[str]:
    def names(*words: str) -> list[str]:
        done = subprocess.run(["git", "-C", ROOT, *words, "-z"], capture_output=True, text=True, check=True)
        return [name for name in done.stdout.split("\0") if name]
    return sorted({*names("diff", "--name-only", commit, "--"), *names("ls-files", "--others", "--exclude-standard")})


def choose(files: collections.abc.Collection[str], root: pathlib.Path = ROOT) -> list[Tier]:
    """The tiers for files that differ, each with the modules or packages that depend on these."""
    gate_tiers = {tier.name: tier for tier in tiers.GATE}
    modules = java_modules(files, root)
    suites = python_suites(files, root)
    chosen = []
    if "all" in modules:
        chosen += [gate_tiers[BUILD], gate_tiers["units"], gate_tiers["traces"]]
    elif modules:
        tested = dependents(modules, root) & tiers.modules_with_tests(root)
        words = ("--projects", ",".join(sorted(modules)), "--also-make-dependents")
        chosen += [Tier(BUILD, "modules that depend on what differs", tiers.build_of(*words), network=True),
                   Tier("units", f"tests of {', '.join(sorted(tested))}", tiers.units_of(tested), (BUILD,))]
    if suites:
        chosen.append(Tier("python", f"tests in Python: {', '.join(suites)}",
                           tiers.pytest("not node and not up and not deep", suites=suites)))
    return [*chosen, gate_tiers["lint"]] if files else []


def java_modules(files: collections.abc.Iterable[str], root: pathlib.Path = ROOT) -> set[str]:
    """Modules of Maven with files that differ; `all` if all depend on them."""
    found = set()
    for name in files:
        if name.startswith(_EVERYTHING):
            return {"all"}
        parents = [str(parent) for parent in pathlib.PurePosixPath(name).parents if str(parent) != "."]
        module = next((parent for parent in parents if (root / parent / "pom.xml").is_file()), None)
        # Python lies beside the poms of karaf and it.
        if module and (module.startswith(("odl-apps", "features")) or "/src/" in name):
            found.add(module)
    return found


def dependents(modules: collections.abc.Iterable[str], root: pathlib.Path = ROOT) -> set[str]:
    """The modules and all that depend on them, by the artifacts in their poms, which have the names of folders."""
    needs = {str(pom.parent.relative_to(root)): set(_ARTIFACT.findall(pom.read_text(encoding="utf-8")))
             for pattern in ("odl-apps/*/pom.xml", "it/pom.xml") for pom in root.glob(pattern)}
    found = set(modules)
    while more := {module for module, wanted in needs.items()
                   if wanted & {pathlib.PurePosixPath(each).name for each in found}} - found:
        found |= more
    return found


def python_suites(files: collections.abc.Iterable[str], root: pathlib.Path = ROOT) -> tuple[str, ...]:
    """Suites whose tests or packages differ, or import what differs, by the arrows of pyproject.toml."""
    differing = {part for name in files for part in _units(name)}
    arrows = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["penstock"]["imports"]
    while more := {unit for unit, wanted in arrows.items() if differing & set(wanted)} - differing:
        differing |= more
    # Tests of documents read all of the tree.
    return tuple(suite for suite in places.PYTHON_SUITES if f"{suite}/tests" in differing
                 or (suite == "docs" and differing))


def _units(name: str) -> set[str]:
    path = pathlib.PurePosixPath(name)
    if path.suffix not in {".py", ".json", ".yaml", ".md", ".toml", ".sh"} and path.suffix:
        return set()
    package = next((part for part in path.parts if part.startswith("penstock_")), None)
    if package:
        return {package}
    suite = next((suite for suite in places.PYTHON_SUITES if name.startswith(f"{suite}/")), None)
    return {f"{suite}/tests"} if suite else {"penstock_base"} if path.suffix == ".toml" else {"docs/tests"}
