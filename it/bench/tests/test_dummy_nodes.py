# SPDX-License-Identifier: Apache-2.0
"""Dummy nodes, their agents and their hosts: what they read and write, and real switches with a made-up controller."""

import contextlib
import json
import pathlib
import select
import socket
import struct
import tempfile
import threading
import unittest
import unittest.mock

import pytest

from penstock_base import commands, processes
from penstock_base.errors import PenstockError
from penstock_bench import dummy_agents, host_frames, scale_hosts, snoop
from penstock_bench.dummy_agents import DummyAgents
from penstock_bench.dummy_nodes import ACCESS, Fleet
from penstock_bench.json_peer import JsonPeer, result
from penstock_bench.scale_hosts import ScaleHosts, Wish
from penstock_node import node_protocol
from penstock_node.node_protocol import BRIDGE

from .test_hosts import reply

_HEADER = struct.Struct("!BBHI")
_HELLO, _ECHO, _PACKET_IN = 0, 2, 10
_ANY_PORT, _ALL_PORTS = 0xffffffff, 0xfffffffc


def message(kind, body=b""):
    return _HEADER.pack(4, kind, _HEADER.size + len(body), 0) + body


def packet_out(frame):
    """Sends the frame by all ports."""
    output = struct.pack("!HHIH6x", 0, 16, _ALL_PORTS, 0)
    return message(snoop.PACKET_OUT, struct.pack("!IIH6x", 0xffffffff, _ANY_PORT - 2, len(output)) + output + frame)


class AnswersTest(unittest.TestCase):
    def test_what_an_agent_has_to_say(self):
        self.assertEqual(dummy_agents.answers({}), {})
        asked = {node_protocol.CACHE: "7", node_protocol.ORDERS: 'a"b', node_protocol.SESSION_FLOWS: "{}"}
        said = dummy_agents.answers(asked)
        self.assertEqual(said, {node_protocol.CACHE_DONE: "7", node_protocol.ORDERS_DONE: '{"order": "a\\"b"}'})
        self.assertEqual(dummy_agents.answers(asked | said), {})
        self.assertEqual(dummy_agents.answers(asked | said | {node_protocol.CACHE: "8"}),
                         {node_protocol.CACHE_DONE: "8"})

    def test_bridges_of_messages(self):
        row = {"new": {"external_ids": ["map", [[node_protocol.CACHE, "7"]]]}}
        found = [("b1", {node_protocol.CACHE: "7"})]
        update = {"method": "update", "id": None, "params": [None, {"Bridge": {"b1": row, "b2": {"old": {}}}}]}
        for one in ({"id": "monitor", "error": None, "result": {"Bridge": {"b1": row}}}, update):
            self.assertEqual(list(dummy_agents.bridges(one)), found)
        for one in ({"id": "monitor", "result": {}}, {"method": "echo", "id": "echo", "params": []},
                    {"id": "write", "error": None, "result": [{"count": 1}]}):
            self.assertEqual(list(dummy_agents.bridges(one)), [])
        with self.assertRaisesRegex(PenstockError, "constraint violation"):
            list(dummy_agents.bridges({"id": "write", "result": [{"error": "constraint violation"}]}))


class JsonPeerTest(unittest.TestCase):
    def test_objects_come_in_parts(self):
        with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX) as server:
            path = pathlib.Path(directory) / "db.sock"
            server.bind(str(path))
            server.listen()
            with contextlib.closing(JsonPeer(path)) as peer, server.accept()[0] as other:
                text = json.dumps({"id": 1, "result": "é"}, ensure_ascii=False).encode() + b'{"id": 2}'
                found = []
                for part in (text[:17], text[17:19], text[19:-2], text[-2:]):
                    other.sendall(part)
                    found.append(peer.receive())
                self.assertEqual(found, [[], [], [{"id": 1, "result": "é"}], [{"id": 2}]])
                other.sendall(b'{"id": 1, "error": "no such command", "result": null}')
                with self.assertRaisesRegex(PenstockError, "no such command"):
                    peer.call("nonsense")
                other.close()
                for talk in (peer.receive, peer.send):
                    with self.assertRaisesRegex(PenstockError, "has ended"):
                        talk()
            with self.assertRaisesRegex(PenstockError, "No such file"):
                JsonPeer(path.with_name("other.sock"))

    def test_results(self):
        self.assertEqual(result({"id": 1, "error": None, "result": [3]}), [3])


class SnoopTest(unittest.TestCase):
    def test_messages_come_in_parts(self):
        data = message(_HELLO) + packet_out(b"frame") + message(snoop.FLOW_MOD, bytes(48))
        for cut in range(len(data)):
            first, rest = snoop.split(data[:cut])
            second, rest = snoop.split(rest + data[cut:])
            self.assertEqual([kind for kind, _ in first + second], [_HELLO, snoop.PACKET_OUT, snoop.FLOW_MOD])
            self.assertEqual(rest, b"")
        self.assertEqual(list(snoop.frames(first + second)), [b"frame"])
        self.assertEqual(snoop.changes(first + second), 1)

    def test_a_header_without_a_length_is_no_end(self):
        self.assertEqual(snoop.split(_HEADER.pack(4, 0, 0, 0) + message(_ECHO))[0][1:], [(_ECHO, b"")])


class AcknowledgedTest(unittest.TestCase):
    def test_answers(self):
        asked = Wish(300, 7, "10.0.1.9").frame()
        self.assertEqual(scale_hosts.acknowledged([reply(asked, host_frames.ACK), bytes(60),
                                                   host_frames.arp_request(bytes(6), 7, "0.0.0.0", "10.0.0.9")]), [300])
        with self.assertRaisesRegex(PenstockError, "host 300: .* of type 6"):
            scale_hosts.acknowledged([reply(asked, host_frames.NAK)])


class Controller:
    """Takes the connection of a switch and has it send an ACK for each packet that it brings, but for some."""

    def __init__(self, silent=()):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self._silent = silent
        self.met = threading.Event()
        """That the switch has said the first word."""
        self._ended, self._end = socket.socketpair()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.close()
        self._thread.join()
        self._ended.close()
        self.server.close()

    def _run(self):
        if self.server not in select.select([self.server, self._ended], [], [])[0]:
            return
        with self.server.accept()[0] as switch:
            switch.sendall(message(_HELLO))
            left = b""
            while switch in select.select([switch, self._ended], [], [])[0]:
                found, left = snoop.split(left + switch.recv(1 << 16))
                for kind, body in found:
                    self.met.set()
                    if kind == _ECHO:
                        switch.sendall(message(_ECHO + 1, body))
                    if kind == _PACKET_IN:
                        self._answer(switch, body)

    def _answer(self, switch, body):
        frame = body[body.index(b"\xff" * 6):]
        if struct.unpack_from("!I", frame, 18 + 28 + 4)[0] not in self._silent:
            switch.sendall(packet_out(reply(frame, host_frames.ACK)))


class FleetTest(unittest.TestCase):
    def setUp(self):
        undo = contextlib.ExitStack()
        self.addCleanup(undo.close)
        self.directory = pathlib.Path(undo.enter_context(tempfile.TemporaryDirectory()))
        self.fleet = undo.enter_context(Fleet(self.directory / "nodes"))

    def bridge(self, node, *more):
        node.ovs.vsctl("add-br", BRIDGE, "--", "set", "Bridge", BRIDGE, "datapath_type=dummy", "fail_mode=secure",
                       "protocols=OpenFlow13", "--", "add-port", BRIDGE, ACCESS, *more)

    def test_nodes_announce_themselves_and_their_agents_answer(self):
        self.assertEqual([node.name for node in self.fleet.grow(1)], ["s000"])
        self.assertEqual([node.name for node in self.fleet.grow(3)], ["s001", "s002"])
        running = [process for node in self.fleet.nodes for process in node.processes()]
        self.assertTrue(all(map(processes.is_running, running)))
        with DummyAgents(self.directory / "agents.log") as agents:
            agents.follow([node.ovs.socket for node in self.fleet.nodes[:1]])
            agents.follow([node.ovs.socket for node in self.fleet.nodes[1:]])
            for node in self.fleet.nodes:
                node.announce("tcp:127.0.0.1:9")
                self.bridge(node)
                ids = node.ovs.get("Open_vSwitch", ".", "external_ids")
                roles = [port["role"] for port in json.loads(ids[node_protocol.PORTS])]
                self.assertEqual((ids[node_protocol.NODE], roles),
                                 (node.name, ["access", "uplink"]))
                self.assertEqual(node.ovs.rows("Manager", "target"), [{"target": "tcp:127.0.0.1:9"}])
                for order in ("7", "8"):
                    node.ovs.vsctl("set", "Bridge", BRIDGE, f"external_ids:{node_protocol.CACHE}={order}")
                    processes.wait_until(lambda node=node, order=order: node.ovs.get(
                        "Bridge", BRIDGE, "external_ids").get(node_protocol.CACHE_DONE) == order,
                                                              "the agent's answer", 60)
        self.assertGreater(self.fleet.cpu(), 0)
        self.fleet.__exit__()
        self.assertFalse(any(map(processes.is_running, running)))

    def test_what_a_killed_run_has_left_is_ended(self):
        (node,) = self.fleet.grow(1)
        running = [processes.pid_of(process) for process in node.processes()]
        with Fleet(self.directory / "nodes") as again:
            again.grow(1)
            self.assertFalse(set(running) & {processes.pid_of(process) for process in again.nodes[0].processes()})
            self.assertFalse(any(pathlib.Path(f"/proc/{pid}").exists() for pid in running))

    @pytest.mark.deep
    @pytest.mark.scale
    def test_hosts_get_leases_and_those_without_an_answer_fail(self):
        (node,) = self.fleet.grow(1)
        with Controller(silent={3}) as controller, \
                unittest.mock.patch("penstock_bench.scale_hosts.PATIENCE_SECONDS", 0.5):
            self.bridge(node, "--", "set-controller", BRIDGE, f"tcp:127.0.0.1:{controller.port}")
            commands.run("ovs-ofctl", "-O", "OpenFlow13", "add-flow", BRIDGE, "actions=controller:65535",
                         environment=node.ovs.environment)
            self.assertTrue(controller.met.wait(60))
            with ScaleHosts(node) as hosts:
                for at_once in (1, 4):
                    series = hosts.play([Wish(number, 7, f"10.0.1.{number}") for number in range(12)], at_once)
                    self.assertEqual((len(series.seconds), series.failed), (12, 1))
                    self.assertEqual([seconds >= 0.5 for seconds in series.seconds], [False] * 11 + [True])


if __name__ == "__main__":
    unittest.main()
