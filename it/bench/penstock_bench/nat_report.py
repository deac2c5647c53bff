# SPDX-License-Identifier: Apache-2.0
"""Ratios and report of a run of nat.py."""

from collections.abc import Sequence

from . import nat, published, ratios, sections, stats
from .document import Document
from .ratios import Target
from .results import Found, Ratios, Results
from .wording import count, frame, number, percent

NAMES = {"bare": "bare forwarding", "handwritten": "one ct flow by hand", "pat": "Penstock, PAT",
         "deterministic": "Penstock, deterministic", "independent": "Penstock, endpoint-independent",
         "one-to-one": "Penstock, one-to-one"}


def _throughput_ratio(size: str) -> str:
    return f"throughput_vs_bare_{size.replace('-', '_')}"


TARGETS = {target.name: target for target in (
    Target("one_to_one_vs_bare_64B", "packet rate of one-to-one over bare forwarding's, 64 bytes", ">=", 0.6),
    Target("setup_rate_vs_handwritten", "new sessions a second of PAT over one conntrack flow's", ">=", 0.9),
    Target("setup_rate_per_second", "new sessions a second of PAT"),
    Target("sessions_held", "sessions in the table", ">=", nat.HELD),
    Target("bytes_per_session", "memory of a session", "<", 1000, "lower", "B"),
    *(Target(_throughput_ratio(size), f"packet rate of PAT over bare forwarding's, {frame(size)}, table full")
      for size in nat.FRAMES[1:]))}

_HELD = "with the table full"


def compute(results: Results) -> Ratios:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    setup = results.get("setup") or {}
    held = results.get("held")
    found = {"one_to_one_vs_bare_64B": _packets(results, "one-to-one", "64"),
             "setup_rate_vs_handwritten": _compared(setup.get("pat", ()), setup.get("handwritten", ()),
                                                    "PAT against one flow, every packet a new session")}
    if setup.get("pat"):
        found["setup_rate_per_second"] = ratios.of_rounds([sample["mpps"] * 1e6 for sample in setup["pat"]],
                                                          "packets that were all new sessions; median of the rounds")
    if held:
        size = (held["resident_mb_after"] - held["resident_mb_before"]) * 1e6 / held["sessions"]
        found["sessions_held"] = (held["sessions"],) * 3 + ("connections in the table",)
        found["bytes_per_session"] = (size,) * 3 + ("growth of the switch's resident memory over the sessions held",)
    for size in nat.FRAMES[1:]:
        found[_throughput_ratio(size)] = _packets(results, "pat", size)
    return {name: ratios.entry(target, one) for name, target in TARGETS.items() if (one := found.get(name))}


def _packets(results: Results, name: str, size: str) -> Found | None:
    entry = next((one for one in results.get("throughput", ()) if one["frame"] == size), None)
    return entry and _compared(entry["contenders"][name], entry["contenders"]["bare"],
                               f"{NAMES[name]} against {NAMES['bare']}, {frame(size)}, {_HELD}")


def _compared(ours: Sequence[Results], theirs: Sequence[Results], what: str) -> Found | None:
    found, unit = ratios.compare(ours, theirs)
    return ratios.of_rounds(found, f"{what}, {unit}; median of {len(found)} rounds side by side") if found else None


def render(results: Results) -> Document:
    """The report as a Document."""
    document = Document("Penstock NAT benchmark", f"Started {results.get('started', '')}. Raw data: "
                        "[results.json](results.json).")
    sections.sources(document, results)
    sections.ratio_list(document, compute(results), TARGETS)
    _beside_published(document, results)
    _setup(document, results.get("setup") or {})
    _throughput(document, results.get("throughput") or ())
    _latency(document, results.get("latency") or ())
    sections.machine(document, results)
    return document


def _beside_published(document: Document, results: Results) -> None:
    """PAT on one core beside one core of the published test. Mixes are compared with the same mix alone."""
    found = compute(results)
    samples = {entry["frame"]: entry["contenders"].get("pat") for entry in results.get("throughput") or ()}
    rows = [(f"{frame(size)}, Gbit/s at layer 1", number(gbps),
             number(stats.median([one["gbps_l1"] for one in samples[size]])))
            for size, gbps in published.CARRIER_NAT_GBPS.items() if samples.get(size)]
    rows += [(text, count(theirs), count(found[name]["value"])) for text, theirs, name in (
        ("new sessions a second", published.CARRIER_NAT_SETUP, "setup_rate_per_second"),
        ("memory of a session, bytes", published.CARRIER_NAT_SESSION_BYTES, "bytes_per_session")) if name in found]
    if rows:
        document.section("Beside a published carrier NAT")
        document.text(f"{published.CARRIER_NAT}; each figure divided by {published.CARRIER_NAT_CORES}. Ours: PAT one "
                      "way, on one core. The tests differ too much for ratios; the table shows orders of magnitude.")
        document.table(["", "published, a virtual core", "PAT, a core"], rows)


def _setup(document: Document, setup: Results) -> None:
    document.section("New sessions")
    document.text("Every packet begins a session, from an empty table. Range over the rounds.")
    document.table(["", "sessions/s", "range", "cycles a session", "PMD busy", "in the table after"], [
        (NAMES[name], count(stats.median([one["mpps"] * 1e6 for one in samples])),
         f"{count(min(one['mpps'] * 1e6 for one in samples))} – {count(max(one['mpps'] * 1e6 for one in samples))}",
         count(stats.median([one["cycles_per_packet"] for one in samples])),
         percent(stats.median([one["busy"] for one in samples])), count(samples[-1]["sessions"]))
        for name, samples in setup.items() if samples])


def _throughput(document: Document, entries: Sequence[Results]) -> None:
    document.section("Throughput with the table full")
    document.table(["frames", "", "Mpps", "range", "of bare", "cycles a packet", "PMD busy", "Gbit/s, layer 1"], [
        (frame(entry["frame"]), NAMES[name], number(stats.median([one["mpps"] for one in samples])),
         f"{number(min(one['mpps'] for one in samples))} – {number(max(one['mpps'] for one in samples))}",
         number(stats.median(ratios.compare(samples, entry["contenders"]["bare"])[0])),
         count(stats.median([one["cycles_per_packet"] for one in samples])),
         percent(stats.median([one["busy"] for one in samples])),
         number(stats.median([one["gbps_l1"] for one in samples])))
        for entry in entries for name, samples in entry["contenders"].items() if samples], left=2)


def _latency(document: Document, entries: Sequence[Results]) -> None:
    document.section("Latency at half of that rate")
    document.table(["frames", "", "offered, Mpps", "median, µs", "99 %, µs", "99.9 %, µs"], [
        (frame(one["frame"]), NAMES[one["contender"]], number(one["pps"] / 1e6),
         *(number(one[name] / 1000) for name in ("p50", "p99", "p999"))) for one in entries], left=2)
