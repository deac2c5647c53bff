# SPDX-License-Identifier: Apache-2.0
"""The report's other sections. Each takes the document and the results, and adds nothing when nothing was measured."""

from collections.abc import Iterator, Mapping
from typing import Any

from penstock_base.errors import PenstockError

from . import control_samples, measured, plots, ratios, stats, traffic
from .data_plane import median_of, scenario_key, scenario_order
from .document import Cell, Document
from .results import Ratios, Results
from .wording import CONTENDERS, count, direction, fact, flows, frame, number, percent, spread


def begin(title: str, results: Results) -> Document:
    """The report of a run: a Document that says what was measured, and when."""
    document = Document(title, f"{results.get('mode', '')} run, started {results.get('started', '')}. Raw data: "
                        "[results.json](results.json).")
    sources(document, results)
    return document


def sources(document: Document, results: Results) -> None:
    """The commit and the plans that were measured, as a line for docs/performance.md."""
    if text := measured.line(results):
        document.text(text)


def summary(document: Document, results: Results, found: Ratios) -> None:
    """The ratios against their targets: what a reader with one minute reads."""
    noise = results.get("noise") or {}
    if noise.get("overridden"):
        document.notice("Measured on a noisy machine, against advice.",
                        f"Seen before the run: {'; '.join(noise.get('problems', ()))}.")
    judged = [name for name in found if ratios.TARGETS[name].bound]
    failed = [f"`{name}`" for name in judged if not found[name]["met"]]
    if judged:
        document.notice(f"{len(judged) - len(failed)} of {len(judged)} targets met.",
                        f"Not met: {', '.join(failed)}." if failed else "", "bad" if failed else "good")
    document.section("Ratios against targets")
    if not found:
        document.text("Nothing was measured that a ratio could be made of.")
        return
    document.table(["ratio", "what it is", "value", "range", "target", "met"],
                   [_summary_row(name, ratio) for name, ratio in found.items()], left=2)
    missing = [f"`{name}`" for name in ratios.TARGETS if name not in found]
    if missing:
        document.text(f"Not measured in this run: {', '.join(missing)}.")
    document.figure(plots.targets([_on_the_way(name, found[name]) for name in judged]),
                    "How far each ratio is on its way to its target, with the range of its rounds or samples.")
    document.subsection("How each was found")
    document.table(["ratio", "method"], [(f"`{name}`", ratio["method"]) for name, ratio in found.items()], left=2)


def ratio_list(document: Document, found: Ratios, targets: Mapping[str, ratios.Target]) -> None:
    """The ratios of a run, each beside its target and with the way it was found."""
    document.section("Ratios")
    document.table(["ratio", "what it is", "value", "range", "target", "method"], [
        (f"`{name}`", targets[name].text, number(one["value"]), f"{number(one['low'])} – {number(one['high'])}",
         "-" if one["target"] is None else f"{targets[name].bound} {number(one['target'])}", one["method"])
        for name, one in found.items()], left=2)


def ovn(document: Document, results: Results) -> None:
    """What a user would pick instead."""
    entries = sorted(results.get("forwarding", ()),
                     key=lambda entry: (scenario_order(scenario_key(entry)), entry["tenants"]))
    packets = [_ovn_packets_row(entry, name) for entry in entries for name in ("ovn", "ovn-gateway")]
    times = list(_ovn_control_rows(results))
    if not any(packets) and not times:
        return
    document.section("Against OVN")
    document.text("OVN runs on the same switch process, on ports of its own, with the same tenants: a logical "
                  "router and switch with source NAT each, and the backbone's ACL. Rounds are interleaved. Gateway "
                  "routers are the usual way to set OVN up for this; the other is the fastest we found: distributed "
                  "gateway ports on one chassis, which save a pass. Pairs are Penstock / OVN.")
    if any(packets):
        document.table(["scenario", "against", "tenants", "times its rate", "range", "by", "cycles a packet", "passes",
                        "masks"], filter(None, packets), left=2)
    if times:
        document.table(["tenants", "seconds to provision", "Penstock over OVN", "flows on the bridge",
                        "Penstock over OVN", "one change, p50 ms", "one change, p95 ms"], times)


def control(document: Document, results: Results) -> None:
    """Provisioning, single changes, resynchronisation, restarts, memory."""
    own, changes = control_samples.provision(results), control_samples.change(results)
    resyncs, restarts = control_samples.resync(results), control_samples.restarts(results)
    single = control_samples.one_by_one(results)
    if not (own or changes or resyncs or single):
        return
    document.section("Control plane")
    document.figure(plots.control(*_control_series(results)), "Left: medians with the range of the rounds, and what "
                    "linear growth would be. Right: one change, the 95th percentile within the 50th to the 99th.")
    if own:
        document.subsection("Provisioning all tenants at once")
        document.text("Seconds from the request: until it is answered, until the switch has confirmed every flow, and "
                      "until the whole switch was read and found right.")
        document.table(["tenants", "answered", "on the switch (range)", "verified", "flows", "flows a tenant",
                        "heap, MB", "peak, MB", "resident, MB", "CPU, s"], map(_provision_row, own))
        document.text(_growth([(entry["tenants"], second) for entry in own for second in entry["seconds"]]))
    if single:
        document.subsection("Provisioning one by one")
        document.text("Penstock: the next request when the one before is answered. OVN: the next transaction when the "
                      "switch has the one before.")
        document.table(["", "tenants", "all answered, s", "on the switch, s", "tenants a second"],
                       [(CONTENDERS[name], count(entry["tenants"]), number(entry.get("answered")),
                         number(entry["applied"]), number(entry["tenants"] / entry["applied"]))
                        for name, entries in (("edge", single), ("ovn", control_samples.one_by_one(results, True)))
                        for entry in entries])
    if changes:
        document.subsection("One change")
        document.text("From the request to the switch, in milliseconds.")
        document.table(["tenants", "change", "samples", "p50", "p95", "p99", "max"],
                       [(count(entry["tenants"]), entry["what"], count(len(entry["seconds"])),
                         *[number(stats.percentile(entry["seconds"], rank) * 1000) for rank in (50, 95, 99, 100)])
                        for entry in changes], left=2)
    if resyncs:
        document.subsection("Bringing a switch back")
        document.table(["tenants", "occasion", "samples", "seconds", "range"],
                       [(count(entry["tenants"]), entry["what"], count(len(entry["seconds"])),
                         number(stats.median(entry["seconds"])), spread(entry["seconds"])) for entry in resyncs],
                       left=2)
    if any("sent" in entry for entry in restarts):
        document.subsection("Traffic while the controller restarts")
        document.table(["tenants", "how", "start until its port opens, s", "frames sent", "lost", "longest gap, ms"],
                       [(count(entry["tenants"]), entry["how"], number(entry.get("start_to_port")),
                         count(entry.get("sent")), count(entry.get("lost")),
                         number(entry["longest_gap"] * 1000 if entry.get("longest_gap") is not None else None))
                        for entry in restarts], left=2)


def machine(document: Document, results: Results) -> None:
    """What it was measured on, and how quiet that was."""
    facts, noise = results.get("machine") or {}, results.get("noise") or {}
    if facts:
        document.section("Machine")
        document.table(["fact", ""], [(name.replace("_", " "), fact(value)) for name, value in facts.items()], left=2)
    if noise:
        limits = noise.get("limits", {})
        spins: dict[str, Any] = {}
        for core, kinds in noise.get("spin", {}).items():
            for kind, found in kinds.items():
                spins.setdefault(kind, []).append(f"core {core}: {found['spread']:.2f}")
        document.subsection("Noise before the run")
        document.table(["", "seen", "allowed"], [
            ("CPU used by others, cores", number(noise.get("others_cores")), number(limits.get("others_cores"))),
            ("time taken by the hypervisor", percent(noise.get("steal")), percent(limits.get("steal"))),
            *[(f"the same {kind}, p90 over p10", ", ".join(cores), number(limits.get("spin", {}).get(kind)))
              for kind, cores in spins.items()]])


def method(document: Document, results: Results) -> None:
    """How it was measured."""
    rounds = sorted({len(samples) for entry in results.get("forwarding", ())
                     for samples in entry.get("contenders", {}).values()})
    document.section("How it was measured")
    document.points([
        "One switch process with one PMD thread on a core of its own; generator and everything else on the other ones. "
        "Ports are vhost-user, the generator sits at their other end.",
        "The contenders get the same frames and take turns: bare, Penstock, OVN, and again. A ratio is made in each "
        "round, so slow changes of the machine's speed cancel out; shown is the median of the rounds"
        + (f" ({' or '.join(map(str, rounds))} of them)" if rounds else "") + ".",
        f"Every tenant has host {traffic.HOST} behind {traffic.GATEWAY}: addresses overlap on purpose. Frames of "
        "different tenants follow each other, the worst case for batches. Every flow is one frame in the generator's "
        "memory, sent again and again.",
        "Sizes are on the wire with FCS. 64 bytes include the tenant's VLAN tag. IMIX: 64, 594, 1518 bytes, 7:4:1.",
        "Mpps are counted where the frames come out. Cycles, busy share, passes and lookups are the PMD's own counters "
        "over the same time.",
        "Absolute figures depend on this machine; the ratios are what can be compared.",
        "Every sample is in [results.json](results.json). `python3 -m penstock_bench.report DIR` makes this report "
        "again from it.",
    ])


def _summary_row(name: str, ratio: Results) -> tuple[str | Cell, ...]:
    target = ratios.TARGETS[name]
    unit = f" {target.unit}" if target.unit else ""
    met = {True: Cell("yes", "good"), False: Cell("no", "bad"), None: Cell("-", "muted")}[ratio["met"]]
    bound = {">=": "≥", "<=": "≤", "<": "<"}.get(target.bound or "")
    return (f"`{name}`", target.text, number(ratio["value"]) + unit, spread([ratio["low"], ratio["high"]]),
            f"{bound} {number(target.value)}{unit}" if bound else Cell("-", "muted"), met)


def _on_the_way(name: str, ratio: Results) -> tuple[str, float, float, float, bool]:
    values = [ratio["value"], ratio["low"], ratio["high"]]
    if ratios.TARGETS[name].better == "higher":
        value, low, high = (one / ratio["target"] for one in values)
    else:
        value, high, low = (ratio["target"] / one for one in values)
    return name, value, low, high, ratio["met"]


def _ovn_packets_row(entry: Results, peer: str) -> tuple[str, ...] | None:
    contenders = entry.get("contenders", {})
    found, unit = ratios.compare(contenders.get("edge", ()), contenders.get(peer, ()))
    if not found:
        return None
    pairs = [" / ".join(words(median_of(contenders[name], key)) for name in ("edge", peer))
             for key, words in (("cycles_per_packet", count), ("passes", number), ("masks", count))]
    return (f"{direction(entry['direction'])}, {frame(entry['frame'])}, {flows(entry)}", CONTENDERS[peer],
            f"{entry['tenants']:,}", number(stats.median(found)), spread(found), unit, *pairs)


def _ovn_control_rows(results: Results) -> Iterator[tuple[str, ...]]:
    both = [{entry["tenants"]: entry for entry in control_samples.provision(results, other)}
            for other in (False, True)]
    changes = [_changes_by_tenants(results, other) for other in (False, True)]
    for tenants in sorted(set(both[0]) & set(both[1])):
        times = [entries[tenants]["seconds"] for entries in both]
        if not all(times):
            continue
        installed: list[Any] = [entries[tenants].get("flows") for entries in both]
        yield (count(tenants), " / ".join(number(stats.median(samples)) for samples in times),
               number(stats.median(times[0]) / stats.median(times[1])), " / ".join(map(count, installed)),
               number(installed[0] / installed[1]) if all(installed) else "-",
               *[" / ".join(number(stats.percentile(samples[tenants], rank) * 1000) if samples.get(tenants) else "-"
                            for samples in changes) for rank in (50, 95)])


def _changes_by_tenants(results: Results, other: bool) -> dict[int, list[float]]:
    found: dict[int, list[float]] = {}
    for entry in control_samples.change(results, other):
        found.setdefault(entry["tenants"], []).extend(entry["seconds"])
    return found


def _control_series(results: Results) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    times: dict[str, list[Any]] = {}
    changes: dict[str, list[Any]] = {}
    for contender, other in (("edge", False), ("ovn", True)):
        for entry in control_samples.provision(results, other):
            if entry["seconds"]:
                found = stats.spread(entry["seconds"])
                times.setdefault(contender, []).append(
                    (entry["tenants"], found["median"], found["low"], found["high"]))
        for tenants, samples in _changes_by_tenants(results, other).items():
            changes.setdefault(contender, []).append(
                (tenants, *[stats.percentile(samples, rank) for rank in (50, 95, 99)]))
    return times, changes


def _provision_row(entry: Results) -> tuple[str, ...]:
    tenants, samples, resident = entry["tenants"], entry["seconds"], entry.get("rss_mb")
    if isinstance(resident, dict):
        resident = ", ".join(f"{name} {count(value)}" for name, value in resident.items())
    else:
        resident = count(resident)
    time = f"{number(stats.median(samples))} ({spread(samples)})".replace(" ()", "") if samples else "-"
    installed = entry.get("flows")
    return (count(tenants), number(entry.get("answered")), time, number(entry.get("verified")), count(installed),
            number(installed / tenants) if installed else "-", count(entry.get("heap_mb")),
            count(entry.get("peak_mb")), resident, number(entry.get("cpu_seconds")))


def _growth(points: list[tuple[int, float]]) -> str:
    try:
        power, fit = stats.exponent(points)
        step = stats.steepest(points)
    except PenstockError:
        return "Too few sizes to say how the time grows."
    word = "linear or better" if stats.is_linear(points) else "worse than linear"
    return (f"The time grows with the tenants to the power {power:.2f} (least squares through the logarithms, R squared"
            f" {fit:.2f}), in its steepest step to the power {step:.2f}: {word}.")
