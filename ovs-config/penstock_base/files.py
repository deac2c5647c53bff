# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole, whom they are for, and the words for a disk that takes no more."""

import collections.abc
import contextlib
import errno
import os
import pathlib

from .errors import PenstockError

_NOT_TAKEN = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def replace(path: pathlib.Path | str, text: str, mode: int = 0o666) -> None:
    """Replaces a file, or makes it: whole as before or whole as after, also when power is lost. On the disk when this
    returns. Raises PenstockError when the disk takes no more; the file is as before then.

    mode: of the new file, less the umask; nothing may be read for a moment that it does not permit."""
    path = pathlib.Path(path)
    partial = path.with_name(path.name + ".new")
    with explained(path):
        try:
            partial.unlink(missing_ok=True)  # A crash left it, or another user: it has its own mode.
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)  # What there is of it takes room.
            raise
        sync_folder(path.parent)


def take_umask() -> None:
    """Has all that this process makes, and what it starts, be for others to read and for its user alone to write.

    Root's files are read by users that are made for services; and whoever starts a command of root may have any umask.
    """
    os.umask(0o022)


def sync_folder(folder: pathlib.Path) -> None:
    """Returns when the disk has the names in a folder."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextlib.contextmanager
def explained(path: pathlib.Path | None = None) -> collections.abc.Iterator[None]:
    """Makes a PenstockError of the error of a disk that takes no more. path: what the body writes; by default the
    error says it."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NOT_TAKEN:
            raise
        remedy = ("it is mounted read-only: look for the reason in dmesg" if error.errno == errno.EROFS
                  else "free some room, then repeat the command")
        raise PenstockError(f"cannot write {path or error.filename or 'a file'}: {error.strerror}; {remedy}") from error
