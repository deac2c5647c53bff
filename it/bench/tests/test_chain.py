# SPDX-License-Identifier: Apache-2.0
"""What is configured for a chain, how its figures are found and what the report says of them; no switch is needed."""

import pathlib
import tempfile
import types
import unittest
import unittest.mock

from penstock_base.errors import PenstockError
from penstock_bench import chain, report, traffic

from . import made_up

BED = types.SimpleNamespace(name="psbench", nodes=[{"name": "psbench"}])


def link(sent=0, received=0, forwarded=0):
    """Counters of one link."""
    return {"tx": sent, "rx": received, "forwarded": forwarded}


def answer(sent, received, first=0, second=0):
    """Of the generator, after a run in which this went through the two functions."""
    return {"links": {
        "acc": link(sent), "up": link(received=received), "tap1-in": link(forwarded=first), "tap1-out": link(),
        "tap2-in": link(forwarded=second), "tap2-out": link()}}


class ChainTest(unittest.TestCase):

    def test_every_tenant_is_led_through_the_first_functions(self):
        inside = chain.network(BED, 3, 1)["penstock:network"]
        self.assertEqual(inside["chain"], [{"name": "bench", "function": ["tap1"]}])
        self.assertEqual([tenant["chain"] for tenant in inside["tenant"]], ["bench"] * 3)
        self.assertEqual(chain.network(BED, 3, 2)["penstock:network"]["chain"][0]["function"], ["tap1", "tap2"])

    def test_only_the_chain_differs(self):
        with_two, without = (chain.network(BED, 3, functions)["penstock:network"] for functions in (2, 0))
        del with_two["chain"]
        for tenant in with_two["tenant"]:
            del tenant["chain"]
        self.assertEqual(with_two, without)

    def test_functions_are_never_passed_by(self):
        found = chain.network(BED, 1, 0)["penstock:network"]["function"]
        self.assertEqual([(one["name"], one["node"], one["fail-policy"], one["shared"]) for one in found],
                         [("tap1", "psbench", "closed", True), ("tap2", "psbench", "closed", True)])

    def test_sockets_are_where_the_switch_looks_for_them(self):
        links = chain.links_of(pathlib.Path("/run/x"))
        self.assertEqual(list(links), ["tap1-in", "tap1-out", "tap2-in", "tap2-out"])
        self.assertEqual(links["tap2-out"], pathlib.Path("/run/x/tap2-out.sock"))

    def test_path_is_what_was_configured(self):
        chain.check_path(answer(10, 10), 0)
        chain.check_path(answer(10, 11, first=10), 1)
        chain.check_path(answer(10, 10, first=10, second=10), 2)
        for wrong, functions in ((answer(10, 10), 1), (answer(10, 10, first=9), 1), (answer(10, 10, first=10), 0),
                                 (answer(10, 10, first=10), 2), (answer(0, 0), 0)):
            with self.assertRaisesRegex(PenstockError, "went through functions"):
                chain.check_path(wrong, functions)

    def test_entry_has_medians_of_the_rounds(self):
        rounds = [{"throughput_mpps": rate, "trials": [], "latency_ns": {"50": {"p50": 10 * rate, "max": 100},
                                                                         "90": {"p50": 20 * rate, "max": 200}}}
                  for rate in (3, 1, 2)]
        entry = chain.entry(traffic.Load(10, 100), 1, rounds)
        self.assertEqual((entry["tenants"], entry["functions"], entry["throughput_mpps"]), (10, 1, 2))
        self.assertEqual(entry["latency_ns"], {"50": {"p50": 20, "max": 100}, "90": {"p50": 40, "max": 200}})
        self.assertEqual(entry["rounds"], rounds)


class ReportTest(unittest.TestCase):

    def rows(self, entries):
        with tempfile.TemporaryDirectory() as directory, \
                unittest.mock.patch("penstock_bench.plots.available", return_value=False):
            paths = report.write(pathlib.Path(directory), made_up.results() | {"chain_latency": entries})
            text = next(path for path in paths if path.suffix == ".md").read_text(encoding="utf-8")
        text = text.partition("## Latency of a service chain")[2].partition("\n## ")[0]
        return [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if "|" in line]

    def test_functions_are_told_apart_in_words(self):
        rows = self.rows([made_up.chain_latency(functions) for functions in (0, 1, 2, 3)])
        labels = ["without a function", "through one function", "through two functions", "through 3 functions"]
        self.assertEqual([row[0] for row in rows if row[1:3] == ["10", "64 bytes"]], labels)
        self.assertEqual([row[0] for row in rows if "load" not in row and row[1:2] == ["50 %"]],
                         [f"{label}, 10 tenants, 64 bytes" for label in labels])

    def test_how_much_more_is_told_within_rounds(self):
        rows = {row[0]: row[3:] for row in self.rows(made_up.results()["chain_latency"])}
        self.assertEqual(rows["without a function"], ["8.00", "11.0 (10.0 – 12.0)", "-"])
        self.assertEqual(rows["through two functions"], ["2.67", "21.0 (20.0 – 22.0)", "10.0"])

    def test_without_a_measurement_without(self):
        rows = {row[0]: row[3:] for row in self.rows([made_up.chain_latency(1)])}
        self.assertEqual(rows["through one function"], ["4.00", "16.0 (15.0 – 17.0)", "-"])


if __name__ == "__main__":
    unittest.main()
