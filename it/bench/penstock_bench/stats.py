# SPDX-License-Identifier: Apache-2.0
"""The few statistics a benchmark needs. Medians, because a disturbed round must not move the figure."""

import itertools
import math
import random
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from penstock_base.errors import PenstockError

LINEAR_EXPONENT = 1.1
"""What grows with at most this power of its input over the whole range counts as linear, ..."""
STEEPEST_EXPONENT = 1.3
"""... if no single step grows faster than this: a fixed cost at the small end must not hide what the large end does."""


def median(values: Iterable[float]) -> float:
    """The median; of an even number of values the mean of the two in the middle."""
    return statistics.median(_some(values))


def spread(values: Iterable[float | None]) -> dict[str, float]:
    """Median, smallest and largest value, and their number."""
    values = _some(values)
    return {"median": statistics.median(values), "low": min(values), "high": max(values), "count": len(values)}


def paired_ratios(numerators: Sequence[float], denominators: Sequence[float]) -> list[float]:
    """Ratio of every round that has both. The lists are in order of the rounds; None stands for a missing sample."""
    return [above / below for above, below in zip(numerators, denominators, strict=False)
            if above is not None and below]


def percentile(values: Iterable[float], percent: float) -> float:
    """The nearest-rank percentile: the smallest value that `percent` per cent of all are not above."""
    if not 0 < percent <= 100:
        raise PenstockError(f"percentile: {percent} is not above 0 and up to 100")
    ordered = sorted(_some(values))
    # Rounded first: 99.9 % of 1000 must be rank 999, not 1000, whatever binary fractions say.
    return ordered[max(math.ceil(round(percent * len(ordered) / 100, 9)), 1) - 1]


def percentiles(values: Sequence[float], percents: Iterable[float] = (50, 90, 95, 99, 100)) -> dict[float, float]:
    """{percent: value} of several nearest-rank percentiles."""
    return {percent: percentile(values, percent) for percent in percents}


def interval(values: Sequence[Any], figure: Callable[..., float], draws: int = 1000,
             seed: int = 1) -> tuple[float, float]:
    """The range in which `figure(values)` lies in 95 % of samples drawn from `values` with replacement.

    Always the same for the same values. `values` may be a tuple of lists, which are drawn from one by one and given to
    `figure` as arguments.
    """
    lists = values if isinstance(values, tuple) else (values,)
    source = random.Random(seed)
    figures = sorted(figure(*(source.choices(_some(one), k=len(one)) for one in lists)) for _ in range(draws))
    return figures[int(draws * 0.025)], figures[int(draws * 0.975) - 1]


def exponent(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The power with which y grows with x, by least squares through the logarithms of (x, y), and the fit (R squared).

    1 means linear, 2 quadratic, 0 constant. Wants two different x, and values above 0.
    """
    points = list(points)
    if any(x <= 0 or y <= 0 for x, y in points) or len({x for x, _ in points}) < 2:
        raise PenstockError("exponent: wants at least two different sizes, and values above 0")
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    x_mean, y_mean = statistics.fmean(xs), statistics.fmean(ys)
    x_square = sum((x - x_mean) ** 2 for x in xs)
    y_square = sum((y - y_mean) ** 2 for y in ys)
    slope = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / x_square
    left = sum((y - y_mean - slope * (x - x_mean)) ** 2 for x, y in zip(xs, ys, strict=True))
    return slope, 1.0 if y_square == 0 else 1 - left / y_square


def steepest(points: Sequence[tuple[float, float]]) -> float:
    """The largest power between neighbouring sizes, of the medians at each size."""
    sizes: dict[float, list[float]] = {}
    for x, y in points:
        sizes.setdefault(x, []).append(y)
    medians = [(x, statistics.median(sizes[x])) for x in sorted(sizes)]
    return max(exponent(pair)[0] for pair in itertools.pairwise(medians))


def is_linear(points: Sequence[tuple[float, float]]) -> bool:
    """Whether y grows no faster than x, with a little slack. A fixed cost at small sizes is no fault."""
    points = list(points)
    return exponent(points)[0] <= LINEAR_EXPONENT and steepest(points) <= STEEPEST_EXPONENT


def _some(values: Iterable[float | None]) -> list[float]:
    known = [value for value in values if value is not None]
    if not known:
        raise PenstockError("no values to reckon with")
    return known
