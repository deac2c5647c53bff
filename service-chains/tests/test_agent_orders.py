# SPDX-License-Identifier: Apache-2.0
"""Orders of functions: what is understood, and what is said about wrong ones."""

import unittest

from penstock_functions import agent_orders, catalogue


def parse(text, name="fw"):
    return agent_orders.parse(name, text, catalogue.DIRECTORY)


class OrderTest(unittest.TestCase):

    def test_right(self):
        self.assertEqual(parse('{"function": "forwarder"}'), agent_orders.Order("forwarder", None, None))
        self.assertEqual(parse('{"function": "packet-filter", "core": 0, "scheduling": "low"}'),
                         agent_orders.Order("packet-filter", 0, "low"))

    def test_wrong(self):
        for text, words in (("{", "order: is not JSON"), ("[]", "order: is not a JSON object"),
                            ("[" * 99999, "order: "),
                            ("{}", "function: is missing"), ('{"function": 7}', "function: 7 is no name"),
                            ('{"function": "../x"}', 'function: "../x" is no name'),
                            ('{"function": "none"}', "function: the catalogue has no function none; it has forw"),
                            ('{"function": "forwarder", "core": 99999}', "core: this machine has no core 99999; it"),
                            ('{"function": "forwarder", "core": -1}', "core: this machine has no core -1"),
                            ('{"function": "forwarder", "core": true}', "core: true is not the number"),
                            ('{"function": "forwarder", "core": "0"}', 'core: "0" is not the number'),
                            ('{"function": "forwarder", "scheduling": "high"}', 'scheduling: "high" is none of'),
                            ('{"function": "forwarder", "scheduling": []}', "scheduling: [] is none of idle"),
                            ('{"function": "forwarder", "memory": 1}', "memory: is no field of an order")):
            with self.subTest(text[:60]):
                with self.assertRaises(agent_orders.OrderError) as caught:
                    parse(text)
                self.assertTrue(str(caught.exception).startswith(words), caught.exception)

    def test_names_of_instances(self):
        for name in ("", "Fw", "f" * 14, "a.b", "fw\n"):
            with self.subTest(name), self.assertRaisesRegex(agent_orders.OrderError, "^name: "):
                parse('{"function": "forwarder"}', name)


if __name__ == "__main__":
    unittest.main()
