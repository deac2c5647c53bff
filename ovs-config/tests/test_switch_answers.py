# SPDX-License-Identifier: Apache-2.0
"""The parsers of the exporter, with answers of a real Open vSwitch 3.1, and of 4.0 where they differ."""

import pathlib
import unittest

from penstock_exporter import switch_answers

_ANSWERS = pathlib.Path(__file__).resolve().parent / "switch-answers"


def _answer(name):
    return (_ANSWERS / f"{name}.txt").read_text(encoding="utf-8")


class SwitchAnswersTest(unittest.TestCase):
    def test_threads(self):
        perf = switch_answers.threads(_answer("pmd-perf-show"))
        self.assertEqual(list(perf), [("0", "1")])
        counts = perf["0", "1"]
        self.assertEqual((counts["Rx packets"], counts["Datapath passes"], counts["Megaflow hits"], counts["Upcalls"],
                          counts["busy iterations"]), (71, 124, 86, 38, 40))

    def test_open_vswitch_4_and_its_main_thread(self):
        text = _answer("pmd-perf-show-4.0")
        threads = switch_answers.threads(text)
        self.assertEqual(list(threads), [("0", "1")])
        self.assertEqual(threads["0", "1"]["Used TSC cycles"], 5242300305)
        self.assertEqual(switch_answers.cycles_per_packet(text), {("0", "1"): 312})
        self.assertEqual(switch_answers.cycles_per_packet(_answer("pmd-perf-show")), {("0", "1"): 115482})

    def test_queues(self):
        text = _answer("pmd-rxq-show")
        self.assertEqual(switch_answers.queues(text)["0", "1"],
                         {(name, "0"): 0.0 for name in ("fw1-in", "fw1-out", "fwd1-in", "fwd1-out")})
        self.assertEqual(switch_answers.queues(text.replace("usage:  0 %", "usage: 42 %"))["0", "1"]["fw1-in", "0"],
                         0.42)
        self.assertEqual(switch_answers.overheads(text), {("0", "1"): 0.0})

    def test_events(self):
        events = switch_answers.events(_answer("coverage-show"))
        self.assertEqual((events["bridge_reconfigure"], events["datapath_drop_userspace_action_error"]), (252, 3))
        self.assertNotIn("Event coverage", events)

    def test_datapath_and_memory(self):
        self.assertEqual(set(switch_answers.datapath(_answer("dpctl-show"))), {"hit", "missed", "lost", "flows"})
        memory = switch_answers.memory(_answer("memory-show"))
        self.assertEqual((memory["rules"], memory["ports"]), (301, 13))
        self.assertEqual(memory["idl-cells-Open_vSwitch"], 1265)

    def test_nonsense(self):
        for text in ("", "\0\ud800", "pmd thread numa_id 0 core_id 1:", "port: x", ":::::\n" * 1000):
            with self.subTest(text[:40]):
                self.assertFalse(any(switch_answers.threads(text).values()))
                self.assertEqual((switch_answers.events(text), switch_answers.datapath(text)), ({}, {}))
