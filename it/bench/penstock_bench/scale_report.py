# SPDX-License-Identifier: Apache-2.0
"""Ratios and report of a run of scale.py."""

from collections.abc import Sequence
from typing import Any

from . import ratios, sections, stats
from .document import Document
from .ratios import SCALE
from .wording import count, number

Results = dict[str, Any]

NODES, TENANTS = (2, 200), (10, 1000)
"""The sizes that ratios are about: others have none."""

_KINDS = {"add": "added", "change": "on another VLAN", "delete": "deleted"}
_SERIES = {"alone": "one after the other", "together": "several at once"}


def compute(results: Results) -> Results:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    found = _of_nodes(results) | _of_leases(results)
    return {name: ratios.entry(target, found[name]) for name, target in SCALE.items() if name in found}


def detail(results: Results) -> Results:
    """What --json has beside the ratios: times in ms, memory in MB, and what grew how much by size."""
    nodes = {str(one["nodes"]): _node_figures(one) for one in _sizes(results)}
    leases = {str(one["tenants"]): _tenant_figures(one) for one in results.get("leases", ())}
    found = {"nodes": nodes, "leases": leases, "growth": _growth(nodes, leases)}
    if "restart" in results.get("nodes", {}):
        found["restart"] = results["nodes"]["restart"]
    return {name: part for name, part in found.items() if part}


def _sizes(results: Results) -> list[Results]:
    sizes: list[Results] = results.get("nodes", {}).get("sizes", [])
    return sizes


def _of_nodes(results: Results) -> Results:
    by_size = {one["nodes"]: one for one in _sizes(results)}
    if not set(NODES) <= set(by_size):
        return {}
    few, many = (by_size[size] for size in NODES)
    return {"scale_change_p95_200_vs_2": ratios.growth_of_changes(_applied(many), _applied(few)),
            "scale_change_cpu_200_vs_2": ratios.of_rounds(
                [_cpu_of_change(many) / _cpu_of_change(few)],
                f"processor seconds in the time of {len(_applied(many))} changes; measured once"),
            "scale_threads_200_vs_2": ratios.of_rounds([many["cost"]["threads"] / few["cost"]["threads"]],
                                                       "after the changes; measured once")}


def _of_leases(results: Results) -> Results:
    by_size = {one["tenants"]: one for one in results.get("leases", ())}
    if not set(TENANTS) <= set(by_size):
        return {}
    few, many = ([_cpu_of_lease(one) for one in by_size[size]["alone"]] for size in TENANTS)
    return {"scale_lease_cpu_1000_vs_10": ratios.of_rounds(
        stats.paired_ratios(many, few), f"one lease after the other; median of {len(few)} rounds of "
        f"{len(by_size[TENANTS[0]]['alone'][0]['seconds'])}")}


def _applied(one: Results, what: str = "applied") -> list[float]:
    return [sample[what] for samples in one["samples"].values() for sample in samples]


def _cpu_of_change(one: Results) -> float:
    return float(one["cpu"]["controller"] / len(_applied(one)))


def _cpu_of_lease(taken: Results) -> float:
    return float(taken["cpu"]["controller"] / len(taken["seconds"]))


def _times(seconds: Sequence[float]) -> Results:
    return {"p50_ms": 1000 * stats.percentile(seconds, 50), "p95_ms": 1000 * stats.percentile(seconds, 95)}


def _node_figures(one: Results) -> Results:
    found = {"synced_seconds": one["synced"], "provisioned_seconds": one["provisioned"], "flows": one["flows"],
             "changes": {kind: _times([sample["applied"] for sample in samples])
                         for kind, samples in one["samples"].items()} | {
                             "all": _times(_applied(one)), "answered": _times(_applied(one, "answered"))},
             "change_cpu_ms": 1000 * _cpu_of_change(one), "nodes_cores": one["cpu"]["nodes"] / one["seconds"],
             "idle_cores": {name: seconds / one["idle"]["seconds"] for name, seconds in one["idle"]["cpu"].items()},
             "threads": one["cost"]["threads"]}
    found |= {f"{name}_megabytes": one["cost"][name] / 1e6 for name in ("resident", "heap_after_gc", "heap_peak")}
    return found | {"leases": _lease_figures([one["leases"]]) | {"to_others": one["leases"]["to_others"]}}


def _tenant_figures(one: Results) -> Results:
    return {"flows": one["flows"]} | {kind: _lease_figures(one[kind]) for kind in _SERIES}


def _lease_figures(rounds: list[Results]) -> Results:
    seconds = [second for one in rounds for second in one["seconds"]]
    return _times(seconds) | {"count": len(seconds), "failed": sum(one["failed"] for one in rounds),
                              "cpu_ms": 1000 * sum(one["cpu"]["controller"] for one in rounds) / len(seconds),
                              "rate": len(seconds) / sum(one["took"] for one in rounds)}


def _growth(nodes: Results, leases: Results) -> Results:
    """How many times the figures of the first size those of the last are, where these are not 0."""
    found: Results = {}
    if len(nodes) > 1:
        few, *_, many = nodes.values()
        found["changes"] = {kind: _over(times, few["changes"][kind]) for kind, times in many["changes"].items()}
        found["leases_of_a_node"] = _over(many["leases"], few["leases"])
    if len(leases) > 1:
        few, *_, many = leases.values()
        found["leases"] = {kind: _over(many[kind], few[kind]) for kind in _SERIES}
    return found


def _over(many: Results, few: Results) -> Results:
    return {name: many[name] / few[name] for name in ("p50_ms", "p95_ms", "cpu_ms") if few.get(name)}


def render(results: Results) -> Document:
    """The report as a Document."""
    document: Document = sections.begin("Penstock benchmark of scale", results)
    sections.ratio_list(document, compute(results), SCALE)
    found = detail(results)
    if "nodes" in found:
        _nodes_section(document, found, results["nodes"]["tenants_each"])
    if "leases" in found:
        _leases_section(document, found)
    sections.machine(document, results)
    return document


def _nodes_section(document: Document, found: Results, tenants_each: int) -> None:
    document.section("Many nodes")
    document.text(f"Each node is an Open vSwitch with dummy ports and has {tenants_each} tenants. One more tenant of a "
                  "node is added, gets another VLAN and is deleted; then one of the next node.")
    document.table(["nodes", "", "median, ms", "95 %, ms"], [
        (size, _KINDS.get(kind, kind), number(times["p50_ms"]), number(times["p95_ms"]))
        for size, one in found["nodes"].items() for kind, times in one["changes"].items()], left=2)
    document.text("Answered is when RESTCONF has answered, of all three kinds; all others are when the RPC "
                  "wait-applied has said that the node has confirmed the change.")
    document.table(["nodes", "controller, ms of a core for a change", "cores when idle", "cores of all nodes meanwhile",
                    "threads", "resident, MB", "heap after a collection, MB", "peak"], [
        (size, number(one["change_cpu_ms"]), number(one["idle_cores"]["controller"]), number(one["nodes_cores"]),
         count(one["threads"]), count(one["resident_megabytes"]), count(one["heap_after_gc_megabytes"]),
         count(one["heap_peak_megabytes"])) for size, one in found["nodes"].items()])
    document.table(["nodes", "new nodes in sync, s", "their tenants applied, s", "flows of all"], [
        (size, number(one["synced_seconds"]), number(one["provisioned_seconds"]), count(one["flows"]))
        for size, one in found["nodes"].items()])
    document.subsection("Leases beside other nodes")
    document.text("Hosts of one tenant of the first node, one after the other. The last column has the messages about "
                  "flows and meters that other nodes got meanwhile.")
    document.table(["nodes", "leases", "median, ms", "95 %, ms", "controller, ms of a core each", "failed",
                    "messages to other nodes"], [
        (size, *_lease_cells(one["leases"]), count(one["leases"]["to_others"]))
        for size, one in found["nodes"].items()])
    if restart := found.get("restart"):
        document.subsection("Restart of the controller")
        document.text(f"After a kill it answers after {number(restart['answered'])} s, all nodes are in sync after "
                      f"{number(restart['synced'])} s, and all of their flows were read and found as planned after "
                      f"{number(restart['verified'])} s.")


def _leases_section(document: Document, found: Results) -> None:
    document.section("Leases of many tenants")
    document.text("All tenants are on one node. Hosts of random tenants ask for a free address by one REQUEST; the "
                  "time is that from the REQUEST to the moment in which the switch has the ACK to send.")
    document.table(["tenants", "", "leases", "median, ms", "95 %, ms", "controller, ms of a core each", "failed",
                    "leases a second"], [
        (size, text, *_lease_cells(one[kind]), number(one[kind]["rate"])) for size, one in found["leases"].items()
        for kind, text in _SERIES.items()], left=2)


def _lease_cells(one: Results) -> tuple[str, ...]:
    return (count(one["count"]), number(one["p50_ms"]), number(one["p95_ms"]), number(one["cpu_ms"]),
            count(one["failed"]))
