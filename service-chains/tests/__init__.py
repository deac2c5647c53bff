# SPDX-License-Identifier: Apache-2.0
"""Tests of the catalogue and the runner. Those with the marker `node` run real switches and need root.

What they would take over from their caller is the same each time: the language of programs, the time zone, the rights
of new files, and Ctrl-C, which a program that is started in the background ignores, and its children too."""

import os
import signal

os.environ.update(LC_ALL="C.UTF-8", TZ="UTC")
os.environ.pop("NOTIFY_SOCKET", None)  # A node would give its signs of life to the service that runs the tests.
os.umask(0o022)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
