# SPDX-License-Identifier: Apache-2.0
"""The search finds the rate that a switch really forwards, whether it loses what is too much or does not take it."""

import unittest

from penstock_base.errors import PenstockError
from penstock_bench import rfc2544


class Source:
    """A generator at a switch that forwards `pps` frames a second: it loses more, or does not take more."""

    def __init__(self, pps, loses, spoiled=(), slow=()):
        self.pps, self.loses = pps, loses
        self.slow = set(slow)  # Runs in which a tenth of the frames is sent.
        self.spoiled = set(spoiled)  # Runs in which a frame is lost whatever the rate.
        self.runs = []

    def run(self, seconds, _links, rate=None, burst=None, stamp=False):
        """As generator.Generator.run()."""
        wanted = burst or seconds * (rate or (2 * self.pps if self.loses else self.pps))
        wanted /= 10 if len(self.runs) in self.slow else 1
        taken = wanted if self.loses else min(wanted, self.pps * seconds)
        received = min(taken, self.pps * seconds) - (len(self.runs) in self.spoiled)
        self.runs.append(rate)
        answer = {"seconds": seconds,
                  "links": {"a": {"tx": taken, "rx": 0, "late": wanted - taken},
                            "b": {"tx": 0, "rx": received, "late": 0}}}
        return answer | ({"latency_ns": {"b": {"count": 1, "p50": rate}}} if stamp else {})


class ThroughputTest(unittest.TestCase):

    def test_rate_that_is_forwarded(self):
        for loses in (True, False):
            with self.subTest(loses=loses):
                found, trials = rfc2544.throughput(Source(1e6, loses), ["a"])
                self.assertLessEqual(found, 1e6)
                self.assertGreater(found, 0.97e6)
                self.assertTrue(any(trial["lost"] for trial in trials) or not loses)

    def test_one_bad_trial_is_repeated(self):
        found, trials = rfc2544.throughput(Source(1e6, True, spoiled={4}), ["a"])
        self.assertGreater(found, 0.97e6)
        self.assertIn(1, [trial["lost"] for trial in trials])

    def test_slow_second_at_the_beginning_is_no_bound(self):
        found, _ = rfc2544.throughput(Source(1e6, True, slow={0}), ["a"])
        self.assertGreater(found, 0.97e6)

    def test_nothing_is_forwarded_without_loss(self):
        with self.assertRaisesRegex(PenstockError, "no rate without loss"):
            rfc2544.throughput(Source(1e6, True, spoiled=range(10000)), ["a"])

    def test_frames_that_were_not_taken_are_lost(self):
        for loses in (True, False):
            with self.subTest(loses=loses):
                found = rfc2544.measure(Source(1e6, loses), ["a"], lambda text: None)
                self.assertEqual(found["loss_curve"][0]["lost"], 0)
                self.assertAlmostEqual(found["loss_curve"][-1]["lost"], 0.5, 1)

    def test_latency_at_shares_of_the_throughput(self):
        found = rfc2544.latency(Source(1e6, True), ["a"], 1e6)
        self.assertEqual({load: one["p50"] for load, one in found.items()}, {"50": 500000, "90": 900000})


if __name__ == "__main__":
    unittest.main()
