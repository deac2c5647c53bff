# SPDX-License-Identifier: Apache-2.0
"""Reads the messages by which the switch tells of sampled packets: IPFIX (RFC 7011), as far as it sends that."""

import struct
from collections.abc import Iterable, Iterator

_HEADER = struct.Struct("!HHIII")
_SET = struct.Struct("!HH")
_VERSION = 10
_TEMPLATES, _FIRST_DATA = 2, 256
_ENTERPRISE = 0x8000
_VARIABLE = 0xffff
_LONG = 255
_POINT = (138, 4)
_CONNECTION = ((4, 1), (8, 4), (12, 4), (7, 2), (11, 2))
"""Information elements (RFC 7012) and their bytes: protocol, addresses and ports of IPv4."""
_MOST_TEMPLATES = 1000


class Reader:
    """Knows the templates that came so far. Not for several threads."""

    def __init__(self) -> None:
        self._layouts: dict[tuple[int, int], _Layout] = {}

    def read(self, message: bytes) -> list[tuple[int, bytes]]:
        """Returns the samples of a message: pairs of the observation point and a connection, which is bytes that are
        the same for the same protocol, addresses and ports. Raises ValueError when the message is damaged.

        Records without a connection of IPv4, and those whose template has not come yet, are left out.
        """
        if len(message) < _HEADER.size:
            raise ValueError("shorter than its header")
        version, length, _, _, domain = _HEADER.unpack_from(message)
        if version != _VERSION or length != len(message):
            raise ValueError(f"version {version}, {length} bytes")
        found: list[tuple[int, bytes]] = []
        at = _HEADER.size
        while at + _SET.size <= length:
            number, size = _SET.unpack_from(message, at)
            if size < _SET.size or at + size > length:
                raise ValueError(f"a set of {size} bytes")
            body = message[at + _SET.size:at + size]
            if number == _TEMPLATES:
                self._learn(domain, body)
            elif number >= _FIRST_DATA and (layout := self._layouts.get((domain, number))):
                found += layout.records(body)
            at += size
        return found

    def _learn(self, domain: int, body: bytes) -> None:
        at = 0
        while at + _SET.size <= len(body):
            number, count = _SET.unpack_from(body, at)
            at += _SET.size
            fields = []
            for _ in range(count):
                if at + _SET.size > len(body):
                    raise ValueError("a template ends early")
                element, size = _SET.unpack_from(body, at)
                at += _SET.size
                if element & _ENTERPRISE:
                    at += 4
                    element = None
                fields.append((element, size))
            if len(self._layouts) < _MOST_TEMPLATES or (domain, number) in self._layouts:
                self._layouts[domain, number] = _Layout(fields)


class _Layout:
    """Where a template has what is wanted: in runs of fields of fixed length, each but the last followed by a field of
    variable length, such as the name of a port."""

    def __init__(self, fields: Iterable[tuple[int | None, int]]) -> None:
        self._runs, places, at = [], {}, 0
        for element, size in fields:
            if size == _VARIABLE:
                self._runs.append(at)
                at = 0
            else:
                places[element, size] = (len(self._runs), at, size)
                at += size
        self._runs.append(at)
        self._least = sum(self._runs) + len(self._runs) - 1
        self._wanted = [places[field] for field in (_POINT, *_CONNECTION) if field in places]
        self._usable = len(self._wanted) == 1 + len(_CONNECTION)

    def records(self, body: bytes) -> Iterator[tuple[int, bytes]]:
        at = 0
        while self._usable and at + self._least <= len(body):
            begins = []
            for place, size in enumerate(self._runs):
                if place:
                    at += 1 + _length(body, at)
                begins.append(at)
                at += size
            if at > len(body):
                raise ValueError("a record ends early")
            point, *connection = [body[begins[run] + offset:begins[run] + offset + size]
                                  for run, offset, size in self._wanted]
            yield int.from_bytes(point), b"".join(connection)


def _length(body: bytes, at: int) -> int:
    """Bytes that follow the first one of a field of variable length (RFC 7011, section 7)."""
    if at >= len(body):
        raise ValueError("a record ends early")
    if body[at] < _LONG:
        return body[at]
    return 2 + int.from_bytes(body[at + 1:at + 3])
