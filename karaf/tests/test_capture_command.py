# SPDX-License-Identifier: Apache-2.0
"""What `./penstock capture` asks of the controller, and what it refuses."""

import typing
import unittest

from penstock_base.errors import PenstockError
from penstock_launcher import capture_cli
from penstock_node import capture


class _Restconf:
    """Keeps the question, and answers as the controller does."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, typing.Any]]] = []

    def call(self, name: str, given: dict[str, typing.Any]) -> dict[str, typing.Any]:
        self.asked.append((name, given))
        return {"attachment": "lan", "node": "edge1", "port": "acc0", "vlan": 100}


class CaptureCommandTest(unittest.TestCase):
    def test_the_controller_learns_what_is_captured(self) -> None:
        restconf: typing.Any = _Restconf()
        place = capture_cli.granted(restconf, "red", None, "icmp", 0.5, 7)
        self.assertEqual(capture_cli.Place("lan", "edge1", "acc0", 100), place)
        capture_cli.granted(restconf, "red", "lan", "", 60.0, 7)
        self.assertEqual([("penstock-operations:capture", {"tenant": "red", "filter": "icmp", "seconds": "0.5",
                                                           "packets": 7}),
                          ("penstock-operations:capture", {"tenant": "red", "attachment": "lan", "filter": "",
                                                           "seconds": "60.0", "packets": 7})], restconf.asked)

    def test_bounds_beyond_those_of_a_node_are_refused(self) -> None:
        for given in ({"packets": 0}, {"packets": capture.MOST_PACKETS + 1}, {"seconds": 0.0},
                      {"seconds": float("nan")}, {"seconds": capture.MOST_SECONDS + 1.0},
                      {"bytes": capture.MOST_BYTES + 1}, {"packets_a_second": capture.MOST_PACKETS_A_SECOND + 1}):
            with self.subTest(given), self.assertRaisesRegex(PenstockError, "a capture has"):
                capture.Bounds(**typing.cast(dict[str, typing.Any], given))
