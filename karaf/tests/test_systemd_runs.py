# SPDX-License-Identifier: Apache-2.0
"""The unit of a controller in a real systemd. Needs root and the built distribution."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import pytest

from own_systemd import Systemd
from penstock_controller import __main__ as command_line
from sandbox import Sandbox

# It boots a Karaf twice; what systemd is told, and the unit itself, are in test_systemd.py.
pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.supervision]

_KARAF = pathlib.Path(__file__).resolve().parent.parent
_SERVICE = "penstock-controller.service"
_USER = "daemon"
_BOOT_SECONDS = 240


class SystemdRunsTest(unittest.TestCase):
    def setUp(self) -> None:
        box = Sandbox()
        self.addCleanup(box.close)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="ps-", dir="/run"))  # Not where PrivateTmp hides it.
        self.addCleanup(shutil.rmtree, self.directory)
        shutil.chown(self.directory, _USER)
        self.systemd = Systemd(box.controller)
        self.addCleanup(self.systemd.close)
        (self.systemd.units / _SERVICE).write_text(self.command("unit", f"--user={_USER}", "--heap=512m"),
                                                   encoding="utf-8")
        # Java does not find its way in control groups of version 1 whose root is not that of the machine.
        lines = [f"StandardOutput=append:{self.systemd.log}", "StandardError=inherit",
                 "Environment=JAVA_TOOL_OPTIONS=-XX:-UseContainerSupport"]
        if any(command_line.DISTRIBUTION.is_relative_to(place) for place in ("/tmp", "/var/tmp")):
            lines.append("PrivateTmp=no")  # It hides the sources too.
        drop_in = self.systemd.units / f"{_SERVICE}.d"
        drop_in.mkdir()
        (drop_in / "test.conf").write_text("\n".join(["[Service]", *lines, ""]), encoding="utf-8")
        self.systemd.ctl("daemon-reload")

    def command(self, *arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-B", "-m", "penstock_controller", "--run-dir", str(self.directory), *arguments],
            env={**os.environ, "PYTHONPATH": str(_KARAF)}, capture_output=True, text=True, check=True).stdout

    def java(self) -> int:
        found = [pid for pid, text in self.systemd.processes().items() if "/java " in text]
        self.assertEqual(len(found), 1, self.systemd.processes())
        return found[0]

    def test_ready_started_again_and_stopped(self) -> None:
        self.systemd.start(_SERVICE)
        _, said = self.systemd.run("env", f"PYTHONPATH={_KARAF}", "/usr/bin/python3", "-B", "-m",
                                   "penstock_controller", "--run-dir", self.directory, "status")
        self.assertTrue(all(json.loads(said)["ready"].values()), said)
        java = self.java()
        uid = pathlib.Path(f"/proc/{java}").stat().st_uid
        self.assertEqual(uid, pathlib.Path(self.directory).stat().st_uid)
        os.kill(java, signal.SIGKILL)
        self.systemd.until(lambda: self.systemd.show(_SERVICE, "NRestarts") == "1"
                           and self.systemd.ctl("is-active", _SERVICE) == "active", "the next one", _BOOT_SECONDS)
        self.assertNotEqual(self.java(), java)
        self.systemd.ctl("stop", _SERVICE)
        self.assertEqual((self.systemd.ctl("is-active", _SERVICE), self.systemd.show(_SERVICE, "Result")),
                         ("inactive", "success"))
        self.assertEqual(self.systemd.processes(), {})


if __name__ == "__main__":
    unittest.main()
