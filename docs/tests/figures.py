# SPDX-License-Identifier: Apache-2.0
"""Figures belong to a commit: each section of docs/performance.md says which, and whether the flows changed since."""

import hashlib
import re

from .documents import ROOT

PLANS = ROOT / "odl-apps/pipeline/src/test/resources/golden/two-tenants.flows"
_MEASURED = re.compile(r"^Measured at commit `[0-9a-f]{7,40}`, plans `(?P<plans>[0-9a-f]{8})`(?P<end>.*)$",
                       re.MULTILINE)
_CURRENT, _EARLIER = ".", ": **an earlier pipeline**."
_FIGURES = re.compile(r"^\|.*\d.*\|$", re.MULTILINE)


def plans(text):
    """The first digits of a hash of golden flows. Labels, which are lines that begin with #, cost nothing."""
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("#")]
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:8]


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
