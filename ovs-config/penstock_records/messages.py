# SPDX-License-Identifier: Apache-2.0
"""Messages of IPFIX (RFC 7011) with NAT44 sessions (RFC 8158). The controller has its own encoder, for its events."""

import struct
import time
from collections.abc import Iterable, Iterator, Mapping

from .connections import Connection

CREATED, DELETED = 4, 5
"""natEvent of a session."""
TEMPLATE = 256
_ELEMENTS = ((323, 8), (230, 1), (234, 4), (4, 1), (8, 4), (7, 2), (12, 4), (11, 2), (225, 4), (227, 2), (226, 4),
             (228, 2), (236, 0xffff))
"""observationTimeMilliseconds, natEvent, ingressVRFID, protocolIdentifier, then address and port: source, destination,
postNATSource, postNATDestination; and VRFname, with its length before it (RFC 7011, section 7)."""
_RECORD = struct.Struct("!QBIBIHIHIHIH")
_HEADER, _SET = struct.Struct("!HHIII"), struct.Struct("!HH")
_VERSION, _TEMPLATE_SET, _DOMAIN = 10, 2, 1
_MOST = 1232
"""Bytes of a message, with which a packet of IPv6 need not be cut on any link."""
_LONGEST_NAME = 200
_DEFINITION = _SET.pack(TEMPLATE, len(_ELEMENTS)) + b"".join(_SET.pack(*element) for element in _ELEMENTS)
_TEMPLATES = _SET.pack(_TEMPLATE_SET, _SET.size + len(_DEFINITION)) + _DEFINITION


class Session:
    """One transport session. is_repeated: whether each message has the template, as over UDP.

    Not for several threads.
    """

    def __init__(self, is_repeated: bool) -> None:
        self._is_repeated, self._is_first = is_repeated, True
        self._sequence = 0

    def messages(self, event: int, connections: Iterable[Connection], seen: float,
                 names: Mapping[int, str]) -> Iterator[tuple[bytes, int]]:
        """Messages with the number of their records.

        event: CREATED or DELETED; seen: when, in seconds of the epoch; names: of tenants by number
        """
        records: list[bytes] = []
        most = _MOST - _HEADER.size - len(_TEMPLATES) - _SET.size
        size = 0
        for each in connections:
            name = names.get(each.vrf, "").encode()[:_LONGEST_NAME]
            record = _RECORD.pack(
                int(seen * 1000), event, each.vrf, each.protocol, each.source, each.source_port, each.destination,
                each.destination_port, each.new_source, each.new_source_port, each.new_destination,
                each.new_destination_port) + bytes([len(name)]) + name
            if size + len(record) > most:
                yield self._message(records), len(records)
                records, size = [], 0
            records.append(record)
            size += len(record)
        if records:
            yield self._message(records), len(records)

    def _message(self, records: list[bytes]) -> bytes:
        template = _TEMPLATES if self._is_repeated or self._is_first else b""
        self._is_first = False
        data = b"".join(records)
        sets = template + _SET.pack(TEMPLATE, _SET.size + len(data)) + data
        header = _HEADER.pack(_VERSION, _HEADER.size + len(sets), int(time.time()), self._sequence, _DOMAIN)
        self._sequence = (self._sequence + len(records)) & 0xffffffff
        return header + sets
