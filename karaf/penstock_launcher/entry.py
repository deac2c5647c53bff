# SPDX-License-Identifier: Apache-2.0
"""Where ./penstock begins. Commands that ask a controller load nothing of the others: a shell waits for them."""

import sys
from collections.abc import Sequence

from . import remote_cli


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in remote_cli.NAMES:
        return remote_cli.main(arguments)
    from .cli import main as others  # noqa: PLC0415  (it loads all commands)
    return others(arguments)
