# SPDX-License-Identifier: Apache-2.0
"""What a controller can be told from outside, and the checks on it."""

from __future__ import annotations

import dataclasses
import ipaddress
from typing import Any

LOOPBACK = "127.0.0.1"
NODES = ("configured", "any")


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
class Settings:
    """How one controller runs. Everything here may change from one start to the next."""

    listen_address: str = LOOPBACK
    """Where switches connect to: OpenFlow and OVSDB."""
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
    """The same by IPFIX over UDP."""
    event_syslog: str = ""
    """ADDRESS:PORT of a collector of the controller's events by syslog over UDP; none when empty."""
    flow_check_seconds: int = 50
    """Time in which the controller compares all flows of each switch with the plan, and repairs them; 0 for never."""
    nodes: str = "configured"
    """Which nodes are believed: `configured`, with the address from which they connect, or `any`, for tests."""

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Settings:
        """Those that were written as JSON."""
        return cls(**{**fields, "ports": Ports(**fields["ports"]), "java_options": tuple(fields["java_options"])})

    def __post_init__(self) -> None:
        ipaddress.ip_address(self.listen_address)
        for name, text in (("nat-syslog", self.nat_syslog), ("nat-ipfix", self.nat_ipfix),
                           ("event-syslog", self.event_syslog)):
            address, _, port = text.rpartition(":")
            if text and not (address and port.isdecimal() and 0 < int(port) < 65536):
                raise ValueError(f"{name}: '{text}' is not ADDRESS:PORT")
        if self.nodes not in NODES:
            raise ValueError(f"nodes: '{self.nodes}' is neither {' nor '.join(NODES)}")
        if not 0 <= self.flow_check_seconds <= 3600:
            raise ValueError(f"flow-check-seconds: {self.flow_check_seconds} is not in 0..3600")
