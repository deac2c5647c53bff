# SPDX-License-Identifier: Apache-2.0
"""One at a time: `up` and `down` as a whole, and builds."""

import contextlib
import fcntl
import os
from collections.abc import Iterator

from . import locks
from .errors import PenstockError
from .steps import say


@contextlib.contextmanager
def alone(name: str, what: str, wait: bool = False) -> Iterator[None]:
    """Holds the lock `name` for the body. If another process has it: waits, or raises an error that names it.

    what: what we are doing, for the other one's message, for example "./penstock up".
    """
    path = locks.lock_directory() / f"{name}.running"
    # Never removed: a lock on a file that has lost its name would keep nobody out.
    with locks.opened(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "another process"
            if not wait:
                raise PenstockError(f"{owner} is running; wait until it has ended") from None
            say(f"waiting for {owner}")
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.seek(0)
        file.write(f"{what} (process {os.getpid()})")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)
