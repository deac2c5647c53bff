# SPDX-License-Identifier: Apache-2.0
"""Datagrams and connections of module echo, with a server on the loopback that does what the test wants."""

import contextlib
import os
import pathlib
import socket
import struct
import tempfile
import threading
import unittest

import pytest

from penstock_base.errors import PenstockError
from penstock_bench.host_process import LineProcess

ADDRESS = "127.0.0.1"
MESSAGE = struct.Struct("!QQ")


def free_port():
    """A port that nobody listens at."""
    with socket.create_server((ADDRESS, 0)) as server:
        return server.getsockname()[1]


def free_ports():
    """The first of a hundred even ports that nobody uses, below those that the kernel gives to connections."""
    begin = os.getpid() % 60 * 200  # Beside those of other runs.
    for first in (20_000 + (place + begin) % 12_000 for place in range(0, 12_000, 200)):
        with contextlib.ExitStack() as bound, contextlib.suppress(OSError):
            for port in range(first, first + 200, 2):
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                    bound.enter_context(socket.socket(socket.AF_INET, kind)).bind(("", port))
            return first
    raise AssertionError("no free ports")


class EchoTest(unittest.TestCase):

    def setUp(self):
        self.first = free_ports()
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.port = free_port()

    def program(self, what):
        made = LineProcess(["penstock_bench.echo", what, ADDRESS, str(self.port)], self.directory / f"{what}.log")
        return self.enterContext(made)

    def serve(self):
        server = self.program("serve")
        self.assertEqual(server.result(), {})
        return server

    @pytest.mark.deep
    @pytest.mark.loss
    def test_datagrams_that_all_come_back(self):
        self.serve()
        host = self.program("datagrams")
        for first in (self.first, free_ports()):
            self.assertEqual(host.play({"begin": {"first": first, "ports": 4, "life": 0.1}}), {})
            # More than its ports at a time: they take turns.
            found = {"used": 0}
            while found["used"] <= 4:
                found = host.play({"end": True})
                if found["used"] <= 4:
                    host.play({"begin": {"first": first + 100, "ports": 4, "life": 0.001}})
            self.assertEqual(found["lost"], 0)
            self.assertGreater(found["sent"], 0)

    def test_datagrams_that_get_lost_are_counted_and_leave_a_gap(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind((ADDRESS, self.port))
            dropped = self._drop_each_third(server)
            host = self.program("datagrams")
            host.play({"begin": {"first": self.first, "ports": 2}})
            while len(dropped) < 20:
                dropped.wait(0.02)
            found = host.play({"end": True})
            dropped.end()
        self.assertGreaterEqual(found["lost"], 10)
        self.assertLess(found["lost"], found["sent"])
        self.assertGreater(found["gap"], 0.03)
        self.assertEqual(found["used"], 2)

    def test_datagrams_that_nobody_answers(self):
        host = self.program("datagrams")
        with self.assertRaisesRegex(PenstockError, "2 of 2 ports have no answer after 0.1 s"):
            host.play({"begin": {"first": self.first, "ports": 2, "patience": 0.1}})

    def _drop_each_third(self, server):
        class Dropped(list):
            def __init__(self):
                super().__init__()
                self._ended = threading.Event()
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

            def wait(self, seconds):
                self._ended.wait(seconds)

            def end(self):
                self._ended.set()
                self._thread.join()

            def _run(self):
                server.settimeout(0.05)
                number = 0
                while not self._ended.is_set():
                    try:
                        content, peer = server.recvfrom(100)
                    except TimeoutError:
                        continue
                    number += 1
                    if number % 3:
                        server.sendto(content, peer)
                    else:
                        self.append(content)

        return Dropped()

    def test_connections_that_go_on(self):
        self.serve()
        host = self.program("connections")
        ports = list(range(self.first, self.first + 20, 2))
        self.assertEqual(host.play({"connect": ports}), {"failed": {}})
        self.assertEqual(host.play({"check": 20}), {"alive": ports, "broken": {}})
        self.assertEqual(host.play({"close": ports[:9]}), {})
        self.assertEqual(host.play({"check": 20}), {"alive": ports[9:], "broken": {}})

    def test_nobody_listens(self):
        host = self.program("connections")
        self.assertEqual(host.play({"connect": [self.first]}),
                         {"failed": {str(self.first): "Connection refused"}})
        self.assertEqual(host.play({"check": 1}), {"alive": [], "broken": {}})

    @pytest.mark.deep
    @pytest.mark.loss
    def test_connections_that_break(self):
        """One is reset, one hears something else, one hears nothing any more, one is well."""
        ports = reset, other, silent, well = range(self.first, self.first + 8, 2)
        with socket.create_server((ADDRESS, self.port)) as server:
            server.settimeout(300)
            host = self.program("connections")
            host.begin({"connect": list(ports)})
            links = {}
            for _ in ports:
                link, peer = server.accept()
                self.addCleanup(link.close)
                links[peer[1]] = link
                link.sendall(link.recv(MESSAGE.size))
            self.assertEqual(host.result(), {"failed": {}})
            links[reset].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            links[reset].close()
            links[other].sendall(MESSAGE.pack(well, 1))
            host.begin({"check": 3})
            for _ in range(2):
                links[well].sendall(links[well].recv(MESSAGE.size))
            self.assertEqual(host.result(), {"alive": [well], "broken": {
                str(reset): "Connection reset by peer", str(other): "another answer than was expected",
                str(silent): "silent"}})

    def test_ends_with_its_input(self):
        with LineProcess(["penstock_bench.echo", "serve", ADDRESS, str(self.port)], self.directory / "log") as server:
            server.result()
        with self.assertRaises(OSError):
            socket.create_connection((ADDRESS, self.port), 1)


if __name__ == "__main__":
    unittest.main()
