# SPDX-License-Identifier: Apache-2.0
"""./penstock test --all: the deep suite, one tier at a time, and its results, a line for each run of a tier.

it/deep-results.jsonl is tracked. A line has the hash of the inputs of the tier and not only the commit: the commit that
adds the line is another one.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import time

from penstock_base import places
from penstock_base.commands import run as command
from penstock_base.places import ROOT
from penstock_base.steps import say

from . import gate, reports, tiers
from .tiers import DEEP, DEEP_TIERS, GATE, Tier

RESULTS = ROOT / "it" / "deep-results.jsonl"
FORM = {"tier", "inputs", "commit", "time", "machine", "seconds", "passed", "failed", "skipped", "seeds", "verdict"}
VERDICTS = ("green", "red")
_SOURCES = ("odl-apps", "features", "karaf", "ovs-config", "service-chains", "it", "debian", "pom.xml", "penstock",
            "pyproject.toml")
_NO_INPUT = re.compile(r"(\.md|\.jsonl)$|/penstock_suite/")
_TEST = re.compile(r"/(test_\w+\.py|\w+(IT|Test)\.java)$")
_BENCHMARK = "it/bench/"
"""An input of the tiers that test the benchmark, and of no other."""
_SEED = re.compile(r"\bseed[ =:]+(-?\d+)", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Result:
    """One run of one tier. time: its end, UTC, ISO 8601. seeds: those that its tests have printed."""
    tier: str
    inputs: str
    commit: str
    time: str
    machine: str
    seconds: int
    passed: int
    failed: int
    skipped: int
    seeds: list[int]
    verdict: str


def run(names: collections.abc.Sequence[str]) -> bool:
    """Runs the tiers, by default those whose last result is none or red, or older than their inputs. Returns whether
    all are green.
    """
    current = {result.tier for result in latest().values() if result.verdict == "green"
               and result.inputs == inputs(_tier(result.tier))}
    chosen = [tier for tier in DEEP if (tier.name in names if names else tier.name not in current)]
    if not chosen:
        say("all deep tiers are green at these sources")
        return True
    tiers.build_all(None)  # The tests too, which the build of `up` leaves out.
    verdicts = [_run(tier) for tier in chosen]  # All of them, whichever fail.
    return all(verdicts)


def _run(tier: Tier) -> bool:
    begun, before = time.monotonic(), inputs(tier)
    is_green = gate.run([tier], number_of_lanes=1, repeat=False)
    counts = reports.count(reports.read_all(places.TEST_REPORTS))
    result = Result(
        tier.name, before, command("git", "-C", ROOT, "rev-parse", "--short=8", "HEAD").strip(),
        datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        f"{os.cpu_count()} x {platform.machine()}", round(time.monotonic() - begun), counts.passed, counts.failed,
        counts.skipped, _seeds(), "green" if is_green else "red")
    with open(RESULTS, "a", encoding="utf-8") as file:
        file.write(json.dumps(dataclasses.asdict(result)) + "\n")
    say(f"{tier.name}: {result.verdict}; a line for it is in {RESULTS.relative_to(ROOT)}, which is to be committed")
    return is_green


def _seeds() -> list[int]:
    """Those that the tests have printed, which their reports have."""
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in places.TEST_REPORTS.glob("*.xml"))
    return sorted({int(seed) for text in texts for seed in _SEED.findall(text)})


def read(path: pathlib.Path = RESULTS) -> list[Result]:
    """All results, the oldest first. Raises ValueError or TypeError where a line has another form."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [Result(**json.loads(line)) for line in lines]


def latest() -> dict[str, Result]:
    """The last result of each tier that has one."""
    return {result.tier: result for result in read() if result.tier in DEEP_TIERS}


def status() -> str:
    """A line for each deep tier."""
    results = latest()
    lines = []
    for tier in DEEP:
        result = results.get(tier.name)
        if result is None:
            lines.append(f"{tier.name:<12} never run")
            continue
        age = "" if result.inputs == inputs(tier) else ", older than its inputs"
        lines.append(f"{tier.name:<12} {result.verdict}{age}: {result.passed} passed, {result.failed} failed, "
                     f"{result.seconds} s, {result.time}, commit {result.commit}")
    return "".join(f"{line}\n" for line in lines)


def inputs(tier: Tier) -> str:
    """A hash of what the result of a tier depends on: the product, what tests share, and the tests of the tier."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--",
                             *_SOURCES], capture_output=True, text=True, check=True).stdout
    own = re.compile(rf'@Tag\("{tier.name}"\)|pytest\.mark\.{tier.name}\b')
    found: dict[str, bytes] = {}
    tested = set[str]()
    for name in sorted(filter(None, listed.split("\0"))):
        path = ROOT / name
        if _NO_INPUT.search(f"/{name}") or not path.is_file():
            continue
        content = path.read_bytes()
        if _TEST.search(f"/{name}"):
            if not own.search(content.decode(errors="replace")):
                continue
            tested.add(name)
        found[name] = hashlib.sha256(content).digest()
    with_benchmark = any(name.startswith(_BENCHMARK) for name in tested)
    digest = hashlib.sha256()
    for name, content_hash in found.items():
        if with_benchmark or not name.startswith(_BENCHMARK):
            digest.update(f"{name}\0".encode() + content_hash)
    return digest.hexdigest()[:16]


def _tier(name: str) -> Tier:
    return next(tier for tier in (*DEEP, *GATE) if tier.name == name)
