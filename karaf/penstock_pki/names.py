# SPDX-License-Identifier: Apache-2.0
"""Who a certificate is for. The kind is in the certificate, so that a node's is none of a member, nor the reverse."""

from __future__ import annotations

import dataclasses
import ipaddress
import re
from typing import Literal

from penstock_base.errors import PenstockError

Kind = Literal["member", "node"]
KINDS: tuple[Kind, ...] = ("member", "node")
URI = "penstock://"
"""What the identity in a certificate begins with. The same as in PeerCertificate.java."""
MEMBERS = "members.penstock"
"""A host name in the certificate of each member, by which members know each other."""

_NAMES = {"node": (re.compile(r"[a-z][a-z0-9-]{0,10}"), "a lower-case letter, then at most 10 of a-z, 0-9 and '-'"),
          "member": (re.compile(r"[a-z][a-z0-9-]{0,30}"), "a lower-case letter, then at most 30 of a-z, 0-9 and '-'")}
_HOST = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")


@dataclasses.dataclass(frozen=True)
class Owner:
    """A controller member or a node. `addresses` (IP addresses and host names) are how clients reach a member."""
    kind: Kind
    name: str
    addresses: tuple[str, ...] = ()

    @property
    def uri(self) -> str:
        """The identity, such as penstock://node/edge1: what the other side reads."""
        return f"{URI}{self.kind}/{self.name}"

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def owner(kind: Kind, name: str, addresses: tuple[str, ...] = ()) -> Owner:
    """Checks what an operator said. Raises PenstockError."""
    pattern, rule = _NAMES[kind]
    if not pattern.fullmatch(name):
        raise PenstockError(f"{kind} '{name}': a name of a {kind} is {rule}")
    if kind == "node" and addresses:
        raise PenstockError(f"node {name}: a node has no addresses in its certificate, it is known by its name; leave "
                            "--address out")
    if kind == "member" and not addresses:
        raise PenstockError(f"member {name}: clients compare the address that they use; give each by --address")
    for address in addresses:
        if not is_ip(address) and not _HOST.fullmatch(address):
            raise PenstockError(f"member {name}: '{address}' is neither an IP address nor a host name in lower case")
    return Owner(kind, name, tuple(dict.fromkeys(addresses)))


def is_ip(text: str) -> bool:
    """Whether it is an IP address, and no host name."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
