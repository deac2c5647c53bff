# SPDX-License-Identifier: Apache-2.0
"""Ratios and report of a run of cores.py."""

from . import cores, ratios, sections, stats
from .document import Document
from .ratios import CORES
from .results import Ratios, Results
from .wording import count, number, percent

_CASES = {"bare": "bare forwarding", "sessions": "with sessions", "tracked": "tracked", "new": "new connections"}


def compute(results: Results) -> Ratios:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    found = {}
    for case, samples in results.get("cores", {}).items():
        rates = stats.paired_ratios(*([one["mpps"] for one in samples[name]] for name in ("two", "one")))
        if rates:
            found[f"cores_{case}_ratio"] = ratios.of_rounds(
                rates, f"packets a second of two polling threads over those of one, in turns; median of {len(rates)} "
                "rounds")
    return {name: ratios.entry(target, found[name]) for name, target in CORES.items() if name in found}


def detail(results: Results) -> Results:
    """What --json has beside the ratios: medians of every case, the share of the lock, and the checks."""
    cases = {case: {name: {key: stats.median([one[key] for one in samples[name]])
                           for key in ("mpps", "cycles_per_packet", "passes", "upcalls", "asleep")}
                    for name in cores.THREADS if samples[name]}
             for case, samples in results.get("cores", {}).items()}
    found: Results = {case: threads for case, threads in cases.items() if threads}
    if (share := lock_share(found)) is not None:
        found["new_connections_lock_share"] = share
    return found | ({"checks": results["checks"]} if "checks" in results else {})


def lock_share(found: Results) -> float | None:
    """Share of the cycles of a new connection, with two threads, that are a wait for the lock of new connections.

    They are what neither a new connection with one thread nor sharing explains: caches, memory, perhaps a core, and the
    table of connections. Tracked packets share all of these, but not the lock. None unless both were measured.
    """
    if not all(len(found.get(case, {})) == len(cores.THREADS) for case in ("tracked", "new")):
        return None
    one, two = ({case: found[case][name]["cycles_per_packet"] for case in ("tracked", "new")} for name in cores.THREADS)
    share: float = max(0.0, 1 - one["new"] * max(1.0, two["tracked"] / one["tracked"]) / two["new"])
    return share


def render(results: Results) -> Document:
    """The report as a Document."""
    document = sections.begin("Penstock benchmark of polling threads", results)
    sections.ratio_list(document, compute(results), CORES)
    found = detail(results)
    document.section("Two polling threads over one")
    document.text("The access port replays frames from memory into two receive queues, and the uplink drops what it "
                  "gets; both threads poll all the time. With two threads no core is left: the other threads of the "
                  "switch, the agent and the controller, which is idle, take their time from the thread of core 0 and, "
                  "where the kernel moves them there, of core 1. Bare forwarding shows what the machine allows.")
    document.table(["case", "threads", "Mpps", "cycles a packet", "passes", "upcalls", "asleep", "Mpps of core 0",
                    "core 1"], [
        (_CASES[case], name, number(one["mpps"]), count(one["cycles_per_packet"]), number(one["passes"]),
         count(one["upcalls"]), percent(one["asleep"]), *_of_cores(results["cores"][case][name]))
        for case in cores.CASES for name, one in found.get(case, {}).items()], left=2)
    share = found.get("new_connections_lock_share")
    if share is not None:
        cycles_one, cycles_two = (count(found["new"][name]["cycles_per_packet"]) for name in cores.THREADS)
        document.text(f"A new connection takes {cycles_one} cycles with one thread and {cycles_two} with two. "
                      f"{percent(share)} of the latter are attributed to the lock of new connections (`ct_lock`, "
                      "lib/conntrack.c of Open vSwitch): tracked packets, which share all but this lock, do not "
                      f"explain them. The threads slept for {percent(found['new']['two']['asleep'])} of the time; with "
                      "frames to take they do so for hardly anything but a lock, after some spinning.")
    if checks := found.get("checks"):
        document.section("Checks")
        document.text(f"With two threads flows have counted {count(checks['flow_packets'])} packets and polling "
                      f"threads {count(checks['thread_packets'])}. Connections with a session, by queue: "
                      f"{', '.join(map(count, checks['sessions']))}.")
    sections.machine(document, results)
    return document


def _of_cores(samples: list[Results]) -> list[str]:
    return [number(stats.median([one["cores"].get(core, {}).get("mpps", 0) for one in samples])) for core in "01"]
