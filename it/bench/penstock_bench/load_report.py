# SPDX-License-Identifier: Apache-2.0
"""Ratios and report of a run of load.py."""

from typing import Any

from . import loads, plots, ratios, sections, stats, wording
from .document import Cell, Document
from .ratios import LOAD
from .results import Results
from .wording import count, number, percent, spread

_OTHERS = {"hand": "a hand-written flow", "ovn": "OVN"}
_KEYS = ("mpps", "cycles_per_packet", "busy", "upcalls_per_second", "cached_flows", "sessions", "connections",
         "settle_seconds")


def compute(results: Results) -> Results:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    found = {}
    for cell in results.get("cells", ()):
        for other in _OTHERS:
            rates, unit = _against(cell, other)
            is_rate = (cell["name"], other) == (loads.RATE_CELL, "hand")
            if rates:
                name = "connection_rate" if is_rate else cell["name"]
                found[f"load_{name}_vs_{other}"] = ratios.of_rounds(
                    rates, f"{cell['text']}, {unit}; median of {len(rates)} rounds side by side")
    recoveries = [one for one in results.get("recovery", ()) if one["seconds"]]
    if recoveries:
        worst = max(recoveries, key=lambda one: max(one["seconds"]))
        found["load_recovery_seconds"] = (
            max(worst["seconds"]), min(min(one["seconds"]) for one in recoveries), max(worst["seconds"]),
            f"{worst['text']}, the worst of {len(recoveries)} changes, {len(worst['seconds'])} times each")
    return {name: ratios.entry(target, found[name]) for name, target in LOAD.items() if name in found}


def detail(results: Results) -> Results:
    """What --json has beside the ratios: medians of each cell and contender, and every time to recover."""
    found = {"cells": {cell["name"]: {name: _medians(samples) for name, samples in cell["contenders"].items()}
                       for cell in results.get("cells", ())},
             "recovery": {one["name"]: one["seconds"] for one in results.get("recovery", ())}}
    return {name: part for name, part in found.items() if part}


def render(results: Results) -> Document:
    """The report as a Document."""
    document: Document = sections.begin("Penstock load benchmark", results)
    cells, found = results.get("cells", ()), compute(results)
    for other in _OTHERS:
        _map(document, cells, other)
    _judged(document, found)
    _cells(document, cells)
    _recoveries(document, results.get("recovery", ()))
    sections.machine(document, results)
    return document


def _map(document: Document, cells: Any, other: str) -> None:
    known = {(cell["tenants"], cell["each"]): stats.median(rates) for cell in cells if cell["plain"]
             and (rates := _against(cell, other)[0])}
    if not known:
        return
    title, least = f"Packet rate over {_OTHERS[other]}", loads.least("", other)
    document.section(title)
    document.text("One way, all connections equally busy. Rows: tenants; columns: connections of each. Missed below "
                  f"{least}.")
    document.figure(plots.heat(f"load-{other}", title, known, least), f"{title}; the table has the same.")
    columns = sorted({each for _, each in known})
    document.table(["tenants", *map(count, columns)], [
        [count(tenants), *(_ratio(known.get((tenants, each)), least) for each in columns)]
        for tenants in sorted({tenants for tenants, _ in known})])


def _judged(document: Document, found: Results) -> None:
    if not found:
        return
    missed = [f"`{name}`" for name, one in found.items() if not one["met"]]
    document.notice(f"{len(found) - len(missed)} of {len(found)} targets met.",
                    f"Missed: {', '.join(missed)}." if missed else "", "bad" if missed else "good")
    document.section("Ratios")
    document.table(["ratio", "what it is", "value", "range", "target", "met", "method"], [
        (f"`{name}`", LOAD[name].text, number(one["value"]), spread([one["low"], one["high"]]) or "-",
         f"{LOAD[name].bound} {number(one['target'])}",
         Cell("yes", "good") if one["met"] else Cell("missed", "bad"), one["method"])
        for name, one in found.items()], left=2)


def _cells(document: Document, cells: Any) -> None:
    if not cells:
        return
    document.section("Loads")
    document.text("Tenants × connections of each, medians of the rounds. Both ways Mpps are those of both together. "
                  "Settled: seconds until two looks agreed; * they never did.")
    document.table(["load", "", "Mpps", "range", "of hand", "of OVN", "cycles a packet", "PMD busy", "upcalls/s",
                    "cached flows", "sessions", "connections", "settled, s"], [
        _row(cell, name, samples) for cell in cells for name, samples in cell["contenders"].items() if samples], left=2)


def _row(cell: Results, name: str, samples: list[Results]) -> tuple[str | Cell, ...]:
    medians = _medians(samples)
    of = {other: "-" if name != "edge" or not (rates := _against(cell, other)[0])
          else _ratio(stats.median(rates), loads.least(cell["name"], other)) for other in _OTHERS}
    settled = number(medians["settle_seconds"]) + "*" * (not all(one["settled"] for one in samples))
    return (cell["text"], wording.CONTENDERS[name], number(medians["mpps"]),
            spread([one["mpps"] for one in samples]) or "-",
            of["hand"], of["ovn"], count(medians["cycles_per_packet"]), percent(medians["busy"]),
            *(count(medians[key]) for key in _KEYS[3:7]), settled)


def _recoveries(document: Document, entries: Any) -> None:
    if not entries:
        return
    document.section("Recovery")
    document.text("Seconds after a change until Penstock has 0.9 of its best throughput after it, and goes on so.")
    limit = LOAD["load_recovery_seconds"]
    document.table(["change", "seconds, worst", "range", "Mpps in the first second", "Mpps in the end"], [
        (one["text"], Cell(number(max(one["seconds"])), "good" if limit.is_met(max(one["seconds"])) else "bad"),
         spread(one["seconds"]) or "-", number(stats.median([stats.median(rates[:2]) for rates in one["rates"]])),
         number(stats.median([stats.median(rates[-4:]) for rates in one["rates"]])))
        for one in entries if one["seconds"]])


def _against(cell: Results, other: str) -> tuple[list[float], str]:
    found: tuple[list[float], str] = ratios.compare(cell["contenders"].get("edge", ()),
                                                    cell["contenders"].get(other, ()))
    return found


def _ratio(value: float | None, least: float) -> str | Cell:
    if value is None:
        return "-"
    return Cell(number(value), "good") if value >= least else Cell(f"{number(value)}, missed", "bad")


def _medians(samples: list[Results]) -> dict[str, float | None]:
    """Of each figure that all samples have; None for others."""
    return {key: stats.median([one[key] for one in samples]) if samples and all(
        one.get(key) is not None for one in samples) else None for key in _KEYS}
