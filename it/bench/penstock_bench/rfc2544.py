# SPDX-License-Identifier: Apache-2.0
"""RFC 2544: throughput, latency, frame loss and back-to-back frames of one contender.

Throughput (section 26.1) is the highest rate at which no frame is lost, found by halving. On a machine that is shared
with others a frame can be lost because the switch or the generator did not get its core: a rate is good when one of
RETRIES trials is without loss. Trials are shorter than the RFC's 60 s, and that is said beside the figures.
"""

from collections.abc import Sequence

from penstock_base.errors import PenstockError

from .generator import Generator
from .results import Results, Say

TRIAL_SECONDS = 1.5
RETRIES = 3
RESOLUTION = 0.02
"""The search ends when the good and the bad rate differ by this share."""
LATENCY_LOADS = (50, 90)
"""Percent of the throughput at which latency is measured (section 26.2)."""

_TRY_SECONDS = 1
# The search begins at this multiple of what came through without a rate.
_ROOM = 1.1
_LEAST_PPS = 500
# Of a rate; what is missing a shared host may have taken from us in a trial.
_KEPT_UP = 0.9
_LATENCY_SECONDS = 3
_LOSS_LOADS = (1.0, 1.1, 1.25, 1.5, 2.0)
_LONGEST_BURST = 1 << 20


def measure(source: Generator, links: Sequence[str], say: Say) -> Results:
    """All four tests, sending on `links`. Returns one entry of the results."""
    best, trials = throughput(source, links)
    say(f"throughput {best / 1e6:.2f} Mpps after {len(trials)} trials")
    return {"throughput_mpps": best / 1e6, "trials": trials, "trial_seconds": TRIAL_SECONDS,
            "latency_ns": latency(source, links, best),
            "loss_curve": [_loss(source, links, best * load) for load in _LOSS_LOADS],
            "back_to_back_frames": _longest_burst(source, links)}


def throughput(source: Generator, links: Sequence[str]) -> tuple[float, list[Results]]:
    """The highest rate without loss (section 26.1) in frames a second, and the trials it was found by.

    A switch that is too slow takes fewer frames from the ring and loses none of them: so a rate is good when it was
    kept up too, and the throughput is what was really sent.
    """
    trials = []

    def achieved(pps: float) -> float:
        """What was sent a second when the rate is good, else 0."""
        for _ in range(RETRIES):
            answer = source.run(TRIAL_SECONDS, links, rate=int(pps))
            sent = _sum(answer, "tx")
            trials.append({"mpps": sent / answer["seconds"] / 1e6, "lost": _lost(answer)})
            if not _lost(answer) and sent >= _KEPT_UP * int(pps) * answer["seconds"]:
                rate: float = sent / answer["seconds"]
                return rate
        return 0.0

    answer = source.run(_TRY_SECONDS, links)
    best, good, bad = 0.0, 0.0, max(_LEAST_PPS, _ROOM * _sum(answer, "rx") / answer["seconds"])
    # The try may have come upon a slow second, and what gets more than it can take may do less than it can.
    while found := achieved(bad):
        best, good, bad = found, bad, 2 * bad
    while bad - good > RESOLUTION * bad and bad > _LEAST_PPS:
        middle = (good + bad) / 2
        found = achieved(middle)
        best = max(best, found)
        good, bad = (middle, bad) if found else (good, middle)
    if not best:
        raise PenstockError(f"RFC 2544: no rate without loss, down to {bad / 1e3:.0f} thousand frames a second")
    return best, trials


def latency(source: Generator, links: Sequence[str], throughput_pps: float) -> Results:
    """Percentiles at shares of a throughput: {"50": {...}, "90": {...}}, nanoseconds."""
    found = {}
    for load in LATENCY_LOADS:
        answer = source.run(_LATENCY_SECONDS, links, rate=int(throughput_pps * load / 100), stamp=True)
        found[str(load)] = max(answer["latency_ns"].values(), key=lambda link: link["count"])
    return found


def _loss(source: Generator, links: Sequence[str], pps: float) -> Results:
    """What is lost at a rate, as a share. Frames that the ring did not take in their time are lost too."""
    answer = source.run(TRIAL_SECONDS, links, rate=int(pps))
    late = _sum(answer, "late")
    return {"offered": pps / 1e6, "lost": (_lost(answer) + late) / max(1, _sum(answer, "tx") + late)}


def _longest_burst(source: Generator, links: Sequence[str]) -> int:
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


def _lost(answer: Results) -> float:
    # The switch speaks too: a frame more than was sent is its own.
    return max(0, _sum(answer, "tx") - _sum(answer, "rx"))


def _sum(answer: Results, counter: str) -> float:
    counted: float = sum(link[counter] for link in answer["links"].values())
    return counted
