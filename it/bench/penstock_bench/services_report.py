# SPDX-License-Identifier: Apache-2.0
"""Ratios and report of a run of services.py."""

from collections.abc import Iterable, Mapping, Sequence

from penstock_node.ovs import NICENESS

from . import floods, names, neighbour, ratios, resolvers, sections, stats
from .document import Document
from .ratios import SERVICES
from .results import Found, Ratios, Results
from .wording import count, number, percent, spread

_FLOODS = {"quiet": "none", "dhcp": "DISCOVERs of ever other hosts", "arp": "ARP for unknown hosts",
           "dns": "DNS queries", "ttl": "packets with a TTL of 1", "mixed": "all of these",
           floods.CONNECTIONS: "new connections", "sources": "ever other source MAC addresses",
           "destinations": "ever other destination MAC addresses", "subnet": "each address of its own subnet"}
_THROUGHPUT, _LEASE = "neighbour_throughput_ratio", "neighbour_lease_p99_ratio"
_RESOLVERS = 1000
"""Tenants with names, for which the ratios of resolvers are."""
_WHAT = {"own": "own zone", "cached": "cached"}


def compute(results: Results) -> Ratios:
    """{name: {value, low, high, target, met, method}} of all ratios that the samples in `results` allow."""
    found = {**_leases(results.get("leases") or {}), **_dns(results.get("dns") or {}),
             **_neighbour(results.get("neighbour") or {}), **_resolvers(results.get("resolvers") or {})}
    worst = worst_floods((results.get("neighbour") or {}).get("samples", {}))
    return {name: ratios.entry(target, found[name]) | ({"worst": worst[name]} if name in worst else {})
            for name, target in SERVICES.items() if name in found}


def detail(results: Results) -> Results:
    """What --json has beside the ratios: medians of every kind of round, in seconds where no name says ms."""
    leases = (results.get("leases") or {}).get("samples", {})
    dns = (results.get("dns") or {}).get("samples", {})
    beside = (results.get("neighbour") or {}).get("samples", {})
    found = {"leases": {kind: _medians(samples, ("rate", "seconds", "p50", "p99", "offer_p50", "repeats", "failed",
                                                 "hosts_busy", "hosts_rate"))
                        for kind, samples in leases.items() if samples},
             "dns": {what: _medians(samples, ("rate", "calm_rate", "p50", "p99", "lost", "calm_lost"))
                     for what, samples in dns.items() if samples},
             "neighbour": {kind: _turn(kind, beside) for kind, samples in beside.items() if samples},
             "resolvers": resolvers.summary(results.get("resolvers") or {})}
    if {"default", "off"} <= set(found["leases"]):
        probed, plain = found["leases"]["default"], found["leases"]["off"]
        found["conflict_probes"] = {key: probed[key] - plain[key] for key in ("offer_p50", "p50", "p99")}
    found["worst_floods"] = worst_floods(beside)
    found = {name: part for name, part in found.items() if part}
    nice = (results.get("neighbour") or {}).get("switch_nice")
    return found if nice is None else found | {"switch_nice": nice}


def throughput_ratios(samples: Mapping[str, Sequence[Results]], kind: str) -> list[float]:
    """Share of the stream that arrived with a flood over that of the quiet turn, round by round."""
    return stats.paired_ratios(*([one["share"] for one in samples[name]] for name in (kind, neighbour.QUIET)))


def p99_ratio(samples: Mapping[str, Sequence[Results]], kind: str, what: str = "lease"
              ) -> tuple[float, float, float] | None:
    """(value, low, high) of the 99th percentile of all answers with a flood over that of all quiet ones, or None."""
    lists = tuple([second for one in samples[name] for second in one[what]["seconds"]]
                  for name in (kind, neighbour.QUIET))
    if not all(lists):
        return None
    low, high = stats.interval(lists, lambda above, below: _p99(above) / _p99(below))
    return _p99(lists[0]) / _p99(lists[1]), low, high


def _leases(leases: Results) -> dict[str, Found]:
    samples = leases.get("samples", {}).get("default")
    if not samples:
        return {}
    what = f"{leases['tenants']} tenants with one host each, all at once; median of {len(samples)} rounds"
    return {"leases_per_second": ratios.of_rounds([one["rate"] for one in samples],
                                                  f"until the last has its address: {what}"),
            "lease_p99_ms": ratios.of_rounds([one["p99"] * 1000 for one in samples], what)}


def _dns(dns: Results) -> dict[str, Found]:
    samples = {what: found for what, found in dns.get("samples", {}).items() if found}
    if not samples:
        return {}

    def median(what: str, key: str) -> float:
        return stats.median([one[key] for one in samples[what]])

    slow = min(samples, key=lambda what: median(what, "rate"))
    late = max(samples, key=lambda what: median(what, "p99"))
    text = f"{{}} names, the worse of {len(samples)} kinds, {dns['tenants']} tenants together; median of the rounds"
    rates, times = [one["rate"] for one in samples[slow]], [one["p99"] * 1000 for one in samples[late]]
    return {"dns_queries_per_second": ratios.of_rounds(rates, text.format(_WHAT[slow])),
            "dns_p99_ms": ratios.of_rounds(times, text.format(_WHAT[late]))}


def worst_floods(samples: Mapping[str, Sequence[Results]]) -> dict[str, str]:
    """{ratio: kind of flood} of the ratios that are those of the worst of all floods that were measured."""
    kinds = [kind for kind in floods.KINDS if samples.get(kind)] if samples.get(neighbour.QUIET) else []
    leases = {kind: ratio[0] for kind in kinds if (ratio := p99_ratio(samples, kind))}
    worst = {}
    if kinds:
        worst[_THROUGHPUT] = min(kinds, key=lambda kind: stats.median(throughput_ratios(samples, kind)))
    if leases:
        worst[_LEASE] = max(leases, key=leases.__getitem__)
    return worst


def _neighbour(found: Results) -> dict[str, Found]:
    samples = found.get("samples", {})
    worst = worst_floods(samples)
    measured = f"the worst of {sum(bool(samples.get(kind)) for kind in floods.KINDS)}"
    result = {}
    if _THROUGHPUT in worst:
        kind = worst[_THROUGHPUT]
        throughput = throughput_ratios(samples, kind)
        result[_THROUGHPUT] = ratios.of_rounds(
            throughput, f"flood: {_FLOODS[kind]}, {measured}; stream of {found['offered_pps']:,} frames a second, "
            f"{neighbour.OFFERED_SHARE:.0%} of what it has alone; polling thread "
            f"{percent(_turn(kind, samples).get('pmd_busy'))} busy; median of {len(throughput)} rounds")
    if _LEASE in worst and (ratio := p99_ratio(samples, worst[_LEASE])):
        kind = worst[_LEASE]
        result[_LEASE] = (*ratio, f"flood: {_FLOODS[kind]}, {measured}; all leases of all rounds; "
                          "range by resampling (95 %)")
    return result


def _resolvers(measured: Results) -> dict[str, Found]:
    found = resolvers.summary(measured)
    if found.get("tenants") != _RESOLVERS:
        return {}
    result = {}
    if "ok" in found:
        result["resolvers_1000_seconds"] = ratios.of_rounds(
            [found["ok"]], "all tenants in one request, until the agent has said ok of the last; measured once")
    if "megabytes_each" in found:
        result["resolver_megabytes"] = ratios.of_rounds([found["megabytes_each"]], "Pss of all resolver processes, "
                                                        "over their number; measured once")
    if "added" in found:
        result["resolver_added_seconds"] = ratios.of_rounds(
            measured["added"], "from the request until the agent has said ok; median of "
            f"{found['added']['count']} tenants, one after the other")
    return result


def _turn(kind: str, samples: Mapping[str, Sequence[Results]]) -> Results:
    taken = samples[kind]
    found: Results = _medians(taken, ("share", "received_pps", "hostile_pps", "generator_busy", "hosts_busy"))
    found |= {f"pmd_{name}": stats.median([one["pmd"][name] for one in taken])
              for name in ("busy", "cycles_per_packet", "upcalls") if all(one["pmd"].get(name) is not None
                                                                          for one in taken)}
    for what in ("lease", "query", "ping"):
        seconds = [second for one in taken for second in one[what]["seconds"]]
        if seconds:
            found[what] = {"count": len(seconds), "failed": sum(one[what]["failed"] for one in taken),
                           "p50_ms": stats.median(seconds) * 1000, "p99_ms": _p99(seconds) * 1000}
    if kind != neighbour.QUIET and samples.get(neighbour.QUIET):
        found["throughput_ratio"] = stats.median(throughput_ratios(samples, kind))
        ratio = p99_ratio(samples, kind)
        found |= {"lease_p99_ratio": ratio[0]} if ratio else {}
    return found


def _medians(samples: Sequence[Results], keys: Iterable[str]) -> dict[str, float]:
    return {key: stats.median([one[key] for one in samples]) for key in keys}


def _p99(seconds: Sequence[float]) -> float:
    return stats.percentile(seconds, 99)


def render(results: Results) -> Document:
    """The report as a Document."""
    document = sections.begin("Penstock services benchmark", results)
    sections.ratio_list(document, compute(results), SERVICES)
    found = detail(results)
    _leases_section(document, found.get("leases", {}), found.get("conflict_probes"))
    _dns_section(document, found.get("dns", {}))
    _neighbour_section(document, found.get("neighbour", {}), results.get("neighbour") or {})
    _resolvers_section(document, found.get("resolvers"))
    sections.machine(document, results)
    return document


def _leases_section(document: Document, leases: Results, probes: Results | None) -> None:
    document.section("Leases")
    document.text("A host of each tenant asks at the same moment, and repeats after 4 s what is not answered. Busy is "
                  "the share of a core that playing the hosts took; with nothing to wait for they would have done so "
                  "many leases a second.")
    document.table(["conflict probes", "leases/s", "until the last, s", "offer, median, ms", "median, ms", "99 %, ms",
                    "repeated", "failed", "hosts busy", "hosts alone, leases/s"], [
        (kind, count(one["rate"]), number(one["seconds"]), number(one["offer_p50"] * 1000), number(one["p50"] * 1000),
         number(one["p99"] * 1000), count(one["repeats"]), count(one["failed"]), percent(one["hosts_busy"]),
         count(one["hosts_rate"])) for kind, one in leases.items()])
    if probes:
        document.text(f"Conflict probes are {number(probes['p50'] * 1000)} ms of the median and "
                      f"{number(probes['p99'] * 1000)} ms of the 99th percentile.")


def _dns_section(document: Document, dns: Results) -> None:
    document.section("Names")
    document.table(["names", "queries/s", "lost", "offered for the times", "median, ms", "99 %, ms"], [
        (_WHAT[what], count(one["rate"]), count(one["lost"]), count(one["calm_rate"]), number(one["p50"] * 1000),
         number(one["p99"] * 1000)) for what, one in dns.items() if what in names.WHAT])


def _neighbour_section(document: Document, turns: Results, found: Results) -> None:
    document.section("Beside a hostile tenant")
    if found:
        document.text(f"Alone the neighbour's stream has {number(found['capacity_pps'] / 1e6)} Mpps; it is offered "
                      f"{number(found['offered_pps'] / 1e6)}. One polling thread serves all ports. "
                      f"{_niceness(found.get('switch_nice'))}")
    document.table(["flood", "Mpps taken", "stream arrived", "ratio", "lease median, ms", "99 %, ms", "ratio", "failed",
                    "DNS 99 %, ms", "ping 99 %, ms", "PMD busy", "cycles a packet", "upcalls"], [
        (_FLOODS[kind], number(one["hostile_pps"] / 1e6), percent(one["share"]), number(one.get("throughput_ratio")),
         *_times(one.get("lease")), number(one.get("lease_p99_ratio")), count((one.get("lease") or {}).get("failed")),
         _times(one.get("query"))[1], _times(one.get("ping"))[1], percent(one.get("pmd_busy")),
         count(one.get("pmd_cycles_per_packet")), count(one.get("pmd_upcalls"))) for kind, one in turns.items()])


def _resolvers_section(document: Document, found: Results | None) -> None:
    if not found:
        return
    document.section("Resolvers")
    document.text(f"{found['tenants']:,} tenants with names come in one request; each has a resolver process of its "
                  "own. Then one tenant more comes, again and again.")
    added = found.get("added", {})
    document.table(["request answered, s", "switch has all flows, s", "all resolvers ok, s", "one more ok, s", "range",
                    "flows a tenant"], [
        (number(found.get("answered")), number(found.get("applied")), number(found.get("ok")),
         number(added.get("median")), spread([added["low"], added["high"]]) if added else "-",
         number(found.get("flows_each")))])
    if "megabytes" in found:
        document.subsection("Memory")
        document.text("Of resolvers it is the proportional set size (Pss), of others what is resident, without huge "
                      "pages.")
        document.table(["", "MB"], [
            ("all resolvers", number(found["megabytes"])), ("resolver of a tenant", number(found["megabytes_each"])),
            *((name, number(size)) for name, size in found["resident_megabytes"].items())])
    if "idle" in found:
        document.subsection("Idle")
        document.text("Processor seconds while nobody asks for a name: right after the start, and then.")
        document.table(["seconds", "agent, s", "resolvers, s"], [
            (number(look["seconds"]), number(look["agent"]), number(look["resolvers"])) for look in found["idle"]])
    if "names" in found:
        document.subsection("Answers")
        one = found["names"]
        document.table(["tenants that ask for own names", "queries/s", "lost", "offered for the times", "median, ms",
                        "99 %, ms"], [
            (count(one["tenants"]), count(one["rate"]), count(one["lost"]), count(one["calm_rate"]),
             number(one["p50"] * 1000), number(one["p99"] * 1000))])


def _niceness(nice: int | None) -> str:
    if nice is None:
        return "The niceness of the switch was not recorded."
    return f"The switch has nice {nice}" + (
        ", as in the product." if nice == NICENESS else f", in the product it has {NICENESS}.")


def _times(found: Results | None) -> tuple[str, str]:
    return (number(found["p50_ms"]), number(found["p99_ms"])) if found else ("-", "-")
