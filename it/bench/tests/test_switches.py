# SPDX-License-Identifier: Apache-2.0
"""In which order switches have their turns, what a run fetches, and the ratios and report of made-up samples."""

import contextlib
import pathlib
import tempfile
import unittest
from unittest import mock

from penstock_bench import cli, configuration, debian_root, loads, needs, ovn, ratios, switches, switches_report

_CELL = loads.SWITCH_CELLS[0]


def samples(**cycles):
    """Of a switch: cycles of each contender, one for each round."""
    return {name: [{"mpps": 1.0, "cycles_per_packet": one, "busy": 1.0, "settled": True} for one in some]
            for name, some in cycles.items()}


def results():
    facts = [("3.1.0", None), ("3.5.0", None), ("4.0.0", None), ("4.0.0", "23.03.1"), ("4.0.0", "26.03.1")]
    found = [samples(bare=[100, 110], hand=[400, 400], edge=[300, 330]),
             samples(bare=[1, 1], hand=[1, 1], edge=[1, 1]),
             samples(bare=[100, 110], hand=[500, 500], edge=[200, 200]),
             samples(bare=[1, 1], ovn=[600, 600]), samples(bare=[1, 1], ovn=[500, 400])]
    return {"switches": [{"open_vswitch": own, "dpdk": f"{own}-dpdk", "ovn": peer} for own, peer in facts],
            "cells": [{"name": cell.name, "text": cell.text, "samples": found} for cell in loads.SWITCH_CELLS]}


class SwitchesReportTest(unittest.TestCase):

    def test_ratios_compare_the_same_rounds_of_oldest_and_newest(self):
        found = switches_report.compute(results())
        self.assertEqual(set(found), set(ratios.SWITCHES))
        for name, value, met in (("switch_bare_10x100", 1.0, True), ("switch_hand_100x1000", 0.8, False),
                                 ("switch_edge_10x100_imix", 1.575, True), ("switch_ovn_10x10", 1.35, None)):
            with self.subTest(name):
                self.assertAlmostEqual(found[name]["value"], value)
                self.assertEqual(found[name]["met"], met)

    def test_what_was_not_measured_is_left_out(self):
        self.assertEqual(switches_report.compute({}), {})
        part = results()
        part["cells"] = part["cells"][:1]
        part["cells"][0]["samples"][2]["edge"] = []
        self.assertEqual(set(switches_report.compute(part)),
                         {"switch_bare_10x10", "switch_hand_10x10", "switch_ovn_10x10"})
        switches_report.render(part)

    def test_report_and_detail(self):
        measured = results()
        measured["cells"][0]["samples"][0]["bare"][0] |= {"settled": False, "busy": 0.5}
        page = switches_report.render(measured).html()
        for text in ("4.0.0 with OVN 26.03.1", "100 × 1,000", "Open vSwitch 3.5.0 runs with DPDK 3.5.0-dpdk",
                     "105*° (100 – 110)"):
            self.assertIn(text, page)
        found = switches_report.detail(measured)
        self.assertEqual(found["4.0.0 with OVN 23.03.1"]["10x10"]["ovn"]["cycles_per_packet"], 600)


class SwitchesTest(unittest.TestCase):

    def setUp(self):
        self.done = []
        self.kept = 100
        self.nodes = [mock.MagicMock(**{"sessions.side_effect": lambda: self.kept}) for _ in range(3)]
        for number, node in enumerate(self.nodes):
            node.configure_mock(name=f"n{number}")
            node.ovs.appctl.return_value = "0"
            node.learn.side_effect = lambda *_, number=number: self.done.append(f"learn {number}")
        self.turns = [switches.Turn(node, peer) for node, peer in zip(
            self.nodes, (None, None, mock.Mock(version="26.03.1")), strict=True)]
        self.bed = mock.Mock(**{"put.side_effect": lambda count: self.done.append(f"put {count}")})
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.plan = loads.Plan("x", (_CELL, loads.Cell(10, 11)), rounds=2)
        self.run_one = switches.Run(pathlib.Path(directory.name), None, {}, lambda _: None, self.plan)
        (pathlib.Path(directory.name) / "work").mkdir()

    def test_each_contender_goes_through_all_switches_and_back(self):
        def one(_, name, number, __, least):
            self.done.append(f"{name} {self.run_one._bed.name} {least:.0f}")
            self.assertEqual(self.run_one._bed.awake.return_value.__enter__.call_count,
                             self.run_one._bed.awake.return_value.__exit__.call_count + 1)
            return {"cycles_per_packet": number, "sessions": 100}
        with mock.patch.object(self.run_one, "_one", one):
            self.run_one._all(self.bed, self.turns)
        first = ["learn 0", "learn 1", "bare n0 0", "bare n1 0", "bare n2 0", "hand n0 0", "hand n1 0", "edge n0 27",
                 "edge n1 27", "ovn n2 0"]
        second = ["learn 0", "learn 1", "bare n2 0", "bare n1 0", "bare n0 0", "hand n1 0", "hand n0 0", "edge n1 0",
                  "edge n0 0", "ovn n2 0"]
        self.assertEqual(self.done, ["put 10", *first, *second, *first, *second])
        self.assertEqual([cell["name"] for cell in self.run_one.results["cells"]], ["10x10", "10x11"])
        self.assertEqual([{name: len(some) for name, some in found.items()}
                          for found in self.run_one.results["cells"][0]["samples"]],
                         [dict.fromkeys(loads.WITHOUT_OVN, 2)] * 2 + [{"bare": 2, "ovn": 2}])
        self.turns[2].peer.network.provision.assert_called_once_with(10, "distributed")

    def test_sessions_that_have_ended_are_learned_again(self):
        self.run_one._bed = self.nodes[0]
        self.assertEqual(self.run_one._least("edge", [{"sessions": 100}]), 0)
        self.kept = 90
        self.assertEqual(self.run_one._least("edge", [{"sessions": 100}]), self.plan.least)

    def test_loads_of_other_sizes_have_names_of_their_own(self):
        names = [cell.name for cell in loads.SWITCH_CELLS]
        self.assertEqual(len(set(names)), len(names))
        self.assertIn("10x100_1518", names)
        self.assertIn("10 × 100, IMIX", [cell.text for cell in loads.SWITCH_CELLS])

    def test_tenants_of_several_nodes_share_nothing_but_vlans(self):
        network = configuration.of_several([], {"a": "192.0.2.2", "b": "192.0.2.3"}, 300)[configuration.NETWORK]
        tenants = network["tenant"]
        self.assertEqual(len({tenant["name"] for tenant in tenants}), 600)
        self.assertEqual(len({tenant["nat"]["public-address"] for tenant in tenants}), 600)
        self.assertEqual(tenants[0]["attachment"][0]["vlan"], tenants[300]["attachment"][0]["vlan"])
        self.assertEqual([one["address"] for one in network["backbone"]["interface"]], ["192.0.2.2", "192.0.2.3"])


class NeedsTest(unittest.TestCase):

    def test_a_run_fetches_what_it_needs_while_there_is_a_network(self):
        done = []
        with contextlib.ExitStack() as stack:
            for target, name, value in (
                    (cli, "_refuse_company", lambda: None), (cli.packages, "install", lambda _: None),
                    (cli.switch_root, "ensure", lambda: done.append("switch")),
                    (debian_root.DebianRoot, "ensure", lambda root: done.append(root.suite)),
                    (cli.interrupts, "run", lambda words, _: done.append(words[0]) or 0)):
                stack.enter_context(mock.patch.object(target, name, value))
            for what, roots in (("cores", []), ("edge", ["unstable"]), ("load", ["unstable"]),
                                ("switches", ["unstable", "trixie"])):
                with self.subTest(what):
                    done.clear()
                    self.assertEqual(cli._again_inside(what), 0)
                    self.assertEqual(done, ["switch", *roots, "unshare"])

    def test_a_root_that_is_missing_is_named_with_what_fetches_it(self):
        with tempfile.TemporaryDirectory() as place, \
                mock.patch.object(debian_root, "DIRECTORY", pathlib.Path(place)):
            with self.assertRaisesRegex(Exception, "unstable-.* is missing: ./penstock bench switches fetches it"):
                ovn.PEER.existing()

            def unpack(root, suite, packages, what):
                root.mkdir()
                self.assertEqual((suite, packages, what), ("unstable", ovn.PEER.packages, "ovn-central"))
                if len(list(pathlib.Path(place).iterdir())) > 1:
                    raise AssertionError("what a killed fetch has left is there")
            (pathlib.Path(place) / "new-killed").mkdir()
            with mock.patch.object(debian_root.debian_archive, "unpack", unpack):
                made = ovn.PEER.ensure()
            self.assertEqual(ovn.PEER.existing(), made)
            self.assertEqual(list(pathlib.Path(place).iterdir()), [made])
            ovn.PEER.ensure()

    def test_the_list_of_needs_has_all_roots_of_the_peers(self):
        self.assertEqual(set(needs.roots_of("switches")), {ovn.PEER, *switches.ROOTS})


if __name__ == "__main__":
    unittest.main()
