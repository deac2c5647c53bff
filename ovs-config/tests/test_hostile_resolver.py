# SPDX-License-Identifier: Apache-2.0
"""A resolver that was taken over: it answers slowly, for ever or never, and the agent serves the other tenants."""

import contextlib
import pathlib
import socket
import tempfile
import threading
import time
import unittest
from unittest import mock

import pytest

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_node import agent_resolvers, agent_unbound

pytestmark = pytest.mark.hostile


class ResolverCase(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def listen(self, tenant):
        """The control socket of a tenant's resolver."""
        path = self.directory / str(tenant) / agent_unbound.CONTROL
        path.parent.mkdir(parents=True)
        link = socket.socket(socket.AF_UNIX)
        self.addCleanup(link.close)
        link.bind(str(path))
        link.listen()
        return link


class AnswerTest(ResolverCase):

    def control(self, behaviour, *commands):
        """behaviour: called with the resolver's end of each connection."""
        listening = self.listen(7)

        def serve():
            for _ in commands:
                with contextlib.suppress(OSError):
                    link, _ = listening.accept()
                    with link:
                        link.recv(1000)
                        behaviour(link)
        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(listening.shutdown, socket.SHUT_RDWR)
        agent_unbound.control(self.directory / "7", *commands)

    def test_a_right_answer(self):
        self.control(lambda link: link.sendall(b"o") or link.sendall(b"k\n"), "status", "status")

    def test_a_byte_now_and_then(self):
        def trickle(link):
            while True:  # Until it is closed.
                link.sendall(b"x")
                time.sleep(0.1)
        with mock.patch.object(agent_unbound, "_ANSWER_SECONDS", 0.5), \
                self.assertRaisesRegex(PenstockError, "the resolver does not answer: timed out"):
            self.control(trickle, "status")

    def test_all_answers_late(self):
        def late(link):
            time.sleep(0.3)
            link.sendall(b"ok\n")
        with mock.patch.object(agent_unbound, "_ANSWERS_SECONDS", 1), \
                self.assertRaisesRegex(PenstockError, "the resolver does not answer: timed out"):
            self.control(late, *["status"] * 6)

    def test_more_than_an_answer(self):
        def flood(link):
            for _ in range(40):
                link.sendall(bytes(1 << 16))
        with mock.patch.object(agent_unbound, "_ANSWER_SECONDS", 60), \
                mock.patch.object(agent_unbound, "_ANSWERS_SECONDS", 60), \
                self.assertRaisesRegex(PenstockError, "the resolver does not answer: the answer is too long"):
            self.control(flood, "status")


class TurnTest(ResolverCase):
    """Many resolvers that never answer."""

    TENANTS = range(1, 9)

    def setUp(self):
        super().setUp()
        for tenant in self.TENANTS:
            self.listen(tenant)
            directory = self.directory / str(tenant)
            (directory / "unbound.conf").touch()
            processes.start(["sleep", "1000"], directory / "process", directory / "log")
            self.addCleanup(processes.stop, directory / "process", 0)
        self.asked, self.signs, self.clock = [], 0, 0.0
        for module, name, value in ((agent_unbound, "_ANSWER_SECONDS", 0.3), (agent_resolvers, "_PART_SECONDS", 0.7)):
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        control = agent_unbound.control

        def counted(directory, *commands):
            self.asked.append(int(directory.name))
            control(directory, *commands)
        patch = mock.patch.object(agent_unbound, "control", counted)
        patch.start()
        self.addCleanup(patch.stop)
        self.resolvers = agent_resolvers.Resolvers(self.directory, print, alive=self.sign)

    def sign(self):
        self.signs += 1

    def test_a_turn_ends_between_two_questions_and_the_next_one_goes_on(self):
        """By a clock that goes on by one question's patience for each question."""
        def silent(directory, *commands):
            self.asked.append(int(directory.name))
            self.clock += 0.3
            raise PenstockError("the resolver does not answer")
        with mock.patch.object(agent_unbound, "control", silent):
            resolvers = agent_resolvers.Resolvers(self.directory, print, lambda: self.clock, self.sign)
            turns = []
            for _ in self.TENANTS:
                self.asked.clear()
                begun = self.clock
                resolvers.run()
                turns.append((self.clock - begun, list(self.asked)))
        # Three parts of 0.7 s, each of which the last question may exceed.
        self.assertLessEqual(max(seconds for seconds, _ in turns), 3 * (0.7 + 0.3))
        asked = [tenant for _, tenants in turns for tenant in tenants]
        self.assertEqual(set(asked[:len(self.TENANTS)]), set(self.TENANTS), "each in its turn")
        self.assertGreaterEqual(self.signs, len(asked))

    def turn(self):
        """Seconds that a turn takes, and the tenants that are asked in it."""
        self.asked.clear()
        begun = time.monotonic()
        self.resolvers.run()
        return time.monotonic() - begun, list(self.asked)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_a_turn_ends_and_the_next_one_goes_on(self):
        # On a busy machine one question may be all that a turn has time for.
        turns = [self.turn() for _ in self.TENANTS]
        self.assertLess(max(seconds for seconds, _ in turns), 2)
        asked = [tenant for _, tenants in turns for tenant in tenants]
        self.assertEqual(set(asked[:len(self.TENANTS)]), set(self.TENANTS), "each in its turn")
        self.assertGreaterEqual(self.signs, len(asked))

    def test_a_log_without_end(self):
        log = self.directory / "3/log"
        log.write_bytes(bytes(17 << 20))
        with mock.patch.object(agent_resolvers, "_LOOK_SECONDS", 0), mock.patch.object(agent_unbound, "control"):
            resolvers = agent_resolvers.Resolvers(self.directory, print)
            resolvers.run()
        self.assertLess(log.stat().st_size, 200)

    def test_orders_that_a_turn_has_no_time_for_are_carried_out_later(self):
        with mock.patch.object(agent_resolvers, "_PART_SECONDS", 0):
            self.resolvers.want(dict.fromkeys(self.TENANTS, "{"))
        self.assertEqual(set(self.resolvers.waiting()), set(self.TENANTS))
        self.assertEqual(self.resolvers.failed(), {})
        with mock.patch.object(agent_unbound, "control"):
            self.resolvers.run()
        self.assertEqual(set(self.resolvers.failed()), set(self.TENANTS))


if __name__ == "__main__":
    unittest.main()
