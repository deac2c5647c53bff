# SPDX-License-Identifier: Apache-2.0
"""The threads of a controller, as Java prints them on SIGQUIT, kept beside its logs."""

from __future__ import annotations

import pathlib
import time

from .layout import Layout
from .process import Process

DUMP_SECONDS = 20.0
"""A process with 200 threads prints them in less than one."""

_POLL_SECONDS = 0.2


def take(process: Process, layout: Layout) -> pathlib.Path:
    """Has the process print its threads into its console log, and keeps a copy. Returns where."""
    begun = time.monotonic()
    before = layout.console_file.stat().st_size
    process.quit()
    text = ""
    # The line follows the last thread.
    while "JNI global ref" not in text and time.monotonic() - begun < DUMP_SECONDS and process.alive():
        time.sleep(_POLL_SECONDS)
        with open(layout.console_file, encoding="utf-8", errors="replace") as console:
            console.seek(before)
            text = console.read()
    return layout.keep_thread_dump(text or f"No answer to SIGQUIT within {DUMP_SECONDS:.0f} s.\n")
