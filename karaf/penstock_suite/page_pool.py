# SPDX-License-Identifier: Apache-2.0
"""Huge pages that a run of the gate keeps, so that its switches find free ones.

A node borrows its pages and gives them back at its end. The kernel takes 3 s of a core to make those of one node anew,
and 0.5 s where they were kept (process accounting, test_node.py).
"""

from __future__ import annotations

import collections.abc
import contextlib
import os
import pathlib

from penstock_base.errors import PenstockError
from penstock_node.hugepages import HugePages

_PLACE = pathlib.Path("/tmp/penstock-pages")  # noqa: S108  (of the sandbox alone)
"""Names the owner of the pages. The next run takes the pages of a killed one by it: see sandbox.sweep."""
PART_OF_MEMORY = 4
"""In a gate on a machine with 24 GiB, nodes and functions had 4.5 GB at a time."""


@contextlib.contextmanager
def filled(pages: HugePages | None = None, place: pathlib.Path = _PLACE) -> collections.abc.Iterator[None]:
    """Keeps a quarter of the memory in huge pages for the body; nothing where the kernel has not so many."""
    pages = pages or HugePages()
    place.mkdir(exist_ok=True)
    owner = f"tests {place}"
    megabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // PART_OF_MEMORY >> 20
    with contextlib.suppress(PenstockError), pages.reserve(owner, megabytes):
        pass  # Nodes take them later.
    try:
        yield
    finally:
        pages.give_back(owner)
