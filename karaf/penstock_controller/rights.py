# SPDX-License-Identifier: Apache-2.0
"""The user that a controller runs as, and whose files are in its run directory.

Root does nothing in that directory with its own rights: a controller that was taken over could have put symbolic links
there.
"""

from __future__ import annotations

import collections.abc
import contextlib
import os
import pathlib
import pwd


def words(user: str | None) -> list[str]:
    """What is put before a command to run it as the user, without any right of root's."""
    if user is None:
        return []
    entry = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups",
            "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]


@contextlib.contextmanager
def owner_of(directory: pathlib.Path) -> collections.abc.Iterator[None]:
    """Has root act as the owner of the directory in the body. Nothing changes for other users, or when it is root's.

    For programs of one thread: the C library changes the user of all.
    """
    try:
        status = directory.lstat()
    except FileNotFoundError:
        status = None
    if status is None or os.geteuid() != 0 or status.st_uid == 0:
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    os.setgroups([])
    os.setegid(status.st_gid)
    os.seteuid(status.st_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def give(directory: pathlib.Path, user: str | None) -> None:
    """Makes the directory, and gives it with all that is in it to the user unless it is the user's already.

    The directory itself comes last, so that an interrupted change is made again.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if user is None:
        return
    entry = pwd.getpwnam(user)
    if directory.stat().st_uid == entry.pw_uid:
        return
    for folder, folders, files in os.walk(directory, topdown=False):
        for name in (*folders, *files):
            os.chown(pathlib.Path(folder, name), entry.pw_uid, entry.pw_gid, follow_symlinks=False)
    os.chown(directory, entry.pw_uid, entry.pw_gid)
