# SPDX-License-Identifier: Apache-2.0
"""What an agent says that its node has."""

import json
import os
import pathlib
import shutil
import tempfile
import unittest

from penstock_functions import agent_facts, catalogue


class FactsTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.catalogue = pathlib.Path(directory.name) / "catalogue"
        self.said = []
        self.facts = agent_facts.Facts(self.catalogue, self.said.append)

    def functions(self):
        return json.loads(self.facts.text())["functions"]

    def test_shipped_catalogue(self):
        shutil.copytree(catalogue.DIRECTORY, self.catalogue)
        facts = json.loads(self.facts.text())
        self.assertEqual(set(facts["cores"]) & os.sched_getaffinity(0), os.sched_getaffinity(0))
        self.assertEqual(sorted(facts["functions"]), sorted(catalogue.load_all()))
        self.assertEqual(facts["functions"]["forwarder"], {"form": "container", "mode": "transparent", "shared": True})
        self.assertEqual(facts["functions"]["router-vm"], {"form": "vm", "mode": "routed", "shared": False})
        self.assertEqual(facts["functions"]["packet-divert-ct"],
                         {"form": "container", "mode": "transparent", "shared": True, "outputs": 2})

    def test_changes(self):
        self.assertEqual(self.functions(), {})
        self.catalogue.mkdir()
        text = (catalogue.DIRECTORY / "monitor.yaml").read_text(encoding="utf-8")
        (self.catalogue / "monitor.yaml").write_text(text, encoding="utf-8")
        self.assertEqual((self.functions(), len(self.said)), ({}, 1))
        self.assertRegex(self.said[0], "^catalogue: monitor.yaml is left out: .*start.rules: there is no file")
        self.assertEqual((self.functions(), len(self.said)), ({}, 1), "said once")
        shutil.copy(catalogue.DIRECTORY / "monitor.nft", self.catalogue)
        self.assertEqual(list(self.functions()), ["monitor"])
        shutil.rmtree(self.catalogue)
        self.assertEqual(self.functions(), {})


if __name__ == "__main__":
    unittest.main()
