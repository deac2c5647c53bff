# SPDX-License-Identifier: Apache-2.0
"""The watch over processes: what hangs is ended, what was stopped goes on."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from penstock_base import processes
from penstock_node import alive, watch


class SilentTest(unittest.TestCase):
    """A process that runs and does nothing."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.process = self.directory / "x.process"
        self.clock = 0.0
        self.works = True
        self.said = []
        self.pid = processes.start(["sleep", "1000"], self.process, self.directory / "log")
        self.addCleanup(processes.stop, self.process)

    def guarded(self, first):
        return watch.Guarded("x", self.process, watch.Question(lambda pid: self.works, first, 30), self.said.append,
                             lambda: self.clock)

    def look(self, guarded, seconds):
        for _ in range(int(seconds)):
            self.clock += 1
            guarded.look()

    def test_one_that_answers_lives(self):
        self.look(self.guarded(90), 300)
        self.assertTrue(processes.is_running(self.process))

    def test_one_that_no_longer_answers_is_ended(self):
        guarded = self.guarded(90)
        self.look(guarded, 5)
        self.works = False
        self.look(guarded, 29)
        self.assertTrue(processes.is_running(self.process))
        self.look(guarded, 5)
        processes.wait_until(lambda: not processes.is_running(self.process), "its end", 60)
        self.assertIn("x has not answered for", self.said[0])

    def test_one_that_begins_has_longer(self):
        self.works = False
        guarded = self.guarded(90)
        self.look(guarded, 89)
        self.assertTrue(processes.is_running(self.process))
        self.look(guarded, 5)
        processes.wait_until(lambda: not processes.is_running(self.process), "its end", 60)

    def test_one_that_never_gave_a_sign_is_left_alone(self):
        self.works = False
        self.look(self.guarded(None), 1000)
        self.assertTrue(processes.is_running(self.process))

    def test_a_stopped_one_goes_on(self):
        os.kill(self.pid, signal.SIGSTOP)
        processes.wait_until(lambda: _state(self.pid) == "T", "it stands", 60)
        self.look(self.guarded(90), 1)
        processes.wait_until(lambda: _state(self.pid) == "S", "it goes on", 60)
        self.assertIn("x was stopped and goes on", self.said[0])

    def test_signs_of_life(self):
        listener = alive.Listener(self.directory, lambda: self.clock)
        self.assertFalse(listener.heard(os.getpid()))
        alive.watch_of(self.directory).give()
        listener.wait(0.1)
        self.assertTrue(listener.heard(os.getpid()))
        self.assertFalse(listener.heard(1))
        self.clock += 16
        self.assertFalse(listener.heard(os.getpid()))

    def test_what_is_urgent_ends_the_wait(self):
        child = subprocess.Popen(["true"])
        ended = os.pidfd_open(child.pid)
        self.addCleanup(os.close, ended)
        started = time.monotonic()
        alive.Listener(self.directory).wait(600, [ended])
        self.assertLess(time.monotonic() - started, 500)
        child.wait()

    def test_a_sign_without_a_watch_does_no_harm(self):
        alive.watch_of(self.directory / "nowhere").give()

    def test_a_full_socket_does_not_stop_a_program(self):
        alive.Listener(self.directory)
        for _ in range(1000):
            alive.watch_of(self.directory).give()


def _state(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


if __name__ == "__main__":
    unittest.main()
