# SPDX-License-Identifier: Apache-2.0
"""What is said when a guest cannot be had. What it does is in test_firewall.py."""

import os
import pathlib
import tempfile
import unittest
from unittest import mock

from penstock_base.errors import PenstockError
from penstock_functions import catalogue, guest_image


class NoGuestTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def environment(self, **changes):
        patch = mock.patch.dict(os.environ, {name: str(value) for name, value in changes.items()})
        patch.start()
        self.addCleanup(patch.stop)

    def test_without_qemu(self):
        entry = catalogue.find("packet-filter-vm")
        self.environment(PATH=self.directory)
        said = catalogue.machine_problems(entry)
        self.assertTrue(any(line.startswith("form: vm needs the program qemu-system-x86_64: apt-get install")
                            for line in said), said)

    def test_without_packages(self):
        """An apt-get that has no sources and no lists."""
        config = self.directory / "apt.conf"
        config.write_text(f'Dir::Etc "{self.directory}";\nDir::State "{self.directory}";\nDir::Cache '
                          f'"{self.directory}";\nDir::State::status "/dev/null";\n', encoding="ascii")
        self.environment(APT_CONFIG=config, PENSTOCK_CACHE_DIR=self.directory / "cache")
        with self.assertRaisesRegex(PenstockError, "^form: vm needs a guest.*linux-image-cloud.*see that apt-get"):
            guest_image.build("table inet x {}")
        self.assertEqual(list((self.directory / "cache" / "guest").iterdir()), [])

    def test_more_memory_than_there_is(self):
        (self.directory / "f.nft").write_text("table inet x {}", encoding="ascii")
        (self.directory / "f.yaml").write_text(
            '{"name": "f", "description": "d", "form": "vm", "shared": true, "fail-policy": "closed",'
            '"start": {"memory-mb": 65536, "rules": "f.nft"}}', encoding="ascii")
        said = catalogue.machine_problems(catalogue.load(self.directory / "f.yaml"))
        self.assertTrue(any(line.startswith("start.memory-mb: 65536 MB are requested") for line in said), said)


if __name__ == "__main__":
    unittest.main()
