# SPDX-License-Identifier: Apache-2.0
"""The exporter's metrics of made-up readings, and its server against hostile clients."""

import contextlib
import pathlib
import socket
import threading
import time
import unittest
from unittest import mock

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.parser import text_string_to_metric_families

from penstock_base import processes
from penstock_exporter import families, program, reading, server


def _uuid(number):
    return ["uuid", f"00000000-0000-0000-0000-{number:012d}"]


def _reading(names):
    """A node with one bridge, of which each interface has received its number of packets."""
    numbers = range(len(names))
    return reading.Reading(switch_up=True, database_up=True, tables={
        "Interface": [{"_uuid": _uuid(number), "name": names[number], "link_state": "up", "mtu": 1500,
                       "statistics": ["map", [["rx_packets", number + 1]]]} for number in numbers],
        "Port": [{"_uuid": _uuid(1000 + number), "interfaces": _uuid(number)} for number in numbers],
        "Bridge": [{"name": "br", "ports": ["set", [_uuid(1000 + number) for number in numbers]]}]})


def _samples(metrics):
    return {(sample.name, tuple(sample.labels.values())): sample.value for metric in metrics
            for sample in metric.samples}


class FamiliesTest(unittest.TestCase):
    def test_interfaces_within_the_bound(self):
        found = _samples(families.make(_reading(["a", "b"]), 2))
        self.assertEqual(found["ovs_interface_rx_packets_total", ("br", "b")], 2)
        self.assertEqual(found["ovs_bridge_ports", ("br",)], 2)
        self.assertEqual(found["penstock_exporter_series_dropped", ()], 0)

    def test_interfaces_beyond_the_bound_are_added_up(self):
        found = _samples(families.make(_reading([f"p{number:05}" for number in range(10000)]), 10))
        self.assertEqual(found["ovs_interface_rx_packets_total", ("", families.OTHERS)], sum(range(11, 10001)))
        self.assertEqual(len([one for one in found if one[0] == "ovs_interface_rx_packets_total"]), 11)
        self.assertEqual(found["penstock_exporter_series_dropped", ()], 3 * 9990)

    def test_odd_names(self):
        registry = CollectorRegistry()
        names = ['"', "\\", "\n", "\ud800", "a b", "é"]
        registry.register(program._Undescribed(program.NodeCollector(pathlib.Path(), 9, lambda _: _reading(names))))
        status, text = _call(make_wsgi_app(registry))
        self.assertEqual(status, "200 OK")
        found = _samples(text_string_to_metric_families(text.decode()))
        self.assertEqual({labels[1] for name, labels in found if name == "ovs_interface_link_up"},
                         {'"', "\\", "\n", "?", "a b", "é"})

    def test_nothing_answers(self):
        found = _samples(families.make(reading.Reading(), 9))
        self.assertEqual((found["ovs_up", ()], found["ovs_database_up", ()]), (0, 0))


class CollectorTest(unittest.TestCase):
    def test_many_scrapers_cost_one_reading(self):
        readings, all_ask = [], threading.Event()

        def read(directory):
            readings.append(directory)
            all_ask.wait()
            return reading.Reading()
        collector = program.NodeCollector(pathlib.Path(), 9, read)
        threads = [threading.Thread(target=lambda: list(collector.collect())) for _ in range(20)]
        with mock.patch.object(program, "_KEEP_SECONDS", 1000):
            for thread in threads:
                thread.start()
            all_ask.set()
            for thread in threads:
                thread.join()
        self.assertEqual(len(readings), 1)


class AddressTest(unittest.TestCase):
    def test_beyond_loopback_without_a_certificate(self):
        for address in ("0.0.0.0", "192.0.2.1"):
            with self.subTest(address), self.assertRaises(ValueError):
                program.server(["/nowhere", address, "0", "9"])


def _call(application):
    told = []
    body = b"".join(application({"PATH_INFO": "/metrics", "REQUEST_METHOD": "GET"}, lambda *args: told.append(args[0])))
    return told[0], body


class ServerTest(unittest.TestCase):
    """A real server on loopback."""

    def setUp(self):
        self.addCleanup(setattr, server, "DEADLINE_SECONDS", server.DEADLINE_SECONDS)
        server.DEADLINE_SECONDS = 1000  # But for the test of it none ends by it.
        registry = CollectorRegistry()
        registry.register(program._Undescribed(program.NodeCollector(pathlib.Path(), 9, lambda _: _reading(["a"]))))
        self.server = server.Server(("127.0.0.1", 0), make_wsgi_app(registry))
        thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        thread.start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)

    def connect(self):
        link = socket.create_connection(self.server.server_address, 60)
        self.addCleanup(link.close)
        return link

    def ask(self, data):
        link = self.connect()
        link.sendall(data)
        answer = b""
        try:
            while part := link.recv(1 << 16):
                answer += part
        except ConnectionResetError:
            pass
        return answer

    def assert_serves(self):
        answer = self.ask(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertIn(b" 200 ", answer.splitlines()[0])
        self.assertIn(b"ovs_interface_link_up", answer)

    def test_paths_and_methods(self):
        self.assert_serves()
        for request, status in ((b"GET /", b"404"), (b"GET /../metrics", b"404"), (b"POST /metrics", b"405"),
                                (b"GET /metrics?name[]=ovs_up", b"200"), (b"GET /favicon.ico", b"404"),
                                (b"GET /%00%ff", b"404"), (b"\xff\xfe /metrics", b"405")):
            with self.subTest(request):
                self.assertIn(b" " + status + b" ", self.ask(request + b" HTTP/1.1\r\n\r\n").splitlines()[0])

    def test_large_requests(self):
        self.assertIn(b" 414 ", self.ask(b"GET /" + b"a" * 10000 + b" HTTP/1.1\r\n\r\n").splitlines()[0])
        many = b"".join(b"X-%d: y\r\n" % number for number in range(500))
        self.assertIn(b" 431 ", self.ask(b"GET /metrics HTTP/1.1\r\n" + many + b"\r\n").splitlines()[0])
        self.assert_serves()

    def fill(self):
        """As many connections as there may be, of clients that say nothing."""
        return [self.connect() for _ in range(server.MOST_CONNECTIONS)]

    def test_one_more_is_closed_at_once(self):
        self.fill()
        self.assertEqual(self.ask(b""), b"")

    def test_slow_clients_end_at_the_deadline_and_leave_room(self):
        server.DEADLINE_SECONDS = 1
        slow, deadline = self.fill(), time.monotonic() + 120
        with self.assertRaises(OSError):
            while time.monotonic() < deadline:  # A byte now and then does not prolong it.
                for link in slow:
                    link.sendall(b"G")
                time.sleep(0.1)

        def serves():
            with contextlib.suppress(AssertionError, IndexError):
                self.assert_serves()
                return True
            return False
        processes.wait_until(serves, "room", 60)

    def test_two_at_one_port(self):
        with self.assertRaises(OSError):
            server.Server(self.server.server_address, lambda *_: [])
