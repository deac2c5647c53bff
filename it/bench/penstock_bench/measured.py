# SPDX-License-Identifier: Apache-2.0
"""The sources that a run measured: their commit, and the plans of their pipeline."""

import pathlib

from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT

from . import budget
from .results import Results

_UNKNOWN = "unknown"


def sources(repository: pathlib.Path = ROOT) -> dict[str, str]:
    """{commit, plans} of a source tree, for `measured` of the results."""
    return {"commit": commit(repository), "plans": budget.plans()}


def commit(repository: pathlib.Path) -> str:
    """The commit of a source tree; ends with -dirty where tracked files differ from it, for then no commit has them.

    "unknown" outside of a repository.
    """
    try:
        # The benchmark is root, and the tree may be another user's. Tags are excluded, for not every clone has them.
        return run("git", "-C", repository, "-c", f"safe.directory={repository}", "describe", "--always", "--dirty",
                   "--abbrev=7", "--exclude=*").strip()
    except PenstockError:
        return _UNKNOWN


def line(results: Results) -> str | None:
    """The line for docs/performance.md, or None where the results do not state their sources."""
    found = results.get("measured")
    return found and f"Measured at commit `{found['commit']}`, plans `{found['plans']}`."
