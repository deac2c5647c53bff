# SPDX-License-Identifier: Apache-2.0
"""Results made up for tests: round figures that nobody could take for measured ones."""


def samples(mpps, cycles, busy=1.0, rounds=3, passes=1):
    """Rounds of a machine that gets faster by a tenth from one to the next."""
    return [{"mpps": mpps * (1 + number / 10), "gbps_l1": mpps * 0.672, "cycles_per_packet": cycles, "busy": busy,
             "generator_busy": 0.5, "passes": passes, "masks": 7, "megaflows": 70, "emc": 0.5, "smc": 0.0,
             "megaflow": 0.5, "upcalls": 0, "lost": 0} for number in range(rounds)]


def forwarding(tenants, contenders, direction="one-way", kind="constant", frame="64"):
    """One scenario."""
    flows = 10000 if kind == "constant" else tenants * 10
    return {"tenants": tenants, "flows": flows, "kind": kind, "direction": direction, "frame": frame, "pmds": 1,
            "contenders": contenders}


def chain_latency(functions, rounds=3):
    """Latency through some functions: 10 microseconds for each frame, 5 more for each function, 1 more each round."""
    medians = [1000 * (10 + 5 * functions + number) for number in range(rounds)]
    found = [{"throughput_mpps": 8 / (1 + functions), "trials": [],
              "latency_ns": {"50": {"count": 9, "p50": median, "max": 10 * median}}} for median in medians]
    return {"contender": "edge", "frame": "64", "tenants": 10, "functions": functions, **found[1], "rounds": found}


def results():
    """A whole run in which every target but edge_vs_bare_64B_1000 is met."""
    latency = {"count": 9, "min": 5000, "p50": 10000, "p90": 20000, "p99": 30000, "p999": 40000, "max": 50000,
               "mean": 11000}
    entries = []
    for direction in ("one-way", "both-ways"):
        for tenants in (10, 100, 1000):
            edge = 2.0 if tenants < 1000 else 1.9
            contenders = {"bare": samples(4.0 if tenants < 1000 else 5.0, 500, 0.99), "edge": samples(edge, 1000),
                          "ovn": samples(0.3, 7000, passes=2),
                          "ovn-gateway": samples(0.2, 9000, passes=3)}
            entries.append(forwarding(tenants, contenders, direction))
    entries.append(forwarding(1000, {"bare": samples(3.0, 500, 0.5), "edge": samples(1.0, 1000)}, frame="imix"))
    return {
        "version": 1, "started": "2001-02-03T04:05:06+00:00", "mode": "full",
        "measured": {"commit": "0123456-dirty", "plans": "89abcdef"},
        "machine": {"cpu": "Example 3000", "cores": 2, "versions": {"Open vSwitch": "0.0", "OVN": "0.0"},
                    "virtual": True, "caches": ["L1 1K"]},
        "noise": {"quiet": True, "overridden": False, "problems": [], "others_cores": 0.01, "steal": 0.0,
                  "spin": {"0": {"reckoning": {"p10_us": 1, "p50_us": 1, "p90_us": 1, "spread": 1.0}}},
                  "limits": {"others_cores": 0.1, "steal": 0.02, "spin": {"reckoning": 1.2}}},
        "forwarding": entries,
        "rfc2544": [{"contender": "edge", "frame": "64", "tenants": 10, "throughput_mpps": 1.5, "trials": [1, 2, 3],
                     "latency_ns": {"50": latency, "90": latency}, "back_to_back_frames": 1234,
                     "loss_curve": [{"offered": 1.0, "lost": 0.0}, {"offered": 2.0, "lost": 0.25}]}],
        "chain_latency": [chain_latency(functions) for functions in (0, 1, 2)],
        "control": {
            "provision": [{"tenants": tenants, "seconds": [tenants / 500, tenants / 400], "flows": 100 + 20 * tenants,
                           "heap_mb": 200, "rss_mb": {"controller": 1000}, "cpu_seconds": 1}
                          for tenants in (10, 100, 1000)],
            "change": [{"tenants": tenants, "what": what, "seconds": [one / 1000 for one in range(1, 21)]}
                       for tenants in (10, 1000) for what in ("add", "remove")],
            "resync": [{"tenants": 1000, "what": "restart", "seconds": [3, 4, 5]}],
            "one_by_one": [{"tenants": 10, "answered": 0.25, "applied": 0.5}]},
        "ovn_control": {"provision": [{"tenants": 1000, "seconds": [9, 10], "flows": 402000}],
                        "change": [{"tenants": 1000, "what": "add", "seconds": [1, 2]}],
                        "one_by_one": [{"tenants": 10, "applied": 5}]}}
