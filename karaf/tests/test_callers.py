# SPDX-License-Identifier: Apache-2.0
"""Programs of root do the same for each caller. Needs root."""

import os
import subprocess
import unittest

from penstock_base import places

_COMMANDS = {
    "penstock": "from penstock_base import failures; failures.need_root('up')",
    "ovs-config": "from penstock_node import cli; cli._need_root()",
    "functions": "from penstock_functions import cli; cli._need_root()",
}


class UmaskTest(unittest.TestCase):
    def test_it_is_that_of_the_system(self):
        for name, begin in _COMMANDS.items():
            for umask in (0o000, 0o077):
                said = subprocess.run(
                    [places.PYTHON, "-B", "-c", f"{begin}; import os; print(oct(os.umask(0)))"], umask=umask,
                    env=os.environ | {"PYTHONPATH": places.python_path()}, capture_output=True, text=True, check=True)
                with self.subTest(name, umask=umask):
                    self.assertEqual("0o22\n", said.stdout)


if __name__ == "__main__":
    unittest.main()
