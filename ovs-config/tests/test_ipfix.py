# SPDX-License-Identifier: Apache-2.0
"""Messages of IPFIX, whole and damaged. A switch's own are read in test_agent_session_flows."""

import contextlib
import random
import struct
import unittest

from penstock_node.ipfix import Reader

_TEMPLATE = 2
_FIELDS = ((138, 4), (61, 1), (8, 4), (12, 4), (4, 1), (0x8001, 2), (7, 2), (11, 2))


def _message(*sets):
    body = b"".join(struct.pack("!HH", number, 4 + len(content)) + content for number, content in sets)
    return struct.pack("!HHIII", 10, 16 + len(body), 0, 0, 0) + body


def _template(number=256, fields=_FIELDS):
    content = struct.pack("!HH", number, len(fields))
    for element, size in fields:
        content += struct.pack("!HH", element, size) + (bytes(4) if element & 0x8000 else b"")
    return _message((_TEMPLATE, content))


def _record(point, source=1, port=1000):
    return struct.pack("!IBIIBHHH", point, 0, source, 2, 17, 0, port, 53)


class ReaderTest(unittest.TestCase):

    def setUp(self):
        self.reader = Reader()

    def test_records_are_read_by_their_template(self):
        self.assertEqual(self.reader.read(_message((256, _record(7)))), [])
        self.assertEqual(self.reader.read(_template()), [])
        found = self.reader.read(_message((256, _record(7) + _record(8, port=1001)), (256, _record(7))))
        self.assertEqual([point for point, _ in found], [7, 8, 7])
        self.assertEqual(found[0], found[2])
        self.assertNotEqual(found[0][1], found[1][1])
        self.assertEqual(found[0][1], bytes([17, 0, 0, 0, 1, 0, 0, 0, 2, 0x03, 0xe8, 0, 53]))

    def test_fields_of_variable_length_are_passed_by(self):
        self.reader.read(_template())
        expected = self.reader.read(_message((256, _record(7))))
        self.reader.read(_template(fields=((82, 0xffff), *_FIELDS[:2], (83, 0xffff), *_FIELDS[2:], (82, 0xffff))))
        record = _record(7)
        for names in ((b"\0", b"\4name", b"\1x"), (b"\xff\1\0" + bytes(256), b"\0", b"\0")):
            content = (names[0] + record[:5] + names[1] + record[5:] + names[2]) * 2
            self.assertEqual(self.reader.read(_message((256, content))), 2 * expected)
            with self.assertRaises(ValueError):
                self.reader.read(_message((256, b"\xff\xff\xff" + content)))

    def test_records_of_something_else_are_left_out(self):
        self.reader.read(_template(fields=((138, 4), (27, 16))))
        self.assertEqual(self.reader.read(_message((256, bytes(20)))), [])
        self.assertEqual(self.reader.read(_message((3, bytes(12)), (300, bytes(3)))), [])

    def test_fields_of_other_lengths_are_no_connection(self):
        self.reader.read(_template(fields=tuple((element, 0) for element, _ in _FIELDS)))
        self.assertEqual(self.reader.read(_message((256, bytes(20)))), [])

    def test_a_template_that_is_known_is_replaced_however_many_there_are(self):
        for number in range(256, 1500):
            self.reader.read(_template(number, fields=((27, 16),)))
        self.reader.read(_template())
        self.assertEqual(len(self.reader.read(_message((256, _record(7))))), 1)

    def test_damage_is_told(self):
        for message in (b"", bytes(16), _message((256, b""))[:-1], _template()[:-2] + b"", b"\0\x09" + _template()[2:]):
            with self.subTest(message=message), self.assertRaises(ValueError):
                self.reader.read(message)
        with self.assertRaises(ValueError):
            self.reader.read(_message((_TEMPLATE, struct.pack("!HH", 256, 5))))

    def test_nothing_else_is_raised_whatever_comes(self):
        number = random.Random(1)
        for _ in range(20_000):
            message = bytearray(number.choice((_template(), _message((256, _record(7) * 3)))))
            for _ in range(number.randrange(4)):
                message[number.randrange(len(message))] = number.randrange(256)
            with contextlib.suppress(ValueError):
                self.reader.read(bytes(message))


if __name__ == "__main__":
    unittest.main()
