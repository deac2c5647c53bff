# SPDX-License-Identifier: Apache-2.0
"""Which VRFs have sessions: made-up loads, second by second."""

import random
import unittest

from penstock_node.session_choice import Choice

MOST, MOST_OF_ONE = 12_000, 6000
VRF, OTHER = 5, 6
KNOWN = {VRF, OTHER}


class ChoiceTest(unittest.TestCase):

    def setUp(self):
        self.pauses = {}
        self.choice = Choice(MOST, MOST_OF_ONE, pauses=self.pauses)
        self.random = random.Random(1)
        self.now = 1000.0
        self.opened, self.closed, self.unused = [], [], []

    def second(self, load=(), upcalls=0, known=KNOWN, connections=(), lookups=100_000):
        """A second with samples: pairs of a VRF and a connection."""
        for vrf, connection in load:
            self.choice.sample(self.now, vrf, connection)
        self.now += 1
        changes = self.choice.judge(self.now, upcalls, lookups, known, dict(connections))
        self.opened += changes.opened
        self.closed += changes.closed
        self.unused += changes.unused

    def even(self, vrf, connections, samples):
        """Samples of connections that are equally busy."""
        return [(vrf, self.random.randrange(connections)) for _ in range(samples)]

    def zipf(self, connections, samples, vrf=VRF):
        weights = [1 / rank ** 1.1 for rank in range(1, connections + 1)]
        return [(vrf, connection) for connection in self.random.choices(range(connections), weights, k=samples)]

    def fresh(self, vrf, samples):
        """Each of a connection that was not there before and comes no more."""
        return [(vrf, self.random.random()) for _ in range(samples)]

    def open_vrf(self, connections=100):
        for _ in range(3):
            self.second(self.even(VRF, connections, 10 * connections))
        self.assertEqual(self.opened, [VRF])
        for _ in range(4):
            self.second()

    def test_few_busy_connections_are_plain_within_two_seconds(self):
        self.second(self.even(VRF, 100, 300))
        self.second(self.even(VRF, 100, 300))
        self.assertEqual(self.opened, [VRF])
        self.assertEqual(self.choice.open, {VRF})

    def test_a_vrf_with_few_connections_needs_fewer_samples(self):
        for _ in range(4):
            self.second(self.even(VRF, 1000, 300), connections={VRF: 1000})
        self.assertEqual(self.opened, [])
        self.second(self.even(VRF, 1000, 250), connections={VRF: 1000})
        self.assertEqual(self.opened, [VRF])

    def test_a_long_tail_of_few_connections_has_sessions_too(self):
        for _ in range(5):
            self.second(self.zipf(1000, 300), connections={VRF: 1000})
        self.assertEqual((self.opened, self.choice._open[VRF].sessions), ([VRF], 1000))

    def test_some_of_many_vrfs_that_are_equally_busy_have_none(self):
        known = range(100)
        for _ in range(30):
            self.second([one for vrf in known for one in self.even(vrf, 1000, 60)], known=known,
                        connections=dict.fromkeys(known, 1000))
        self.assertEqual(self.opened, [])

    def test_those_with_most_of_the_packets_have_them(self):
        known = range(100)
        for _ in range(10):
            self.second([one for vrf in known for one in self.zipf(1000, 2000 // (vrf + 1), vrf)], known=known,
                        connections=dict.fromkeys(known, 1000) | {2: 7000})
        self.assertEqual(set(self.opened), {vrf for vrf in range(10) if vrf != 2},
                         "as many samples as connections, and at most 6000 of these")

    def test_connections_that_end_soon_are_many(self):
        for second in range(1, 61):
            self.second(self.fresh(VRF, 200), connections={VRF: 10_000 * min(second, 30)})
        self.assertEqual(self.opened, [])

    def test_connections_that_have_just_begun_are_not_all_there_are(self):
        for _ in range(5):
            self.second(self.fresh(VRF, 100), connections={VRF: 50_000})
        for _ in range(4):
            self.second()
        for connections in (300, 600, 900, 1200):
            self.second(self.fresh(VRF, 100), connections={VRF: connections})
        self.assertEqual(self.opened, [])

    def test_connections_that_were_flushed_do_not_look_few(self):
        for _ in range(10):
            self.second(self.fresh(VRF, 100), connections={VRF: 50_000})
        for connections in (0, 0, 500, 999):
            self.second(connections={VRF: connections})
        self.assertEqual(self.opened, [])

    def test_idle_connections_do_not_count_beside_busy_ones(self):
        for _ in range(3):
            self.second(self.even(VRF, 100, 400), connections={VRF: 1_000_000})
        self.assertEqual(self.opened, [VRF])
        self.assertLessEqual(self.choice._open[VRF].sessions, 100)

    def test_more_of_them_take_longer(self):
        for _ in range(10):
            self.second(self.even(VRF, 1000, 250))
        self.assertEqual(self.opened, [])
        for _ in range(8):
            self.second(self.even(VRF, 1000, 250))
        self.assertEqual(self.opened, [VRF])

    def test_many_connections_with_a_packet_now_and_then_get_none(self):
        for _ in range(30):
            self.second(self.even(VRF, 100_000, 1000))
        self.assertEqual(self.opened, [])

    def test_a_long_tail_keeps_a_vrf_closed(self):
        for _ in range(60):
            self.second(self.zipf(1000, 50))
        self.assertEqual(self.opened, [])

    def test_a_few_packets_are_not_worth_a_session(self):
        for _ in range(15):
            self.second(self.even(VRF, 1, 1))
        self.assertEqual(self.opened, [])

    def test_connections_without_a_session_close_it_and_a_pause_follows(self):
        self.open_vrf()
        self.second(self.fresh(VRF, 65))
        self.assertEqual(self.closed, [VRF])
        self.second(self.even(VRF, 10, 1000))
        self.assertEqual(self.opened, [VRF])
        for _ in range(5):
            self.second(self.even(VRF, 10, 1000))
        self.assertEqual(self.opened, [VRF, VRF])

    def test_pauses_grow_as_long_as_it_does_not_stay_open(self):
        self.open_vrf()
        waited = []
        for _ in range(6):
            for _ in range(4):
                self.second()
            self.second(self.fresh(VRF, 200))
            self.assertEqual(self.choice.open, set())
            begun = self.now
            while VRF not in self.choice.open:
                self.second(self.even(VRF, 10, 200))
            waited.append(self.now - begun)
        self.assertEqual(waited, sorted(waited))
        self.assertEqual(waited[-1], 60)

    def test_many_more_sessions_close_it(self):
        self.open_vrf()
        self.assertTrue(self.choice.is_uncounted)
        self.choice.count(VRF, 0)
        self.second()
        self.choice.count(VRF, 100)
        self.second()
        self.assertEqual(self.closed, [], "as many as were expected")
        self.choice.count(VRF, 1000)
        self.second()
        self.assertEqual((self.closed, self.choice.is_uncounted), ([VRF], False))

    def test_more_sessions_than_expected_close_nothing(self):
        self.open_vrf()
        for sessions in (1000, 1500, 2250, 3375):
            self.choice.count(VRF, sessions)
            self.second()
        self.assertEqual(self.closed, [])

    def test_a_connection_that_gets_no_session_closes_nothing(self):
        self.open_vrf()
        for _ in range(60):
            self.second(self.even(VRF, 3, 100))
        self.assertEqual(self.closed, [])

    def test_a_flood_closes_sooner(self):
        self.open_vrf()
        self.second(self.fresh(VRF, 9), upcalls=30_000)
        self.assertEqual(self.closed, [])
        self.second(self.fresh(VRF, 9), upcalls=30_000)
        self.assertEqual(self.closed, [VRF])

    def test_traffic_that_comes_back_after_a_pause_is_no_flood(self):
        for vrf in (1, 2):
            self.choice.adopt(self.now, vrf, 5000)
        for _ in range(8):
            self.second(known={1, 2})
        for _ in range(2):
            self.second(self.even(1, 5000, 6) + self.even(2, 5000, 6), upcalls=9000, known={1, 2})
        for _ in range(25):
            self.second(known={1, 2})
        self.assertEqual(self.closed, [])
        for _ in range(4):
            self.second(self.fresh(1, 6), upcalls=9000, known={1, 2})
        self.assertEqual(self.closed, [1])

    def test_a_slow_switch_that_has_upcalls_for_many_of_its_packets_is_flooded(self):
        self.open_vrf(1000)
        for _ in range(2):
            self.second(self.fresh(VRF, 4), upcalls=750, lookups=40_000)
        self.assertEqual(self.closed, [VRF])

    def test_it_is_noticed_with_few_samples_too(self):
        self.open_vrf(1000)
        for _ in range(5):
            self.second(self.fresh(VRF, 1), upcalls=750, lookups=20_000)
        self.assertEqual(self.closed, [VRF])

    def test_some_upcalls_among_many_packets_are_no_flood(self):
        self.open_vrf(1000)
        for _ in range(8):
            self.second(self.fresh(VRF, 5), upcalls=3000, lookups=4_000_000)
            self.second(self.fresh(VRF, 5), upcalls=200, lookups=1000)
        self.assertEqual(self.closed, [])

    def test_a_flood_closes_the_vrf_that_it_is_from(self):
        self.open_vrf()
        for _ in range(3):
            self.second(self.even(OTHER, 10, 100))
        for _ in range(3):
            self.second()
        for _ in range(2):
            self.second(self.fresh(VRF, 2) + self.fresh(OTHER, 20), upcalls=30_000)
        self.assertEqual((self.closed, self.choice.open), ([OTHER], {VRF}))

    def test_upcalls_are_expected_while_sessions_are_made(self):
        self.second(self.even(VRF, 100, 1000))
        for _ in range(3):
            self.second(self.even(VRF, 100, 30), upcalls=30_000)
        self.assertEqual(self.closed, [])

    def test_other_vrfs_that_open_do_not_keep_a_crowded_one_open(self):
        self.open_vrf()
        known = {VRF, *range(100, 200)}
        for other in range(100, 106):
            self.second(self.even(other, 10, 200) + self.fresh(VRF, 9), upcalls=30_000, known=known)
        self.assertEqual((len(self.opened), self.closed), (7, [VRF]))

    def test_a_vrf_that_is_gone_is_closed(self):
        self.open_vrf()
        self.second(known={OTHER})
        self.assertEqual((self.unused, self.choice.open), ([VRF], set()))

    def test_a_vrf_that_is_not_used_is_closed(self):
        self.open_vrf()
        self.choice.count(VRF, 0)
        for _ in range(40):
            self.second()
        self.assertEqual((self.unused, self.closed), ([VRF], []))

    def test_the_node_has_no_more_sessions_than_it_may(self):
        for vrf in (1, 2, 3):
            for _ in range(2):
                self.second(self.even(vrf, 5000, 25_000), known={1, 2, 3})
        self.assertEqual(self.opened, [1, 2])
        self.choice.count(1, 5100)
        self.choice.count(2, 7000)
        self.second(known={1, 2, 3})
        self.assertEqual(self.closed, [2])

    def test_the_one_that_grew_is_closed_not_the_largest(self):
        for vrf, connections in ((1, 5000), (2, 4000), (3, 2900)):
            for _ in range(2):
                self.second(self.even(vrf, connections, 6 * connections), known={1, 2, 3})
        for _ in range(2):
            for vrf, sessions in ((1, 5000), (2, 4000), (3, 2900)):
                self.choice.count(vrf, sessions)
                self.second(known={1, 2, 3})
        self.choice.count(3, 3010)
        self.second(known={1, 2, 3})
        self.assertEqual((self.closed, self.choice.open), ([3], {1, 2}))

    def test_sessions_with_few_packets_give_way(self):
        known = {1, 2, VRF}
        for vrf in (1, 2):
            for _ in range(2):
                self.second(self.even(vrf, MOST_OF_ONE, 25_000), known=known)
        self.assertEqual(self.opened, [1, 2])
        for vrf, rate in ((1, 600.0), (2, 600_000.0)):
            self.choice.count(vrf, MOST_OF_ONE, rate)
        for _ in range(5):
            self.second(known=known)
        for vrf, rate in ((1, 600.0), (2, 600_000.0)):
            self.choice.count(vrf, MOST_OF_ONE, rate)
        for _ in range(8):
            self.second(self.even(VRF, 50, 100), known=known)
        self.assertEqual((self.closed, self.choice.open), ([1], {2, VRF}))

    def test_sessions_with_about_as_many_packets_stay(self):
        known = {1, 2, VRF}
        for vrf in (1, 2):
            for _ in range(2):
                self.second(self.even(vrf, MOST_OF_ONE, 25_000), known=known)
        for _ in range(10):
            for vrf in (1, 2):  # A third of the packets for each connection that the other one has.
                self.choice.count(vrf, MOST_OF_ONE, MOST_OF_ONE * 100 * 512 / 50 / 3)
            self.second(self.even(VRF, 50, 100), known=known)
        self.assertEqual((self.closed, self.choice.open), ([], {1, 2}))

    def test_idle_connections_of_one_do_not_keep_sessions_from_others(self):
        connections = {VRF: 300, OTHER: 4_000_000}
        for _ in range(8):
            self.second(self.zipf(300, 40) + self.fresh(OTHER, 1000), connections=connections)
        self.assertEqual(self.opened, [VRF])

    def test_a_large_vrf_may_have_no_more_others_than_a_small_one(self):
        self.choice.adopt(self.now, VRF, MOST_OF_ONE)
        for _ in range(4):
            self.second()
        for _ in range(3):
            self.second(self.fresh(VRF, 100))
        self.assertEqual(self.closed, [VRF])

    def test_cached_flows_that_were_dropped_are_no_flood(self):
        self.open_vrf(1000)
        self.choice.disturbed(self.now)
        for _ in range(2):
            self.second(self.fresh(VRF, 9), upcalls=24_000, lookups=1_000_000)
        self.assertEqual(self.closed, [])

    def test_what_was_sampled_while_a_vrf_was_not_open_closes_nothing(self):
        self.open_vrf()
        for connection in range(79):
            self.choice.sample(self.now, VRF, connection)
        self.choice.reopened(self.now, VRF)
        self.second()
        self.assertEqual((self.closed, self.choice.open), ([], {VRF}))

    def test_pauses_outlive_a_choice(self):
        self.open_vrf()
        self.second(self.fresh(VRF, 65))
        self.choice = Choice(MOST, MOST_OF_ONE, pauses=self.pauses)
        self.second(self.even(VRF, 10, 1000))
        self.assertEqual(self.opened, [VRF])
        for _ in range(3):
            self.second(self.even(VRF, 10, 1000))
        self.assertEqual(self.opened, [VRF, VRF])

    def test_a_vrf_that_gets_no_session_is_not_opened_again_and_again(self):
        for _ in range(600):
            self.second(self.even(VRF, 60, 300))
        self.assertLess(len(self.opened), 12)

    def test_one_vrf_has_no_more_than_half_of_them(self):
        for _ in range(3):
            self.second(self.even(VRF, MOST_OF_ONE + 500, 30_000))
        self.assertEqual(self.opened, [])

    def test_another_choice_goes_on_with_what_is_open(self):
        self.choice.adopt(self.now, VRF, 100)
        self.assertEqual(self.choice.open, {VRF})
        for _ in range(4):
            self.second()
        self.second(self.fresh(VRF, 65))
        self.assertEqual(self.closed, [VRF])

    def test_samples_do_not_pile_up(self):
        for _ in range(3):
            self.second(self.fresh(VRF, 80_000))
        self.assertEqual(len(self.choice._long._samples), 200_000)
        for _ in range(25):
            self.second()
        self.assertEqual((len(self.choice._long._samples), self.choice._long.vrfs()), (0, []))


if __name__ == "__main__":
    unittest.main()
