# SPDX-License-Identifier: Apache-2.0
"""Files that survive a loss of power."""

from __future__ import annotations

import os
import pathlib


def write(path: pathlib.Path, content: str | bytes, mode: int = 0o644) -> None:
    """Replaces a file: never there in part, never readable to others for a moment, on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)  # What there is of it takes room.
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)  # The name of the file is an entry of its folder.
    finally:
        os.close(folder)
