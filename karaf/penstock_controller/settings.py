# SPDX-License-Identifier: Apache-2.0
"""What a controller can be told from outside, and the checks on it."""

from __future__ import annotations

import dataclasses
import ipaddress
import pathlib
import re
from typing import Any

LOOPBACK = "127.0.0.1"
NODES = ("configured", "any")
_MEMBER = re.compile(r"member-[1-9][0-9]*")


@dataclasses.dataclass(frozen=True)
class Ports:
    """TCP ports. OpenFlow and OVSDB listen on the southbound address, all others on loopback."""

    openflow: int = 6653
    ovsdb: int = 6640
    restconf: int = 8181
    ssh: int = 8101
    cluster: int = 2550

    def __post_init__(self) -> None:
        numbers = dataclasses.astuple(self)
        for name, number in dataclasses.asdict(self).items():
            if not 0 < number < 65536:
                raise ValueError(f"port {name}: {number} is not a TCP port")
        if len(set(numbers)) != len(numbers):
            raise ValueError(f"two ports are the same: {dataclasses.asdict(self)}")

    def shifted(self, by: int) -> Ports:
        """The ports of a further controller on the same machine."""
        return Ports(*(number + by for number in dataclasses.astuple(self)))


@dataclasses.dataclass(frozen=True)
class Member:
    """One of the controllers of a cluster."""

    name: str
    """`member-` and a number from 1; the datastore keeps shards under it, so that it stays for good."""
    address: str
    """Where the other members reach it."""

    def __post_init__(self) -> None:
        if not _MEMBER.fullmatch(self.name):
            raise ValueError(f"members: '{self.name}' is not member-NUMBER")
        ipaddress.ip_address(self.address)

    def __str__(self) -> str:
        return f"{self.name}={self.address}"

    @classmethod
    def parse_all(cls, text: str) -> tuple[Member, ...]:
        """Those of a list as NAME=ADDRESS,..., in its order."""
        return tuple(cls(*map(str.strip, word.partition("=")[::2])) for word in text.split(","))


@dataclasses.dataclass(frozen=True)
class Tls:
    """Files of this member, PEM, as ./penstock pki makes them. They may be replaced while it runs."""

    certificate: str
    key: str
    ca: str
    """Certificates of the authorities that sign those of nodes and members."""
    crl: str
    """What they have revoked."""

    def __post_init__(self) -> None:
        for name, path in dataclasses.asdict(self).items():
            if not pathlib.PurePosixPath(path).is_absolute() or any(letter in path for letter in "\n\r\\\"$"):
                raise ValueError(f"tls-{name}: '{path}' is no absolute path: give one, or leave all of them out")


@dataclasses.dataclass(frozen=True)
class Settings:
    """How one controller runs. Everything here may change from one start to the next."""

    listen_address: str = LOOPBACK
    """Where switches connect to: OpenFlow and OVSDB."""
    northbound_address: str = LOOPBACK
    """Where RESTCONF listens: by HTTPS if other machines reach it, and in plain text on loopback then."""
    member: str = "member-1"
    """The name of this controller in its cluster."""
    members: tuple[Member, ...] = ()
    """All controllers of the cluster, this one among them, in the same order in all of them; empty for one alone."""
    ports: Ports = Ports()
    heap: str = "2g"
    """Java's -Xmx."""
    namespace: str | None = None
    """Network namespace to run in; None is the caller's."""
    java_options: tuple[str, ...] = ()
    """Further options, after the default ones."""
    nat_syslog: str = ""
    """ADDRESS:PORT of a collector of NAT events by syslog over UDP; none when empty."""
    nat_ipfix: str = ""
    """One or two collectors of NAT events by IPFIX, UDP or, as tcp:ADDRESS:PORT, TCP; with a comma between them."""
    event_syslog: str = ""
    """ADDRESS:PORT of a collector of the controller's events by syslog over UDP; none when empty."""
    flow_check_seconds: int = 50
    """Time in which the controller compares all flows of each switch with the plan, and repairs them; 0 for never."""
    metrics_tenants: int = 1000
    """Tenants with samples of their own in the metrics; those of all others are added up."""
    nodes: str = "configured"
    """Which nodes are believed: `configured`, with the address from which they connect, or `any`, for tests."""

    tls: Tls | None = None
    """Certificates for all connections with other machines; None for plain text, on addresses of this machine alone."""

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Settings:
        """Those that were written as JSON."""
        return cls(**{**fields, "ports": Ports(**fields["ports"]), "java_options": tuple(fields["java_options"]),
                      "members": tuple(Member(**member) for member in fields.get("members", ())),
                      "tls": fields.get("tls") and Tls(**fields["tls"])})

    @property
    def has_https(self) -> bool:
        """Whether RESTCONF is reached by HTTPS at the northbound address."""
        return self.tls is not None and not ipaddress.ip_address(self.northbound_address).is_loopback

    @property
    def plain_address(self) -> str:
        """Where RESTCONF is in plain text: never beyond this machine if it has certificates."""
        return LOOPBACK if self.has_https else self.northbound_address

    @property
    def console_address(self) -> str:
        """Where the console listens: never beyond this machine."""
        return self.northbound_address if ipaddress.ip_address(self.northbound_address).is_loopback else LOOPBACK

    def __post_init__(self) -> None:
        self._check_members()
        self._check_plain("listen", self.listen_address, "nodes would connect to")
        self._check_plain("northbound", self.northbound_address, "passwords would be sent to")
        for member in self.members:
            self._check_plain("members", member.address, "the datastore would be copied to")
        self._check_collectors()
        if self.nodes not in NODES:
            raise ValueError(f"nodes: '{self.nodes}' is neither {' nor '.join(NODES)}")
        if not 0 <= self.flow_check_seconds <= 3600:
            raise ValueError(f"flow-check-seconds: {self.flow_check_seconds} is not in 0..3600")
        if not 0 <= self.metrics_tenants <= 100_000:
            raise ValueError(f"metrics-tenants: {self.metrics_tenants} is not in 0..100000")

    def _check_plain(self, name: str, address: str, harm: str) -> None:
        """The same rule as in NodeTransport.java."""
        parsed = ipaddress.ip_address(address)
        if not (self.tls or self.nodes == "any" or parsed.is_loopback or parsed.is_link_local):
            raise ValueError(f"{name}: {harm} {address} in plain text: give certificates (--tls-certificate and so on, "
                             "docs/trust.md), or choose a loopback or link-local address")

    def _check_collectors(self) -> None:
        """The same rule as in Collector.java and Exporters.java."""
        ipfix = self.nat_ipfix.split(",") if self.nat_ipfix else []
        if len(ipfix) > 2:
            raise ValueError(f"nat-ipfix: {len(ipfix)} collectors: name one or two")
        for name, text in (("nat-syslog", self.nat_syslog), ("event-syslog", self.event_syslog),
                           *(("nat-ipfix", each) for each in ipfix)):
            is_ipfix = name == "nat-ipfix"
            parts = re.fullmatch(r"(udp:|tcp:)?[^\s,]*[^\s,:]:([0-9]{1,5})", text)
            if not (parts and 0 < int(parts[2]) < 65536 and (is_ipfix or not parts[1])) and (text or is_ipfix):
                raise ValueError(f"{name}: '{text}' is not {'[tcp:]' if is_ipfix else ''}ADDRESS:PORT")

    def _check_members(self) -> None:
        if not _MEMBER.fullmatch(self.member):
            raise ValueError(f"member: '{self.member}' is not member-NUMBER")
        names = [member.name for member in self.members]
        addresses = [member.address for member in self.members]
        for values in (names, addresses):
            twice = sorted({value for value in values if values.count(value) > 1})
            if twice:
                raise ValueError(f"members: {', '.join(twice)} stands there more than once")
        if names and self.member not in names:
            raise ValueError(f"members: {self.member}, which this controller is, is not among {', '.join(names)}")
        if len(names) == 2:
            raise ValueError("members: two are less safe than one, for both are needed; name one or three")
