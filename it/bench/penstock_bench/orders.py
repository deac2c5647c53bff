# SPDX-License-Identifier: Apache-2.0
"""In which order frames go out: indexes of a load's frames, as a file for the generator.

Frame number i is flow i // tenants of tenant i % tenants, see traffic.access_frames().
"""

import array
import itertools
import pathlib
import random
from collections.abc import Iterable

EXPONENT = 1.1
"""Of the Zipf distribution."""

_SEED = 1
_PLACES_EACH, _MOST_PLACES = 40, 1 << 22


def zipf(connections: int, exponent: float = EXPONENT) -> "array.array[int]":
    """An order in which the share of the connection with rank r is as 1 / r ** exponent; always the same.

    Ranks are dealt at random, so busy connections belong to any tenant. Shares are exact to one place of the order: of
    more than a hundred thousand connections some of the rarest have none.
    """
    places = min(_PLACES_EACH * connections, _MOST_PLACES)
    sums = list(itertools.accumulate(rank ** -exponent for rank in range(1, connections + 1)))
    source = random.Random(_SEED)
    ranked = list(range(connections))
    source.shuffle(ranked)
    order, rank = array.array("I"), 0
    for place in range(places):
        while sums[rank] * places < (place + 0.5) * sums[-1]:
            rank += 1
        order.append(ranked[rank])
    source.shuffle(order)
    return order


def part(tenants: int, of_tenants: int, each: int) -> "array.array[int]":
    """The first `each` flows of the first `tenants` tenants, in a load of `of_tenants`; tenants alternate."""
    return array.array("I", (flow * of_tenants + tenant for flow in range(each) for tenant in range(tenants)))


def write(path: pathlib.Path, order: Iterable[int]) -> pathlib.Path:
    """Writes the file, in the byte order of this machine. Returns its path."""
    path.write_bytes(array.array("I", order).tobytes())
    return path
