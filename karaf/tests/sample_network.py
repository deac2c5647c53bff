# SPDX-License-Identifier: Apache-2.0
"""Tests of the sample network that `./penstock up` makes, on a machine of their own."""

import json
import pathlib
import shutil
import subprocess
import time

from penstock_base.places import ROOT

from .machine import UpCase

_MOST_SECONDS = 300
"""Until something comes true: a limit, and not what is expected."""
_DOCUMENTS_SECONDS = 3600
PAGE_TESTS = "odl-apps/page/src/test/browser/run.mjs"
URL = "http://127.0.0.1:8181"
SITE = ("attachment=site/node=edge1", "attachment=site/port=acc0", "subnet=lan/prefix=10.0.0.0/24",
        "subnet=lan/gateway=10.0.0.1")
"""Leaves of a tenant, but for its VLAN."""


class SampleCase(UpCase):
    """A test with the sample network."""

    def prepare_browser(self):
        """Gives the clone what the tests of the page need of npm: that of the tree, so that none of it is fetched."""
        subprocess.run(["node", ROOT / PAGE_TESTS, "--install"], check=True)
        modules = pathlib.Path(PAGE_TESTS).parent / "node_modules"
        shutil.copytree(ROOT / modules, self.clone / modules, symlinks=True)

    @property
    def password_file(self):
        """That of the administrator."""
        return self.machine.directory / "state" / "controller" / "password"

    @property
    def password(self):
        """Of the administrator."""
        return self.password_file.read_text(encoding="ascii").strip()

    def eventually(self, check):
        """Calls until it raises no AssertionError. The last one is raised when that takes too long."""
        deadline = time.monotonic() + _MOST_SECONDS
        while True:
            try:
                return check()
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.5)

    def comes_up(self):
        """The first `up`."""
        self.assertIn("Penstock is up (", self.penstock("up"))
        self.works()

    def works(self):
        """What operators and hosts see of a network that works."""
        self.eventually(self._is_in_sync)
        self.assertTrue(self.machine.traces()["control groups"], "functions have groups, which are seen")
        # What `up` has printed as the first thing to try.
        self.machine.output("ip", "netns", "exec", "psl-red", "ping", "-c", "1", "-w", str(_MOST_SECONDS),
                            "198.51.100.10")

    def _is_in_sync(self):
        state = json.loads(self.penstock("status", "--json"))
        self.assertEqual([(node["name"], node["connected"]) for node in state["nodes"]], [("edge1", True)])
        flows = state["nodes"][0]["flows"]
        self.assertGreater(flows["planned"], 0)
        self.assertEqual(flows, {"planned": flows["planned"], "installed": flows["planned"], "missing": 0, "excess": 0,
                                 "wrong": 0})
        self.assertEqual([(tenant["name"], tenant["state"]) for tenant in state["tenants"]],
                         [("blue", "active"), ("green", "active"), ("red", "active")])

    def exported(self):
        """The whole configuration."""
        return json.loads(self.penstock("export"))

    def program(self, module, *arguments):
        """Runs one of the programs among these tests, at the controller; returns what it has printed."""
        return self.machine.output(
            "env", "PYTHONPATH=.:../ovs-config", "/usr/bin/python3", "-m", f"tests.{module}", URL, self.password_file,
            *arguments, cwd=self.clone / "karaf")

    def follows_the_documents(self, *options):
        """Runs the commands of all documents."""
        ran = self.machine.output(self.clone / "docs" / "run-docs", "--against-running", *options,
                                  seconds=_DOCUMENTS_SECONDS, cwd=self.clone)
        print(ran)  # With the time of slow blocks.
        with_blocks = [str(path.relative_to(self.clone)) for path in (
            *self.clone.glob("*.md"), *self.clone.glob("docs/*.md"), *self.clone.glob("*/README.md"))
            if any(line.startswith("```sh test=") and ("--deep" in options or "deep" not in line.split())
                   for line in path.read_text(encoding="utf-8").splitlines())]
        self.assertGreater(len(with_blocks), 10)
        for document in with_blocks:
            self.assertRegex(ran, rf"(?m)^{document}: [1-9][0-9]* blocks$")
        # They leave the network as they found it.
        self.works()
