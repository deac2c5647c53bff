# SPDX-License-Identifier: Apache-2.0
"""Latency of a service chain: the same traffic with and without network functions in its path.

The generator is the functions too: it owns the sockets of their ports, which are the product's own, and hands on
unchanged what it receives there, in its one loop. A process for each would take the generator's core from it. So the
figures are what Penstock and its rings cost; what a function does with a frame comes on top.

The ports of all functions are there in every measurement, and so are the polls for them: only what the tenants' leaf
`chain` says differs. With and without take turns: how fast cores reach each other's caches, which is most of the
latency, changes on a shared host from minute to minute.
"""

from penstock_base.errors import PenstockError

from . import configuration, edge, generator, rfc2544, stats, traffic

FUNCTIONS = ("tap1", "tap2")
"""From the tenants to the backbone."""
ROUNDS = 3
CHECK_SECONDS, CHECK_PPS = 1, 10_000
"""Of the frames of which it is checked that they take the path that was configured."""

_CHAIN = "bench"


def measure(bed, program, directory, load, say):
    """Returns one entry of the results for each number of functions, from none on.

    bed:        an edge.Edge, the ports of which no other generator has
    program:    what generator.build() returned
    directory:  for frames and the generator's log
    load:       what the tenants send
    """
    rounds = [[] for _ in range(len(FUNCTIONS) + 1)]
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
                samples.append(_sample(bed, source, load, functions, lambda text, who=functions, turn=number + 1: say(
                    f"chain of {who}, {load.tenants} tenants, round {turn}: {text}")))
    bed.put(0)
    bed.applied()
    return [entry(load, functions, samples) for functions, samples in enumerate(rounds)]


def links_of(directory, names=FUNCTIONS):
    """The generator's links at the places where the switch looks for the functions' sockets."""
    return {link: directory / f"{link}.sock" for function in names for link in sides(function)}


def network(bed, tenants, functions, names=FUNCTIONS):
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


def check_path(answer, functions, names=FUNCTIONS):
    """PenstockError unless every frame sent went through the first `functions` functions, and through no other."""
    sent = answer["links"][edge.LINKS[0]]["tx"]
    wanted = {name: sent if place < functions else 0 for place, name in enumerate(names)}
    found = {name: answer["links"][sides(name)[0]]["forwarded"] for name in names}
    if not sent or found != wanted:
        raise PenstockError(f"of {sent} frames these went through functions: {found}; wanted: {wanted}")


def entry(load, functions, rounds):
    """One entry of the results: medians of the rounds, and the rounds."""
    return {"contender": "edge", "tenants": load.tenants, "frame": load.frame, "functions": functions,
            "throughput_mpps": stats.median([one["throughput_mpps"] for one in rounds]),
            "trial_seconds": rfc2544.TRIAL_SECONDS,
            "latency_ns": {percent: {name: stats.median([one["latency_ns"][percent][name] for one in rounds])
                                     for name in found} for percent, found in rounds[0]["latency_ns"].items()},
            "rounds": rounds}


def _configure(bed, tenants, functions):
    bed.restconf.replace(configuration.NETWORK, network(bed, tenants, functions))
    bed.applied()


def _sample(bed, source, load, functions, say):
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


def sides(function):
    """Names of the ports of a function."""
    return f"{function}-in", f"{function}-out"
