# SPDX-License-Identifier: Apache-2.0
"""File locks and small state files that every run directory on this machine shares.

Root opens these files, so their directory is root's alone: /run/lock, where every user may make files, would let any of
them have root empty another file by a symbolic link.
"""

import contextlib
import errno
import fcntl
import json
import os
import pathlib
import stat
import typing
from collections.abc import Iterator

from . import files
from .errors import PenstockError


def lock_directory() -> pathlib.Path:
    """Where machine-wide locks and ledgers are: $PENSTOCK_LOCK_DIR or /run/penstock-locks."""
    return pathlib.Path(os.environ.get("PENSTOCK_LOCK_DIR", "/run/penstock-locks"))


@contextlib.contextmanager
def held(name: str, directory: pathlib.Path | str | None = None) -> Iterator[None]:
    """Holds the lock `name` for the body; waits for others. Not reentrant. Leaves no file."""
    directory = pathlib.Path(directory or lock_directory())
    path = directory / f"{name}.lock"
    with _locked(path):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)  # While it is held: whoever waits for this file finds out and makes a new one.
    with contextlib.suppress(OSError):  # Others have locks or ledgers in it.
        directory.rmdir()


def _locked(path: pathlib.Path) -> typing.TextIO:
    """The open lock file, locked; closing it lets go."""
    while True:
        try:
            file = opened(path)
        except FileNotFoundError:
            continue  # The directory was removed this very moment.
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        file.close()


def opened(path: pathlib.Path) -> typing.TextIO:
    """A file for locks, open for reading and writing, made when it is missing. Its content stays.

    Raises PenstockError when another user may change its directory, or it is a symbolic link.
    """
    directory = path.parent
    with files.explained(directory):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in (0, os.geteuid()) or status.st_mode & 0o022:
        raise PenstockError(f"{directory} holds locks, and another user may change it: remove it, or choose "
                            "a directory that is yours by PENSTOCK_LOCK_DIR")
    try:
        with files.explained(path):
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise PenstockError(f"{path} is a symbolic link, and no lock: remove it") from None
    return os.fdopen(file, "r+", encoding="utf-8")


def read_json(path: pathlib.Path | str, default: typing.Any) -> typing.Any:
    """The content of a JSON file, or `default` when there is none or a crash left it unreadable."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return default


def write_json(path: pathlib.Path | str, value: object) -> None:
    """Replaces a JSON file, all or nothing."""
    files.replace(path, json.dumps(value, indent=2, sort_keys=True) + "\n")
