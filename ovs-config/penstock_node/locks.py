# SPDX-License-Identifier: Apache-2.0
"""File locks and small state files that every run directory on this machine shares."""

import contextlib
import fcntl
import json
import os
import pathlib


def lock_directory():
    """Where machine-wide locks and ledgers are: $PENSTOCK_LOCK_DIR or /run/lock/penstock."""
    return pathlib.Path(os.environ.get("PENSTOCK_LOCK_DIR", "/run/lock/penstock"))


@contextlib.contextmanager
def held(name, directory=None):
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


def _locked(path):
    """The open lock file, locked; closing it lets go."""
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = open(path, "w", encoding="ascii")  # noqa: SIM115  (it stays open for the caller)
        except FileNotFoundError:
            continue  # The directory was removed this very moment.
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except FileNotFoundError:
            pass
        file.close()


def read_json(path, default):
    """The content of a JSON file, or `default` when there is none or a crash left it unreadable."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return default


def write_json(path, value):
    """Replaces a JSON file, all or nothing."""
    path = pathlib.Path(path)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    temporary.replace(path)
