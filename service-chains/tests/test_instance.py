# SPDX-License-Identifier: Apache-2.0
"""A real function that filters nothing beside a real switch. What filters is in test_firewall.py."""

import unittest

import pytest

from sandbox import reaches, send_over_tcp

from . import silent_function
from .function_case import OUTSIDE, FunctionCase

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node


class FunctionTest(FunctionCase):

    def test_forwarder(self):
        self.node(tenants=1)
        self.start("hop", "--function", "forwarder")
        self.assertEqual([entry["state"] for entry in self.status()], ["waiting"])
        self.attach("hop", tenants=1)
        self.assertIn("nothing changed", self.start("hop", "--function", "forwarder", "--wait", 90))
        entry, = self.status()
        self.assertEqual(entry["state"], "attached")
        self.assertEqual((entry["control-group"]["memory-mb"], entry["control-group"]["threads"]), (512, 256))
        for path in self.control_groups():
            self.assertEqual((path / "cgroup.procs").read_text("ascii").split(), [str(entry["pid"])])
        self.assertEqual({str(path) for path in self.control_groups()},
                         set(entry["control-group"]["directories"].values()))
        inside, outside = self.hosts[0]
        self.assertTrue(reaches(inside, OUTSIDE))
        self.assertTrue(reaches(inside, OUTSIDE, "-M", "do", "-s", "1472"), "a full frame with its tag")
        self.assertEqual(send_over_tcp(inside, outside, OUTSIDE), b"payload")
        self.assertIn("functions run on node", self.box.ovs_config("down", self.name, code=1))
        silent_function.replace(self, self.box.run_directory / self.name, "hop")
        self.assertIn("packets pass all its ports", self.start("hop", "--function", "forwarder", "--wait", 5, code=1))
        self.assertEqual([entry["state"] for entry in self.status()], ["attached"])
        self.box.functions("stop", "hop", "--node", self.name)
        self.assertEqual(self.status(), [])
        self.assertFalse(reaches(inside, OUTSIDE, attempts=2))
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
