# SPDX-License-Identifier: Apache-2.0
"""Connections of tenants, as the switch lists them, and how two lists differ."""

import dataclasses
import ipaddress
import re
from collections.abc import Iterator

LAST_VRF = 25599
"""Zones of translations are 2 to this: the numbers of tenants. io.penstock.pipeline.registry.VrfId has them."""
_FIRST_VRF = 2
_LINE = re.compile(r"^([a-z0-9]+,orig=\([^)]*\),reply=\([^)]*\),zone=[0-9]+)", re.MULTILINE)
_PARTS = re.compile(r"([a-z0-9]+),orig=\(([^)]*)\),reply=\(([^)]*)\),zone=([0-9]+)")
_PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17, "sctp": 132}


@dataclasses.dataclass(frozen=True)
class Connection:
    """A connection of IPv4 before and after its translation. Addresses and ports are numbers.

    The ports of ICMP are its identifier, and 0. `vrf` is the number of the tenant.
    """
    vrf: int
    protocol: int
    source: int
    source_port: int
    destination: int
    destination_port: int
    new_source: int
    new_source_port: int
    new_destination: int
    new_destination_port: int


def keys(answer: str) -> set[str]:
    """One text for each connection of an answer of dpctl/dump-conntrack, the same as long as it lasts."""
    return set(_LINE.findall(answer))


def read(key: str) -> Connection | None:
    """The connection of a key; None for one that no NAT of IPv4 translates: of access lists and chains, and of IPv6."""
    found = _PARTS.fullmatch(key)
    if not found or not _FIRST_VRF <= int(found[4]) <= LAST_VRF or found[1] not in _PROTOCOLS:
        return None
    try:
        source, destination, source_port, destination_port = _end(found[2])
        # What answers come to is what the translation made of the first packets' source.
        new_destination, new_source, new_destination_port, new_source_port = _end(found[3])
    except (KeyError, ValueError):
        return None
    if found[1] == "icmp":
        new_source_port, new_destination_port = new_destination_port, 0
    return Connection(int(found[4]), _PROTOCOLS[found[1]], source, source_port, destination, destination_port,
                      new_source, new_source_port, new_destination, new_destination_port)


def _end(text: str) -> tuple[int, int, int, int]:
    fields = dict(part.split("=", 1) for part in text.split(","))
    addresses = [int(ipaddress.IPv4Address(fields[name])) for name in ("src", "dst")]
    ports = [int(fields["id"]), 0] if "id" in fields else [int(fields["sport"]), int(fields["dport"])]
    if max(ports) > 0xffff:
        raise ValueError("no port")
    return addresses[0], addresses[1], ports[0], ports[1]


class Difference:
    """Compares each list with the one before. Not for several threads."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def take(self, now: set[str]) -> tuple[Iterator[Connection], Iterator[Connection]]:
        """Connections that have ended and that have begun since the last list. All have begun in the first one."""
        before, self._known = self._known, now
        return _all(before - now), _all(now - before)


def _all(some: set[str]) -> Iterator[Connection]:
    return filter(None, map(read, some))
