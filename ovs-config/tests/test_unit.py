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
    def check(self, name, text):
        """systemd understands all of it, and leaves programs no more rights than before."""
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, name)
            path.write_text(text, encoding="utf-8")
            checked = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))
            said = subprocess.run(["systemd-analyze", "security", "--offline=true", path], capture_output=True,
                                  text=True, check=True).stdout
            self.assertLessEqual(float(said.rpartition(": ")[2].split()[0]), _EXPOSURE, said)

    def test_unit(self):
        self.check("penstock-edge1.service", unit.of(profile.load(_PROFILE), _PROFILE))

    def test_template(self):
        program = _PROFILE.parent.parent / "ovs-config"
        text = unit.template(program, pathlib.Path("/etc/penstock/nodes"), pathlib.Path("/run/penstock"))
        self.assertIn(f"ExecStart={program} up --no-fetch --name %i /etc/penstock/nodes/%i.yaml\n", text)
        self.check("penstock-node@edge1.service", text)


if __name__ == "__main__":
    unittest.main()
