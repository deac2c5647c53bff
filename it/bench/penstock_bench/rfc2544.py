# SPDX-License-Identifier: Apache-2.0
"""RFC 2544: throughput, latency, frame loss and back-to-back frames of one contender.

Throughput (section 26.1) is the highest rate at which no frame is lost, found by halving. On a machine that is shared
with others a frame can be lost because the switch or the generator did not get its core: a rate is good when one of
RETRIES trials is without loss. Trials are shorter than the RFC's 60 s, and that is said beside the figures.
"""

TRIAL_SECONDS = 1.5
RETRIES = 3
RESOLUTION = 0.02
"""The search ends when the good and the bad rate differ by this share."""
LATENCY_LOADS = (50, 90)
"""Percent of the throughput at which latency is measured (section 26.2)."""

_LATENCY_SECONDS = 3
_LOSS_LOADS = (1.0, 1.1, 1.25, 1.5, 2.0)
_LONGEST_BURST = 1 << 20


def measure(source, links, most_pps, say):
    """All four tests, sending on `links`. most_pps: a rate that is surely too high. Returns one entry of the results."""
    trials = []

    def is_good(pps):
        for _ in range(RETRIES):
            lost = _lost(source.run(TRIAL_SECONDS, links, rate=int(pps)))
            trials.append({"mpps": pps / 1e6, "lost": lost})
            if lost == 0:
                return True
        return False

    good, bad = 0.0, float(most_pps)
    while bad - good > RESOLUTION * bad:
        middle = (good + bad) / 2
        if is_good(middle):
            good = middle
        else:
            bad = middle
    say(f"throughput {good / 1e6:.2f} Mpps after {len(trials)} trials")
    return {"throughput_mpps": good / 1e6, "trials": trials, "trial_seconds": TRIAL_SECONDS,
            "latency_ns": latency(source, links, good),
            "loss_curve": [_loss(source, links, good * load) for load in _LOSS_LOADS if good],
            "back_to_back_frames": _longest_burst(source, links)}


def latency(source, links, throughput_pps):
    """Percentiles at shares of a throughput: {"50": {...}, "90": {...}}, nanoseconds."""
    found = {}
    for load in LATENCY_LOADS if throughput_pps else ():
        answer = source.run(_LATENCY_SECONDS, links, rate=int(throughput_pps * load / 100), stamp=True)
        found[str(load)] = max(answer["latency_ns"].values(), key=lambda link: link["count"])
    return found


def _loss(source, links, pps):
    answer = source.run(TRIAL_SECONDS, links, rate=int(pps))
    sent = sum(link["tx"] for link in answer["links"].values())
    return {"offered": pps / 1e6, "lost": _lost(answer) / max(1, sent)}


def _longest_burst(source, links):
    good, bad = 0, 64
    while bad <= _LONGEST_BURST and _lost(source.run(1, links, burst=bad)) == 0:
        good, bad = bad, 2 * bad
    while bad - good > max(1, good // 20):
        middle = (good + bad) // 2
        if _lost(source.run(1, links, burst=middle)) == 0:
            good = middle
        else:
            bad = middle
    return good


def _lost(answer):
    return sum(link["tx"] - link["rx"] for link in answer["links"].values())
