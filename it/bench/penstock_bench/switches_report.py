# SPDX-License-Identifier: Apache-2.0
"""Ratios and report of a run of switches.py."""

from . import loads, ratios, sections, stats
from .document import Document
from .ratios import SWITCHES
from .results import Ratios, Results
from .wording import CONTENDERS, count, spread

_CYCLES = "cycles_per_packet"


def compute(results: Results) -> Ratios:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    switches = results.get("switches", [])
    own = [number for number, one in enumerate(switches) if not one["ovn"]]
    peers = [number for number, one in enumerate(switches) if one["ovn"]]
    found = {}
    for cell in results.get("cells", []):
        pairs = [(contender, own) for contender in loads.WITHOUT_OVN] + [("ovn", peers)]
        for contender, numbers in pairs:
            found[f"switch_{contender}_{cell['name']}"] = stats.paired_ratios(*(
                [one[_CYCLES] for one in cell["samples"][number].get(contender, [])]
                for number in (numbers[0], numbers[-1])))
    return {name: ratios.entry(target, ratios.of_rounds(
        found[name], f"cycles a packet; median of {len(found[name])} rounds side by side"))
        for name, target in SWITCHES.items() if found.get(name)}


def detail(results: Results) -> Results:
    """What --json has beside the ratios: medians of each switch, load and contender."""
    return {_column(one): {cell["name"]: {name: {key: stats.median([sample[key] for sample in samples])
                                                 for key in ("mpps", _CYCLES, "busy")}
                                          for name, samples in cell["samples"][number].items() if samples}
                           for cell in results.get("cells", [])}
            for number, one in enumerate(results.get("switches", []))}


def render(results: Results) -> Document:
    """The report as a Document."""
    document = sections.begin("Penstock benchmark of switches", results)
    sections.ratio_list(document, compute(results), SWITCHES)
    switches = results.get("switches", [])
    if switches:
        document.section("Cycles a packet")
        document.text("Medians of the rounds, with their range. " + ", ".join(sorted({
            f"Open vSwitch {one['open_vswitch']} runs with DPDK {one['dpdk']}" for one in switches}))
            + ". * no two looks agreed in some round; ° the polling thread had time to spare in some round, so the "
            "generator was the limit. On a switch with OVN the polling thread polls two ports more.")
        document.table(["load", "", *map(_column, switches)], [
            (cell["text"], CONTENDERS[name], *(_cell(samples.get(name, [])) for samples in cell["samples"]))
            for cell in results.get("cells", []) for name in loads.CONTENDERS], left=2)
    sections.machine(document, results)
    return document


def _column(one: Results) -> str:
    return f"{one['open_vswitch']}" + (f" with OVN {one['ovn']}" if one["ovn"] else "")


def _cell(samples: list[Results]) -> str:
    if not samples:
        return "-"
    cycles = [one[_CYCLES] for one in samples]
    between = spread(cycles)
    return (count(stats.median(cycles)) + "*" * (not all(one["settled"] for one in samples))
            + "°" * any(one["busy"] < ratios.BUSY for one in samples) + (f" ({between})" if between else ""))
