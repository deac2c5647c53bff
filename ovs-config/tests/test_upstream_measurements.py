# SPDX-License-Identifier: Apache-2.0
"""What the agent makes of Unbound's measurements, also of those of a resolver that was taken over."""

import unittest

from penstock_node import agent_upstreams

FIRST, SECOND = "192.0.2.53", "2001:db8::53"
REST = "tA 0 tAAAA 0 tother 0 ednsknown 1 edns 0 delay 0 lame dnssec 0 rec 0 A 0 other 0"


def measured(address, rtt, rto):
    return f"{address} . ttl 14 ping 0 var 94 rtt {rtt} rto {rto} {REST}\n"


class SilentTest(unittest.TestCase):

    def silent(self, infra, *before):
        return agent_upstreams.silent(infra, (FIRST, SECOND), before)

    def test_one_that_answers(self):
        self.assertEqual(self.silent(measured(FIRST, 50, 50) + measured(SECOND, 284, 284), FIRST, SECOND), ())

    def test_one_that_waits_longer_after_each_question(self):
        self.assertEqual(self.silent(measured(FIRST, 376, 752) + measured(SECOND, 50, 50)), (FIRST,))
        self.assertEqual(self.silent(measured(FIRST, 376, 376) + measured(SECOND, 72, 1000)), (SECOND,))

    def test_what_was_forgotten_holds(self):
        self.assertEqual(self.silent("", FIRST), (FIRST,))
        self.assertEqual(self.silent(f"{FIRST} . expired rto 376\n", FIRST), (FIRST,))
        self.assertEqual(self.silent(f"{FIRST} . expired rto 376\n"), ())
        self.assertEqual(self.silent(f"{SECOND} . expired rto 1000\n"), (SECOND,))

    def test_the_spelling_does_not_matter(self):
        self.assertEqual(self.silent(measured("2001:DB8:0:0::53", 376, 752)), (SECOND,))

    def test_lines_of_a_resolver_that_was_taken_over(self):
        for line in (measured("203.0.113.9", 376, 752), f"{FIRST} . ttl x rtt 1 rto 2\n", f"{FIRST}\n",
                     f"{FIRST} . ttl 1 {'rtt ' * 9999}\n", "\0\ufffd . expired rto 9999\n",
                     measured(FIRST, 1, "9" * 40), "1.2.3.4.5 . expired rto 1000\n"):
            with self.subTest(line[:40]):
                self.assertEqual(self.silent(line), ())


if __name__ == "__main__":
    unittest.main()
