# SPDX-License-Identifier: Apache-2.0
"""Lock files in directories that another user has prepared."""

import pathlib
import tempfile
import unittest

import pytest

from penstock_base import locks
from penstock_base.errors import PenstockError

pytestmark = pytest.mark.hostile


class LocksTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = pathlib.Path(directory.name)
        self.locks = self.top / "locks"
        self.victim = self.top / "victim"
        self.victim.write_text("content", encoding="ascii")

    def refused(self, words):
        with self.assertRaisesRegex(PenstockError, words), locks.held("management", self.locks):
            self.fail("it was held")
        self.assertEqual(self.victim.read_text(encoding="ascii"), "content")

    def test_a_link_in_the_place_of_a_lock(self):
        self.locks.mkdir(mode=0o700)
        (self.locks / "management.lock").symlink_to(self.victim)
        self.refused("management.lock is a symbolic link")

    def test_a_directory_that_others_may_change(self):
        self.locks.mkdir()
        self.locks.chmod(0o777)
        self.refused("another user may change it")
        self.locks.rmdir()
        (self.top / "elsewhere").mkdir()
        self.locks.symlink_to(self.top / "elsewhere")
        self.refused("another user may change it")

    def test_a_lock_is_taken_and_leaves_nothing(self):
        with locks.held("management", self.locks):
            self.assertEqual(self.locks.stat().st_mode & 0o777, 0o700)
            self.assertEqual([path.name for path in self.locks.iterdir()], ["management.lock"])
        self.assertFalse(self.locks.exists())

    def test_the_content_of_a_file_stays(self):
        with locks.opened(self.locks / "up.running") as file:
            file.write("./penstock up")
        with locks.opened(self.locks / "up.running") as file:
            self.assertEqual(file.read(), "./penstock up")


if __name__ == "__main__":
    unittest.main()
