# SPDX-License-Identifier: Apache-2.0
"""What got worse is found, what did not is left alone, and what was not measured passes for neither."""

import json
import pathlib
import tempfile
import unittest

from penstock_base.errors import PenstockError
from penstock_bench import baseline, budget, edge, ratios

BASELINE = {"rate": {"value": 2.0, "tolerance": 0.1, "better": "higher"},
            "time": {"value": 4.0, "tolerance": 0.5, "better": "lower"},
            "empty": {"value": None, "tolerance": 0.1, "better": "higher"}}


def compare(**found):
    """Holds {name: value} against BASELINE."""
    return baseline.compare({name: {"value": value} for name, value in found.items()}, BASELINE)


class CompareTest(unittest.TestCase):

    def test_higher_is_better(self):
        self.assertEqual(compare(rate=1.81).regressions, ())
        self.assertEqual(compare(rate=9.0).regressions, ())
        (regression,) = compare(rate=1.79).regressions
        self.assertEqual((regression.name, regression.old, regression.new), ("rate", 2.0, 1.79))
        self.assertAlmostEqual(regression.allowed, 1.8)
        self.assertEqual(str(regression), "rate: 1.79, was 2, at least 1.8 is allowed")

    def test_lower_is_better(self):
        self.assertEqual(compare(time=5.99).regressions, ())
        self.assertEqual(compare(time=0.1).regressions, ())
        self.assertEqual(str(compare(time=6.01).regressions[0]), "time: 6.01, was 4, at most 6 is allowed")

    def test_what_cannot_be_compared_is_named(self):
        found = compare(rate=2.0, empty=1.0, other=1.0)
        self.assertEqual((found.compared, found.new, found.missing), (("rate",), ("empty", "other"), ("time",)))
        self.assertEqual(str(found), "1 ratios held against the baseline, 0 regressions\nnot in the baseline: empty, "
                                     "other\nin the baseline, but not measured: time")

    def test_what_another_kind_of_run_measures_is_not_missed(self):
        known = BASELINE | {"dns_p99_ms": {"value": 1.0, "tolerance": 0.1, "better": "lower"}}
        for mode, run, missing in (("full", "edge", ("rate", "time")), ("full", "services", ("dns_p99_ms",)),
                                   ("quick", "services", ("dns_p99_ms",)), ("partial", "services", ())):
            with self.subTest(f"{mode} {run}"):
                self.assertEqual(baseline.compare({}, known, mode, run).missing, missing)

    def test_regressions_come_first(self):
        self.assertTrue(str(compare(rate=1.0, time=9.0)).startswith("regression: rate: 1, was 2"))


class FileTest(unittest.TestCase):

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.path = pathlib.Path(made.name) / "baseline.json"

    def test_update_keeps_tolerances_and_what_was_not_measured(self):
        self.path.write_text(json.dumps(BASELINE), encoding="utf-8")
        baseline.update({"rate": {"value": 3.14159}, "dns_p99_ms": {"value": 20}}, self.path)
        content = baseline.load(self.path)
        self.assertEqual(content["rate"], {"value": 3.142, "tolerance": 0.1, "better": "higher"})
        self.assertEqual(content["time"], BASELINE["time"])
        self.assertEqual(content["dns_p99_ms"], {"value": 20, "tolerance": baseline.TOLERANCE, "better": "lower"})
        self.assertEqual(baseline.compare({"rate": {"value": 3.14159}}, content).regressions, ())

    def test_lookups_may_exceed_the_counted_ones_by_tracked_packets_alone(self):
        costs, content = budget.load(), baseline.load()
        for tenants, scenario in ((10, "UDP_SESSION_OUT"), (100, "TENANTS_100_UDP_SESSION_OUT")):
            name, value = f"passes_one_way_{tenants}", costs[scenario].passes
            with self.subTest(name):
                self.assertEqual(content[name]["value"], value)
                # As many connections as may lack a session are tracked, ...
                share = 1 - edge._WARM_SHARE
                tracked = share * costs["UDP_FIRST_OUT"].passes + (1 - share) * value
                self.assertEqual(baseline.compare({name: {"value": tracked}}, content).regressions, ())
                # ... and one lookup more for one packet of ten is a regression.
                self.assertEqual(len(baseline.compare({name: {"value": value + 0.1}}, content).regressions), 1)

    def test_what_is_counted_stands_in_the_budget_alone(self):
        baseline.update({"flows_per_tenant": {"value": 99}}, self.path)
        wanted = budget.load()["UDP_SESSION_OUT"].flows
        self.assertEqual(set(baseline.load(self.path)), set(budget.ratios()))
        self.assertEqual(baseline.load(self.path)["flows_per_tenant"],
                         {"value": wanted, "tolerance": 0, "better": "lower"})
        self.assertEqual(baseline.compare({"flows_per_tenant": {"value": wanted}}, baseline.load()).regressions, ())
        self.assertEqual(len(baseline.compare({"flows_per_tenant": {"value": wanted + 1}},
                                              baseline.load()).regressions), 1)
        self.path.write_text(json.dumps({"flows_per_tenant": {"value": 1, "tolerance": 0, "better": "lower"}}),
                             encoding="utf-8")
        with self.assertRaisesRegex(PenstockError, "flows_per_tenant: stands in cost-budget.txt already"):
            baseline.load(self.path)

    def test_the_budget_names_the_line_that_is_wrong(self):
        self.path.write_text("# scenario | ...\n\nA | 27 | 1.57 | 3 | 3\n", encoding="utf-8")
        self.assertEqual(budget.load(self.path), {"A": budget.Cost(27, 1.57, 3, 3)})
        self.path.write_text("A | 27 | 1\n", encoding="utf-8")
        with self.assertRaisesRegex(PenstockError, "baseline.json:1: wanted"):
            budget.load(self.path)

    def test_plans_are_those_of_two_tenants(self):
        self.path.write_text("0123456789  base\nabcdef0123  two-tenants\n", encoding="utf-8")
        self.assertEqual(budget.plans(self.path), "abcdef01")
        self.assertRegex(budget.plans(), "^[0-9a-f]{8}$")

    def test_update_makes_a_file(self):
        baseline.update({"edge_vs_bare_64B_10": {"value": 0.5}}, self.path)
        self.assertEqual(baseline.load(self.path)["edge_vs_bare_64B_10"]["better"], "higher")

    def test_files_that_will_not_do(self):
        with self.assertRaisesRegex(PenstockError, "cannot be read"):
            baseline.load(self.path)
        good = BASELINE["rate"]
        for content, text in (("{", "is not JSON"), ("[]", "must be an object"), ('{"rate": 1}', "rate: wanted"),
                              (json.dumps({"rate": good | {"tolerance": 1.5}}), "rate: wanted"),
                              (json.dumps({"rate": good | {"better": "more"}}), "rate: wanted"),
                              (json.dumps({"rate": good | {"value": "2"}}), "rate: wanted"),
                              (json.dumps({"rate": good | {"typo": 1}}), "rate: wanted")):
            self.path.write_text(content, encoding="utf-8")
            with self.subTest(content), self.assertRaisesRegex(PenstockError, text):
                baseline.load(self.path)

    def test_the_file_in_the_tree_knows_every_ratio(self):
        content = baseline.load()
        self.assertEqual(set(content), set(ratios.EVERY_TARGET))
        for name, entry in content.items():
            self.assertEqual(entry["better"], ratios.EVERY_TARGET[name].better, name)


if __name__ == "__main__":
    unittest.main()
