# SPDX-License-Identifier: Apache-2.0
"""A terminal with a program in it, for tests."""

import contextlib
import os
import pty
import re
import select
import subprocess
import time
import unittest

_SECONDS = 360
_CODES = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|[=>])|[\r\x08]")


class Terminal:
    """Starts a program that has a terminal, and ends it with the test. Ctrl-C is for all its processes.

    inside: words in front of the command that enter namespaces; their process does not get Ctrl-C, which would end it
    """

    def __init__(self, case: unittest.TestCase, *command, inside=(), **options):
        self._case = case
        self._seen = ""
        self._terminal, inner = pty.openpty()
        case.addCleanup(os.close, self._terminal)
        # Which makes it the terminal of a session, so that Ctrl-C is a signal.
        self._process = subprocess.Popen([*inside, "setsid", "--ctty", "--wait", *map(str, command)], stdin=inner,
                                         stdout=inner, stderr=inner, **options)
        case.addCleanup(self._end)
        os.close(inner)

    def _end(self):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def types(self, text):
        """Sends letters; control characters are keys with Ctrl."""
        os.write(self._terminal, text.encode())

    def shows(self, text):
        """Waits until a text stands there, and forgets all up to it."""
        deadline = time.monotonic() + _SECONDS
        while text not in (clean := _CODES.sub("", self._seen)):
            self._case.assertLess(time.monotonic(), deadline, f"no {text!r} in {self._seen!r}")
            if select.select([self._terminal], [], [], 1)[0]:
                read = b""
                with contextlib.suppress(OSError):  # The program has ended.
                    read = os.read(self._terminal, 65536)
                self._case.assertTrue(read, f"ended without {text!r}: {self._seen!r}")
                self._seen += read.decode(errors="replace")
        self._seen = clean.partition(text)[2]

    def ends(self):
        """The exit code of the program."""
        return self._process.wait(_SECONDS)


def ctrl_c_leaves_the_console_open(case, *command, **options):
    """Has Ctrl-C end a half line and a command of the console, which goes on. Its greeting names Penstock.

    command: opens the console
    """
    console = Terminal(case, *command, **options)
    console.shows("Penstock, the console of the controller")
    console.shows("penstock> ")
    console.types("nonsense\x03")
    console.shows("penstock> ")
    console.types("shell:echo b''egun; shell:sleep 100000\r")
    console.shows("begun")
    console.types("\x03")
    console.shows("penstock> ")
    console.types("shell:echo a''live\r")
    console.shows("\nalive")
    console.types("\x04")
    case.assertEqual(0, console.ends())
