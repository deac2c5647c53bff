# SPDX-License-Identifier: Apache-2.0
"""The report says what was measured, stands alone, and can be made of any part of a run."""

import contextlib
import html.parser
import io
import json
import pathlib
import re
import tempfile
import unittest
import unittest.mock
from typing import ClassVar

from penstock_base.errors import PenstockError
from penstock_bench import plots, report, wording
from penstock_bench.document import Cell, Document

from .made_up import forwarding, results, samples

_VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(html.parser.HTMLParser):
    """Reads a page: its headings, tables, texts; complains of tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.problems, self.ids, self.addresses, self.tags = [], [], [], [], []
        self.feed(text)
        self.problems += [f"{tag} is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.handle_startendtag(tag, attrs)
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "xlink:href", "src"):
                self.addresses.append(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"{tag} does not match")


class ReportTest(unittest.TestCase):

    _written: ClassVar[dict[tuple[str, bool], list[str]]] = {}

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.directory = pathlib.Path(made.name)

    def write(self, content):
        """The texts of both forms. Drawings take a second, so a test gets what another has had made of the same."""
        key = json.dumps(content), plots.available()
        if key not in self._written:
            self._written[key] = self.write_again(content)
        return self._written[key]

    def write_again(self, content):
        return [path.read_text(encoding="utf-8") for path in report.write(self.directory, content)]

    def row(self, markdown, *starts):
        """Cells of the only row that starts so."""
        rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in markdown.splitlines()
                if line.startswith("| ")]
        found = [row for row in rows if row[:len(starts)] == list(starts)]
        self.assertTrue(found, f"no row {starts}")
        return found[0]

    def test_ratios_come_first(self):
        markdown = self.write(results())[0]
        self.assertLess(markdown.index("16 of 17 targets met"), markdown.index("## "))
        self.assertIn("Not met: `edge_vs_bare_64B_1000`.", markdown)
        self.assertTrue(re.search(r"^## (.*)", markdown, re.MULTILINE).group(1).startswith("Ratios"))
        row = self.row(markdown, "`edge_vs_bare_64B_1000`")
        self.assertEqual(row[2:], ["0.380", "", "≥ 0.400", "no"])
        self.assertEqual(self.row(markdown, "`resync_1000_seconds`")[2:], ["4.00 s", "3.00 – 5.00", "< 10.0 s", "yes"])
        self.assertEqual(self.row(markdown, "`flows_per_tenant`")[2:], ["20.0", "", "-", "-"])

    def test_scale(self):
        markdown = self.write(results())[0]
        self.assertIn("### One way, 64 bytes, 10,000 flows in all", markdown)
        self.assertIn("### Both ways, 64 bytes, 10,000 flows in all", markdown)
        self.assertEqual(self.row(markdown, "10", "Penstock"),
                         ["10", "Penstock", "2.20", "1.34", "0.500", "1,000", "100%", "1.00", "7", "70", "50 / 0 / 50"])

    def test_mpps_of_the_generator_are_marked(self):
        markdown = self.write(results())[0].partition("### One way, IMIX")[2]
        self.assertEqual(self.row(markdown, "1,000", "bare forwarding")[2], "3.30 †")
        row = self.row(markdown, "1,000", "Penstock")
        self.assertEqual(row[2], "1.10")
        self.assertEqual(row[4], "0.500")  # By cycles; by Mpps it would be a third.

    def test_shape_beside_the_published_one(self):
        markdown = self.write(results())[0]
        self.assertEqual(self.row(markdown, "one way", "published, 1 worker")[2:], ["100%", "96%", "81%", "63%"])
        self.assertEqual(self.row(markdown, "both ways", "published, 1 worker")[2:], ["100%", "93%", "79%", "39%"])
        self.assertEqual(self.row(markdown, "one way", "Penstock, 1 PMD")[2:], ["100%", "100%", "-", "95%"])

    def test_ovn(self):
        markdown = self.write(results())[0].partition("## Against OVN")[2]
        scenario = "one way, 64 bytes, 10,000 flows in all"
        self.assertEqual(self.row(markdown, scenario, "OVN", "1,000")[3:],
                         ["6.33", "", "Mpps", "1,000 / 7,000", "1.00 / 2.00", "7 / 7"])
        self.assertEqual(self.row(markdown, scenario, "OVN, gateway routers", "1,000")[3:],
                         ["9.50", "", "Mpps", "1,000 / 9,000", "1.00 / 3.00", "7 / 7"])
        self.assertEqual(self.row(markdown, "1,000")[1:4], ["2.25 / 9.50", "0.237", "20,100 / 402,000"])

    def test_rfc2544_and_chain(self):
        markdown = self.write(results())[0]
        self.assertEqual(self.row(markdown, "Penstock", "10")[2:], ["64 bytes", "1.50", "1.01", "3", "1,234"])
        self.assertEqual(self.row(markdown, "Penstock, 10 tenants, 64 bytes", "50 %")[2:],
                         ["10.0", "20.0", "30.0", "40.0", "50.0"])
        self.assertIn("1.00: 0, 2.00: 25.00%", markdown)
        self.assertIn("through one function, 10 tenants, 64 bytes", markdown)

    def test_control(self):
        markdown = self.write(results())[0].partition("## Control plane")[2]
        self.assertEqual(self.row(markdown, "1,000")[1:],
                         ["-", "2.25 (2.00 – 2.50)", "-", "20,100", "20.1", "200", "-", "controller 1,000", "1.00"])
        self.assertIn("to the power 1.00", markdown)
        self.assertIn("linear or better", markdown)
        self.assertEqual(self.row(markdown, "1,000", "remove")[2:], ["20", "10.0", "19.0", "20.0", "20.0"])

    def test_one_by_one_beside_ovn(self):
        markdown = self.write(results())[0].partition("### Provisioning one by one")[2]
        self.assertEqual(self.row(markdown, "Penstock")[1:], ["10", "0.250", "0.500", "20.0"])
        self.assertEqual(self.row(markdown, "OVN")[1:], ["10", "-", "5.00", "2.00"])

    def test_growth_worse_than_linear_is_said(self):
        content = results()
        content["control"]["provision"][2]["seconds"] = [500]
        self.assertIn("worse than linear", self.write(content)[0])

    def test_a_noisy_machine_is_the_first_thing_said(self):
        content = results()
        self.assertNotIn("noisy", self.write(content)[0])
        content["noise"] |= {"quiet": False, "overridden": True, "problems": ["others use 1.00 cores"]}
        markdown, page = self.write(content)
        self.assertLess(markdown.index("Measured on a noisy machine"), markdown.index("targets met"))
        self.assertIn("others use 1.00 cores", page)

    def test_raw_data_is_linked(self):
        markdown, page = self.write(results())
        self.assertIn("[results.json](results.json)", markdown)
        self.assertIn('<a href="results.json">', page)

    def test_page_is_well_formed_and_needs_nothing_else(self):
        page = self.write(results())[1]
        read = Page(page)
        self.assertEqual(read.problems, [])
        self.assertEqual(len(read.ids), len(set(read.ids)), "an id is there twice")
        self.assertLessEqual({address[1:] for address in read.addresses if address.startswith("#")}, set(read.ids))
        self.assertEqual({address for address in read.addresses if not address.startswith("#")}, {"results.json"})
        self.assertFalse({"script", "link", "img", "iframe", "object", "image"} & set(read.tags))
        self.assertNotRegex(page, r"@import|url\((?!#)")
        self.assertEqual(set(re.findall(r"https?://[^/\"]*", page)), {"http://www.w3.org"})  # Names of SVG's language.

    def test_drawings_follow_light_and_dark(self):
        page = self.write(results())[1]
        self.assertTrue(plots.available(), "the Debian package python3-matplotlib is missing")
        self.assertIn("prefers-color-scheme: dark", page)
        drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        # Targets, scale both ways, shape, latency, loss, chain, control.
        self.assertEqual(len(drawings), 8)
        for drawing in drawings:
            self.assertEqual(re.findall(r"#[0-9a-fA-F]{6}\b", drawing), [])
            self.assertIn("<text", drawing)

    def test_same_results_same_page(self):
        self.assertEqual(self.write_again(results()), self.write_again(results()))

    def assert_makes_a_report(self, content, drawings):
        with contextlib.ExitStack() as stack:
            if not drawings:  # They take most of the time.
                stack.enter_context(unittest.mock.patch("penstock_bench.plots.available", return_value=False))
            markdown, page = self.write(content)
        self.assertEqual(Page(page).problems, [])
        self.assertIn("## How it was measured", markdown)
        return markdown

    def test_every_part_of_a_run_makes_a_report(self):
        whole = results()
        for name in set(whole) - {"version"}:
            with self.subTest(only=name):
                self.assert_makes_a_report({"version": 1, name: whole[name]}, drawings=True)
            with self.subTest(without=name):
                self.assert_makes_a_report({key: whole[key] for key in whole if key != name}, drawings=False)
        self.assertIn("Nothing was measured", self.assert_makes_a_report({"version": 1}, drawings=True))

    def test_scenarios_that_were_cut_off(self):
        for contenders in ({}, {"bare": []}, {"edge": samples(1.0, 100, rounds=1)}, {"bare": [], "edge": [{}]},
                           {"bare": samples(1.0, 100), "edge": [None]},
                           {"edge": [{"mpps": 1.0}], "ovn": [{"mpps": 2.0}]}):
            entries = [forwarding(tenants, contenders) for tenants in (10, 100, 1000)]
            with self.subTest(contenders):
                self.assert_makes_a_report({"version": 1, "forwarding": entries}, drawings=True)

    def test_control_plane_of_one_size_only(self):
        for parts in (("provision",), ("change",), ("resync",), ("provision", "change")):
            control = {part: results()["control"][part][-1:] for part in parts}
            with self.subTest(parts):
                self.assert_makes_a_report({"version": 1, "control": control}, drawings=True)

    def test_what_was_not_measured_is_named(self):
        markdown = self.write({key: value for key, value in results().items() if key != "control"})[0]
        self.assertRegex(markdown, "Not measured in this run: .*`resync_1000_seconds`")

    def test_without_matplotlib_the_tables_are_there(self):
        with unittest.mock.patch("penstock_bench.plots.available", return_value=False):
            markdown, page = self.write(results())
        self.assertNotIn("<svg", page)
        self.assertIn("python3-matplotlib", markdown)
        self.assertEqual(Page(page).problems, [])

    def test_command(self):
        report.save(self.directory, results())
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(report.main([str(self.directory)]), 0)
        self.assertEqual(out.getvalue().split(),
                         [str(self.directory / name) for name in ("report.md", "report.html")])
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()),
                         ["report.html", "report.md", "results.json"])

    def test_command_without_results(self):
        for content, text in ((None, "cannot be read"), ("{", "is not JSON"), ('{"version": 2}', "version 1")):
            if content:
                (self.directory / "results.json").write_text(content, encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(report.main([str(self.directory)]), 1)
            self.assertIn(text, said.getvalue())
        self.assertRaises(PenstockError, report.read, self.directory)


class DocumentTest(unittest.TestCase):

    def test_what_the_world_says_is_no_markup(self):
        document = Document("A <b> & c", "x < y")
        document.section("<i>")
        document.text("a < b & `c < d`")
        document.notice("<u>", "& <s>")
        document.table(["<h>"], [["<td>"], [Cell("<cell>", "good")]])
        document.figure("<svg></svg>", 'a "<b>"')
        page = document.html()
        self.assertEqual(Page(page).problems, [])
        self.assertFalse({"i", "u", "s", "h", "cell", "b"} & set(Page(page).tags))

    def test_bars_in_cells_do_not_end_them(self):
        document = Document("t")
        document.table(["a", "b"], [["x | y", "z"]])
        self.assertIn("| x \\| y | z |", document.markdown())

    def test_rows_must_fit_the_head(self):
        with self.assertRaises(ValueError):
            Document("t").table(["a", "b"], [["x"]])


class WordingTest(unittest.TestCase):

    def test_three_digits_that_count(self):
        for value, text in ((None, "-"), (0, "0"), (0.04321, "0.0432"), (0.5, "0.500"), (1, "1.00"), (9.996, "10.0"),
                            (12.345, "12.3"), (99.96, "100"), (123.4, "123"), (1234567, "1,234,567"), (-0.5, "-0.500")):
            self.assertEqual(wording.number(value), text)

    def test_shares(self):
        for value, text in ((None, "-"), (0, "0%"), (0.004, "0.4%"), (0.5, "50%"), (1, "100%")):
            self.assertEqual(wording.percent(value), text)


if __name__ == "__main__":
    unittest.main()
