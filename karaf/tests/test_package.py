# SPDX-License-Identifier: Apache-2.0
"""What packages are made of: versions, manual pages, and their needs."""

import functools
import itertools
import pathlib
import re
import subprocess
import tempfile
import unittest

from penstock_base import packages, places
from penstock_base.version import of_tree, version
from penstock_launcher import manual, package

_MOMENT = 1764183600
_OF_THE_BUILD = {"maven", "nodejs", "npm", "openjdk-17-jdk-headless"}
_OF_THE_SAMPLE = {"curl", "iputils-ping"}


class VersionTest(unittest.TestCase):
    def test_order(self):
        versions = [package.debian_version("0.1.0-SNAPSHOT", _MOMENT),
                    package.debian_version("0.1.0-SNAPSHOT", _MOMENT, 2),
                    package.debian_version("0.1.0-SNAPSHOT", _MOMENT + 1),
                    package.debian_version("0.1.0", _MOMENT), package.debian_version("0.1.0", _MOMENT, 1),
                    package.debian_version("0.2.0-SNAPSHOT", _MOMENT)]
        for lower, higher in itertools.pairwise(versions):
            self.assertEqual(subprocess.run(["dpkg", "--compare-versions", lower, "lt", higher],
                                            check=False).returncode, 0, (lower, higher))

    def test_of_packages_and_of_the_tree(self):
        self.assertRegex(of_tree(), r"^\d+\.\d+\.\d+(-SNAPSHOT)?$")
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "VERSION").write_text("1.2.3~x\n", encoding="ascii")
            self.assertEqual(version(pathlib.Path(directory)), "1.2.3~x")


class ManualTest(unittest.TestCase):
    def test_a_manual_page_is_one(self):
        for name in ("karaf/penstock-controller", "service-chains/nat64"):
            with self.subTest(name):
                self.assertIn(name, package.PROGRAMS)
                text = manual.page(places.ROOT / name, "1.2", "2026-01-01")
                shown = subprocess.run(["man", "--warnings", "-l", "-"], input=text, capture_output=True, text=True,
                                       env={"LANG": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "120",
                                            "PATH": "/usr/bin:/bin"}, check=True)
                self.assertEqual(shown.stderr, "")
                for word in ("NAME", "SYNOPSIS", "COMMANDS", "--version"):
                    self.assertIn(word, shown.stdout)

    def test_commands_and_their_options(self):
        text = manual.page(places.ROOT / "ovs-config" / "ovs-config", "1.2", "2026-01-01").replace("\\", "")
        self.assertIn(".SS ovs-config down\n", text)
        self.assertIn("--run-directory DIR", text)


class NeedsTest(unittest.TestCase):
    @functools.cached_property
    def depends(self):
        text = (places.ROOT / "debian" / "control").read_text(encoding="utf-8")
        fields = re.findall(r"^(?:Depends|Recommends):((?:.*\n)(?: .*\n)*)", text, re.MULTILINE)
        return set(re.findall(r"(?<![\w$.:{-])[a-z][a-z0-9.+-]+(?![\w:}.-])", "".join(fields)))

    def test_what_runs_on_one_machine_is_needed_by_a_package(self):
        self.assertEqual(set(packages.RUN) - _OF_THE_BUILD - _OF_THE_SAMPLE - self.depends, set())


if __name__ == "__main__":
    unittest.main()
