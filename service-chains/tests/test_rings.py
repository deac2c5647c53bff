# SPDX-License-Identifier: Apache-2.0
"""When a port of a function counts as one without a ring."""

import unittest

from penstock_base.errors import PenstockError
from penstock_functions import rings

_ANSWER = """pmd thread numa_id 0 core_id 1:
  isolated : false
  port: fw-1-in           queue-id:  0 (enabled)   pmd usage:  0 %
  port: fw-1-out          queue-id:  0 (disabled)  pmd usage: NOT AVAIL
  port: fw-1-out          queue-id:  1 ({second})  pmd usage:  0 %
  port: fw-out            queue-id:  0 (enabled)   pmd usage:  0 %
  overhead: NOT AVAIL
"""


class RingsTest(unittest.TestCase):

    def setUp(self):
        self.answer = _ANSWER.format(second="disabled")
        self.asked = 0
        self.time = 100.0
        self.rings = rings.Rings(self, lambda: self.time)

    def appctl(self, command):
        self.asked += 1
        self.assertEqual(command, "dpif-netdev/pmd-rxq-show")
        if self.answer is None:
            raise PenstockError("no switch")
        return self.answer

    def look(self, seconds):
        self.time += seconds
        self.rings.look()

    def test_one_enabled_queue_is_enough(self):
        self.assertEqual(rings.without_ring(self.answer), {"fw-1-out"})
        self.assertNotIn("fw-1-out", rings.with_ring(self.answer))
        self.assertIn("fw-1-out", rings.with_ring(_ANSWER.format(second="enabled")))
        self.assertEqual(rings.without_ring(_ANSWER.format(second="enabled")), set())

    def test_dead_after_some_time(self):
        for _ in range(5):
            self.assertFalse(self.rings.dead("fw-1", 0))
            self.look(2.1)
        self.time += 2.1
        self.assertTrue(self.rings.dead("fw-1", 0))
        self.assertFalse(self.rings.dead("fw", 0))
        self.assertFalse(self.rings.dead("fw-1", self.time - 9), "the next process has its own time")

    def test_the_switch_is_not_asked_without_pause(self):
        for _ in range(10):
            self.look(0.25)
        self.assertEqual(self.asked, 2)

    def test_what_was_enabled_meanwhile_is_not_dead(self):
        self.look(1)
        self.look(9)
        self.answer = _ANSWER.format(second="enabled")
        self.look(2.1)
        self.answer = _ANSWER.format(second="disabled")
        self.look(2.1)
        self.assertFalse(self.rings.dead("fw-1", 0))

    def test_without_a_switch_none_is_dead(self):
        self.look(1)
        self.look(20)
        self.assertTrue(self.rings.dead("fw-1", 0))
        self.answer = None
        self.look(2.1)
        self.assertFalse(self.rings.dead("fw-1", 0))


if __name__ == "__main__":
    unittest.main()
