# SPDX-License-Identifier: Apache-2.0
"""A polling thread that makes no turn is found; one that sleeps without ports is not taken for it."""

import unittest

from penstock_node import polling


def perf(*turns):
    """An answer of Open vSwitch 3.1 to pmd-perf-show, a thread for each number of turns."""
    return "Time: 12:40:05.456\nMeasurement duration: 1.200 s\n" + "".join(f"""
pmd thread numa_id 0 core_id {core}:

  Iterations:          {number:12}  (0.96 us/it)
  - Used TSC cycles:     2520015300  (100.0 % of total cycles)
  - idle iterations:         123456  ( 97.2 % of used cycles)
  Rx packets:                 0
  Tx packets:                 0
""" for core, number in enumerate(turns))


RXQS = """pmd thread numa_id 0 core_id 0:
  isolated : false
  port: dpdk0             queue-id:  0 (enabled)   pmd usage:  0 %
  overhead:  0 %
pmd thread numa_id 0 core_id 1:
  isolated : false
"""


class TurnsTest(unittest.TestCase):
    def setUp(self):
        self.answers = {"dpif-netdev/pmd-rxq-show": RXQS}
        self.turns = polling.Turns(lambda control, command: self.answers.get(command))

    def hanging(self, text, pid=1):
        self.answers["dpif-netdev/pmd-perf-show"] = text
        return self.turns.hanging(pid, "control")

    def test_threads_that_go_on(self):
        for turns in (10, 20, 3):  # The counters are cleared by the operator.
            self.assertFalse(self.hanging(perf(turns, turns)))

    def test_one_that_stands_until_it_goes_on(self):
        self.assertFalse(self.hanging(perf(10, 10)))
        self.assertEqual(self.hanging(perf(10, 20)), {"0"})
        self.assertEqual(self.hanging(perf(10, 30)), {"0"})
        self.assertFalse(self.hanging(perf(11, 40)))

    def test_one_without_ports_may_stand(self):
        self.hanging(perf(10, 10))
        self.assertFalse(self.hanging(perf(20, 10)))

    def test_another_process_has_other_turns(self):
        self.hanging(perf(10, 10))
        self.assertFalse(self.hanging(perf(10, 10), pid=2))

    def test_without_an_answer_none_is_known_to_hang(self):
        self.hanging(perf(10, 10))
        for answer in (None, "", "\"dpif-netdev/pmd-perf-show\" is not a valid command"):
            self.assertFalse(self.hanging(answer))
        self.hanging(perf(10, 10))
        self.answers["dpif-netdev/pmd-rxq-show"] = None
        self.assertFalse(self.hanging(perf(10, 10)))


if __name__ == "__main__":
    unittest.main()
