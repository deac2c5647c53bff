# SPDX-License-Identifier: Apache-2.0
"""Numbered steps for people. What a step prints to standard error is shown indented under it."""

from __future__ import annotations

import contextlib
import sys
import time
import typing
from collections.abc import Iterator

from penstock_base.errors import PenstockError


class StepFailed(PenstockError):
    """A step failed: which one, why, what to do."""

    def __init__(self, step: str, why: object, advice: str) -> None:
        super().__init__(f"step '{step}' failed\n  why: {_indented(why)}\n  what to do: {_indented(advice)}")


class Steps:
    """Prints the steps of one run. `total` is their number."""

    def __init__(self, total: int, out: typing.TextIO | None = None) -> None:
        self._total = total
        self._out = out or sys.stderr
        self._number = 0

    @contextlib.contextmanager
    def step(self, text: str, advice: str) -> Iterator[Note]:
        """Runs the body as the next step, with its time. Yields a note: set `text` of it to add a few words.

        An error of the body becomes StepFailed with `advice`.
        """
        self._number += 1
        label = f"[{self._number:{len(str(self._total))}}/{self._total}] {text}"
        nested = _Nested(self._out)
        self._write(f"{label} ... ")
        note, started, word = Note(), time.monotonic(), "failed after"
        try:
            with contextlib.redirect_stderr(nested):
                yield note
            word = "done in"
        except Exception as error:
            raise StepFailed(text, error if str(error) else repr(error), advice) from error
        finally:
            nested.end_line()
            prefix = f"{label}: " if nested.used else ""
            remark = f" ({note.text})" if note.text else ""
            self._write(f"{prefix}{word} {time.monotonic() - started:.1f} s{remark}\n")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()


class Note:
    """A few words behind the line of a step, and whether the step changed anything."""

    def __init__(self) -> None:
        self.text = ""


class _Nested:
    """Standard error inside a step: ends the step's open line first, then indents every line."""

    def __init__(self, out: typing.TextIO) -> None:
        self._out = out
        self._at_start = True
        self.used = False

    def write(self, text: str) -> int:
        """Writes text, which may hold any part of any number of lines."""
        if text and not self.used:
            self.used = True
            self._out.write("\n")
        for line in text.splitlines(keepends=True):
            self._out.write(("    " if self._at_start else "") + line)
            self._at_start = line.endswith("\n")
        return len(text)

    def end_line(self) -> None:
        """Ends a line that is open."""
        if not self._at_start:
            self.write("\n")

    def flush(self) -> None:
        """Shows what was written."""
        self._out.flush()

    def isatty(self) -> bool:
        """Whether a person watches."""
        return self._out.isatty()


def _indented(text: object) -> str:
    return str(text).strip().replace("\n", "\n    ")
