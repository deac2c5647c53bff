# SPDX-License-Identifier: Apache-2.0
"""Reads the journal of public addresses: who had one, and whether the journal is whole. docs/nat-journal.md has its
format. Needs nothing but the files, so it works on a copy, without the controller."""

import dataclasses
import datetime
import ipaddress
import pathlib
import re
import typing
from collections.abc import Iterator

from penstock_base.errors import PenstockError

from . import chain

PROTOCOLS = ("tcp", "udp")

_PREFIX = "nat"
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
    segments = chain.segments(directory, _PREFIX)
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
    """Checks every hash and number, as chain.verify."""
    return chain.verify(directory, _PREFIX)


def last_number(directory: pathlib.Path) -> int:
    """The number of the last line of a journal; 0 without one."""
    try:
        newest = chain.segments(directory, _PREFIX)[-1]
        lines = chain.read(newest).splitlines()
        return int(chain.entry(lines[-1], newest)["number"]) if lines else 0
    except (PenstockError, KeyError, ValueError):
        return 0


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


def _begun(segment: pathlib.Path) -> datetime.datetime:
    with chain.opened(segment) as file:
        return _time(chain.entry(file.readline(), segment)["time"])


def _owners_in(segment: pathlib.Path, address: ipaddress.IPv4Address, port: int | None,
               protocol: str | None) -> Iterator[Owner]:
    """All owners of an address and port in a segment, each with the time from which and until which."""
    found: list[_Held] = []
    for line in _lines_about(chain.read(segment), address):
        entry = chain.entry(line, segment)
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


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)
