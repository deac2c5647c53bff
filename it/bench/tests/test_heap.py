# SPDX-License-Identifier: Apache-2.0
"""Memory of the controller, from the words of Java's own tools."""

import unittest

from penstock_base.errors import PenstockError
from penstock_bench.private_controller import heap_peak, live_bytes

HISTOGRAM = """77:
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:         12345        1234567  [B (java.base@17.0.17)
Total        123456       98765432
"""
LOG = """[2026-11-26T12:00:00.000+0000] Using Serial
[2026-11-26T12:00:01.000+0000] GC(0) Pause Young (Allocation Failure) 136M->9M(495M) 10.1ms
[2026-11-26T12:00:02.000+0000] GC(1) Pause Young (Allocation Failure) 345M->40M(495M) 10.1ms
[2026-11-26T12:00:03.000+0000] GC(2) Pause Full (Heap Inspection Initiated GC) 77M->38M(495M) 50.2ms
"""


class HeapTest(unittest.TestCase):
    def test_what_is_left_and_the_peak(self):
        self.assertEqual(98765432, live_bytes(HISTOGRAM))
        self.assertEqual(345 << 20, heap_peak(LOG))

    def test_other_words_are_an_error(self):
        for read in (live_bytes, heap_peak):
            with self.assertRaises(PenstockError):
                read("77: no such process")
