# SPDX-License-Identifier: Apache-2.0
"""Planned changes under traffic: each change has its own, and what it counts. No switch is needed."""

import contextlib
import tempfile
import types
import unittest
from concurrent import futures
from unittest import mock

from penstock_base.errors import PenstockError
from penstock_bench import planned, planned_fast, traffic


def answer(sent=1000, received=1000, late=0, refused=0):
    """What the generator says after a run."""
    return {"seconds": 12.0, "longest_round_us": 12_000.0,
            "links": {"acc": {"tx": sent, "late": late, "refused": refused}, "up": {"rx": received}}}


class LoseTest(unittest.TestCase):

    def setUp(self):
        for name in ("_BEFORE_SECONDS", "_AFTER_SECONDS"):
            patch = mock.patch.object(planned, name, 0)
            patch.start()
            self.addCleanup(patch.stop)

    def lose(self, traffic_of_test, turns):
        """Makes changes at a bed that only writes down what it is told: (what was counted, what the bed was told)."""
        told = []
        bed = types.SimpleNamespace(
            configure=lambda functions, names: told.append("begin"), await_states=lambda *_, **__: None,
            single=dict, spread=lambda **instances: instances, put_function=told.append, put_chain=told.append)
        return planned.Planned(bed, lambda _: None).lose(traffic_of_test, turns), told

    def test_each_change_has_traffic_of_its_own_and_the_quiet_turn_has_no_change(self):
        asked = []

        class Traffic:
            def meet(self):
                asked.append("meet")

            @contextlib.contextmanager
            def around(self, turn):
                asked.append(turn)
                yield lambda: {"lost": len(asked)}

            @staticmethod
            def told(found):
                return ""

        found, told = self.lose(Traffic(), (planned.QUIET, "insert", "reorder"))
        self.assertEqual(asked, ["meet", "quiet", "insert", "reorder"])
        self.assertEqual({turn: one["lost"] for turn, one in found.items()}, {"quiet": 2, "insert": 3, "reorder": 4})
        self.assertTrue(all(one["seconds"] >= 0 for one in found.values()))
        self.assertEqual(told, ["begin", ["spread", "single"], ["single", "spread"]])

    def test_datagrams_of_a_host(self):
        asked = []

        @contextlib.contextmanager
        def program(what):
            yield types.SimpleNamespace(play=lambda job: asked.append(job) or {"sent": 1000, "lost": 2, "gap": 0.03})

        bed = types.SimpleNamespace(ports=lambda count: 10_000)
        with planned.Datagrams(bed, program).around("insert") as end:
            found = end()
        self.assertEqual([list(job) for job in asked], [["begin"], ["end"]])
        self.assertEqual(planned.Datagrams.told(found), "2 of 1000 datagrams lost, longest gap 30 ms")


class StreamTest(unittest.TestCase):

    def test_a_sample(self):
        found = planned_fast.sample(answer(sent=1000, received=990, late=70, refused=30))
        self.assertEqual(found, {"sent": 1000, "lost": 10, "refused": 30, "late": 40, "traffic_seconds": 12.0,
                                 "pause": 0.012})
        self.assertEqual(planned_fast.Stream.told(found), "10 of 1,000 frames lost, 30 refused, 40 late")
        # The switch speaks too.
        self.assertEqual(planned_fast.sample(answer(received=1001))["lost"], 0)
        with self.assertRaisesRegex(PenstockError, "not one of 1,000 frames came out"):
            planned_fast.sample(answer(received=0))

    def test_traffic_goes_on_until_the_change_is_over(self):
        asked = []

        class Late(futures.Future):
            """A run that ends when its answer is wanted, and not before."""

            def result(self, timeout=None):
                self.set_result(answer())
                return super().result(timeout)

        self.assertEqual(planned_fast._end("weights", Late())["sent"], 1000)
        source = types.SimpleNamespace(run=lambda *arguments, **options: asked.append((*arguments, options)))
        with planned_fast.Stream(None, source, None).around("scale-out"):
            pass
        self.assertEqual(asked, [(planned_fast.seconds("scale-out"), ["acc"], {"rate": 100_000})])

    def test_traffic_that_ended_before_shows_nothing(self):
        ended = futures.Future()
        ended.set_result(answer())
        with self.assertRaisesRegex(PenstockError, "weights: the traffic of 12 s ended before the change was over"):
            planned_fast._end("weights", ended)

    def test_what_is_wrong_with_the_generator_is_said(self):
        def run(*_, **__):
            raise PenstockError("the generator ended by itself")

        stream = planned_fast.Stream(None, types.SimpleNamespace(run=run), None)
        with self.assertRaisesRegex(PenstockError, "ended by itself"), stream.around("weights") as end:
            end()

    def test_no_connection_was_there_in_a_round_before(self):
        servers = [planned_fast.load_of(number).server for number in range(3)]
        self.assertEqual(servers, ["198.51.100.10", "198.51.100.11", "198.51.100.12"])

    def test_connections_can_be_replaced(self):
        # The generator gives new ports to UDP with 12 bytes of payload.
        (sent,) = traffic.access_frames(planned_fast.load_of(0))
        self.assertEqual(len(sent), planned_fast.CONNECTIONS)
        self.assertEqual(len(sent[0]), 60)
        self.assertGreaterEqual(len(sent[0]) - 18 - 20 - 8, 12)

    def test_meeting_comes_before_the_frames_and_their_lives(self):
        asked = []
        source = types.SimpleNamespace(
            wait=lambda: asked.append("wait"), load=lambda link, path: asked.append(("load", link)),
            live=lambda link, packets: asked.append(("live", link, packets)),
            run=lambda seconds, links, rate: asked.append(("run", links, rate)))
        bed = types.SimpleNamespace(learn=lambda source, load: asked.append(("learn", load.tenants)))
        with tempfile.TemporaryDirectory() as directory:
            planned_fast.Stream(bed, source, directory).meet()
        # Frames that are loaded, as learning does, end the lives.
        self.assertEqual(asked, ["wait", ("learn", 1), ("load", "acc"), ("live", "acc", planned_fast.LIFE_PACKETS),
                                 ("run", ["acc"], 100_000)])

    def test_an_instance_that_drains_is_empty_before_the_traffic_ends(self):
        # Also when the generator has a tenth of its core.
        replaced = planned_fast.CONNECTIONS * planned_fast.LIFE_PACKETS / (planned_fast.RATE / 10)
        self.assertLess(replaced + 10, planned_fast.seconds("drain-and-remove"))


if __name__ == "__main__":
    unittest.main()
