# SPDX-License-Identifier: Apache-2.0
"""Ratios and report of a run of functions.py."""

from collections.abc import Sequence
from typing import Any

from . import forms, hops, outages, planned, planned_fast, ratios, sections, stats
from .document import Document
from .ratios import CHAIN
from .results import Found, Ratios, Results
from .wording import count, number, percent, spread

_CHANGES = {"scale-out": "an instance more", "weights": "other weights",
            "drain-and-remove": "an instance drained, removed", "insert": "a function put into the chain",
            "reorder": "the chain's order turned round", "take-out": "a function taken out of the chain",
            planned.QUIET: "no change"}
_EVENTS = {"scale-out": "an instance more", "scale-in": "one drained and removed",
           "upgrade": "one of another version more, an old one drained and removed"}
_KINDS = {"killed": "killed (kill -9)", "hangs": "hangs (SIGSTOP)"}
_FORMS = {"vm": "virtual machine", "container": "container", "netns": "network namespace"}
_THROUGH = {"bare": "bare forwarding", "0": "no function", "1": "one function", "2": "two functions",
            "3": "three functions"}


def compute(results: Results) -> Ratios:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    found = {**_changes(results), **_changes_fast(results), **_outage(results), **_tcp(results), **_hops(results),
             **_forms(results), **_probes(results)}
    return {name: ratios.entry(target, found[name]) for name, target in CHAIN.items() if name in found}


def detail(results: Results) -> Results:
    """What --json has beside the ratios: each change, event, kind, number of hops and form by itself."""
    found = {"changes": changes(results), "changes-fast": changes_fast(results), "tcp": events(results),
             "outage": outage(results),
             "hops": {name: _medians(samples) for name, samples in _columns(results, "hops").items()},
             "probes": {name: _medians(samples) for name, samples in _columns(results, "probes").items()},
             "forms": {name: {"mpps": stats.median([one["mpps"] for one in samples]), "form": samples[0]["form"],
                              "function": samples[0]["function"], "accelerator": samples[0]["acceleration"]}
                       for name, samples in _columns(results, "forms").items()}}
    return {name: part for name, part in found.items() if part}


def changes(results: Results) -> dict[str, Results]:
    """{change: {sent, lost, gap_ms (the longest of all rounds), seconds (median), pause_ms}} of planned changes."""
    return {name: {"sent": sum(one["sent"] for one in samples), "lost": sum(one["lost"] for one in samples),
                   "gap_ms": 1000 * max(one["gap"] for one in samples),
                   "seconds": stats.median([one["seconds"] for one in samples]),
                   "pause_ms": 1000 * max(one["pause"] for one in samples)}
            for name, samples in _columns(results, "changes").items()}


def changes_fast(results: Results) -> dict[str, Results]:
    """{turn: {sent, lost, refused, late, share, pps, seconds (median), pause_ms}} of changes at a high rate.

    share: see lost_share(). pps: frames that the generator offered a second, on average
    """
    return {name: {**{key: sum(one[key] for one in samples) for key in ("sent", "lost", "refused", "late")},
                   "share": lost_share(samples),
                   "pps": round(sum(map(_offered, samples)) / sum(one["traffic_seconds"] for one in samples)),
                   "seconds": stats.median([one["seconds"] for one in samples]),
                   "pause_ms": 1000 * max(one["pause"] for one in samples)}
            for name, samples in _columns(results, "changes-fast").items()}


def lost_share(samples: Sequence[Results]) -> float:
    """Share of the offered frames that did not arrive: lost ones, and those that the access port did not take."""
    share: float = sum(one["lost"] + one["refused"] for one in samples) / max(1, sum(map(_offered, samples)))
    return share


def _offered(sample: Results) -> int:
    offered: int = sample["sent"] + sample["refused"]
    return offered


def events(results: Results) -> dict[str, Results]:
    """{event: {connections, broken, moved, why}} of TCP connections at planned changes, all rounds together."""
    return {name: {"connections": sum(one["connections"] for one in samples),
                   "broken": sum(len(one["broken"]) for one in samples),
                   "moved": sum(len(one["moved"]) for one in samples),
                   "why": sorted({why for one in samples for why in one["broken"].values()})}
            for name, samples in _columns(results, "tcp").items()}


def outage(results: Results) -> dict[str, Results]:
    """{kind: {runs, median_ms, worst_ms, lost, noticed_ms}}; lost and noticed (by the controller) are medians."""
    return {name: {"runs": len(samples), "median_ms": 1000 * stats.median([one["gap"] for one in samples]),
                   "worst_ms": 1000 * max(one["gap"] for one in samples),
                   "lost": stats.median([one["lost"] for one in samples]),
                   "noticed_ms": 1000 * stats.median([one["noticed"] for one in samples])}
            for name, samples in _columns(results, "outage").items()}


def _columns(results: Results, part: str) -> dict[str, list[Results]]:
    """{name: [sample of each round]} of a part's rounds."""
    rounds = results.get(part) or []
    return {name: [one[name] for one in rounds if name in one] for name in (rounds[0] if rounds else ())}


def _changes(results: Results) -> dict[str, Found]:
    found = changes(results)
    if not found:
        return {}
    lost, sent = (sum(one[key] for one in found.values()) for key in ("lost", "sent"))
    worst = max(found, key=lambda name: found[name]["lost"])
    where = f", most of them with: {_CHANGES[worst]}" if lost else ""
    return {"lost_packets_planned_change": (lost,) * 3 + (
        f"of {sent:,} datagrams, in {len(results['changes'])} times {len(found)} changes{where}",)}


def _changes_fast(results: Results) -> dict[str, Found]:
    rounds = results.get("changes-fast") or []
    quiet, changed = ([[sample for name, sample in one.items() if (name == planned.QUIET) == wanted] for one in rounds]
                      for wanted in (True, False))
    return {**_lost_share("lost_share_planned_change_fast", changed, "changes"),
            **_lost_share("lost_share_quiet_fast", quiet, "turns without a change")}


def _lost_share(name: str, rounds: list[Any], what: str) -> dict[str, Found]:
    """One ratio, of a list of samples of each round: of all together, as a median would hide a bad round."""
    samples = [sample for one in rounds for sample in one]
    if not samples:
        return {}
    shares = [lost_share(one) for one in rounds if one]
    lost, refused, offered = (sum(values) for values in zip(
        *((one["lost"], one["refused"], _offered(one)) for one in samples), strict=True))
    return {name: (lost_share(samples), min(shares), max(shares),
                   f"{lost:,} lost and {refused:,} refused at the access port, of {offered:,} frames, in "
                   f"{len(samples)} {what}; range of {len(shares)} rounds")}


def _outage(results: Results) -> dict[str, Found]:
    found = outage(results)
    if not found:
        return {}
    worse = max(found, key=lambda name: found[name]["median_ms"])
    gaps = [1000 * one["gap"] for one in _columns(results, "outage")[worse]]
    return {"outage_ms_instance_kill": (
        found[worse]["median_ms"], min(gaps), max(one["worst_ms"] for one in found.values()),
        f"instance {_KINDS[worse]}, the worse of {len(found)} kinds; median of {len(gaps)} runs, and the worst of both "
        f"kinds; of {outages.PORTS} ports the one that waited longest for its next answer")}


def _tcp(results: Results) -> dict[str, Found]:
    found = events(results)
    if not found:
        return {}
    broken, moved, all_of_them = (sum(one[key] for one in found.values()) for key in ("broken", "moved", "connections"))
    return {"broken_tcp_connections": (broken + moved,) * 3 + (
        f"of {all_of_them:,} connections, in {len(results['tcp'])} times {len(found)} events: {broken} broken, {moved} "
        "at another instance than before",)}


def _hops(results: Results) -> dict[str, Found]:
    columns = _columns(results, "hops")
    found = {}
    for name in hops.CONTENDERS[2:]:
        rates, unit = ratios.compare(columns.get(str(name), ()), columns.get("bare", ()))
        if rates:
            found[f"hop_vs_bare_{name}"] = ratios.of_rounds(
                rates, f"through {_THROUGH[str(name)]} against bare forwarding, {unit}, 10 flows a tenant, one way; "
                f"median of {len(rates)} rounds side by side")
    return found


def _forms(results: Results) -> dict[str, Found]:
    found = {}
    for name, samples in _columns(results, "forms").items():
        how = f", {samples[0]['acceleration']}" if samples[0].get("acceleration") else ""
        found[f"{name}_mpps"] = ratios.of_rounds(
            [one["mpps"] for one in samples], f"RFC 2544 throughput of {samples[0]['function']} "
            f"({samples[0]['form']}{how}) on {forms.PLACE}; median of {len(samples)} rounds in turns")
    return found


def _probes(results: Results) -> dict[str, Found]:
    columns = _columns(results, "probes")
    rates, unit = ratios.compare(columns.get("with", ()), columns.get("without", ()))
    if not rates:
        return {}
    return {"probe_overhead_ratio": ratios.of_rounds(
        rates, f"one function, probes each {hops.PROBE_MILLISECONDS} ms against none, {unit}; median of {len(rates)} "
        "rounds side by side")}


def _medians(samples: Sequence[Results]) -> dict[str, float]:
    return {key: stats.median([one[key] for one in samples]) for key in
            ("mpps", "cycles_per_packet", "cycles_per_hop", "busy", "generator_busy", "lost", "upcalls")
            if all(one.get(key) is not None for one in samples)}


def render(results: Results) -> Document:
    """The report as a Document."""
    document = sections.begin("Penstock chain benchmark", results)
    sections.ratio_list(document, compute(results), CHAIN)
    _changes_section(document, changes(results))
    _changes_fast_section(document, changes_fast(results))
    _tcp_section(document, events(results))
    _outage_section(document, outage(results))
    _rates_section(document, _columns(results, "hops"), "Hops", "The generator is the functions, and hands every frame "
                   "on: this is the switch's part. Cycles are those of the polling thread, for a packet with all its "
                   "hops.")
    _rates_section(document, _columns(results, "probes"), "Probes", f"One function, probes each "
                   f"{hops.PROBE_MILLISECONDS} ms.", "without")
    _forms_section(document, _columns(results, "forms"))
    sections.machine(document, results)
    return document


def _changes_section(document: Document, found: dict[str, Results]) -> None:
    if not found:
        return
    document.section("Planned changes")
    document.text(f"{planned.PORTS} ports of a host send 50 datagrams a second each, and every "
                  f"{planned.LIFE_SECONDS} s each is given up for another one. All rounds together. A pause "
                  "is a time in which the host itself did not come to send: a gap includes it.")
    document.table(["change", "lost", "of", "longest gap, ms", "longest pause, ms", "took, s"], [
        (_CHANGES.get(name, name), count(one["lost"]), count(one["sent"]), number(one["gap_ms"]),
         number(one["pause_ms"]), number(one["seconds"])) for name, one in found.items()])


def _changes_fast_section(document: Document, found: dict[str, Results]) -> None:
    if not found:
        return
    document.section(f"Planned changes at {planned_fast.RATE:,} packets a second")
    document.text(f"The generator sends 64-byte frames of {planned_fast.CONNECTIONS} connections, each of "
                  f"{planned_fast.LIFE_PACKETS} packets, and shares its core with functions and controller: it sends "
                  "at the rate while it has the core. Late frames came due while it had not, and were never offered. "
                  "Refused: the switch did not take them in time. All rounds together. The turn without a change shows "
                  "what the machine itself loses.")
    document.table(["change", "lost", "refused", "of", "share", "offered a second", "late", "longest pause, ms",
                    "took, s"], [
        (_CHANGES.get(name, name), count(one["lost"]), count(one["refused"]), count(one["sent"] + one["refused"]),
         number(one["share"]), count(one["pps"]), count(one["late"]), number(one["pause_ms"]), number(one["seconds"]))
        for name, one in found.items()])


def _tcp_section(document: Document, found: dict[str, Results]) -> None:
    if not found:
        return
    document.section("TCP connections")
    document.text("Each says something twice a second and has to hear it again. Half of them begin before a change, "
                  "half during it. What instance a connection has is read from what the switch tracks.")
    document.table(["change", "connections", "broken", "at another instance", "why"], [
        (_EVENTS.get(name, name), count(one["connections"]), count(one["broken"]), count(one["moved"]),
         ", ".join(one["why"]) or "-") for name, one in found.items()])


def _outage_section(document: Document, found: dict[str, Results]) -> None:
    if not found:
        return
    document.section("One of two instances fails")
    document.text(f"{outages.PORTS} ports, 50 datagrams a second each. Noticed: until the controller says so.")
    document.table(["instance", "runs", "without an answer, median, ms", "worst, ms", "noticed after, ms",
                    "datagrams lost"], [
        (_KINDS.get(name, name), count(one["runs"]), number(one["median_ms"]), number(one["worst_ms"]),
         number(one["noticed_ms"]), count(one["lost"])) for name, one in found.items()])


def _rates_section(document: Document, columns: dict[str, list[Results]], title: str, text: str,
                   base: str = "bare") -> None:
    if not columns:
        return
    document.section(title)
    document.text(text)
    document.table(["", "Mpps", "range", f"of {_THROUGH.get(base, 'without')}", "cycles a packet", "cycles a hop",
                    "PMD busy", "generator busy"], [
        (_THROUGH.get(name, f"{name} probes"), number(stats.median([one["mpps"] for one in samples])),
         spread([one["mpps"] for one in samples]), number(stats.median(ratios.compare(samples, columns[base])[0])),
         count(stats.median([one["cycles_per_packet"] for one in samples])),
         count(stats.median([one["cycles_per_hop"] for one in samples])),
         percent(stats.median([one["busy"] for one in samples])),
         percent(stats.median([one["generator_busy"] for one in samples]))) for name, samples in columns.items()])


def _forms_section(document: Document, columns: dict[str, list[Results]]) -> None:
    if not columns:
        return
    document.section("The same firewall in three forms")
    document.text(f"RFC 2544: the highest rate found at which no frame is lost. The function runs on {forms.PLACE}.")
    document.table(["form", "function", "acceleration", "Mpps", "range", "trials"], [
        (_FORMS.get(name, name), samples[0]["function"], samples[0].get("acceleration") or "-",
         number(stats.median([one["mpps"] for one in samples])), spread([one["mpps"] for one in samples]),
         count(sum(len(one["trials"]) for one in samples))) for name, samples in columns.items()], left=2)
