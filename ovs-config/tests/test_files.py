# SPDX-License-Identifier: Apache-2.0
"""Files on a disk that is full: clear errors, nothing half written, and on it goes when there is room."""

import contextlib
import io
import json
import os
import pathlib
import re
import tempfile
import types
import unittest
from unittest import mock

from penstock_base import files, locks, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import agent_resolvers, cli, node, node_settings
from penstock_node.hugepages import HugePages
from penstock_node.ovs import Ovs

ROOT = pathlib.Path(__file__).resolve().parents[2]
_PACKAGES = ("ovs-config/penstock_base", "ovs-config/penstock_node", "karaf/penstock_controller",
             "service-chains/penstock_functions")
FULL = "No space left on device; free some room"
ORDER = json.dumps({"domain": "corp.example", "addresses": ["240.0.7.0"], "upstreams": ["192.0.2.53"],
                    "records": [{"name": "a", "type": "A", "data": "10.0.0.1"}]})


class ReplaceTest(unittest.TestCase):

    def test_content_and_name_are_on_the_disk(self):
        steps = []
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "state.json")
            rename = pathlib.Path.replace
            with mock.patch("os.fsync", lambda file: steps.append(os.readlink(f"/proc/self/fd/{file}"))), \
                    mock.patch.object(pathlib.Path, "replace",
                                      lambda self, to: (steps.append(f"to {to}"), rename(self, to))[1]):
                locks.write_json(path, {"name": "edge1"})
            self.assertEqual(steps, [f"{path}.new", f"to {path}", directory])
            self.assertEqual(locks.read_json(path, None), {"name": "edge1"})
            self.assertEqual(list(pathlib.Path(directory).iterdir()), [path])

    def test_another_error_is_not_taken_for_a_full_disk(self):
        with self.assertRaises(FileNotFoundError):
            files.replace("/nowhere/state.json", "")

    def test_no_file_is_replaced_in_another_way(self):
        # A rename that no fsync goes before may leave an empty file after a loss of power.
        allowed = {"ovs-config/penstock_base/files.py", "karaf/penstock_controller/durable.py",
                   "ovs-config/penstock_node/ovs.py", "ovs-config/penstock_node/agent_resolver.py"}
        found = set()
        for package in _PACKAGES:
            for path in (ROOT / package).rglob("*.py"):
                if re.search(r"\b(os\.(replace|rename)|(temporary|partial|prepared|made)\.replace)\(",
                             path.read_text(encoding="utf-8")):
                    found.add(str(path.relative_to(ROOT)))
        self.assertEqual(found, allowed)

    def test_no_duration_is_measured_by_the_wall_clock(self):
        # Only names of files, lines of logs and questions about the past are dates.
        allowed = {"karaf/penstock_controller/controller.py", "karaf/penstock_controller/layout.py",
                   "ovs-config/penstock_node/quarantine.py"}
        found = set()
        for package in _PACKAGES:
            for path in (ROOT / package).rglob("*.py"):
                if re.search(r"\btime\.time(_ns)?\(|\bdatetime\.now\(|CLOCK_REALTIME|st_[amc]time\b(?!_ns)",
                             path.read_text(encoding="utf-8")):
                    found.add(str(path.relative_to(ROOT)))
        self.assertEqual(found, allowed)


class FullDiskTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.disk = pathlib.Path(directory.name)
        run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self.disk)
        self.addCleanup(run, "umount", self.disk)

    @contextlib.contextmanager
    def full(self):
        """No page is left on the disk for the body."""
        ballast = self.disk / "ballast"
        with open(ballast, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        try:
            yield
        finally:
            ballast.unlink()

    def names(self):
        return sorted(path.name for path in self.disk.rglob("*") if path.name != "ballast")

    def test_a_state_stays_as_it_was(self):
        path = self.disk / "state.json"
        locks.write_json(path, {"name": "edge1"})
        with self.full():
            with self.assertRaisesRegex(PenstockError, f"cannot write {path}: {FULL}"):
                locks.write_json(path, {"name": "edge1", "more": "x" * 10000})
            self.assertEqual(locks.read_json(path, None), {"name": "edge1"})
            self.assertEqual(self.names(), ["state.json"])
        locks.write_json(path, {"name": "edge2"})
        self.assertEqual(locks.read_json(path, None), {"name": "edge2"})

    def test_no_process_runs_that_no_file_names(self):
        pidfile = self.disk / "p.process"
        self.addCleanup(processes.stop, pidfile)
        with self.full():
            with self.assertRaisesRegex(PenstockError, f"cannot write {pidfile}: {FULL}"):
                processes.start(["sleep", "1000"], pidfile, self.disk / "log")
            self.assertFalse(processes.is_running(pidfile))
            self.assertEqual([name for name in self.names() if name != "log"], [])
        processes.start(["sleep", "1000"], pidfile, self.disk / "log")
        self.assertTrue(processes.is_running(pidfile))

    def test_a_ledger_of_huge_pages_is_right_when_there_is_room(self):
        proc = self.disk / "proc"
        (proc / "sys/vm").mkdir(parents=True)
        number = proc / "sys/vm/nr_hugepages"
        number.write_text("0\n", encoding="ascii")
        (proc / "meminfo").write_text(
            "HugePages_Total: 0\nHugePages_Free: 0\nHugePages_Rsvd: 0\nHugepagesize: 2048 kB\n", encoding="ascii")
        pages = HugePages(proc, self.disk / "locks")
        with self.full():
            with self.assertRaisesRegex(PenstockError, "No space left on device"), pages.reserve("node a", 4):
                self.fail("they were reserved")
            self.assertEqual(number.read_text(encoding="ascii"), "0\n")
        with pages.reserve("node a", 4) as added:
            self.assertEqual(added, 2)
        self.assertEqual(pages.added_by("node a"), 2)

    def test_half_a_database_is_not_taken_for_one(self):
        ovs = Ovs(self.disk)
        self.addCleanup(ovs.stop)
        with self.full():
            with self.assertRaisesRegex(PenstockError, "No space left on device"):
                ovs.start_database()
            self.assertEqual([name for name in self.names() if "conf.db" in name], [])
        ovs.start_database()
        ovs.set_map("external_ids", {"hostname": "before"})
        with self.full(), self.assertRaisesRegex(PenstockError, "No space left on device"):
            for number in range(1000):  # The last page of the file has some room.
                ovs.set_map("external_ids", {"hostname": f"{number:1000}"})
        ovs.set_map("external_ids", {"hostname": "after"})
        ovs.stop()
        ovs.start_database()
        self.assertEqual(ovs.get("Open_vSwitch", ".", "external_ids")["hostname"], "after")

    def told(self, *arguments, code=0):
        """What the command line prints."""
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(cli.main([str(argument) for argument in arguments]), code)
        return out.getvalue() + errors.getvalue()

    def test_up_status_and_down_tell_the_reason(self):
        directory = self.disk / "edge1"
        directory.mkdir()
        state = {"name": "edge1", "namespace": "none", "wanted": {}, "moved_ports": ["gone0"]}
        locks.write_json(directory / "state.json", state)
        with self.full():
            self.assertIn("edge1", self.told("status", "--run-directory", self.disk))
            self.assertRegex(self.told("down", "edge1", "--run-directory", self.disk, code=1),
                             f"ovs-config: cannot write {directory}/state.json: {FULL}")
            self.assertEqual(locks.read_json(directory / "state.json", None), state)
            profile = types.SimpleNamespace(directory=self.disk / "edge2", name="edge2", namespace="none", ports=(),
                                            run_directory=self.disk, switch_root="/")
            with mock.patch.object(node, "machine_problems", return_value=[]), \
                    mock.patch.object(node, "switch_problems", return_value=[]), \
                    mock.patch.object(node_settings, "wanted", return_value={}), \
                    mock.patch.object(cli.profile, "load", return_value=profile):
                self.assertRegex(self.told("up", "edge2.yaml", code=1), f"ovs-config: cannot write .*: {FULL}")
        self.assertIn("done", self.told("down", "edge1", "--run-directory", self.disk))
        self.assertFalse(directory.exists())

    def test_a_resolver_goes_on_and_takes_its_order_later(self):
        now, log = 0.0, []
        resolvers = agent_resolvers.Resolvers(self.disk, log.append, now=lambda: now)
        with mock.patch.object(processes, "start", side_effect=PenstockError("not started here")), \
                mock.patch.object(processes, "stop") as stop:
            with self.full():
                resolvers.want({7: ORDER})
                self.assertIn("No space left on device", resolvers.states()[7])
                stop.assert_not_called()
                now = 6.0
                resolvers.run()
                self.assertEqual(len(log), 1, "the same is told once")
            now = 12.0
            resolvers.run()
            self.assertEqual(resolvers.states()[7], "not started here")
        self.assertTrue((self.disk / "7/unbound.conf").exists())
        self.assertEqual([name for name in self.names() if name.endswith((".new", ".next"))], [])


if __name__ == "__main__":
    unittest.main()
