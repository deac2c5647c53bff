# SPDX-License-Identifier: Apache-2.0
"""Whoever took the samples: they come out in one form, and each where it belongs."""

import unittest

from penstock_bench import control_samples, ratios, report

CPU = {"controller": 4.0, "switch": 1.0, "database": 0.0}
NATIVE = {
    "boot": 20.0,
    "bulk": [{"tenants": 1000, "flows": 2000, "answered": 1.0, "applied": seconds, "verified": seconds + 1, "cpu": CPU}
             for seconds in (2.0, 3.0, 4.0)] + [{"tenants": 10, "flows": 20, "answered": 0.1, "applied": 0.2,
                                                 "verified": 0.3, "cpu": CPU}],
    "one_by_one": [{"tenants": 100, "answered": 4.0, "applied": 5.0, "verified": 6.0, "cpu": CPU}],
    "changes": [{"tenants": tenants, "seconds": 99.0, "cpu": CPU, "samples": {
        "add": [{"answered": 0.001, "applied": seconds}], "delete": [{"answered": 0.001, "applied": seconds * 2}]}}
        for tenants, seconds in ((10, 0.01), (1000, 0.02))],
    "resync": [{"tenants": 1000, "resync": [0.5, 0.6, 0.7], "verify": [50.0]}],
    "restarts": [{"tenants": 1000, "how": "kill", "flows": 2000, "stop": 0.1, "start_to_port": 11.0,
                  "port_to_applied": 5.0, "port_to_verified": 6.0, "sent": 3000, "lost": 2, "longest_gap": 0.08}],
    "memory": [{"tenants": 1000, "heap_after_gc": 200_000_000, "heap_peak": 300_000_000, "resident": 900_000_000,
                "switch_resident": 70_000_000}]}


class NativeTest(unittest.TestCase):
    """What control.run() returns."""

    def setUp(self):
        self.results = {"version": 1, "control": NATIVE}

    def test_provision(self):
        few, many = control_samples.provision(self.results)
        self.assertEqual((few["tenants"], few["seconds"], few["flows"]), (10, [0.2], 20))
        self.assertEqual(many, {"tenants": 1000, "seconds": [2.0, 3.0, 4.0], "answered": 1.0, "verified": 4.0,
                                "flows": 2000, "cpu_seconds": 4.0, "heap_mb": 200, "peak_mb": 300,
                                "rss_mb": {"controller": 900, "switch": 70}})

    def test_changes_count_until_they_are_applied(self):
        self.assertEqual([(entry["tenants"], entry["what"], entry["seconds"])
                          for entry in control_samples.change(self.results)],
                         [(10, "add", [0.01]), (10, "delete", [0.02]), (1000, "add", [0.02]), (1000, "delete", [0.04])])

    def test_resync(self):
        asked, killed = control_samples.resync(self.results)
        self.assertEqual((asked["tenants"], asked["seconds"]), (1000, [0.5, 0.6, 0.7]))
        self.assertEqual(killed["seconds"], [6.0])
        self.assertIn("kill", killed["what"])

    def test_ratios(self):
        found = ratios.values(ratios.compute(self.results))
        self.assertEqual(found["provision_1000_seconds"], 3.0)
        self.assertEqual(found["flows_per_tenant"], 2.0)
        self.assertAlmostEqual(found["change_p95_ms_1000"], 40)
        self.assertAlmostEqual(found["change_p95_ratio_1000_10"], 2.0)
        self.assertEqual(found["resync_1000_seconds"], 6.0)  # The slowest occasion.

    def test_report(self):
        text = report.render(self.results).markdown()
        for row in ("| 1,000 | 1.00 | 3.00 (2.00 – 4.00) | 4.00 | 2,000 | 2.00 | 200 | 300 | controller 900, switch 70 "
                    "| 4.00 |", "| 100 | 4.00 | 5.00 | 20.0 |", "| 1,000 | kill | 11.0 | 3,000 | 2 | 80.0 |"):
            self.assertIn(row, text)

    def test_any_part_is_enough(self):
        for name, samples in NATIVE.items():
            with self.subTest(name):
                self.assertIn("How it was measured", report.render({"control": {name: samples}}).markdown())


class PlainTest(unittest.TestCase):

    def test_both_forms_together_and_numbers_instead_of_lists(self):
        control = {"provision": [{"tenants": 1000, "seconds": 5.0}, {"tenants": 1000, "seconds": [7.0]}],
                   "bulk": NATIVE["bulk"][:1], "change": [{"tenants": 10, "seconds": [1.0, None]}]}
        (entry,) = control_samples.provision({"ovn_control": control}, other=True)
        self.assertEqual((entry["seconds"], entry["flows"]), ([5.0, 7.0, 2.0], 2000))
        self.assertEqual(control_samples.provision({"ovn_control": control}), [])
        self.assertEqual(control_samples.change({"control": control}),
                         [{"tenants": 10, "what": "change", "seconds": [1.0]}])

    def test_nothing(self):
        for results in ({}, {"control": None}, {"control": {}}):
            for read in (control_samples.provision, control_samples.change, control_samples.resync,
                         control_samples.restarts, control_samples.one_by_one):
                self.assertEqual(read(results), [])


if __name__ == "__main__":
    unittest.main()
