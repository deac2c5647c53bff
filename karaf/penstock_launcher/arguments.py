# SPDX-License-Identifier: Apache-2.0
"""What all commands have: their parser, the name of the program, and the word for a controller that does not run."""

import argparse
import datetime
import re
import typing
from collections.abc import Sequence

from penstock_base import places

PROGRAM = "./penstock" if places.is_source_tree() else "penstock"
NOT_RUNNING = ("the controller does not run; start it with "
               + ("./penstock up" if places.is_source_tree() else "systemctl start penstock-controller"))

class Parser(argparse.ArgumentParser):
    """One that takes options and arguments of a command in any order. argparse of Python 3.11 takes no optional
    argument that comes after an option unless it is asked to mix them, and asks no parser of a command to."""

    _mixes = False

    def parse_known_args(self, args: Sequence[str] | None = None,  # type: ignore[override]
                         namespace: typing.Any = None) -> tuple[typing.Any, list[str]]:
        """What argparse calls for the words of a command."""
        if self._mixes or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._mixes = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixes = False


def moment(text: str) -> datetime.datetime:
    """A time with its zone. For argparse."""
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not ISO 8601 with a time zone, as 2026-11-21T18:00:00Z")
    return found


def since(text: str) -> datetime.datetime:
    """A time with its zone, or so long ago: 90m, 12h, 7d. For argparse."""
    ago = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
    if not ago:
        return moment(text)
    unit = {"m": "minutes", "h": "hours", "d": "days"}[ago[2]]
    try:
        return datetime.datetime.now(datetime.UTC) - datetime.timedelta(**{unit: int(ago[1])})
    except OverflowError:
        raise argparse.ArgumentTypeError(f"'{text}' is before all times") from None
