# SPDX-License-Identifier: Apache-2.0
"""Keeps a program running that nobody else starts again."""

import ctypes
import os
import signal
import sys
import time

_PAUSE_SECONDS = 1
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def keep(work, log):
    """Calls `work` in a child process, and again a second after it has ended, until it has returned.

    SIGTERM and SIGINT make the child get SIGTERM, and are the end when it has ended by it. log: takes a text.
    """
    child = None
    ending = False

    def end(*_):
        nonlocal ending
        ending = True
        if child:
            os.kill(child, signal.SIGTERM)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    while True:
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # A terminal sends it to both.
            # Without its supervisor it would not be found, and the next one would be the second.
            ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
            if os.getppid() != parent:
                sys.exit(1)
            work()
            sys.exit(0)
        if ending:
            os.kill(child, signal.SIGTERM)
        _, status = os.waitpid(child, 0)
        child = None
        code = os.waitstatus_to_exitcode(status)
        if ending or code == 0:
            return
        log(f"the agent ended ({code}) and is started again")
        time.sleep(_PAUSE_SECONDS)
        if ending:
            return
