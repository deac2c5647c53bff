# SPDX-License-Identifier: Apache-2.0
"""Signals that end a run: by each of them what the run has started ends in good order, as by an interrupt."""

import signal
import subprocess
import types
from collections.abc import Callable, Mapping, Sequence

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def expect(once: bool) -> None:
    """Raises KeyboardInterrupt in the main thread at each of these signals, or at the first one alone.

    A signal that the run was started to ignore, as by nohup, is ignored.
    once: the end of what was started takes its time, and is not to be interrupted.
    """
    def end(_number: int, _frame: types.FrameType | None) -> None:
        if once:
            _handle(_disregard)
        raise KeyboardInterrupt
    _handle(end)


def run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs a program to its end, and has it end at each of these signals; returns its exit code.

    No signal is lost, not even one that comes while the program is started. A signal that is for both processes
    reaches the program twice, which disregards the second.
    """
    started: list[subprocess.Popen[bytes]] = []
    came: list[int] = []

    def end(number: int, _frame: types.FrameType | None) -> None:
        came.append(number)
        for process in started:
            process.terminate()
    _handle(end)
    started.append(subprocess.Popen(command, env=dict(environment)))
    if came:
        started[0].terminate()
    while True:
        try:
            # Not without an end: a signal that comes just before the call does not interrupt it.
            return started[0].wait(timeout=1)
        except subprocess.TimeoutExpired:
            pass


def _handle(handler: Callable[[int, types.FrameType | None], None]) -> None:
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _disregard(_number: int, _frame: types.FrameType | None) -> None:
    """A handler and not SIG_IGN, which programs that are started meanwhile would inherit."""
