# SPDX-License-Identifier: Apache-2.0
"""When the throughput of a contender is steady, and how long it takes until it is back."""

import statistics
import time
from collections.abc import Callable, Sequence

Sample = dict[str, float]

CHANGE = 0.05
"""Two looks that differ by less are the same throughput."""
BACK = 0.9
"""Share of the best throughput that counts as recovered."""

_TOGETHER = 4


def settle(look: Callable[[], Sample], most_seconds: float, clock: Callable[[], float] = time.monotonic,
           least_seconds: float = 0) -> Sample:
    """Takes looks, samples with `mpps`, until two neighbours agree, or for `most_seconds`. The last one is the result.

    least_seconds: how long is looked in any case. The result says `settle_seconds`, the time before the first of these
    two, and whether they agreed: `settled`.
    """
    begun = clock()
    before, since = look(), 0.0
    while True:
        at = clock() - begun
        now = look()
        agree = abs(now["mpps"] - before["mpps"]) < CHANGE * before["mpps"]
        passed = clock() - begun
        if (agree and passed >= least_seconds) or passed >= most_seconds:
            return now | {"settle_seconds": since, "settled": agree}
        before, since = now, at


def recovered(rates: Sequence[float], every: float) -> float:
    """Seconds after a change until the throughput was back for good. rates: one for each `every` seconds since then.

    It is back when the mean of _TOGETHER rates is at least BACK of the best of all such means, and so is the median of
    the rates from then on. So a throughput that falls and stays low never is.
    """
    means = [statistics.fmean(rates[first:first + _TOGETHER]) for first in range(len(rates) - _TOGETHER + 1)]
    enough = BACK * max(means)
    back = (number for number, mean in enumerate(means)
            if mean >= enough and statistics.median(rates[number:]) >= enough)
    return every * (next(back, len(rates) - 1) + 1)
