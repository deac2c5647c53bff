# SPDX-License-Identifier: Apache-2.0
"""Known faults of Open vSwitch: which version has them, and that a node has to accept them to run with them."""

import json
import os
import pathlib
import signal
import tempfile
import unittest
import unittest.mock

import pytest

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_node import profile, switch_faults, switch_program
from penstock_node.node_protocol import BRIDGE
from penstock_node.ovs import Ovs
from sandbox import Sandbox

FRAGMENTS = ("fragments-reach-others", "fragments-end-switch")
ALL = (*FRAGMENTS, "ftp-ends-switch")


class VersionsTest(unittest.TestCase):
    # The same as in SwitchFaultsTest of the controller, which reads the same file.
    VERSIONS = {
        "2.17.9": ALL, "3.1.0": ALL, "3.2.9": ALL[2:], "3.3.4": ALL, "3.3.5": ALL[2:], "3.3.8": ALL[2:], "3.3.9": (),
        "3.4.2": ALL, "3.4.6": (), "3.5.0": ALL, "3.5.1": ALL[2:], "3.5.4": (), "3.6.0": ALL[2:], "3.6.3": (),
        "3.7.0": ALL[2:], "3.7.1": (), "3.10.0": (),
        "4.0.0": (), "10.0.0": (), "": ALL, "4.0": ALL, "4.0.0-rc1": ALL, "99999.0.0": ALL}

    def test_faults_of_a_version(self):
        for version, expected in self.VERSIONS.items():
            with self.subTest(version):
                found = switch_faults.of(version)
                self.assertEqual([fault.name for fault in found if fault.refused], list(expected))
                self.assertEqual([fault.name for fault in found if not fault.refused],
                                 [] if version in ("2.17.9", "3.1.0") else ["service-header-ends-switch"])

    def test_a_problem_names_what_to_accept(self):
        self.assertIsNone(switch_faults.problem("4.0.0", ()))
        self.assertIsNone(switch_faults.problem("3.1.0", ALL))
        problem = switch_faults.problem("3.1.0", FRAGMENTS)
        self.assertIn("Open vSwitch 3.1.0 has known faults: a packet to the FTP helper can end the switch", problem)
        self.assertIn(f"accepted-switch-faults: [{', '.join(sorted(ALL))}]", problem)

    def test_off(self):
        self.assertEqual(switch_faults.off(["", "other"]), set())
        self.assertEqual(switch_faults.off(FRAGMENTS), {switch_faults.FRAGMENTS})
        self.assertEqual(switch_faults.off(ALL), {switch_faults.FRAGMENTS, switch_faults.FTP})

    def test_purges(self):
        found = [switch_faults.keeps_stale_flows(version) for version in ("3.1.0", "", "3.3.0", "4.0.0")]
        self.assertEqual(found, [True, True, False, False])

    def test_drivers_that_others_could_replace(self):
        self.assertIsNone(switch_program.exposure(switch_program.MACHINE))
        with tempfile.TemporaryDirectory(dir="/tmp") as place:
            self.assertEqual(switch_program.exposure(pathlib.Path(place)),
                             "all users may write to /tmp, and DPDK takes no drivers from there")

    def test_profiles_may_name_them_all(self):
        schema = json.loads(profile.SCHEMA.read_text(encoding="utf-8"))["properties"]["accepted-switch-faults"]
        self.assertEqual(tuple(schema["items"]["enum"]),
                         tuple(fault.name for fault in switch_faults.known() if fault.refused))
        for name in ALL:
            self.assertIn(name, schema["description"])


@pytest.mark.node
class NodeTest(unittest.TestCase):
    """On the machine's own Open vSwitch, that of Debian 12 or 13."""

    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)
        self.assertIsNotNone(switch_faults.problem(switch_program.version()[0], ()))

    def test_a_node_with_faults_does_not_run(self):
        _, path = self.box.node("a", switch_root="/", accepted_switch_faults=ALL[1:])
        for command in ("check", "up"):
            told = self.box.ovs_config(command, path, code=2)
            self.assertIn("switch-root: Open vSwitch 3.", told)
            self.assertIn("fragments of one tenant can reach another one (fragments-reach-others); run", told)
        self.assertEqual(self.box.processes(), [])

    def test_a_node_whose_switch_is_not_to_be_fetched(self):
        _, path = self.box.node("a")
        with tempfile.TemporaryDirectory() as directory, \
                unittest.mock.patch.dict(os.environ, {"PENSTOCK_SWITCH_DIR": directory}):
            self.assertIn(f"no Open vSwitch in {directory}: fetch it with ovs-config switch --fetch",
                          self.box.ovs_config("up", "--no-fetch", path, code=3))
            self.assertEqual(list(pathlib.Path(directory).iterdir()), [])
        self.assertEqual(self.box.processes(), [])

    def test_one_that_accepts_them_tracks_no_fragments_from_the_first_packet_on(self):
        name, path = self.box.node("a", switch_root="/", accepted_switch_faults=ALL)
        self.box.ovs_config("up", path)
        ovs = Ovs(self.box.run_directory / name)
        self.assertFalse(self.tracks_fragments(ovs))
        self.assertFalse(self.is_closed(ovs))
        before = processes.pid_of(ovs.switch_process)
        os.kill(before, signal.SIGKILL)
        seen = []

        def is_back():
            # Its process is known when it is closed: what is read before is the setting of the former one.
            if processes.pid_of(ovs.switch_process) in (None, before):
                return False
            try:
                # In this order: it is opened after it was told to track none.
                is_closed = self.is_closed(ovs)
                tracks = self.tracks_fragments(ovs)
            except PenstockError:
                return False
            seen.append((is_closed, tracks))
            return not is_closed
        processes.wait_until(is_back, "the switch has its settings", 60)
        self.assertNotIn((False, True), seen)
        self.assertEqual(seen[-1], (False, False))
        for root in ({"switch_root": "/"}, {}):  # It keeps the one that it has.
            self.box.node("a", **root)
            self.assertIn("Open vSwitch 3.", self.box.ovs_config("up", path, code=2))

    @staticmethod
    def is_closed(ovs):
        return ovs.get("Open_vSwitch", ".", "other_config").get("flow-restore-wait") == "true"

    @staticmethod
    def tracks_fragments(ovs):
        """Raises PenstockError when there is no datapath."""
        ovs.vsctl("--no-wait", "br-exists", BRIDGE)
        return "enabled: 1" in ovs.appctl("dpctl/ipf-get-status")
