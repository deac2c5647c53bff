# SPDX-License-Identifier: Apache-2.0
"""The controller of the launcher under supervision: a program that stands in for Java, as the controller's user."""

import json
import os
import pathlib
import signal
import sys
import tempfile
import unittest
import unittest.mock

from penstock_base import processes
from penstock_controller import Ports, Settings
from penstock_launcher import control, controller_tree

from .test_layout import distribution


class KeeperTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.umask, os.umask(0o022))  # The controller's user finds its files.
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/var/tmp")
        self.addCleanup(directory.cleanup)
        root = pathlib.Path(directory.name)
        root.chmod(0o755)
        places = unittest.mock.patch.dict(os.environ, {
            "PENSTOCK_RUN_DIR": str(root / "run"), "PENSTOCK_STATE_DIR": str(root / "state")})
        places.start()
        self.addCleanup(places.stop)
        script = distribution(root / "state" / "distribution") / "bin" / "karaf"
        script.write_text(f"#!/bin/sh\nid -un\nexec {sys.executable} -c 'import time; time.sleep(1000)' "
                          "-Dkaraf.base=$KARAF_BASE\n", encoding="utf-8")
        script.chmod(0o755)
        (root / "state" / "controller").mkdir(parents=True)
        control._make_user()
        self.root = root
        self.controller = control.controller()
        self.addCleanup(self.controller.stop)
        self.settings = Settings(ports=Ports().shifted(20000))
        self.controller.start(self.settings)
        self.until_another(None)

    def until_another(self, pid):
        processes.wait_until(lambda: self.controller.pid not in (None, pid), "the process", 300)
        return self.controller.pid

    def test_started_again_with_its_settings_and_its_user(self):
        pid = self.controller.pid
        for _ in range(2):
            os.kill(pid, signal.SIGKILL)
            pid = self.until_another(pid)
        self.assertEqual(self.controller.settings, self.settings)
        said = (self.root / "state/controller/data/log/console.log").read_text(encoding="utf-8")
        self.assertEqual(said.split(), ["penstock"] * 3)
        self.assertEqual(controller_tree.Keeper().endings(), {"controller": 2, "watch": 0})

    def test_stopped_goes_on(self):
        pid = self.controller.pid
        os.kill(pid, signal.SIGSTOP)
        state = pathlib.Path(f"/proc/{pid}/stat")
        processes.wait_until(lambda: state.read_text(encoding="ascii").rpartition(") ")[2][0] != "T", "it goes on", 300)
        self.assertEqual(self.controller.pid, pid)

    def test_ended_for_good(self):
        pid = self.controller.pid
        self.controller.stop()
        self.assertIsNone(self.controller.pid)
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())
        self.assertEqual(list((self.root / "run").iterdir()), [])

    def test_what_root_reads_is_not_its_user_s(self):
        for path in (self.root / "run").rglob("*"):
            self.assertEqual(path.stat().st_uid, 0, path)
        stored = json.loads((self.root / "run/.controller/settings.json").read_text(encoding="utf-8"))
        self.assertEqual(Settings.from_json(stored), self.settings)


if __name__ == "__main__":
    unittest.main()
