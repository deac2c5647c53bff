# SPDX-License-Identifier: Apache-2.0
"""The report's sections on packets. Each takes the document and the results, and adds nothing when nothing was
measured."""

from collections.abc import Callable, Sequence
from typing import Any

from . import plots, published, ratios, stats, traffic
from .document import Cell, Document
from .results import Results
from .wording import CONTENDERS, contender, count, direction, flows, frame, number, percent, spread

_LIMIT = "†"
_PERCENTILES = {"p50": "50 %", "p90": "90 %", "p99": "99 %", "p999": "99.9 %", "max": "max"}
_FUNCTIONS = {0: "without a function", 1: "through one function", 2: "through two functions"}
_CHAIN_LOAD = "50"
_MOST_LINES = 6  # More in one drawing cannot be told apart; the table has them all.


def scale(document: Document, results: Results) -> None:
    """Throughput by number of tenants."""
    groups: dict[tuple[Any, ...], list[Results]] = {}
    for entry in results.get("forwarding", ()):
        groups.setdefault(scenario_key(entry), []).append(entry)
    if not groups:
        return
    document.section("Scale")
    document.text("Medians of all rounds. The ratio is the packet rate over that of bare forwarding in "
                  "the same round, with smallest and largest. Where a PMD had time to spare (busy below "
                  f"{ratios.BUSY:.0%}) the generator was the limit: the Mpps are marked {_LIMIT} and say nothing about "
                  "the switch; the ratio is then one of cycles a packet. Passes are trips through the datapath for "
                  "each packet.")
    for place, (_, entries) in enumerate(sorted(groups.items(), key=lambda group: scenario_order(group[0]))):
        entries.sort(key=lambda entry: entry["tenants"])
        title = _scenario(entries[0])
        document.subsection(title)
        if len(entries) > 2:
            document.figure(plots.scale(f"scale{place}", _series(entries)), f"{title}: medians by tenants.")
        document.table(["tenants", "", "Mpps", "Gbit/s L1", "of bare (range)", "cycles a\u00a0packet", "PMD busy",
                        "passes", "masks", "megaflows", "% by EMC / SMC / megaflow"],
                       [_scale_row(entry, name) for entry in entries for name in _contenders(entry)], left=2)


def shape(document: Document, results: Results) -> None:
    """The published scale test of an edge router beside ours, as retention."""
    panels, rows = {}, []
    for way, table in published.EDGE_ROUTER_GBPS.items():
        lines = [(f"Penstock, {workers} PMD{'s' if workers > 1 else ''}", True, points)
                 for workers, points in _kept(results, way).items()]
        if not lines:
            continue
        for workers, gbps in table.items():
            lines.append((f"published, {workers} worker{'s' if workers > 1 else ''}", False,
                          [(tenants, one / gbps[0])
                           for tenants, one in zip(published.EDGE_ROUTER_TENANTS, gbps, strict=True)]))
        rows += [(direction(way), label, *[percent(dict(points).get(tenants))
                                           for tenants in published.EDGE_ROUTER_TENANTS]) for label, _, points in lines]
        # With more than four workers the lines lie upon each other.
        panels[direction(way)] = [line for line in lines if line[1] or int(line[0].split()[1]) <= 4]
    if not rows:
        return
    document.section("Shape beside a published edge router")
    document.text(f"{published.EDGE_ROUTER}: its published scale test, Gbit/s at layer 1, as the share of its "
                  "throughput with 10 tenants that is kept with more. Its machine is another one, so only the shape "
                  "can be compared. No row of it goes beyond 100 Gbit/s: with many workers the port may have been the "
                  "limit, so the rows with few workers tell more. Ours: 64 bytes, the same total number of flows at "
                  "every number of tenants, cycles instead of Mpps where the generator was the limit.")
    document.figure(plots.retention(panels), "Share of the 10-tenant throughput kept, by tenants.")
    document.table(["direction", ""] + [f"{tenants:,} tenants" for tenants in published.EDGE_ROUTER_TENANTS], rows,
                   left=2)


def rfc2544(document: Document, results: Results) -> None:
    """Throughput without loss, latency, loss, back-to-back frames; latency through a service chain."""
    entries = results.get("rfc2544") or []
    if entries:
        document.section("RFC 2544")
        document.text("Throughput is the highest rate found at which no frame is lost. Latency is measured at shares "
                      "of each contender's own throughput, one way, in the generator: from the stamp when a frame goes "
                      "into the ring to its reading at the other end, with the generator's own polling.")
        document.table(["", "tenants", "frame", "throughput, Mpps", "Gbit/s L1", "trials", "back-to-back frames"],
                       [(contender(entry), count(entry.get("tenants")), frame(entry.get("frame")),
                         number(entry.get("throughput_mpps")), number(_gbps(entry)),
                         count(len(entry.get("trials") or ())), count(entry.get("back_to_back_frames")))
                        for entry in entries])
        _latency(document, entries, "latency", _label)
        _loss(document, entries)
    entries = results.get("chain_latency") or []
    if entries:
        document.section("Latency of a service chain")
        document.text("The same traffic without a network function in its path and through functions, in turns: "
                      "medians of the rounds, with smallest and largest. The generator is the functions, and hands "
                      "every frame on unchanged: this is what the switch and its rings cost, and what a function does "
                      "with a frame comes on top. Loads are shares of each one's own throughput. How much more is "
                      f"the median latency at {_CHAIN_LOAD} % less that without a function in the same round.")
        document.table(["", "tenants", "frame", "throughput, Mpps", f"median at {_CHAIN_LOAD} %, microseconds",
                        "more than without"], [_chain_row(entry, entries) for entry in entries])
        _latency(document, entries, "chain", _chain_label)


def scenario_key(entry: Results) -> tuple[Any, ...]:
    """What entries of one scenario have in common, whatever the number of tenants."""
    return tuple(entry.get(name) for name in ("direction", "frame", "kind", "pmds"))


def scenario_order(key: tuple[Any, ...]) -> tuple[bool, bool, bool, str, int]:
    """Sorts scenarios: those that the ratios are made of come first."""
    way, size, kind, pmds = key
    return way != "one-way", str(size) != "64", kind != ratios.KIND, str(size), pmds or 1


def median_of(samples: Sequence[Results], key: str) -> float | None:
    """Median of a figure over the samples that have it, or None."""
    found = [sample[key] for sample in samples if sample and sample.get(key) is not None]
    return stats.median(found) if found else None


def _scenario(entry: Results) -> str:
    pmds = entry.get("pmds") or 1
    text = f"{direction(entry.get('direction'))}, {frame(entry.get('frame'))}, {flows(entry)}"
    return text[0].upper() + text[1:] + (f", {pmds} PMDs" if pmds > 1 else "")


def _contenders(entry: Results) -> list[str]:
    contenders = entry.get("contenders", {})
    return [name for name in CONTENDERS if any(contenders.get(name) or ())]


def _series(entries: list[Results]) -> dict[str, list[Any]]:
    series: dict[str, list[Any]] = {}
    for entry in entries:
        for name in _contenders(entry):
            samples = entry["contenders"][name]
            series.setdefault(name, []).append(
                (entry["tenants"], median_of(samples, "mpps"), median_of(samples, "cycles_per_packet"),
                 ratios.generator_was_limit(samples)))
    return series


def _scale_row(entry: Results, name: str) -> tuple[str | Cell, ...]:
    samples = entry["contenders"][name]
    rates: list[str | Cell] = [number(median_of(samples, key)) for key in ("mpps", "gbps_l1")]
    if ratios.generator_was_limit(samples):
        rates = [Cell(f"{rate} {_LIMIT}", "muted") for rate in rates]
    found = ratios.compare(samples, entry["contenders"].get("bare", ()))[0] if name != "bare" else []
    lookups = [median_of(samples, key) for key in ("emc", "smc", "megaflow")]
    return (f"{entry['tenants']:,}", CONTENDERS[name], *rates,
            f"{number(stats.median(found))} ({spread(found)})".replace(" ()", "") if found else "",
            count(median_of(samples, "cycles_per_packet")), percent(median_of(samples, "busy")),
            number(median_of(samples, "passes")), count(median_of(samples, "masks")),
            count(median_of(samples, "megaflows")),
            " / ".join("-" if one is None else f"{one * 100:.0f}" for one in lookups))


def _kept(results: Results, way: str) -> dict[int, list[tuple[int, float]]]:
    """{PMDs: [(tenants, share of the 10-tenant throughput)]} with the constant total of flows."""
    ours = {}
    for workers in sorted({entry.get("pmds", 1) for entry in results.get("forwarding", ())}):
        samples = {tenants: ratios.forwarding(results, tenants, way, kind=ratios.KIND, pmds=workers)[0].get("edge", ())
                   for tenants in published.EDGE_ROUTER_TENANTS}
        found = {tenants: ratios.compare(many, samples[published.EDGE_ROUTER_TENANTS[0]])[0]
                 for tenants, many in samples.items()}
        points = [(tenants, stats.median(rounds)) for tenants, rounds in found.items() if rounds]
        if len(points) > 1:
            ours[workers] = points
    return ours


def _label(entry: Results) -> str:
    return f"{contender(entry)}, {count(entry.get('tenants'))} tenants, {frame(entry.get('frame'))}"


def _chain_label(entry: Results) -> str:
    return f"{_through(entry)}, {count(entry.get('tenants'))} tenants, {frame(entry.get('frame'))}"


def _through(entry: Results) -> str:
    functions: Any = entry.get("functions")
    return _FUNCTIONS.get(functions, f"through {count(functions)} functions")


def _chain_row(entry: Results, entries: list[Results]) -> tuple[str, ...]:
    base = next((one for one in entries if one.get("functions") == 0 and one["tenants"] == entry["tenants"]), {})
    own, without = _chain_medians(entry), _chain_medians(base)
    more = [one - other for one, other in zip(own, without, strict=False)] if entry.get("functions") else []
    return (_through(entry), count(entry.get("tenants")), frame(entry.get("frame")),
            _ranged([one["throughput_mpps"] for one in entry.get("rounds", ())]), _ranged(own), _ranged(more))


def _chain_medians(entry: Results) -> list[float]:
    """Of each round, in microseconds."""
    return [one["latency_ns"][_CHAIN_LOAD]["p50"] / 1000 for one in entry.get("rounds", ())]


def _ranged(values: list[float]) -> str:
    return f"{number(stats.median(values))} ({spread(values)})".replace(" ()", "") if values else "-"


def _latency(document: Document, entries: list[Results], name: str, label: Callable[[Results], str]) -> None:
    rows, lines = [], []
    for entry in entries:
        for load, found in sorted((entry.get("latency_ns") or {}).items(), key=lambda item: float(item[0])):
            known = {text: found[key] / 1000 for key, text in _PERCENTILES.items() if found.get(key)}
            if known:
                rows.append((label(entry), f"{load} %", *[number(known.get(text)) for text in _PERCENTILES.values()]))
                lines.append((f"{label(entry)}, at {load} % load", entry.get("contender", "edge"), known))
    if rows:
        document.subsection("Latency, microseconds")
        document.figure(plots.latency(name, _chosen(lines)), "Latency by percentile, on a logarithmic scale.")
        document.table(["", "load", *_PERCENTILES.values()], rows)


def _loss(document: Document, entries: list[Results]) -> None:
    lines = [(_label(entry), entry.get("contender"), [(point["offered"], point["lost"]) for point in
                                                      entry["loss_curve"]])
             for entry in entries if entry.get("loss_curve")]
    if lines:
        document.subsection("Loss")
        document.figure(plots.loss(_chosen(lines)), "Share of frames lost against the rate offered.")
        document.table(["", "offered, Mpps: share lost"],
                       [(label, ", ".join(f"{number(offered)}: " + (f"{lost:.2%}" if lost else "0")
                                          for offered, lost in points))
                        for label, _, points in lines], left=2)


def _chosen(lines: list[Any]) -> list[Any]:
    """Those of the smallest frames, where there are any."""
    return ([line for line in lines if "64 bytes" in line[0]] or lines)[:_MOST_LINES]


def _gbps(entry: Results) -> float | None:
    rate, size = entry.get("throughput_mpps"), entry.get("frame")
    if rate is None or size is None:
        return None
    return traffic.layer1_gbps(rate, traffic.mean_size(str(size)))
