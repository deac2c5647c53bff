# SPDX-License-Identifier: Apache-2.0
"""Figures belong to a commit: each section of docs/performance.md says which, and whether the flows changed since.

The hash of the flows is that of the benchmark, penstock_bench.budget.plans().
"""

import re

_MEASURED = re.compile(r"^Measured at commit `[0-9a-f]{7,40}`, plans `(?P<plans>[0-9a-f]{8})`(?P<end>.*)$",
                       re.MULTILINE)
_CURRENT, _EARLIER = ".", ": **an earlier pipeline**."
_FIGURES = re.compile(r"^\|.*\d.*\|$", re.MULTILINE)


def faults(text, current):
    """Sections of a document with figures that do not say what they belong to. `current` are the plans of today."""
    found = []
    for section in re.split(r"(?m)^(?=## )", text)[1:]:
        heading = section.splitlines()[0]
        measured = _MEASURED.search(section)
        if measured is None:
            if _FIGURES.search(section):
                found.append(f"{heading}: figures without \"Measured at commit `...`, plans `...`\"")
        elif measured["end"] != (wanted := _CURRENT if measured["plans"] == current else _EARLIER):
            found.append(f"{heading}: the line with plans `{measured['plans']}` has to end with {wanted!r}, because "
                         f"today's plans are `{current}`")
    return found
