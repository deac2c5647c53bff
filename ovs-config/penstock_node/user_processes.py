# SPDX-License-Identifier: Apache-2.0
"""Ends all processes of a user of user_ids, also those that no file names.

A program that was taken over may have started others, which do not end with it. They would have the rights of the next
program that gets their user.
"""

import contextlib
import os
import pathlib
import select
import signal
import time
import typing

from penstock_base.errors import PenstockError

from . import user_ids

PATIENCE_SECONDS = 5
_CHILD_SECONDS = 1
_POLL_SECONDS = 0.01


def kill(users: typing.Collection[int], what: str, patience_seconds: float = PATIENCE_SECONDS,
         network: int | None = None, named: typing.Callable[[], set[int]] = set) -> bool:
    """Kills all processes of users. Those of user_ids alone are looked for: never root's.

    what:    whose they are, for the error
    network: if not None, as `network_of`: processes elsewhere live on
    named:   the ids of further processes that have to end, whatever their user is
    Returns True if there was one. Raises PenstockError if one does not end in time.
    """
    known = {uid for uid in users if user_ids.is_taken(uid)}
    deadline = time.monotonic() + patience_seconds
    found = False
    while pids := named() | find(known, network):
        found = True
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if network is None:
            for uid in known:
                _kill_all(uid)
        if time.monotonic() > deadline:
            raise PenstockError(f"{what}: process {min(pids)} does not end")
        time.sleep(_POLL_SECONDS)
    return found


def find(users: typing.Collection[int], network: int | None = None) -> set[int]:
    """All processes of users, or those in a network namespace."""
    found: set[int] = set()
    for path in pathlib.Path("/proc").glob("[0-9]*/status") if users else ():
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue  # It has ended.
        fields = {key: value.split() for key, _, value in (line.partition(":") for line in lines)}
        # A first thread that has ended looks like a process that has; others may live on.
        if (int(fields["Uid"][0]) in users and (fields["State"][0] not in "ZX" or int(fields["Threads"][0]) > 1)
                and network in (None, network_of(path.parent.name))):
            found.add(int(path.parent.name))
    return found


def network_of(pid: object) -> int | None:
    """A number of the network namespace of a process, None if it has gone."""
    # The number of a file that each namespace has. To read that of the namespace takes the right to trace processes.
    for path in pathlib.Path(f"/proc/{pid}/task").glob("*/net/dev"):
        with contextlib.suppress(OSError):  # A thread that has ended is in none.
            return path.stat().st_ino
    return None


def _kill_all(uid: int) -> None:
    """Kills all processes of a user in one call, so that none can start others meanwhile."""
    if not user_ids.is_taken(uid):  # Never root: that would be all processes.
        return
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            if os.getresuid() == (uid, uid, uid):
                os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    # It has their user, so they may stop it before it kills them.
    handle = os.pidfd_open(child)
    try:
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        if not poller.poll(_CHILD_SECONDS * 1000):
            os.kill(child, signal.SIGKILL)
    finally:
        os.close(handle)
        os.waitpid(child, 0)
