# SPDX-License-Identifier: Apache-2.0
"""What observers of a cluster make of packets."""

import unittest

from penstock_bench import cluster_observers


class WholeNumberTest(unittest.TestCase):
    def test_the_newest_with_these_bits(self) -> None:
        for number in (1, 0xffff, 0x10000, 0x1ffff, 0x20001, 360_000):
            for later in (0, 1, 1000):
                with self.subTest(number=number, later=later):
                    self.assertEqual(number, cluster_observers.whole_number(number & 0xffff, number + later))


if __name__ == "__main__":
    unittest.main()
