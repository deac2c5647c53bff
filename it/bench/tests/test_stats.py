# SPDX-License-Identifier: Apache-2.0
"""Statistics, against figures worked out by hand."""

import unittest

from penstock_base.errors import PenstockError
from penstock_bench import stats


class StatsTest(unittest.TestCase):

    def test_median_and_spread(self):
        self.assertEqual(stats.median([3, 1, 2]), 2)
        self.assertEqual(stats.median([4, 1, 2, 3]), 2.5)
        self.assertEqual(stats.median([None, 7]), 7)
        self.assertEqual(stats.spread([3, 1, 2]), {"median": 2, "low": 1, "high": 3, "count": 3})

    def test_nothing_to_reckon_with(self):
        for figure in (stats.median, stats.spread, lambda values: stats.percentile(values, 50)):
            for values in ([], [None]):
                with self.assertRaises(PenstockError):
                    figure(values)

    def test_ratios_are_of_the_same_round(self):
        # The machine was twice as fast in the second round: the ratios do not show it, the ratio of medians would.
        self.assertEqual(stats.paired_ratios([1, 2, 1], [2, 4, 2]), [0.5, 0.5, 0.5])
        self.assertEqual(stats.paired_ratios([1, None, 3], [2, 4, None]), [0.5])
        self.assertEqual(stats.paired_ratios([1, 2], [0, 4]), [0.5])
        self.assertEqual(stats.paired_ratios([1, 2, 3], [1]), [1])

    def test_nearest_rank(self):
        # The example of the definition: 15, 20, 35, 40, 50.
        values = [50, 15, 40, 20, 35]
        self.assertEqual([stats.percentile(values, percent) for percent in (5, 30, 40, 50, 100)], [15, 20, 20, 35, 50])
        self.assertEqual(stats.percentile(range(1, 1001), 99.9), 999)
        self.assertEqual(stats.percentile(range(1, 21), 95), 19)
        self.assertEqual(stats.percentile([7], 1), 7)
        self.assertEqual(stats.percentiles([1, 2, 3, 4], (50, 100)), {50: 2, 100: 4})
        for percent in (0, -1, 101):
            with self.assertRaises(PenstockError):
                stats.percentile(values, percent)

    def test_interval_holds_the_figure_and_narrows_with_samples(self):
        few, many = [1, 2, 3, 4, 5], [1, 2, 3, 4, 5] * 40
        widths = []
        for values in (few, many):
            low, high = stats.interval(values, stats.median)
            self.assertTrue(low <= 3 <= high)
            widths.append(high - low)
        self.assertLess(widths[1], widths[0])
        self.assertEqual(stats.interval(few, stats.median), stats.interval(few, stats.median))
        self.assertEqual(stats.interval(([4, 4], [2, 2]), lambda above, below: above[0] / below[0]), (2, 2))

    def test_exponent(self):
        for power in (0, 0.5, 1, 2):
            slope, fit = stats.exponent([(n, 3 * n ** power) for n in (10, 100, 300, 1000, 5000)])
            self.assertAlmostEqual(slope, power)
            self.assertAlmostEqual(fit, 1)
        slope, fit = stats.exponent([(10, 1), (10, 2), (1000, 100), (1000, 50)])
        self.assertTrue(0.7 < slope < 1 and fit < 1)
        for points in ([], [(10, 1)], [(10, 1), (10, 2)], [(10, 0), (100, 1)]):
            with self.assertRaises(PenstockError):
                stats.exponent(points)

    def test_linear(self):
        sizes = (10, 100, 300, 1000, 5000)
        self.assertTrue(stats.is_linear([(n, n) for n in sizes]))
        self.assertTrue(stats.is_linear([(n, 2 + 0.01 * n) for n in sizes]))
        self.assertFalse(stats.is_linear([(n, n ** 1.2) for n in sizes]))

    def test_fixed_cost_does_not_hide_a_steep_end(self):
        points = [(n, 5 + 1e-5 * n ** 2) for n in (10, 100, 300, 1000, 5000)]
        self.assertLess(stats.exponent(points)[0], 1)
        self.assertGreater(stats.steepest(points), 1.5)
        self.assertFalse(stats.is_linear(points))


if __name__ == "__main__":
    unittest.main()
