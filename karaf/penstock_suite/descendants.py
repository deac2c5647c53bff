# SPDX-License-Identifier: Apache-2.0
"""The processes that a process has started, and those that they have started."""

import collections
import contextlib
import os
import pathlib
import signal


def of(pid: int) -> list[int]:
    """The process and all below it, the deepest first."""
    children = collections.defaultdict[int, list[int]](list)
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
            children[parent].append(int(path.parent.name))
    found, next_ones = [], [pid]
    while next_ones:
        each = next_ones.pop()
        found.append(each)
        next_ones += children[each]
    return found[::-1]


def signal_all(pid: int, number: signal.Signals) -> None:
    """Sends a signal to the process and all below it."""
    for each in of(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, number)


def write_stacks(pid: int) -> None:
    """Has each JVM and each Python below it write the stacks of its threads to its output.

    A JVM goes on. Python has to run with faulthandler, and ends by it, its children first.
    """
    for each in of(pid):
        with contextlib.suppress(OSError):
            program = pathlib.Path(f"/proc/{each}/exe").readlink().name
            if program == "java":
                os.kill(each, signal.SIGQUIT)
            elif program.startswith("python") and b"pytest" in pathlib.Path(f"/proc/{each}/cmdline").read_bytes():
                os.kill(each, signal.SIGABRT)
