# SPDX-License-Identifier: Apache-2.0
"""Which upstreams of a resolver do not answer, as Unbound measures them (`unbound-control dump_infra`)."""

import ipaddress
import re
from collections.abc import Collection

from . import agent_unbound

_MEASURED = re.compile(r"(?P<address>[0-9A-Fa-f:.]+) \S+ ttl \d+ .*\brtt (?P<rtt>\d{1,9}) rto (?P<rto>\d{1,9})\b")
_EXPIRED = re.compile(r"(?P<address>[0-9A-Fa-f:.]+) \S+ expired rto (?P<rto>\d{1,9})")


def silent(infra: str, upstreams: Collection[str], before: Collection[str]) -> tuple[str, ...]:
    """The upstreams that did not answer when they were last asked, in their order.

    infra: the answer to dump_infra, of a resolver that may have been taken over. Unbound asks an upstream that hosts
    need, and forgets its measurement after some seconds: then that of `before` holds, an earlier result.
    """
    answers: dict[str, bool] = {}
    for line in infra.splitlines():
        measured, expired = _MEASURED.match(line), _EXPIRED.match(line)
        if measured:
            # Each question without an answer doubles the time that the next one gets (services/cache/infra.c).
            answers[_plain(measured["address"])] = int(measured["rto"]) <= int(measured["rtt"])
        elif expired and int(expired["rto"]) >= agent_unbound.LONGEST_WAIT_MS:
            answers[_plain(expired["address"])] = False
    return tuple(upstream for upstream in upstreams
                 if not answers.get(_plain(upstream), upstream not in before))


def _plain(address: str) -> str:
    """One spelling of an address; a text that is none stays as it is."""
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return address
