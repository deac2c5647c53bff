# SPDX-License-Identifier: Apache-2.0
"""What the controller orders for the names of one tenant, read from JSON and checked."""

import dataclasses
import ipaddress
import json
import re
import typing
from collections.abc import Iterable, Mapping

from . import node_protocol

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

TYPES = ("A", "AAAA", "CNAME", "MX", "TXT", "SRV", "PTR", "NS")
SERVICE_IPV4 = ipaddress.ip_network(node_protocol.SERVICE_IPV4)
SERVICE_IPV6 = ipaddress.ip_network(node_protocol.SERVICE_IPV6)
_LEASE_TTL = 60  # Seconds: a host that changes its address is found anew within a minute.
_LONGEST_DOMAIN = 200  # Names of hosts have to fit before it, and it is the name of a file.
_LONGEST_TTL = 2**31 - 1
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_ESCAPE = re.compile(rb"\\(\d{3}|.)", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_KEYS = {"domain", "addresses", "upstreams", "records", "leases", "reverse", "dns64"}


class OrderError(Exception):
    """The order will not do; the text names the field and is meant for an operator."""


@dataclasses.dataclass(frozen=True)
class Record:
    """One resource record, in the spelling of a zone file. `name` and names in `data` end with a dot."""
    name: str
    ttl: int
    type: str
    data: str


@dataclasses.dataclass(frozen=True)
class Order:
    """A checked order. `zones` maps own zones to their records; `left_out` are names of leases that DNS cannot have."""
    addresses: tuple[str, ...]
    upstreams: tuple[str, ...]
    inside: bool
    dns64: str | None
    zones: dict[str, tuple[Record, ...]]
    left_out: tuple[str, ...]


def parse(text: str, tenant: int) -> Order:
    """Reads the order of the tenant with this number. Raises OrderError."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise OrderError(f"is not JSON: {error}") from None
    _need(isinstance(content, dict), "is not a JSON object")
    unknown = sorted(set(content) - _KEYS)
    _need(not unknown, f"{', '.join(unknown)}: unknown; known are {', '.join(sorted(_KEYS))}")
    for key in ("addresses", "upstreams", "records", "leases", "reverse"):
        _need(isinstance(content.get(key, []), list), f"{key}: is not a list")
    domain = _name(content.get("domain"), None, "domain")
    _need("*" not in domain and domain != "." and len(domain) <= _LONGEST_DOMAIN, "domain: is not a domain name")
    addresses = tuple(_service_address(entry, tenant, f"addresses[{index}]")
                      for index, entry in enumerate(content.get("addresses", [])))
    _need(addresses, "addresses: is empty; the resolver needs at least one")
    upstreams, inside = _upstreams(content.get("upstreams", []))
    zones: dict[str, list[Record]] = {domain: []}
    for index, entry in enumerate(content.get("reverse", [])):
        zones |= {zone: [] for zone in reverse_zones(_network(entry, f"reverse[{index}]"))}
    for index, entry in enumerate(content.get("records", [])):
        record = _record(entry, domain, f"records[{index}]")
        zone = _zone_of(record.name, zones)
        if zone is None:
            raise OrderError(f"records[{index}].name: {record.name} is not in {', '.join(zones)}")
        zones[zone].append(record)
    _one_cname(zones)
    left_out = _leases(content.get("leases", []), domain, zones)
    return Order(addresses, upstreams, inside, _dns64(content.get("dns64")),
                 {zone: tuple(records) for zone, records in zones.items()}, left_out)


def reverse_zones(network: Network) -> list[str]:
    """The zones that hold the addresses of a prefix and no others: one, or up to 128 if it ends within a label."""
    step = 8 if network.version == 4 else 4
    length = max(-(-network.prefixlen // step) * step, step)
    return [_reverse(part.network_address, length // step) for part in network.subnets(new_prefix=length)]


def _reverse(address: Address, labels: int) -> str:
    every = address.reverse_pointer.split(".")
    return ".".join(every[len(every) - 2 - labels:]) + "."


def _need(condition: object, problem: str) -> None:
    if not condition:
        raise OrderError(problem)


def _name(value: typing.Any, domain: str | None, field: str) -> str:
    """A full name with a dot at its end and small letters. `@` is the domain itself."""
    _need(isinstance(value, str) and value, f"{field}: is missing")
    full = value if value.endswith(".") else f"{value}." if domain is None else f"{value}.{domain}"
    full = (domain if value == "@" and domain else full).lower()
    labels = full[:-1].split(".")
    good = all(_LABEL.fullmatch(label) or (label == "*" and index == 0) for index, label in enumerate(labels))
    _need(full == "." or (good and len(full) <= 254), f"{field}: {json.dumps(value)} is not a name")
    return full


def _address(value: typing.Any, version: int | None, field: str) -> Address:
    address: Address | None
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        address = None
    if not isinstance(value, str) or address is None or version not in (None, address.version) or "%" in value:
        raise OrderError(f"{field}: {json.dumps(value)} is not an IPv{version or '4 or IPv6'} address")
    return address


def _network(value: typing.Any, field: str) -> Network:
    try:
        # A zone of an IPv6 address (RFC 4007) may have any characters, and means nothing beyond a host.
        _need(isinstance(value, str) and "%" not in value, f"{field}: {json.dumps(value)} is not a prefix")
        return ipaddress.ip_network(value)
    except ValueError as error:
        raise OrderError(f"{field}: {error}") from None


def _service_address(value: typing.Any, tenant: int, field: str) -> str:
    """Nobody may listen at the addresses of another tenant."""
    address = _address(value, None, field)
    if address.version == 4:
        mine = int(address) >> 8 == int(SERVICE_IPV4.network_address) >> 8 | tenant
    else:
        mine = int(address) >> 64 == int(SERVICE_IPV6.network_address) >> 64 | tenant
    _need(mine, f"{field}: {value} is not a service address of tenant {tenant}")
    return str(address)


def _upstreams(entries: list[typing.Any]) -> tuple[tuple[str, ...], bool]:
    addresses, inside = [], set()
    for index, entry in enumerate(entries):
        field = f"upstreams[{index}]"
        if isinstance(entry, dict):
            _need(set(entry) <= {"address", "inside"} and isinstance(entry.get("inside", False), bool),
                  f"{field}: needs an address, or address and inside")
        inside.add(isinstance(entry, dict) and entry.get("inside", False))
        addresses.append(str(_address(entry.get("address") if isinstance(entry, dict) else entry, None, field)))
    # One process has one source address, and answers that depend on which upstream was faster help nobody.
    _need(len(inside) < 2, "upstreams: some are inside and some are not; all have to be of one kind")
    return tuple(addresses), inside == {True}


def _dns64(value: typing.Any) -> str | None:
    if value is None:
        return None
    network = _network(value, "dns64")
    _need(network.version == 6 and network.prefixlen in (32, 40, 48, 56, 64, 96),
          f"dns64: {value} is not an IPv6 prefix of a length that RFC 6052 has")
    return str(network)


def _record(entry: typing.Any, domain: str, field: str) -> Record:
    _need(isinstance(entry, dict), f"{field}: is not an object")
    kind, ttl, data = entry.get("type"), entry.get("ttl", 300), entry.get("data")
    _need(kind in TYPES, f"{field}.type: {json.dumps(kind)} is none of {', '.join(TYPES)}")
    _need(type(ttl) is int and 0 <= ttl <= _LONGEST_TTL, f"{field}.ttl: {json.dumps(ttl)} is not a number of seconds")
    _need(isinstance(data, str), f"{field}.data: is missing")
    return Record(_name(entry.get("name"), domain, f"{field}.name"), ttl, kind, _data(kind, data, domain,
                                                                                        f"{field}.data"))


def _data(kind: str, data: str, domain: str, field: str) -> str:
    if kind in ("A", "AAAA"):
        return str(_address(data, 4 if kind == "A" else 6, field))
    if kind == "TXT":
        return " ".join(_quoted(string) for string in _strings(data, field))
    *numbers, target = data.split() or [""]
    count = {"MX": 1, "SRV": 3}.get(kind, 0)
    _need(len(numbers) == count and all(re.fullmatch(r"[0-9]{1,5}", text) and int(text) < 65536 for text in numbers),
          f"{field}: wanted are {count} numbers up to 65535 and a name" if count else f"{field}: wanted is a name")
    return " ".join([*numbers, _name(target, domain, field)])


def _strings(text: str, field: str) -> list[bytes]:
    """The strings of a TXT record as a zone file has them (RFC 1035, section 5.1): with quotes or without, in bytes."""
    _need(_is_text(text), f"{field}: has characters that are none")
    found = _STRING.findall(text)
    _need("".join(found).replace(" ", "") == text.replace(" ", "") and found, f"{field}: needs strings")
    strings = [_ESCAPE.sub(_byte, part[1:-1].encode() if part.startswith('"') else part.encode()) for part in found]
    _need(all(len(string) <= 255 for string in strings), f"{field}: a string has more than 255 bytes")
    return strings


def _is_text(text: str) -> bool:
    """Whether a text from JSON, which may have halves of surrogate pairs, can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _byte(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return code if len(code) == 1 else bytes([int(code) & 255])


def _quoted(data: bytes) -> str:
    """A string for Unbound; every byte that could mean something to a parser is a number."""
    return '"' + "".join(chr(byte) if (chr(byte).isalnum() and byte < 128) or byte in b" -_=.,:/+@"
                         else f"\\{byte:03d}" for byte in data) + '"'


def _zone_of(name: str, zones: Iterable[str]) -> str | None:
    """The longest own zone that the name is in, or None."""
    fits = [zone for zone in zones if name == zone or name.endswith("." + zone)]
    return max(fits, key=len, default=None)


def _one_cname(zones: Mapping[str, list[Record]]) -> None:
    for zone, records in zones.items():
        names = [record.name for record in records]
        for record in records:
            _need(record.type != "CNAME" or (names.count(record.name) == 1 and record.name != zone),
                  f"records: {record.name} has a CNAME, so it can have nothing else")


def _leases(entries: list[typing.Any], domain: str, zones: dict[str, list[Record]]) -> tuple[str, ...]:
    """Adds the records of hosts with a lease. Names given by hand are never theirs.

    Hosts choose their names: one with a bad name goes without, and takes nobody else down.
    """
    taken = {record.name for records in zones.values() for record in records}
    left_out = []
    for index, entry in enumerate(entries):
        _need(isinstance(entry, dict), f"leases[{index}]: is not an object")
        address = _address(entry.get("address"), None, f"leases[{index}].address")
        try:
            name = _name(entry.get("name"), domain, f"leases[{index}].name")
            _need(name.endswith("." + domain) and "*" not in name, "not in the domain")
        except OrderError:
            left_out.append(str(entry.get("name")))
            continue
        if name not in taken:
            zones[domain].append(Record(name, _LEASE_TTL, "A" if address.version == 4 else "AAAA", str(address)))
        pointer = address.reverse_pointer + "."
        zone = _zone_of(pointer, zones)
        if zone and pointer not in taken:
            zones[zone].append(Record(pointer, _LEASE_TTL, "PTR", name))
    return tuple(left_out)
