# SPDX-License-Identifier: Apache-2.0
"""From the samples of a run to the named ratios, each beside its target."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import control_samples, loads, stats
from .results import Found, Ratios, Results
from .wording import CONTENDERS

SIZES = (10, 100, 1000)
PASSES_SIZES = (10, 100)
"""Numbers of tenants at which lookups a packet are compared with the counted ones: see budget.ratios()."""
BUSY = 0.95
"""A PMD less busy than this had time to spare: the generator was the limit, and Mpps say nothing about the switch."""
KIND = "constant"
"""The same number of flows at every number of tenants: only the tenants differ. Else what was measured counts."""


@dataclasses.dataclass(frozen=True)
class Target:
    """What a ratio should be. bound: ">=", "<=" or "<" of `value`, or None where there is no target.

    quick: whether a quick run measures it.
    """
    name: str
    text: str
    bound: str | None = None
    value: float | None = None
    better: str = "higher"
    unit: str = ""
    quick: bool = True

    def is_met(self, value: float) -> bool | None:
        """Whether a value meets the target; None without one."""
        if self.bound is None or self.value is None:
            return None
        return {">=": value >= self.value, "<=": value <= self.value, "<": value < self.value}[self.bound]


def _targets() -> Iterator[Target]:
    for tenants in SIZES:
        yield Target(f"edge_vs_bare_64B_{tenants}", f"packet rate over bare forwarding's, {tenants} tenants, 64 bytes",
                     ">=", 0.40)
    yield Target("retention_one_way", "throughput at 1000 tenants over that at 10, one way", ">=", 0.90)
    yield Target("retention_both_ways", "throughput at 1000 tenants over that at 10, both ways", ">=", 0.85)
    for name, text, quick in (("vs_ovn_packets", "OVN's, set up as fast as we know how", True),
                              ("vs_ovn_gateway_packets", "OVN's with gateway routers, the usual setup", False)):
        for tenants, least in zip(SIZES, (3.0, 3.0, 5.0), strict=True):
            yield Target(f"{name}_{tenants}", f"packet rate over {text}, {tenants} tenants, 64 bytes", ">=", least,
                         quick=quick)
    yield Target("vs_ovn_provisioning_1000", "time to provision 1000 tenants over OVN's", "<=", 1 / 3, "lower")
    yield Target("vs_ovn_flows_1000", "flows on the bridge at 1000 tenants over OVN's", "<=", 0.1, "lower")
    yield Target("change_p95_ratio_1000_10", "time for one change at 1000 tenants over that at 10, 95th percentile",
                 "<=", 2.0, "lower")
    yield Target("change_p95_ms_1000", "time for one change at 1000 tenants, 95th percentile", "<", 250, "lower", "ms")
    yield Target("provision_1000_seconds", "time to provision 1000 tenants", "<", 10, "lower", "s")
    yield Target("resync_1000_seconds", "time to bring a switch back to 1000 tenants", "<", 10, "lower", "s")
    yield Target("flows_per_tenant", "OpenFlow flows for each further tenant", better="lower")
    for tenants in PASSES_SIZES:
        yield Target(f"passes_one_way_{tenants}", f"lookups in the datapath for a packet with a session, {tenants} "
                     "tenants, 64 bytes", better="lower")


TARGETS = {target.name: target for target in _targets()}
"""All ratios of a run of the whole edge, in the order of the report."""

SERVICES = {target.name: target for target in (
    Target("leases_per_second", "leases a second, a host of each of many tenants at the same time"),
    Target("lease_p99_ms", "from the first DISCOVER to the ACK, 99th percentile of these", better="lower", unit="ms"),
    Target("dns_queries_per_second", "DNS queries a second that some tenants get answered"),
    Target("dns_p99_ms", "DNS answer at half of that rate, 99th percentile", better="lower", unit="ms"),
    Target("neighbour_throughput_ratio", "throughput of a tenant with a hostile one over that without, worst of all "
           "floods", ">=", 0.95),
    Target("neighbour_lease_p99_ratio", "lease time of a tenant with a hostile one over that without, 99th percentile, "
           "worst of all floods", "<=", 2.0, "lower"),
    Target("resolvers_1000_seconds", "until the resolvers of 1000 new tenants are ok", better="lower", unit="s"),
    Target("resolver_megabytes", "memory of the resolver of a tenant, of 1000", better="lower", unit="MB"),
    Target("resolver_added_seconds", "until the resolver of one tenant more is ok, beside 1000", better="lower",
           unit="s"))}
"""All ratios of a run of services.py."""

CHAIN = {target.name: target for target in (
    Target("lost_packets_planned_change", "datagrams lost while functions and chains were changed as planned", "<=", 0,
           "lower"),
    Target("lost_share_planned_change_fast", "share of the packets lost in the same changes, at 100,000 a second", "<=",
           0, "lower"),
    Target("lost_share_quiet_fast", "the same without a change: what the machine itself loses", better="lower"),
    Target("outage_ms_instance_kill", "longest time without an answer when one of two instances is killed, or hangs, "
           "median of the worse", "<=", 1000, "lower", "ms"),
    Target("broken_tcp_connections", "TCP connections broken, or moved to another instance, at scale-out, scale-in and "
           "upgrade", "<=", 0, "lower"),
    *(Target(f"hop_vs_bare_{hops}", f"packet rate through {hops} function{'s' * (hops > 1)} over bare forwarding's, 64 "
             "bytes") for hops in (1, 2, 3)),
    *(Target(f"{form}_mpps", f"packets without loss through the firewall as {text}, 64 bytes", unit="Mpps")
      for form, text in (("vm", "virtual machine"), ("container", "container"), ("netns", "network namespace"))),
    Target("probe_overhead_ratio", "packet rate through a function with probes each 50 ms over that without"))}
"""All ratios of a run of functions.py."""


def _load() -> Iterator[Target]:
    for cell in loads.QUICK:
        for other, text in (("hand", "one conntrack flow's"), ("ovn", "OVN's")):
            if (cell.name, other) == (loads.RATE_CELL, "hand"):
                continue
            yield Target(f"load_{cell.name}_vs_{other}", f"packet rate over {text}, {cell.text}", ">=",
                         loads.least(cell.name, other))
    yield Target("load_connection_rate_vs_hand", "new connections a second over one conntrack flow's", ">=", 0.8)
    yield Target("load_recovery_seconds", "until the throughput is back after a change of load, the worst", "<=", 3,
                 "lower", "s")


LOAD = {target.name: target for target in _load()}
"""All ratios of a run of load.py."""

CORES = {target.name: target for target in (
    Target("cores_sessions_ratio", "packet rate of two polling threads over that of one, connections with sessions",
           ">=", 1.8),
    Target("cores_tracked_ratio", "the same, tracked connections", ">=", 1.5),
    Target("cores_new_ratio", "the same, new connections"),
    Target("cores_bare_ratio", "the same, bare forwarding: what the machine allows"))}
"""All ratios of a run of cores.py."""

SCALE = {target.name: target for target in (
    Target("scale_change_p95_200_vs_2", "time for one change beside 200 nodes over that beside 2, 95th percentile",
           "<=", 1.5, "lower"),
    Target("scale_change_cpu_200_vs_2", "the same, processor time of the controller", better="lower"),
    Target("scale_threads_200_vs_2", "threads of the controller with 200 nodes over those with 2", better="lower"),
    Target("scale_lease_cpu_1000_vs_10", "processor time of the controller for one lease with 1000 tenants over that "
           "with 10", "<=", 1.5, "lower"))}
"""All ratios of a run of scale.py."""

SWITCHES = {target.name: target for target in (
    *(Target(f"switch_{contender}_{cell.name}", "cycles a packet on the oldest Open vSwitch over those on the newest, "
             f"{CONTENDERS[contender]}, {cell.text}", ">=", 1.0)
      for cell in loads.SWITCH_CELLS for contender in loads.WITHOUT_OVN),
    *(Target(f"switch_ovn_{cell.name}", f"cycles a packet of the older OVN over those of the newest, {cell.text}")
      for cell in loads.SWITCH_CELLS))}
"""All ratios of a run of switches.py."""

RUNS = {"edge": TARGETS, "services": SERVICES, "chain": CHAIN, "load": LOAD, "cores": CORES,
        "scale": SCALE, "switches": SWITCHES}
"""What each kind of run measures."""
EVERY_TARGET = TARGETS | SERVICES | CHAIN | LOAD | CORES | SCALE | SWITCHES
"""What the baseline knows."""


def compute(results: Results) -> Ratios:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    found = {}
    for tenants in SIZES:
        found[f"edge_vs_bare_64B_{tenants}"] = _packets(results, tenants, "bare")
        found[f"vs_ovn_packets_{tenants}"] = _packets(results, tenants, "ovn")
        found[f"vs_ovn_gateway_packets_{tenants}"] = _packets(results, tenants, "ovn-gateway")
    found["retention_one_way"] = _retention(results, "one-way")
    found["retention_both_ways"] = _retention(results, "both-ways")
    found["vs_ovn_provisioning_1000"] = _provisioning(results)
    found["vs_ovn_flows_1000"] = _flows(results)
    found["change_p95_ratio_1000_10"] = _change_growth(results)
    found["change_p95_ms_1000"] = _change(results)
    found["provision_1000_seconds"] = _provision(results)
    found["resync_1000_seconds"] = _resync(results)
    found["flows_per_tenant"] = _flows_per_tenant(results)
    for tenants in PASSES_SIZES:
        found[f"passes_one_way_{tenants}"] = _passes(results, tenants)
    return {name: entry(target, one) for name, target in TARGETS.items() if (one := found[name]) is not None}


def values(ratios: Ratios) -> dict[str, float]:
    """{name: value}: what --json writes."""
    return {name: ratio["value"] for name, ratio in ratios.items()}


def forwarding(results: Results, tenants: int, direction: str = "one-way", frame: str = "64", kind: str | None = None,
               pmds: int = 1) -> tuple[dict[str, list[Results]], str | None]:
    """The contenders' samples of a scenario, and its kind: ({name: [sample, ...]}, kind), or ({}, None).

    Without a kind the one with a constant number of flows is preferred.
    """
    found = {entry.get("kind"): entry.get("contenders", {}) for entry in results.get("forwarding", ())
             if (entry.get("tenants"), entry.get("direction"), str(entry.get("frame")), entry.get("pmds", 1))
             == (tenants, direction, frame, pmds)}
    for wanted in (kind,) if kind else (KIND, *found):
        if wanted in found:
            return found[wanted], wanted
    return {}, None


def compare(ours: Sequence[Results], theirs: Sequence[Results]) -> tuple[list[float], str]:
    """How many times `theirs` our samples are, round by round, and by what: (ratios, "Mpps" or "cycles a packet").

    Cycles are used for all rounds as soon as a PMD had time to spare in one of them, or was not asked.
    """
    rounds = [pair for pair in zip(ours, theirs, strict=False) if None not in pair]
    if any(_spare(sample) for pair in rounds for sample in pair) or not _has(rounds, "mpps"):
        return stats.paired_ratios(*_column(rounds, "cycles_per_packet")[::-1]), "cycles a packet"
    return stats.paired_ratios(*_column(rounds, "mpps")), "Mpps"


def generator_was_limit(samples: Iterable[Results]) -> bool:
    """Whether the median PMD had time to spare, so that the Mpps are the generator's."""
    busy = [sample["busy"] for sample in samples if sample and sample.get("busy") is not None]
    return bool(busy) and stats.median(busy) < BUSY


def _spare(sample: Results) -> bool:
    busy, cycles = sample.get("busy"), sample.get("cycles_per_packet")
    return cycles is not None and (busy is None or busy < BUSY)


def _has(rounds: Sequence[tuple[Results, Results]], key: str) -> bool:
    return all(sample.get(key) is not None for pair in rounds for sample in pair)


def _column(rounds: Sequence[tuple[Results, Results]], key: str) -> tuple[list[Any], list[Any]]:
    return [first.get(key) for first, _ in rounds], [second.get(key) for _, second in rounds]


def _packets(results: Results, tenants: int, other: str) -> Found | None:
    # The contenders side by side; with a constant number of flows a quick run measures Penstock alone.
    for kind in ("ten-each", KIND):
        contenders, _ = forwarding(results, tenants, kind=kind)
        if contenders.get("edge") and contenders.get(other):
            break
    found, unit = compare(contenders.get("edge", ()), contenders.get(other, ()))
    if not found:
        return None
    return of_rounds(found, f"Penstock against {CONTENDERS[other]}, {unit}, {_flows_text(kind)}, one way; median of "
                             f"{_rounds(found)} side by side")


def _passes(results: Results, tenants: int) -> Found | None:
    for kind in ("ten-each", KIND):
        samples = forwarding(results, tenants, kind=kind)[0].get("edge", ())
        if found := [sample["passes"] for sample in samples if sample and sample.get("passes") is not None]:
            return of_rounds(found, f"the PMD's own counter, {_flows_text(kind)}, one way, 64 bytes; median of "
                                    f"{_rounds(found)}")
    return None


def _retention(results: Results, direction: str) -> Found | None:
    many, few = (forwarding(results, tenants, direction, kind=KIND)[0].get("edge", ()) for tenants in (1000, 10))
    found, unit = compare(many, few)
    if not found:
        return None
    return of_rounds(found, f"Penstock at 1000 against 10 tenants, {unit}, {_flows_text(KIND)}, 64 bytes, "
                             f"{direction.replace('-', ' ')}; median of {_rounds(found)}")


def _provisioning(results: Results) -> Found | None:
    ours, theirs = (_provision_seconds(results, other) for other in (False, True))
    if not ours or not theirs:
        return None
    return (stats.median(ours) / stats.median(theirs), min(ours) / max(theirs), max(ours) / min(theirs),
            f"seconds until the switch has every flow, Penstock's over OVN's, medians of {len(ours)} and {len(theirs)}")


def _provision(results: Results) -> Found | None:
    samples = _provision_seconds(results)
    return of_rounds(samples, f"until the switch has every flow; median of {_rounds(samples)}") if samples else None


def _provision_seconds(results: Results, other: bool = False) -> list[float]:
    return next((entry["seconds"] for entry in control_samples.provision(results, other)
                 if entry["tenants"] == 1000), [])


def _flows(results: Results) -> Found | None:
    ours, theirs = (_flow_counts(results, other).get(1000) for other in (False, True))
    if not ours or not theirs:
        return None
    return ours / theirs, ours / theirs, ours / theirs, "flows on the bridge, Penstock's over OVN's"


def _flows_per_tenant(results: Results) -> Found | None:
    counts = _flow_counts(results)
    if len(counts) < 2:
        return None
    few, many = min(counts), max(counts)
    value = (counts[many] - counts[few]) / (many - few)
    return value, value, value, f"flows added from {few} to {many} tenants, for each tenant added"


def _flow_counts(results: Results, other: bool = False) -> dict[int, int]:
    return {entry["tenants"]: entry["flows"] for entry in control_samples.provision(results, other)
            if entry.get("flows")}


def _change_growth(results: Results) -> Found | None:
    many, few = _changes(results, 1000), _changes(results, 10)
    same = sorted(set(many) & set(few))
    if not same:
        return None
    lists = tuple([sample for what in same for sample in found[what]] for found in (many, few))
    return growth_of_changes(*lists)


def _change(results: Results) -> Found | None:
    samples = [sample for found in _changes(results, 1000).values() for sample in found]
    if not samples:
        return None
    low, high = stats.interval(samples, _p95)
    return (_p95(samples) * 1000, low * 1000, high * 1000,
            f"95th percentile of {len(samples)} single changes, from the request to the switch; range by resampling "
            "(95 %)")


def _changes(results: Results, tenants: int) -> dict[str, list[float]]:
    return {entry["what"]: entry["seconds"] for entry in control_samples.change(results)
            if entry["tenants"] == tenants}


def _resync(results: Results) -> Found | None:
    """Of the slowest occasion: every one of them must be fast."""
    occasions = [entry for entry in control_samples.resync(results) if entry["tenants"] == 1000]
    if not occasions:
        return None
    slowest = max(occasions, key=lambda entry: stats.median(entry["seconds"]))
    return of_rounds(slowest["seconds"], f"{slowest['what']}, the slowest of {len(occasions)} occasions; median of "
                                          f"{_rounds(slowest['seconds'])}")


def _p95(samples: Sequence[float]) -> float:
    return stats.percentile(samples, 95)


def growth_of_changes(above: Sequence[float], below: Sequence[float]) -> Found:
    """95th percentile of the seconds of single changes over that of others, its range, and how it was found."""
    low, high = stats.interval((above, below), lambda one, other: _p95(one) / _p95(other))
    return (_p95(above) / _p95(below), low, high,
            f"95th percentile of {len(above)} single changes over that of {len(below)}; range by resampling (95 %)")


def of_rounds(found: Sequence[float], method: str) -> Found:
    """The median of one ratio's rounds, its range, and how it was found."""
    return stats.median(found), min(found), max(found), method


def _rounds(found: Sequence[float]) -> str:
    return "1 round" if len(found) == 1 else f"{len(found)} rounds"


def _flows_text(kind: str) -> str:
    return {"constant": "constant total of flows", "ten-each": "10 flows a tenant"}.get(kind, str(kind))


def entry(target: Target, found: Found) -> Results:
    """A ratio of the results, from what of_rounds() returned."""
    value, low, high, method = found
    return {"value": value, "low": low, "high": high, "target": target.value, "met": target.is_met(value),
            "method": method}
