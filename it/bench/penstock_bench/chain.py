# SPDX-License-Identifier: Apache-2.0
"""Latency of a service chain: the same traffic with and without network functions in its path.

The generator is the functions too: it owns the sockets of their ports, which are the product's own, and hands on
unchanged what it receives there, in its one loop. A process for each would take the generator's core from it. So the
figures are what Penstock and its rings cost; what a function does with a frame comes on top.

The ports of all functions are there in every measurement, and so are the polls for them: only what the tenants' leaf
`chain` says differs. With and without take turns: how fast cores reach each other's caches, which is most of the
latency, changes on a shared host from minute to minute.
"""

import functools
import pathlib
from collections.abc import Sequence

from penstock_base.errors import PenstockError

from . import configuration, edge, generator, rfc2544, stats, traffic
from .bed import Bed
from .results import Results, Say

FUNCTIONS = ("tap1", "tap2")
"""From the tenants to the backbone."""
ROUNDS = 3
CHECK_SECONDS, CHECK_PPS = 1, 10_000
"""Of the frames of which it is checked that they take the path that was configured."""

_CHAIN = "bench"


def measure(bed: edge.Edge, program: pathlib.Path, directory: pathlib.Path, load: traffic.Load,
            say: Say) -> list[Results]:
    """Returns one entry of the results for each number of functions, from none on.

    bed:        an edge.Edge, the ports of which no other generator has
    program:    what generator.build() returned
    directory:  for frames and the generator's log
    load:       what the tenants send
    """
    rounds: list[list[Results]] = [[] for _ in range(len(FUNCTIONS) + 1)]
    _configure(bed, load.tenants, 0)
    sockets = bed.sockets | links_of(bed.profile.vhost_user_directory)
    with generator.Generator(program, sockets, "penstock-chain", directory) as source:
        source.wait()
        for function in FUNCTIONS:
            source.forward(*sides(function))
        bed.learn(source, load)
        source.load(edge.LINKS[0], traffic.write_access(load, directory, "chain")[0])
        for number in range(ROUNDS):
            for functions, samples in enumerate(rounds):
                what = f"chain of {functions}, {load.tenants} tenants, round {number + 1}"
                told = functools.partial(_tell, say, what)
                samples.append(_sample(bed, source, load, functions, told))
    bed.put(0)
    bed.applied()
    return [entry(load, functions, samples) for functions, samples in enumerate(rounds)]


def _tell(say: Say, what: str, text: str) -> None:
    say(f"{what}: {text}")


def links_of(directory: pathlib.Path, names: Sequence[str] = FUNCTIONS) -> dict[str, pathlib.Path]:
    """The generator's links at the places where the switch looks for the functions' sockets."""
    return {link: directory / f"{link}.sock" for function in names for link in sides(function)}


def network(bed: Bed, tenants: int, functions: int, names: Sequence[str] = FUNCTIONS) -> Results:
    """The whole configuration: all functions, and a chain of the first `functions` of them for every tenant."""
    content = configuration.network(bed.nodes, bed.name, tenants)
    inside = content[configuration.NETWORK]
    # Closed: with a function that is down we want no packets rather than packets that pass it by.
    inside["function"] = [{"name": name, "node": bed.name, "fail-policy": "closed", "shared": True}
                          for name in names]
    if functions:
        inside["chain"] = [{"name": _CHAIN, "function": list(names[:functions])}]
        for tenant in inside["tenant"]:
            tenant["chain"] = _CHAIN
    return content


def check_path(answer: Results, functions: int, names: Sequence[str] = FUNCTIONS) -> None:
    """PenstockError unless every frame sent went through the first `functions` functions, and through no other."""
    sent = answer["links"][edge.LINKS[0]]["tx"]
    wanted = {name: sent if place < functions else 0 for place, name in enumerate(names)}
    found = {name: answer["links"][sides(name)[0]]["forwarded"] for name in names}
    if not sent or found != wanted:
        raise PenstockError(f"of {sent} frames these went through functions: {found}; wanted: {wanted}")


def entry(load: traffic.Load, functions: int, rounds: list[Results]) -> Results:
    """One entry of the results: medians of the rounds, and the rounds."""
    return {"contender": "edge", "tenants": load.tenants, "frame": load.frame, "functions": functions,
            "throughput_mpps": stats.median([one["throughput_mpps"] for one in rounds]),
            "trial_seconds": rfc2544.TRIAL_SECONDS,
            "latency_ns": {percent: {name: stats.median([one["latency_ns"][percent][name] for one in rounds])
                                     for name in found} for percent, found in rounds[0]["latency_ns"].items()},
            "rounds": rounds}


def _configure(bed: edge.Edge, tenants: int, functions: int) -> None:
    bed.restconf.replace(configuration.NETWORK, network(bed, tenants, functions))
    bed.applied()


def _sample(bed: edge.Edge, source: generator.Generator, load: traffic.Load, functions: int, say: Say) -> Results:
    links = [edge.LINKS[0]]
    _configure(bed, load.tenants, functions)
    bed.warm(source, links, load.flows)
    check_path(source.run(CHECK_SECONDS, links, rate=CHECK_PPS), functions)
    pps, trials = rfc2544.throughput(source, links)
    found = rfc2544.latency(source, links, pps)
    say(f"throughput {pps / 1e6:.2f} Mpps, latency " + ", ".join(
        f"at {percent} % {one['p50'] / 1000:.1f}, 99 % {one['p99'] / 1000:.1f}" for percent, one in found.items())
        + " microseconds")
    return {"throughput_mpps": pps / 1e6, "trials": trials, "latency_ns": found}


def sides(function: str) -> tuple[str, str]:
    """Names of the ports of a function."""
    return f"{function}-in", f"{function}-out"
