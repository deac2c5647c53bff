# SPDX-License-Identifier: Apache-2.0
"""How a command of ./penstock ends: its exit code, one line about a failure, and a trace of one not foreseen."""

import collections.abc
import os
import sys
import traceback

from . import files, places, texts
from .errors import PenstockError


def need_root(command: str) -> None:
    """Raises PenstockError for other users than root, whose umask is that of the system from now on."""
    if os.geteuid() != 0:
        raise PenstockError(f"'{command}' needs root: run it with sudo")
    files.take_umask()


def exit_code(work: collections.abc.Callable[[], int]) -> int:
    """Does the work of a command and returns its exit code, or that of the error that ended it."""
    try:
        with files.explained():
            return work()
    except PenstockError as error:
        print(f"penstock: {texts.plain_lines(str(error))}", file=sys.stderr)
        _keep_trace(error)
        return 1
    except KeyboardInterrupt:
        print("\npenstock: interrupted; the same command continues from here, './penstock down' removes everything",
              file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 1


def _keep_trace(error: PenstockError) -> None:
    """Errors we did not foresee are worth a trace; it goes to a file."""
    cause = error.__cause__
    if cause is None or isinstance(cause, PenstockError):
        return
    path = places.log_directory() / "failure.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except OSError:
        return
    print(f"  trace: {path}", file=sys.stderr)
