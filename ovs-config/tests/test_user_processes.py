# SPDX-License-Identifier: Apache-2.0
"""What a program has started and left ends with it, whatever it does against that. Needs root."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import pytest

from penstock_base import processes
from penstock_node import agent_resolvers, user_ids, user_processes

pytestmark = pytest.mark.hostile

_USERS = 0x71800000 + os.getpid() % 100000 * 64
_FIRST_THREAD_ENDS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(100,)).start()
ctypes.CDLL(None).syscall(60, 0)  # exit, of this thread
"""
_STOPS_OTHERS = """
import os, signal
print("ready", flush=True)
while True:
    try:
        os.kill(-1, signal.SIGSTOP)
    except ProcessLookupError:
        pass
"""


class UserProcessesTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        # Numbers of its own: another node on this machine may have resolvers.
        for patch in (mock.patch.dict(os.environ, PENSTOCK_LOCK_DIR=str(self.directory / "locks")),
                      mock.patch.multiple(user_ids, _FIRST=_USERS, _LAST=_USERS + 31, RESOLVERS=_USERS + 32,
                                          _LAST_RESOLVER=_USERS + 63)):
            patch.start()
            self.addCleanup(patch.stop)
        self.user = user_ids.take(str(self.directory))

    def start(self, user, *command, before=()):
        child = subprocess.Popen([*before, "setpriv", f"--reuid={user}", "--clear-groups", *command],
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def until_there(self, number, user):
        processes.wait_until(lambda: len(user_processes.find({user})) == number, f"{number} processes", 60)

    def test_all_that_it_has_started(self):
        child = self.start(self.user, "sh", "-c", "setsid sleep 100 & exec sleep 100")
        threads = self.start(self.user, sys.executable, "-c", _FIRST_THREAD_ENDS)
        self.until_there(3, self.user)
        status = pathlib.Path(f"/proc/{threads.pid}/status")
        processes.wait_until(lambda: "\nState:\tZ" in status.read_text("ascii"), "the end of its first thread", 60)
        self.assertTrue(user_processes.kill({self.user}, "function a"))
        self.assertEqual(user_processes.find({self.user}), set())
        self.assertEqual(child.wait(), -signal.SIGKILL)
        self.assertFalse(user_processes.kill({self.user}, "function a"))

    def test_one_that_stops_who_kills_it(self):
        attacker = self.start(self.user, sys.executable, "-c", _STOPS_OTHERS)
        self.assertEqual(attacker.stdout.readline(), "ready\n")
        self.assertTrue(user_processes.kill({self.user}, "function a"))
        self.assertEqual(user_processes.find({self.user}), set())

    def test_the_killing_child_is_stopped(self):
        """It may be stopped at any moment, and kills nothing then."""
        own, kill, killed = os.getpid(), os.kill, []

        def stopped(pid, number):
            if os.getpid() != own:
                pid, number = os.getpid(), signal.SIGSTOP
            killed.append(number)
            kill(pid, number)
        with mock.patch("penstock_node.user_processes.os.kill", stopped), \
                mock.patch.object(user_processes, "_CHILD_SECONDS", 0.2):
            user_processes._kill_all(self.user)
        self.assertEqual(killed, [signal.SIGKILL], "the child")

    def test_no_other_users(self):
        with mock.patch("penstock_node.user_processes.os.fork", side_effect=AssertionError("forked")), \
                mock.patch("penstock_node.user_processes.os.kill", side_effect=AssertionError("killed")):
            for uid in (0, 1, user_ids.RESOLVERS - 1, _USERS + 64, 65534):
                with self.subTest(uid):
                    user_processes._kill_all(uid)
                    self.assertFalse(user_processes.kill({uid}, "function a"))

    def test_a_resolver_of_this_node_alone(self):
        (self.directory / "dns" / "7").mkdir(parents=True)
        user = user_ids.resolver(7)
        here = self.start(user, "sh", "-c", "setsid sleep 100 & exec sleep 100")
        elsewhere = self.start(user, "sleep", "100", before=("unshare", "--net"))
        self.until_there(3, user)
        said = []
        agent_resolvers.Resolvers(self.directory / "dns", said.append).want({})
        self.assertEqual(user_processes.find({user}), {elsewhere.pid})
        self.assertEqual((here.wait(), said), (-signal.SIGKILL, ["tenant 7: resolver removed"]))

    def test_resolvers_of_a_node_that_ends(self):
        user = user_ids.resolver(8)
        (self.directory / "dns" / "8").mkdir(parents=True)
        child = self.start(user, "sh", "-c", "setsid sleep 100 & exec sleep 100", before=("unshare", "--net"))
        elsewhere = self.start(user, "sleep", "100")
        self.until_there(3, user)
        processes.record(child.pid, self.directory / "dns" / "8" / "process")
        agent_resolvers.stop_all(self.directory / "dns")
        self.assertEqual(user_processes.find({user}), {elsewhere.pid})


if __name__ == "__main__":
    unittest.main()
