# SPDX-License-Identifier: Apache-2.0
"""Reads journals of chained lines, which the controller writes (io.penstock.base.chain): segments in one directory,
complete ones compressed. Needs nothing but the files."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import pathlib
import re
import typing
from collections.abc import Iterator

from penstock_base.errors import PenstockError

_HASH = b',"hash":"'
_NOTHING = "0" * 64


def segments(directory: pathlib.Path | str, prefix: str) -> list[pathlib.Path]:
    """The segments of a journal in their order."""
    found: dict[str, pathlib.Path] = {}
    for path in pathlib.Path(directory).glob(f"{prefix}-*"):
        match = re.fullmatch(prefix + r"-(\d{12})\.jsonl(\.gz)?", path.name)
        if match:
            # The compressed one is whole when it has its name; the other is then about to go.
            found[match[1]] = path if match[2] or match[1] not in found else found[match[1]]
    if not found:
        raise PenstockError(f"there is no journal in {directory}: name its directory with --directory")
    return [found[number] for number in sorted(found)]


@contextlib.contextmanager
def opened(segment: pathlib.Path) -> Iterator[typing.BinaryIO | gzip.GzipFile]:
    """A segment, to be read."""
    try:
        with (gzip.open(segment) if segment.suffix == ".gz" else open(segment, "rb")) as file:
            yield file
    except (OSError, EOFError) as error:
        raise PenstockError(f"cannot read {segment}: {error}") from error


def read(segment: pathlib.Path) -> bytes:
    """All whole lines of a segment."""
    with opened(segment) as file:
        text = file.read()
    # The last line may just be written.
    return text[:text.rfind(b"\n") + 1]


def entry(line: bytes, segment: pathlib.Path) -> dict[str, typing.Any]:
    """A line as an object."""
    try:
        found: dict[str, typing.Any] = json.loads(line)
    except ValueError as error:
        raise PenstockError(f"{segment}: {line[:80]!r} is not an entry") from error
    return found


def verify(directory: pathlib.Path | str, prefix: str) -> dict[str, typing.Any]:
    """Checks every hash and number. Returns how many segments and entries there are, and the first and last time.

    Raises PenstockError for the first line that does not follow from the one before.
    """
    expected, before, times = None, None, []
    paths = segments(directory, prefix)
    for segment in paths:
        for number, line in enumerate(read(segment).splitlines(), 1):
            place = f"{segment}, line {number}"
            try:
                body, _, end = line.rpartition(_HASH)
                found = json.loads(line)
                previous = before or (found["previous"] if found["event"] == "opened" else _NOTHING)
                right = hashlib.sha256(previous.encode() + body).hexdigest()
            except (ValueError, KeyError) as error:
                raise PenstockError(f"{place} is not an entry: {error}") from error
            if end != f'{right}"}}'.encode() or (number == 1 and found.get("previous") != previous):
                raise PenstockError(f"{place}: its hash does not follow from the line before; one of them was changed, "
                                    "or lines are missing")
            if expected is not None and found["number"] != expected:
                raise PenstockError(f"{place} has number {found['number']}, not {expected}: entries are missing")
            before, expected = right, found["number"] + 1
            times.append(found["time"])
    return {"segments": len(paths), "entries": len(times), "first": times[0], "last": times[-1]}
