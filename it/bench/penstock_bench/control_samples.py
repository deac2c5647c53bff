# SPDX-License-Identifier: Apache-2.0
"""Control-plane samples in one form, whoever took them.

results["control"] and results["ovn_control"] may be what control.run() returns (bulk, changes, resync, restarts,
memory), or plain, every key but `tenants` optional, `seconds` a list or one number:

    {"provision": [{"tenants": 1000, "seconds": [one of each round], "flows": on the bridge when it is done}],
     "change":    [{"tenants": 1000, "what": "add", "seconds": [every single change]}],
     "resync":    [{"tenants": 1000, "what": "...", "seconds": [...]}]}

or some of both. Here all come out plain.
"""

from collections.abc import Mapping
from typing import Any

from . import stats
from .results import Results


def provision(results: Results, other: bool = False) -> list[Results]:
    """All tenants at once, one entry for each number of tenants, in their order; `other`: OVN's.

    seconds: until the switch has confirmed every flow. May have answered, verified (seconds), flows, cpu_seconds,
    heap_mb, peak_mb, rss_mb ({process: MB}).
    """
    source = _source(results, other)
    sizes: dict[int, list[Results]] = {}
    for entry in source.get("provision", ()):
        sizes.setdefault(entry["tenants"], []).append({**entry, "seconds": seconds(entry)})
    for entry in source.get("bulk", ()):
        found: Results = {"seconds": [entry["applied"]] if entry.get("applied") is not None else []}
        found |= {name: entry[name] for name in ("answered", "verified", "flows") if entry.get(name) is not None}
        if entry.get("cpu"):
            found["cpu_seconds"] = entry["cpu"].get("controller")
        sizes.setdefault(entry["tenants"], []).append(found)
    memory = {entry["tenants"]: _memory(entry) for entry in source.get("memory", ())}
    return [{**memory.get(tenants, {}), **_merged(entries), "tenants": tenants}
            for tenants, entries in sorted(sizes.items())]


def change(results: Results, other: bool = False) -> list[Results]:
    """Single changes, one entry for each number of tenants and kind."""
    source = _source(results, other)
    found: dict[tuple[int, str], list[float]] = {}
    for entry in source.get("change", ()):
        found.setdefault((entry["tenants"], entry.get("what", "change")), []).extend(seconds(entry))
    for entry in source.get("changes", ()):
        for what, samples in entry["samples"].items():
            found.setdefault((entry["tenants"], what), []).extend(map(_applied, samples))
    return _entries(found)


def resync(results: Results, other: bool = False) -> list[Results]:
    """Bringing a switch back to what is planned, one entry for each number of tenants and occasion."""
    source = _source(results, other)
    found: dict[tuple[int, str], list[float]] = {}
    for entry in source.get("resync", ()):
        samples = seconds(entry) or list(entry.get("resync", ()))
        found.setdefault((entry["tenants"], entry.get("what", "a resync was asked for")), []).extend(samples)
    for entry in source.get("restarts", ()):
        time = entry.get("port_to_verified", entry.get("port_to_applied"))
        if time is not None:
            found.setdefault((entry["tenants"], f"{entry['how']} of the controller, from its port's opening"),
                             []).append(time)
    return _entries(found)


def restarts(results: Results) -> list[Results]:
    """Restarts of the controller as control.run() gives them."""
    found: list[Results] = _source(results).get("restarts", [])
    return found


def one_by_one(results: Results, other: bool = False) -> list[Results]:
    """Provisioning with a request for each tenant, as control.run() gives it; `other`: OVN's, with a transaction."""
    return [entry for entry in _source(results, other).get("one_by_one", ()) if entry.get("applied")]


def seconds(entry: Results) -> list[float]:
    """The samples of a plain entry."""
    samples = entry.get("seconds")
    return [sample for sample in (samples if isinstance(samples, list) else [samples]) if sample is not None]


def _source(results: Results, other: bool = False) -> Results:
    return results.get("ovn_control" if other else "control") or {}


def _applied(sample: Results | float) -> float:
    applied: float = sample["applied"] if isinstance(sample, dict) else sample
    return applied


def _entries(found: Mapping[tuple[Any, ...], list[float]]) -> list[Results]:
    return [{"tenants": tenants, "what": what, "seconds": samples}
            for (tenants, what), samples in sorted(found.items(), key=lambda item: item[0][0]) if samples]


def _merged(entries: list[Results]) -> Results:
    """One entry of several rounds: all seconds, the median of other numbers, the last of what is no number."""
    merged: Results = {"seconds": [second for entry in entries for second in entry["seconds"]]}
    for name in {name for entry in entries for name in entry} - {"seconds", "tenants"}:
        known = [entry[name] for entry in entries if entry.get(name) is not None]
        numbers = all(isinstance(value, (int, float)) for value in known)
        merged |= {name: stats.median(known) if numbers else known[-1]} if known else {}
    return merged


def _memory(entry: Results) -> Results:
    megabytes = {name: round(entry[key] / 1e6) for name, key in (
        ("heap_mb", "heap_after_gc"), ("peak_mb", "heap_peak"), ("controller", "resident"),
        ("switch", "switch_resident")) if entry.get(key)}
    resident = {name: megabytes.pop(name) for name in ("controller", "switch") if name in megabytes}
    return megabytes | ({"rss_mb": resident} if resident else {})
