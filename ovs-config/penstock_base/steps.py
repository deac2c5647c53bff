# SPDX-License-Identifier: Apache-2.0
"""Progress for people: one line a step, with the time it took."""

import contextlib
import sys
import time
import typing
from collections.abc import Iterator


class Step:
    """The running step. Set `note` to add a few words to its line."""

    def __init__(self) -> None:
        self.note = ""


@contextlib.contextmanager
def step(text: str, out: typing.TextIO | None = None) -> Iterator[Step]:
    """Runs the body as a step: prints `text ... done in 0.8 s` on standard error (or `out`), also when it fails."""
    out = out or sys.stderr
    current = Step()
    started = time.monotonic()
    # The line is written in one piece when the step ends unless a person watches: two processes share the log.
    interactive = out.isatty()
    if interactive:
        out.write(f"{text} ... ")
        out.flush()
    prefix = "" if interactive else f"{text} ... "
    try:
        yield current
    except BaseException:
        out.write(f"{prefix}failed after {time.monotonic() - started:.1f} s\n")
        out.flush()
        raise
    note = f" ({current.note})" if current.note else ""
    out.write(f"{prefix}done in {time.monotonic() - started:.1f} s{note}\n")
    out.flush()


def say(text: str, out: typing.TextIO | None = None) -> None:
    """Prints one line beside the steps."""
    out = out or sys.stderr
    out.write(text + "\n")
    out.flush()
