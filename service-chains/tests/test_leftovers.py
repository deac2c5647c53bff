# SPDX-License-Identifier: Apache-2.0
"""The user of a function or translator is another one's only when no process of it is left. Needs root."""

import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import pytest

from penstock_base import processes
from penstock_functions import instance, nat64
from penstock_functions.instance_files import InstanceFiles
from penstock_node import user_ids, user_processes

pytestmark = pytest.mark.hostile

_USERS = 0x72800000 + os.getpid() % 100000 * 64


class LeftoversTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        for patch in (mock.patch.dict(os.environ, PENSTOCK_LOCK_DIR=str(self.directory / "locks")),
                      mock.patch.multiple(user_ids, _FIRST=_USERS, _LAST=_USERS + 63)):
            patch.start()
            self.addCleanup(patch.stop)

    def start(self, user, pidfile):
        """A program that has started another one, which does not end with it."""
        child = subprocess.Popen(["setpriv", f"--reuid={user}", "--clear-groups", "sh", "-c",
                                  "setsid sleep 100 & exec sleep 100"])
        self.addCleanup(child.wait)
        self.addCleanup(user_processes.kill, {user}, "the test")
        self.addCleanup(child.kill)
        processes.record(child.pid, pidfile)
        processes.wait_until(lambda: len(user_processes.find({user})) == 2, "its processes", 60)

    def test_function(self):
        files = InstanceFiles("a", "edge", self.directory)
        (self.directory / "edge" / "vhost").mkdir(parents=True)
        files.directory.mkdir(parents=True)
        files.save(form="container", function="forwarder", processes=["testpmd"])
        files.make_own()
        user = files.state["uid"]
        self.start(user, files.process)
        self.assertTrue(instance.stop("a", "edge", self.directory))
        self.assertEqual((user_ids.owner(user), user_processes.find({user})), (None, set()))

    def test_translator(self):
        translator = nat64.Translator("pst-none", self.directory / "run", self.directory / "state")
        translator.directory.mkdir(parents=True)
        user = user_ids.take(str(translator.directory.absolute()))
        self.start(user, translator.process)
        self.assertTrue(translator.stop())
        self.assertEqual((user_ids.owner(user), user_processes.find({user})), (None, set()))


if __name__ == "__main__":
    unittest.main()
