# SPDX-License-Identifier: Apache-2.0
"""The unit of systemd for a node."""

import pathlib
import subprocess
import tempfile
import unittest

from penstock_node import profile, unit

_PROFILE = pathlib.Path(__file__).resolve().parent.parent / "profiles" / "sample.yaml"
_EXPOSURE = 7.6
"""The most that `systemd-analyze security` may say; 10 is no protection at all."""


class UnitTest(unittest.TestCase):
    def test_unit(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "penstock-edge1.service")
            path.write_text(unit.of(profile.load(_PROFILE), _PROFILE), encoding="utf-8")
            checked = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            said = subprocess.run(["systemd-analyze", "security", "--offline=true", path], capture_output=True,
                                  text=True, check=True).stdout
            self.assertLessEqual(float(said.rpartition(": ")[2].split()[0]), _EXPOSURE, said)

    def test_the_end_of_the_root_does_not_take_the_node_down(self):
        text = unit.of(profile.load(_PROFILE), _PROFILE)
        stop = next(line.removeprefix("ExecStop=") for line in text.splitlines() if line.startswith("ExecStop="))
        command = stop.partition("-c ")[2].strip("'").replace("$$", "$").replace("exec ", "exec echo ")
        for result, said in (("signal", ""), ("watchdog", ""), ("success", "down edge1")):
            done = subprocess.run(["/bin/sh", "-c", command], env={"SERVICE_RESULT": result}, capture_output=True,
                                  text=True, check=True)
            self.assertIn(said, done.stdout)
            self.assertEqual(bool(said), bool(done.stdout))


if __name__ == "__main__":
    unittest.main()
