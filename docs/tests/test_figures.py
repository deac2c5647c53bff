# SPDX-License-Identifier: Apache-2.0
"""Figures of docs/performance.md name their commit; the check itself first."""

import unittest

from penstock_bench import budget

from . import figures
from .documents import ROOT

_SECTION = "# Performance\n\n## Figures\n\n{}\n\n| ratio | value |\n|---|---|\n| a | 0.5 |\n"
_MEASURED = "Measured at commit `1570740`, plans `12345678`"


class FiguresTest(unittest.TestCase):
    def test_sections_without_a_commit(self):
        self.assertEqual(1, len(figures.faults(_SECTION.format("No commit."), "12345678")))
        self.assertEqual([], figures.faults("## Text\n\nNo figures, 3 words.\n", "12345678"))

    def test_figures_of_another_pipeline_say_so(self):
        for line, good_now, good_later in ((_MEASURED + ".", True, False),
                                           (_MEASURED + ": **an earlier pipeline**.", False, True)):
            with self.subTest(line):
                self.assertEqual(good_now, not figures.faults(_SECTION.format(line), "12345678"))
                self.assertEqual(good_later, not figures.faults(_SECTION.format(line), "87654321"))

    def test_performance(self):
        text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
        self.assertGreater(text.count("Measured at commit"), 5)
        self.assertEqual([], figures.faults(text, budget.plans()))
