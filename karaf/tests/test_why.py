# SPDX-License-Identifier: Apache-2.0
"""The answer to why packets do not pass, as it is asked for and shown."""

import typing
import unittest

from penstock_launcher import lists, why


class _Restconf:
    """Keeps the question, and answers as the controller does."""

    def __init__(self, output: dict[str, typing.Any]) -> None:
        self.output = output
        self.asked: list[tuple[str, dict[str, typing.Any]]] = []

    def call(self, name: str, given: dict[str, typing.Any]) -> dict[str, typing.Any]:
        self.asked.append((name, given))
        return self.output


_FAULT = {"cause": "port-down", "answer": "Port acc0 of node edge1, where attachment lan is, has no link.",
          "remedy": "Check the cable and the device at its other end.",
          "step": [{"stage": "node", "verdict": "passes", "text": "Node edge1 is connected."},
                   {"stage": "port", "verdict": "fails", "cause": "port-down", "text": "Port acc0 of node edge1, where "
                    "attachment lan is, has no link.", "remedy": "Check the cable and the device at its other end."}]}


class WhyTest(unittest.TestCase):
    def test_only_what_is_given_is_asked(self) -> None:
        restconf: typing.Any = _Restconf(_FAULT)
        why.ask(restconf, "red")
        why.ask(restconf, "red", "-", "198.51.100.10", 80, "udp")
        why.ask(restconf, "red", "198.51.100.10", "203.0.113.5", 80, inbound=True)
        self.assertEqual([("penstock-operations:why", {"tenant": "red"}),
                          ("penstock-operations:why", {"tenant": "red", "destination": "198.51.100.10", "port": 80,
                                                       "protocol": "udp"}),
                          ("penstock-operations:why", {"tenant": "red", "host": "198.51.100.10",
                                                       "destination": "203.0.113.5", "port": 80, "inbound": True})],
                         restconf.asked)

    def test_the_answer_comes_first(self) -> None:
        restconf: typing.Any = _Restconf(_FAULT)
        report = why.ask(restconf, "red")
        self.assertTrue(why.is_fault(report))
        self.assertEqual("""\
Port acc0 of node edge1, where attachment lan is, has no
link.
Check the cable and the device at its other end.

node  ok     Node edge1 is connected.
port  FAILS  Port acc0 of node edge1, where attachment lan
             is, has no link.""", why.render(report, 58))

    def test_without_a_fault(self) -> None:
        restconf: typing.Any = _Restconf({"cause": "none", "answer": "No fault was found."})
        report = why.ask(restconf, "red")
        self.assertFalse(why.is_fault(report))
        self.assertEqual({"cause": "none", "answer": "No fault was found.", "remedy": None, "steps": []}, report)
        self.assertEqual("No fault was found.\n", why.render(report, 80))


class ListsTest(unittest.TestCase):
    def test_a_list_is_an_rpc_with_columns(self) -> None:
        restconf: typing.Any = _Restconf({"flow": [
            {"node": "edge1", "table": "classify", "label": "unknown port", "drop": True, "packets": "12",
             "bytes": "720", "text": "table=classify,priority=0 actions=drop"}]})
        rows = lists.DROPS.ask(restconf, tenant=None, drops_only=True)
        self.assertEqual([("penstock-operations:flows", {"drops-only": True})], restconf.asked)
        self.assertEqual([{"node": "edge1", "table": "classify", "label": "unknown port", "packets": 12, "bytes": 720,
                           "last-dropped": None}], rows)
        self.assertEqual("node   table     reason        packets  bytes  last dropped\n"
                         "edge1  classify  unknown port  12       720    -", lists.DROPS.render(rows))

    def test_the_last_packet_is_told_in_the_words_of_the_controller(self) -> None:
        restconf: typing.Any = _Restconf({"flow": [{"node": "edge1", "table": "classify", "label": "unknown port",
                                                    "packets": "1", "bytes": "60", "last-dropped": {
                                                        "time": "2026-01-02T03:04:05.678Z", "port": "acc0",
                                                        "text": "port acc0, MAC 02:00:00:00:00:02"}}]})
        self.assertIn("2026-01-02T03:04:05.678Z port acc0, MAC 02:00:00:00:00:02",
                      lists.DROPS.render(lists.DROPS.ask(restconf)))

    def test_what_is_absent_is_a_dash(self) -> None:
        restconf: typing.Any = _Restconf({"host": [{"node": "edge1", "attachment": "lan", "mac": "02:00:00:00:00:05",
                                                    "address": ["10.0.0.5", "2001:db8::5"], "age": 7},
                                                   {"node": "edge1"}]})
        self.assertEqual("node   attachment  mac                addresses             learned, s ago\n"
                         "edge1  lan         02:00:00:00:00:05  10.0.0.5 2001:db8::5  7\n"
                         "edge1  -           -                  -                     -",
                         lists.HOSTS.render(lists.HOSTS.ask(restconf, tenant="red")))
        empty: typing.Any = _Restconf({})
        self.assertEqual("nothing", lists.LEASES.render(lists.LEASES.ask(empty)))

    def test_links(self) -> None:
        restconf: typing.Any = _Restconf({"port": [{"name": "acc0", "up": True}, {"name": "up0", "up": False,
                                                                                "error": "no such device"}]})
        self.assertEqual(["acc0  up    -         -     -             -         -",
                          "up0   down  -         -     -             -         no such device"],
                         lists.INTERFACES.render(lists.INTERFACES.ask(restconf, node="edge1")).splitlines()[1:])


if __name__ == "__main__":
    unittest.main()
