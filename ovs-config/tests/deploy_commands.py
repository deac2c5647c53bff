# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/deploy.md, for tests that run them: those of its blocks with the mark machine=NAME."""

import re

from penstock_base import places

_BLOCK = re.compile(r"^```sh manual machine=(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def read(instead=()):
    """{mark: commands}. instead: pairs of a text and what a test has in its place, each of which has to be found."""
    text = (places.ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    found = dict(_BLOCK.findall(text))
    for before, after in instead:
        if not any(before in commands for commands in found.values()):
            raise AssertionError(f"docs/deploy.md: no command has {before!r}")
        found = {name: commands.replace(before, after) for name, commands in found.items()}
    return found
