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
    """Holds the lock `name` for the body; waits for others. Not reentrant."""
    directory = pathlib.Path(directory or lock_directory())
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / f"{name}.lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
