# SPDX-License-Identifier: Apache-2.0
"""Which function goes into quarantine when the switch has ended, and what that means for it."""

import contextlib
import os
import signal
import time
import unittest
from unittest import mock

import pytest

from penstock_node import quarantine
from penstock_node.peers import Peers
from penstock_node.vhost_guard import Guard

from .vhost_case import LENGTH, VhostCase, refill

pytestmark = pytest.mark.hostile


class GuardTest(VhostCase):

    def setUp(self):
        super().setUp()
        self.said = []
        self.time = 1000.0
        self.number = None
        self.guard = Guard(self.node, self.said.append, lambda: self.current.pid if self.current else None,
                           lambda: self.number, lambda: self.time)
        self.addCleanup(lambda: self.guard.close())  # noqa: PLW0108  (a test makes another one)
        for name in ("a", "b", "c"):
            self.instance(name, runs=True)

    def tick(self, seconds=1.0):
        self.time += seconds
        self.guard.tick()

    def die(self, number=signal.SIGSEGV):
        """The switch ends by the signal, and the next one runs."""
        self.current.end()
        self.number = number
        self.switch()
        self.tick()

    def quarantined(self):
        return quarantine.names(self.node)

    def map(self, *names):
        self.current.do("map", *(self.memories[name] for name in names))

    def test_quarantine(self):
        self.map("a", "b")
        self.tick()
        os.truncate(self.memories["a"], 0)
        self.die(signal.SIGBUS)
        self.assertEqual(self.quarantined(), ["a"])
        self.assertEqual(Peers(self.node).running(), {"b", "c"})
        self.assertEqual(self.links(), ["b-in.sock", "b-out.sock", "c-in.sock", "c-out.sock"])
        self.assertRegex(quarantine.text(self.node, "a"), "^quarantined at 20.*Z: it truncated its memory and ended "
                         "the switch; .*: functions release a --node edge$")
        self.assertEqual(quarantine.of(self.node, "a")["function"], "forwarder")

    def test_ended_without_a_crash(self):
        """A switch that is ended proves nothing against those that change their memory then."""
        self.map("a")
        self.tick()
        refill(self.memories["a"], 2 * LENGTH)
        self.says("b")
        for number in (signal.SIGTERM, 0, signal.SIGKILL):
            self.die(number)
        self.assertEqual(self.quarantined(), [])

    def test_only_suspect_of_a_bus_error(self):
        self.map("a", "b")
        self.tick()
        self.says("c")
        self.die(signal.SIGBUS)
        self.assertEqual(self.quarantined(), ["c"])

    def test_few_suspects_of_a_bus_error(self):
        """They have a trial at once."""
        self.map("c")
        self.tick()
        self.says("a")
        self.says("b")
        self.die(signal.SIGBUS)
        self.assertEqual((self.quarantined(), self.links()), ([], ["c-in.sock", "c-out.sock"]))

    def test_suspect_twice(self):
        self.map("a", "b", "c")
        self.tick()
        self.says("a")
        self.says("b")
        self.die()
        self.assertEqual(self.quarantined(), [])
        self.says("b")
        self.says("c")
        self.die()
        self.assertEqual(self.quarantined(), ["b"])

    def test_suspect_twice_of_what_is_not_known(self):
        """The killer of the switch and its supervisor is no function."""
        self.tick()
        for _ in range(2):
            self.says("a")
            self.die(None)
        self.assertEqual((self.quarantined(), self.links()),
                         ([], ["b-in.sock", "b-out.sock", "c-in.sock", "c-out.sock"]))
        self.tick(3)
        self.assertIn("a-in.sock", self.links())
        self.says("a")
        self.die(None)
        self.assertEqual(self.quarantined(), [])

    def test_suspect_twice_within_a_long_time(self):
        self.tick()
        self.says("a")
        self.die()
        self.time += 100
        self.says("a")
        self.die()
        self.assertEqual(self.quarantined(), [])

    def test_trial(self):
        """All have spoken with the switch both times. They get it back one by one, and the second one ends it."""
        self.tick()
        for _ in range(2):
            for name in ("a", "b", "c"):
                self.says(name)
            self.die()
        self.assertEqual((self.quarantined(), self.links()), ([], []))
        self.tick(3)
        self.assertEqual(self.links(), ["a-in.sock", "a-out.sock"])
        self.map("a")
        self.tick()
        self.tick()
        self.tick()
        self.assertEqual(self.links(), ["a-in.sock", "a-out.sock", "b-in.sock", "b-out.sock"])
        self.says("b")
        self.die()
        self.assertEqual(self.quarantined(), ["b"])
        # A watch that is started again goes on.
        self.guard = Guard(self.node, self.said.append, lambda: self.current.pid, lambda: self.number,
                           lambda: self.time)
        for _ in range(5):
            self.tick(11)
        self.assertEqual(self.links(), ["a-in.sock", "a-out.sock", "c-in.sock", "c-out.sock"])
        self.assertEqual(self.said[-1], "the switch has all functions back")
        self.assertFalse((self.node / "vhost-trial.json").exists())

    def test_ended_between_two_steps(self):
        """A former watch has written the file and no more; an instance is started in spite of it."""
        (self.node / "quarantine").mkdir()
        (self.node / "quarantine" / "a.json").write_text("{")
        self.tick()
        self.assertEqual(Peers(self.node).running(), {"b", "c"})
        self.assertNotIn("a-in.sock", self.links())
        self.assertIn("cannot be read", quarantine.text(self.node, "a"))
        self.assertTrue(quarantine.release(self.node, "a"))
        self.assertFalse(quarantine.release(self.node, "a"))

    def test_full_disk(self):
        """It is ended all the same, and the file is written as soon as that is possible."""
        self.map("a")
        self.tick()
        os.truncate(self.memories["a"], 0)
        with mock.patch("penstock_base.locks.write_json", side_effect=OSError(28, "No space left on device")):
            self.die(signal.SIGBUS)
        self.assertEqual(Peers(self.node).running(), {"b", "c"})
        self.assertEqual(self.quarantined(), [])
        self.tick()
        self.assertEqual(self.quarantined(), ["a"])

    def test_waits_for_its_end(self):
        self.tick()
        started = time.monotonic()
        self.guard.wait(0.2)
        self.assertGreater(time.monotonic() - started, 0.1)
        with contextlib.ExitStack() as stack:
            stack.callback(self.current.process.wait)
            os.kill(self.current.pid, signal.SIGKILL)
            self.guard.wait(600)
        self.assertLess(time.monotonic() - started, 500)


if __name__ == "__main__":
    unittest.main()
