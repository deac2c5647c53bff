# SPDX-License-Identifier: Apache-2.0
"""Holds the ratios of a run against those that were good enough before.

The file has an entry for every ratio: `value`, null until a run was made the baseline; `tolerance`, the relative
change for the worse that is still no regression; `better`, "higher" or "lower". Ratios that are counted are not in the
file: budget.py has their values and tolerances.
"""

import dataclasses
import json
import pathlib

from penstock_base import locks
from penstock_base.errors import PenstockError

from . import budget, ratios
from .results import Ratios

FILE = pathlib.Path(__file__).resolve().parent / "baseline.json"
TOLERANCE = 0.15
"""Of a ratio that is new in the baseline."""


@dataclasses.dataclass(frozen=True)
class Regression:
    """A ratio that is worse than allowed."""
    name: str
    old: float
    new: float
    allowed: float
    better: str

    def __str__(self) -> str:
        limit = "at least" if self.better == "higher" else "at most"
        return f"{self.name}: {self.new:.3g}, was {self.old:.3g}, {limit} {self.allowed:.3g} is allowed"


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What a comparison found. new: ratios without a value to compare with. missing: those this run did not measure."""
    regressions: tuple[Regression, ...]
    compared: tuple[str, ...]
    new: tuple[str, ...]
    missing: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"regression: {regression}" for regression in self.regressions]
        lines.append(f"{len(self.compared)} ratios held against the baseline, {len(self.regressions)} regressions")
        if self.new:
            lines.append(f"not in the baseline: {', '.join(self.new)}")
        if self.missing:
            lines.append(f"in the baseline, but not measured: {', '.join(self.missing)}")
        return "\n".join(lines)


def load(path: pathlib.Path = FILE) -> Ratios:
    """The content of a baseline file, checked, and the counted ratios."""
    content = _read(path)
    counted = budget.ratios()
    if twice := sorted(set(content) & set(counted)):
        raise PenstockError(f"{path}: {', '.join(twice)}: stands in {budget.FILE.name} already")
    return content | {name: {"value": one.value, "tolerance": one.tolerance,
                             "better": ratios.EVERY_TARGET[name].better} for name, one in counted.items()}


def _read(path: pathlib.Path) -> Ratios:
    try:
        content = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise PenstockError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PenstockError(f"{path}: is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise PenstockError(f"{path}: must be an object of ratios")
    for name, entry in content.items():
        if not (isinstance(entry, dict) and set(entry) == {"value", "tolerance", "better"}
                and (entry["value"] is None or _is_number(entry["value"]))
                and _is_number(entry["tolerance"]) and 0 <= entry["tolerance"] < 1
                and entry["better"] in ("higher", "lower")):
            raise PenstockError(f"{path}: {name}: wanted: value (a number or null), tolerance (from 0 to below 1) and "
                                "better (higher or lower)")
    return content


def compare(found: Ratios, baseline: Ratios, mode: str = "full", run: str = "edge") -> Comparison:
    """Holds `found`, the ratios of a run as ratios.compute() gives them, against a loaded baseline.

    In mode "quick" nobody misses what a quick run does not measure, in mode "partial" nothing at all; nor in a `run`,
    one of ratios.RUNS, what the others measure. A name that no run knows is missed by edge.
    """
    regressions, compared, new = [], [], []
    for name, ratio in found.items():
        entry = baseline.get(name)
        if entry is None or entry["value"] is None:
            new.append(name)
            continue
        compared.append(name)
        old, value, sign = entry["value"], ratio["value"], -1 if entry["better"] == "higher" else 1
        allowed = old * (1 + sign * entry["tolerance"])
        if (value - allowed) * sign > 0:
            regressions.append(Regression(name, old, value, allowed, entry["better"]))
    missing = [name for name, entry in baseline.items()
               if entry["value"] is not None and name not in found and _is_due(name, mode, run)]
    return Comparison(tuple(regressions), tuple(compared), tuple(new), tuple(missing))


def update(found: Ratios, path: pathlib.Path = FILE) -> None:
    """Makes the ratios of a run the baseline. Tolerances stay, and so does what the run did not measure."""
    content = _read(path) if pathlib.Path(path).exists() else {}
    for name, ratio in found.items():
        if name in budget.ratios():
            continue
        target = ratios.EVERY_TARGET.get(name)
        entry = content.setdefault(name, {"tolerance": TOLERANCE, "better": target.better if target else "higher"})
        entry["value"] = float(f"{ratio['value']:.4g}")
    locks.write_json(path, content)


def _is_due(name: str, mode: str, run: str) -> bool:
    owner = next((kind for kind, targets in ratios.RUNS.items() if name in targets), "edge")
    if mode == "partial" or run != owner:
        return False
    return mode != "quick" or name not in ratios.EVERY_TARGET or ratios.EVERY_TARGET[name].quick


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
