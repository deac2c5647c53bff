# SPDX-License-Identifier: Apache-2.0
"""A controller that runs as a user without rights, and root beside it. Needs root."""

import os
import pathlib
import pwd
import re
import sys
import tempfile
import time
import unittest

import pytest

from penstock_controller import Controller, ControllerError, rights

from .test_layout import distribution

pytestmark = pytest.mark.hostile

USER = "nobody"
_JAVA = "import time; time.sleep(600)"


class UserTest(unittest.TestCase):

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        root = pathlib.Path(directory.name)
        root.chmod(0o755)
        script = distribution(root / "distribution") / "bin" / "karaf"
        script.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{_JAVA}' -Dkaraf.base=$KARAF_BASE\n", encoding="utf-8")
        script.chmod(0o755)
        self.script = script
        self.outside = root / "outside"
        self.outside.mkdir()
        self.controller = Controller(root / "distribution", root / "run", USER)
        self.run_dir = self.controller.run_dir
        self.addCleanup(self.controller.kill)
        # As a controller that ran as root has left it.
        (self.run_dir / "data").mkdir(parents=True)
        (self.run_dir / "data" / "idmlight.db.mv.db").touch()
        (self.run_dir / "password").write_text("secret\n", encoding="ascii")
        (self.run_dir / "password").chmod(0o600)

    def owners(self) -> set[int]:
        return {path.lstat().st_uid for path in (self.run_dir, *self.run_dir.rglob("*"))}

    def pid(self) -> int:
        """Of the program that the start script becomes."""
        deadline = time.monotonic() + 300
        while (pid := self.controller.pid) is None:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        return pid

    def test_the_process_and_its_files_are_the_users(self) -> None:
        self.assertEqual({0}, self.owners())
        self.controller.start()
        self.assertEqual({pwd.getpwnam(USER).pw_uid}, self.owners())
        status = pathlib.Path(f"/proc/{self.pid()}/status").read_text(encoding="ascii")
        self.assertRegex(status, rf"(?m)^Uid:\s{pwd.getpwnam(USER).pw_uid}\s")
        self.assertEqual(["0" * 16] * 5, re.findall(r"(?m)^Cap\w+:\s(\w+)$", status))
        self.assertRegex(status, r"(?m)^NoNewPrivs:\s1$")
        self.assertEqual("secret", self.controller.password)
        self.controller.stop(patience=300)
        self.assertIsNone(self.controller.pid)
        self.assertEqual(0, os.geteuid())

    def test_links_of_the_user_lead_root_nowhere(self) -> None:
        rights.give(self.run_dir, USER)
        (self.run_dir / "etc").symlink_to(self.outside)
        with self.assertRaisesRegex(OSError, "Permission denied"):
            self.controller.start()
        self.assertEqual([], list(self.outside.iterdir()))
        (self.run_dir / "password").unlink()
        (self.outside / "key").write_text("secret of root", encoding="ascii")
        (self.outside / "key").chmod(0o600)
        (self.run_dir / "password").symlink_to(self.outside / "key")
        with self.assertRaises(PermissionError):
            self.controller.password  # noqa: B018  (to read it is the test)
        self.assertEqual(0, os.geteuid())

    def test_an_interrupted_change_of_the_owner_is_made_again(self) -> None:
        user = pwd.getpwnam(USER)
        os.chown(self.run_dir / "data", user.pw_uid, user.pw_gid)
        rights.give(self.run_dir, USER)
        self.assertEqual({user.pw_uid}, self.owners())

    def test_a_distribution_that_the_user_may_not_read(self) -> None:
        self.script.parent.chmod(0o700)
        with self.assertRaisesRegex(ControllerError, f"user {USER} may not run .*bin/karaf: give others"):
            self.controller.start()


if __name__ == "__main__":
    unittest.main()
