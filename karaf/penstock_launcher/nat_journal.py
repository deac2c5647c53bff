# SPDX-License-Identifier: Apache-2.0
"""Reads the journal of public addresses: who had one, and whether the journal is whole. docs/nat-journal.md has its
format. Needs nothing but the files, so it works on a copy, without the controller."""

import contextlib
import dataclasses
import datetime
import gzip
import hashlib
import ipaddress
import json
import pathlib
import re
import typing
from collections.abc import Iterator

from penstock_base.errors import PenstockError

PROTOCOLS = ("tcp", "udp")

_NAME = re.compile(r"nat-(\d{12})\.jsonl(\.gz)?")
_HASH = b',"hash":"'
_NOTHING = "0" * 64
_PORTS = 65536


@dataclasses.dataclass(frozen=True)
class Owner:
    """Who had a public address and port. Times are ISO 8601; `until` is None while it is held, as far as the segment
    tells."""

    tenant: str
    vrf: int
    kind: str
    inside: str | None
    inside_port: int | None
    since: str
    until: str | None


@dataclasses.dataclass
class _Held:
    """An assignment of a segment: what names it, its entry, and until when it was held, None for on."""
    key: dict[str, typing.Any]
    entry: dict[str, typing.Any]
    until: str | None = None


def owners(directory: pathlib.Path | str, address: ipaddress.IPv4Address, port: int | None, protocol: str | None,
           moment: datetime.datetime, tolerance: datetime.timedelta) -> list[Owner]:
    """Everybody who had a public address and port at a moment, or less than a tolerance before or after it.

    address:    ipaddress.IPv4Address
    port:       or None, for who had any port of it
    protocol:   one of PROTOCOLS, or None for any
    moment:     datetime with a time zone
    tolerance:  timedelta; clocks differ, and a change reaches the switch some milliseconds after the journal
    """
    segments = _segments(directory)
    first, last = moment - tolerance, moment + tolerance
    end = _last_begun(segments, last)
    if end is None:
        raise PenstockError(f"the journal in {directory} begins at {_begun(segments[0]).isoformat()}, later than "
                            f"{moment.isoformat()}")
    found: list[Owner] = []
    for segment in segments[_last_begun(segments, first) or 0:end + 1]:
        for owner in _owners_in(segment, address, port, protocol):
            if _time(owner.since) <= last and (owner.until is None or _time(owner.until) >= first):
                # The next segment tells the end of what this one still holds.
                found = [one for one in found if not (one.until is None and _same(one, owner))] + [owner]
    # A forwarded port tells the host, the address of the whole VRF does not.
    return sorted(found, key=lambda owner: (owner.kind == "source", owner.since))


def verify(directory: pathlib.Path | str) -> dict[str, typing.Any]:
    """Checks every hash and number. Returns how many segments and entries there are, and the first and last time.

    Raises PenstockError for the first line that does not follow from the one before.
    """
    segments = _segments(directory)
    expected, before, times = None, None, []
    for segment in segments:
        lines = _read(segment).splitlines()
        for number, line in enumerate(lines, 1):
            place = f"{segment}, line {number}"
            try:
                body, _, end = line.rpartition(_HASH)
                entry = json.loads(line)
                previous = before or (entry["previous"] if entry["event"] == "opened" else _NOTHING)
                right = hashlib.sha256(previous.encode() + body).hexdigest()
            except (ValueError, KeyError) as error:
                raise PenstockError(f"{place} is not an entry: {error}") from error
            if end != f'{right}"}}'.encode() or (number == 1 and entry.get("previous") != previous):
                raise PenstockError(f"{place}: its hash does not follow from the line before; one of them was changed, "
                                    "or lines are missing")
            if expected is not None and entry["number"] != expected:
                raise PenstockError(f"{place} has number {entry['number']}, not {expected}: entries are missing")
            before, expected = right, entry["number"] + 1
            times.append(entry["time"])
    return {"segments": len(segments), "entries": len(times), "first": times[0], "last": times[-1]}


def _segments(directory: pathlib.Path | str) -> list[pathlib.Path]:
    found: dict[str, pathlib.Path] = {}
    for path in pathlib.Path(directory).glob("nat-*"):
        match = _NAME.fullmatch(path.name)
        if match:
            # The compressed one is whole when it has its name; the other is then about to go.
            found[match[1]] = path if match[2] or match[1] not in found else found[match[1]]
    if not found:
        raise PenstockError(f"there is no journal in {directory}: name its directory with --directory")
    return [found[number] for number in sorted(found)]


def _last_begun(segments: list[pathlib.Path], moment: datetime.datetime) -> int | None:
    """Index of the last segment that was begun at a moment or before it, or None."""
    low, high = 0, len(segments)
    while low < high:
        middle = (low + high) // 2
        if _begun(segments[middle]) <= moment:
            low = middle + 1
        else:
            high = middle
    return low - 1 if low else None


@contextlib.contextmanager
def _opened(segment: pathlib.Path) -> Iterator[typing.BinaryIO | gzip.GzipFile]:
    try:
        with (gzip.open(segment) if segment.suffix == ".gz" else open(segment, "rb")) as file:
            yield file
    except (OSError, EOFError) as error:
        raise PenstockError(f"cannot read {segment}: {error}") from error


def _begun(segment: pathlib.Path) -> datetime.datetime:
    with _opened(segment) as file:
        return _time(_entry(file.readline(), segment)["time"])


def _read(segment: pathlib.Path) -> bytes:
    with _opened(segment) as file:
        text = file.read()
    # The last line may just be written.
    return text[:text.rfind(b"\n") + 1]


def _owners_in(segment: pathlib.Path, address: ipaddress.IPv4Address, port: int | None,
               protocol: str | None) -> Iterator[Owner]:
    """All owners of an address and port in a segment, each with the time from which and until which."""
    found: list[_Held] = []
    for line in _lines_about(_read(segment), address):
        entry = _entry(line, segment)
        key = {name: entry.get(name) for name in ("tenant", "vrf", "kind", "public", "inside", "protocol",
                                                  "public-port", "first-port")}
        if entry["event"] == "released":
            for one in found:
                if one.key == key and one.until is None:
                    one.until = entry["time"]
        else:
            found.append(_Held(key, entry))
    for one in found:
        told = _told(one.entry, address, port, protocol)
        if told:
            inside, inside_port = told
            yield Owner(one.entry["tenant"], one.entry["vrf"], one.entry["kind"], inside, inside_port,
                        one.entry.get("since", one.entry["time"]), one.until)


def _lines_about(text: bytes, address: ipaddress.IPv4Address) -> list[bytes]:
    """The lines that have a public prefix with the address, in their order. To parse all lines would take seconds."""
    prefixes = {str(ipaddress.ip_network((int(address), length), strict=False)) for length in range(33)}
    wanted = re.compile(b'"public":"(?:' + "|".join(map(re.escape, sorted(prefixes))).encode() + b')"')
    starts = (text.rfind(b"\n", 0, found.start()) + 1 for found in wanted.finditer(text))
    return [text[start:text.index(b"\n", start)] for start in starts]


def _told(entry: dict[str, typing.Any], address: ipaddress.IPv4Address, port: int | None,
          protocol: str | None) -> tuple[str | None, int | None] | None:
    """The inside address and port that an assignment gives to a public address and port; None if it does not."""
    outside = ipaddress.ip_network(entry["public"])
    offset = int(address) - int(outside.network_address)
    if entry["kind"] == "source":
        return None, None
    inside = ipaddress.ip_network(entry["inside"])
    if entry["kind"] == "port-forward":
        if port not in (None, entry["public-port"]) or protocol not in (None, entry["protocol"]):
            return None
        return str(inside.network_address), entry["inside-port"]
    if entry["kind"] == "one-to-one":
        return str(inside.network_address + offset), port
    first, size = entry["first-port"], entry["block-size"]
    if entry["kind"] == "port-block":
        return (str(inside.network_address), None) if port is None or first <= port < first + size else None
    if port is None:
        return str(inside), None
    if port < first:
        return None
    place = offset * ((_PORTS - first) // size) + (port - first) // size
    return str(inside.network_address + place), None


def _same(one: Owner, other: Owner) -> bool:
    return dataclasses.replace(one, until=None) == dataclasses.replace(other, until=None)


def _entry(line: bytes, segment: pathlib.Path) -> dict[str, typing.Any]:
    try:
        entry: dict[str, typing.Any] = json.loads(line)
    except ValueError as error:
        raise PenstockError(f"{segment}: {line[:80]!r} is not an entry") from error
    return entry


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)
