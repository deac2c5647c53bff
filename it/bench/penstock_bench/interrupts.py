# SPDX-License-Identifier: Apache-2.0
"""Signals that end a run: by each of them what the run has started ends in good order, as by an interrupt."""

import signal
import types

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def expect(once: bool) -> None:
    """Raises KeyboardInterrupt in the main thread at each of these signals, or at the first one alone.

    A signal that the run was started to ignore, as by nohup, is ignored.
    once: the end of what was started takes its time, and is not to be interrupted.
    """
    expected = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]

    def end(_number: int, _frame: types.FrameType | None) -> None:
        if once:
            for number in expected:
                signal.signal(number, _disregard)
        raise KeyboardInterrupt
    for number in expected:
        signal.signal(number, end)


def _disregard(_number: int, _frame: types.FrameType | None) -> None:
    """A handler and not SIG_IGN, which programs that are started meanwhile would inherit."""
