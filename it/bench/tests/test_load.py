# SPDX-License-Identifier: Apache-2.0
"""Which loads there are, in which order their frames go out, when a throughput is steady, and who has which turn."""

import array
import collections
import contextlib
import pathlib
import tempfile
import types
import unittest
from unittest import mock

from penstock_base.errors import PenstockError
from penstock_bench import cli, load, loads, orders, ratios, steady, traffic
from penstock_bench.loads import Cell


class OrderTest(unittest.TestCase):

    def test_shares_are_those_of_zipf(self):
        order = orders.zipf(100)
        counts = sorted(collections.Counter(order).values(), reverse=True)
        total = sum(rank ** -1.1 for rank in range(1, 101))
        self.assertEqual((len(order), len(counts)), (4000, 100))
        for rank, found in enumerate(counts, 1):
            self.assertAlmostEqual(found, 4000 * rank ** -1.1 / total, delta=1)

    def test_it_is_the_same_each_time_and_mixed(self):
        order = orders.zipf(1000)
        self.assertEqual(order, orders.zipf(1000))
        (busiest, _), (second, _) = collections.Counter(order).most_common(2)
        self.assertNotEqual((busiest, second), (0, 1), "any tenant may have the busiest")
        halves = order[:20000].count(busiest), order[20000:].count(busiest)
        self.assertLess(abs(halves[0] - halves[1]), 0.1 * sum(halves))

    def test_part_of_the_tenants_and_of_their_connections(self):
        self.assertEqual(list(orders.part(2, 5, 3)), [0, 1, 5, 6, 10, 11])
        frames = [traffic.parse(frame) for frame in traffic.access_frames(traffic.Load(5, 20))[0]]
        found = [frames[index] for index in orders.part(2, 5, 3)]
        self.assertEqual([packet.vlan for packet in found], 3 * [2, 3])
        self.assertEqual(len({packet.source_port for packet in found}), 6)

    def test_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = orders.write(pathlib.Path(directory) / "order", range(3))
            self.assertEqual(path.read_bytes(), array.array("I", [0, 1, 2]).tobytes())
            self.assertEqual(path.stat().st_size, 12)


class CellTest(unittest.TestCase):

    def test_cells_of_a_quick_run(self):
        self.assertEqual({cell.name for cell in loads.quick().cells}, {
            "10x10", "10x100", "10x1000", "100x1000", "1000x100", "10x1000_zipf", "100x1000_zipf", "10x100_both_ways",
            "10x1000_live_1", "10x1000_live_10", "10x1000_live_100"})
        self.assertEqual({f"load_{cell.name}_vs_{other}" for cell in loads.QUICK for other in ("hand", "ovn")},
                         set(ratios.LOAD) - {"load_connection_rate_vs_hand", "load_recovery_seconds"}
                         | {"load_10x1000_live_1_vs_hand"})
        self.assertEqual((loads.quick().contenders, loads.quick().rounds), (("bare", "hand", "edge", "ovn"), 3))

    def test_cells_of_a_full_run(self):
        full = loads.full()
        names = [cell.name for cell in full.cells]
        self.assertEqual(len(names), len(set(names)))
        self.assertLess({cell.name for cell in loads.QUICK} | {loads.RATE_CELL, "1000x1000", "10x100_idle"}, set(names))
        self.assertEqual(max(cell.busy for cell in full.cells), 1_000_000)
        self.assertEqual([cell.tenants for cell in full.cells], sorted(cell.tenants for cell in full.cells))
        self.assertEqual(full.contenders[-1], "ovn-gateway")

    def test_orders(self):
        half = list(orders.part(2, 4, 3))
        for cell, warm, measured in ((Cell(4, 3), None, None), (Cell(4, 3, scene=loads.NEW), half, None),
                                     (Cell(4, 3, scene=loads.ENDED), None, half),
                                     (Cell(4, 3, scene=loads.IDLE), list(range(12)), list(range(12))),
                                     (Cell(4, 3, zipf=True), list(orders.zipf(12)), list(orders.zipf(12)))):
            with self.subTest(cell.name):
                self.assertEqual(tuple(order and list(order) for order in cell.orders()), (warm, measured))
        self.assertEqual(Cell(4, 3, scene=loads.IDLE).flows, 1_000_012)
        before, after = loads.RECOVERIES[0].orders()
        self.assertEqual((len(before), max(before), after), (1000, 999, None))

    def test_words(self):
        self.assertEqual(Cell(10, 1000, zipf=True, both_ways=True, life=10).text,
                         "10 × 1,000, Zipf, both ways, 10 packets each")
        self.assertTrue(Cell(10, 10).is_plain)
        self.assertFalse(Cell(10, 10, life=1).is_plain)


class SteadyTest(unittest.TestCase):

    def settled(self, *mpps, seconds=3.0, least=0):
        """What settle() says of looks, each of which takes some seconds, and how long it took."""
        now, looks = [0.0], iter(mpps)

        def look():
            now[0] += seconds
            return {"mpps": next(looks)}

        found = steady.settle(look, 60, lambda: now[0], least)
        return found["mpps"], found["settle_seconds"], found["settled"], now[0]

    def test_two_looks_that_agree_are_enough(self):
        self.assertEqual(self.settled(2.0, 2.09), (2.09, 0, True, 6))
        self.assertEqual(self.settled(1.0, 2.0, 2.2, 2.15), (2.15, 6, True, 12))
        self.assertEqual(self.settled(2.0, 1.8, 1.8), (1.8, 3, True, 9))

    def test_it_goes_on_for_the_least_time(self):
        self.assertEqual(self.settled(2.0, 2.0, 2.0, 2.0, least=12), (2.0, 6, True, 12))
        self.assertEqual(self.settled(1.0, 1.0, 1.0, 2.0, 2.0, least=12), (2.0, 9, True, 15))

    def test_it_ends_after_a_minute(self):
        mpps, _, agreed, seconds = self.settled(*(1.0 + number % 2 for number in range(100)))
        self.assertEqual((mpps, agreed, seconds), (2.0, False, 60))

    def test_recovered(self):
        for rates, seconds in (([2, 2, 2, 2, 2], 0.5), ([0.5, 1.7, 1.9, 2, 2, 2, 2], 1.0),
                               ([0.5, 1.9, 0.5, 1.9, 2, 2, 2, 2], 2.0), ([1, 1, 1, 1], 0.5),
                               ([0, 0, 0, 0, 1, 2, 2, 2, 2, 2], 3.0), ([1, 0, 0, 0, 0, 0, 0], 3.5),
                               ([2, 2, 2, 2, 1, 2, 2, 2, 2], 0.5)):
            with self.subTest(rates):
                self.assertEqual(steady.recovered(rates, 0.5), seconds)


class RunTest(unittest.TestCase):
    """The switch and the generator are made up; what each is told is recorded."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.told = []
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        sample = {"mpps": 2.0, "cycles_per_packet": 900, "busy": 1.0, "upcalls": 25}
        for module, name, answer in ((load.switch, "cached_flows", 7), (load.switch, "watch", ({"busy": 0.5}, sample)),
                                     (load.switch, "sent", None), (load.bare, "put_in", None),
                                     (load.bare, "take_out", None), (load.hand, "put_in", None),
                                     (load.hand, "take_out", None), (load.time, "sleep", None)):
            stack.enter_context(mock.patch.object(module, name, self.teller(f"{name}", answer)))
        self.results, self.said = {}, []
        self.plan = loads.Plan("load-quick", (), rounds=2, least=0, recovery_seconds=2)
        self.run_one = load.Run(pathlib.Path(directory.name), None, self.results, self.said.append, self.plan)
        (pathlib.Path(directory.name) / "work").mkdir()
        ovs = types.SimpleNamespace(appctl=self.teller("appctl", "100"), drop_cached_flows=self.teller("drop"))
        self.run_one._bed = mock.Mock(ovs=ovs, sessions=lambda: 42, forget_sessions=self.teller("forget"))
        self.run_one._source = mock.Mock(**{name: self.teller(name) for name in ("load", "order", "live", "run",
                                                                                 "answer")})
        self.run_one._peer = mock.Mock()

    def teller(self, name, answer=None):
        def tell(*arguments, **_):
            self.told.append((name, *(one.name if isinstance(one, pathlib.Path) else one for one in arguments
                                      if not isinstance(one, bool) and isinstance(one, str | int | pathlib.Path))))
            return answer
        return tell

    def measure(self, cell):
        self.run_one._cells([cell])
        return self.results["cells"][0]["contenders"]

    def test_the_matrix_is_measured_only_if_it_is_asked_for(self):
        for parts, count in ((load.USUAL, 11), (("cells", "matrix"), 21), (("matrix",), 15), (("recovery",), 0)):
            with self.subTest(parts=parts):
                run = load.Run(pathlib.Path("/nowhere"), None, {}, print, loads.quick(), parts)
                self.assertEqual(len(run._wanted()), count)

    def times(self, *what):
        return sum(one[:len(what)] == what for one in self.told)

    def test_contenders_take_turns_and_settle_alike(self):
        found = self.measure(Cell(2, 3))
        self.assertEqual([one[1:] for one in self.told if one[0] == "load"],
                         2 * (3 * [("acc", "load-edge-0.pcap")] + [("ovn-acc", "load-ovn-0.pcap")]))
        self.assertEqual({name: len(samples) for name, samples in found.items()},
                         dict.fromkeys(self.plan.contenders, 2))
        self.assertEqual(self.times("watch"), 16)
        self.assertEqual((found["edge"][0]["sessions"], "sessions" in found["bare"][0]), (42, False))
        self.assertEqual(found["ovn"][1], {
            "mpps": 2.0, "cycles_per_packet": 900, "busy": 1.0, "upcalls": 25, "generator_busy": 0.5,
            "upcalls_per_second": 10.0, "cached_flows": 7, "connections": 100, "settle_seconds": mock.ANY,
            "settled": True})
        self.assertEqual((self.run_one._tenants, self.run_one._peer.network.provision.call_count), (2, 1))
        self.assertEqual((self.times("forget"), self.times("order"), self.times("live")), (2, 0, 0),
                         "before the tenants change and before the first turn")
        self.assertRegex(self.said[-1], "^1 of 1, 2 × 3: bare 2.00, .* Mpps; about 0 minutes left$")
        self.assertTrue((self.run_one._directory / "results.json").exists())

    def test_each_turn_of_short_connections_begins_without_any(self):
        self.measure(Cell(2, 3, life=10))
        self.assertEqual((self.times("forget"), self.times("live", "acc", 10), self.times("live", "ovn-acc", 10)),
                         (10, 6, 2))

    def test_orders_and_answers_of_other_cells(self):
        self.measure(Cell(2, 3, zipf=True))
        self.assertEqual((self.times("order", "acc", "warm.order"), self.times("order")), (6, 8))
        self.assertEqual(self.times("watch"), 16)
        self.measure(Cell(2, 3, both_ways=True))
        self.assertEqual((self.times("answer", "up"), self.times("answer", "ovn-up")), (12, 4))
        del self.told[:]
        self.measure(Cell(2, 3, scene=loads.NEW))
        self.assertEqual([one for one in self.told if one[0] in ("order", "watch")][:4],
                         [("order", "acc", "warm.order"), ("watch",), ("watch",), ("order", "acc")])
        self.assertIn(("watch", 0), self.told)  # The counters are cleared as the change comes, not after it.

    def test_recovery(self):
        with mock.patch.object(load.switch, "sent", side_effect=[(number / 2, number * 5e5)
                                                                 for number in range(1, 13)]):
            self.run_one._recoveries()
        self.assertEqual([(one["name"], one["seconds"], one["rates"]) for one in self.results["recovery"]],
                         [(name, [0.5], [4 * [1.0]]) for name in ("connections", "zipf", "cache")])
        self.assertEqual(self.times("appctl", "revalidator/purge"), 1)
        self.assertEqual([one[1:] for one in self.told if one[0] == "order"],
                         [("acc", "before.order"), ("acc",), ("acc", "before.order"), ("acc", "after.order"),
                          ("acc",), ("acc",)])


class CommandTest(unittest.TestCase):

    def test_parts_load_is_bench_load(self):
        for what, parts in (("load", None), ("edge", ("load",)), ("load", ("cells", "recovery"))):
            options = types.SimpleNamespace(what=what, parts=parts, quick=True, update_baseline=False, switch_nice=None)
            with mock.patch.object(cli, "_again_inside", return_value=0), mock.patch.dict("os.environ", clear=True):
                self.assertEqual(cli.measure(options), 0)
            self.assertEqual(options.what, "load")
        options.parts = ("dns",)
        with self.assertRaisesRegex(PenstockError, "bench load has the parts cells, matrix, recovery"):
            cli.measure(options)


if __name__ == "__main__":
    unittest.main()
