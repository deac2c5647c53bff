# SPDX-License-Identifier: Apache-2.0
"""A function that was taken over and chooses names, answers and logs: the others of its node are looked after."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import tempfile
import threading
import time
import tracemalloc
import unittest
from unittest import mock

import pytest

from penstock_base import processes
from penstock_functions import agent_found, agent_instances, firewall_flows, instance, instance_files, nat64
from penstock_functions.forms import ovs_filter, qemu

pytestmark = pytest.mark.hostile

NODE = "edge1"


class InstanceCase(unittest.TestCase):
    """A run directory with a node; this process is the switch and all functions."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)
        (self.root / NODE / "vhost").mkdir(parents=True)
        processes.record(os.getpid(), self.root / NODE / "ovs-vswitchd.process")

    def instance(self, name, state=None):
        """An instance that runs, or one with another content of state.json."""
        directory = self.root / NODE / "functions" / name
        directory.mkdir(parents=True)
        if state is None:
            state = {"function": "forwarder", "form": "container", "processes": ["testpmd"]}
        (directory / "state.json").write_text(json.dumps(state), encoding="ascii")
        for program in state.get("processes", ()) if isinstance(state, dict) else ():
            processes.record(os.getpid(), directory / f"{program}.process")
        return instance_files.InstanceFiles(name, NODE, self.root)

    def socket(self):
        link = socket.socket(socket.AF_UNIX)
        self.addCleanup(link.close)
        return link

    def listen(self, path, bound=None):
        """Listens at a path; bound: the path that the kernel lists, because it was renamed afterwards."""
        link = self.socket()
        link.bind(os.fsencode(bound or path))
        link.listen()
        if bound:
            pathlib.Path(os.fsdecode(bound)).rename(path)
        return link

    def status(self):
        return {entry["name"]: entry for entry in instance.status(self.root)}


class NameTest(InstanceCase):

    def test_listeners_with_names_that_are_no_text(self):
        files = self.instance("fw")
        directory = os.fsencode(self.root)
        listening = (self.listen(files.sockets["in"]),
                     self.listen(files.sockets["out"], directory + b"/\xff\n0 1 2 zz 4 03 6 x"))
        for path, link in zip(files.sockets.values(), listening, strict=True):
            self.socket().connect(os.fsencode(path))
            self.addCleanup(link.accept()[0].close)
        self.assertEqual(files.connected(), {"in": True, "out": False})
        self.listen(self.root / NODE / "vhost" / "other-in.sock")
        self.listen(self.root / NODE / "vhost" / "other-out.sock")
        self.assertEqual(agent_found.found(self.root, NODE, {"fw"}), ["other"])


class ApartTest(InstanceCase):

    def test_one_that_cannot_be_read_hides_no_other(self):
        self.instance("fw")
        self.instance("odd", [])
        entries = self.status()
        self.assertEqual([entries["fw"]["state"], entries["odd"]["state"]], ["waiting", "failed"])
        self.assertRegex(entries["odd"]["problem"], "^AttributeError: .*list")
        self.assertEqual(set(entries["fw"]) - set(entries["odd"]), set())
        self.assertEqual(agent_found.found(self.root, NODE, set()), ["fw"])

    def test_the_agent_goes_on_with_the_others(self):
        self.instance("odd", [])
        said = []
        agent = agent_instances.Instances(self.root, NODE, self.root / "catalogue", said.append)
        agent.want({"odd": "{", "fw": "{"})
        for _ in range(3):
            agent.run()
        states = agent.states()
        self.assertRegex(states["odd"], "^failed: unexpected error: AttributeError")
        self.assertRegex(states["fw"], "^refused: order: is not JSON")
        self.assertEqual(len(said), 2, said)

    def test_the_agent_shows_its_life_between_two_instances(self):
        signs = []
        agent = agent_instances.Instances(self.root, NODE, self.root / "catalogue", lambda _: None,
                                          alive=lambda: signs.append(len(looked)))
        agent.want({"fw": "{", "fw2": "{"})
        looked = []
        with mock.patch.object(instance, "look", lambda *_: looked.append(1) or instance.NOTHING):
            agent.run()
        self.assertEqual(signs, [0, 1])


class ReadinessTest(InstanceCase):
    """A filter whose database was taken over."""

    def setUp(self):
        super().setUp()
        self.filter = self.instance("fw", {"form": "container", "processes": ["ovs-vswitchd", "ovsdb-server"]})
        self.rows = [{"name": name, "ofport": number} for name, number in firewall_flows.PORTS.items()]

    def test_one_that_hangs_is_asked_for_a_moment_and_not_soon_again(self):
        listening = self.listen(self.filter.own / "db.sock")
        with mock.patch.object(ovs_filter, "_FIRST_SECONDS", 1), mock.patch.object(ovs_filter, "_AGAIN_SECONDS", 1000):
            self.assertEqual([ovs_filter.is_ready(self.filter) for _ in range(6)], [False] * 6)
        listening.setblocking(False)
        listening.accept()[0].close()
        with self.assertRaises(BlockingIOError):  # It was asked once.
            listening.accept()

    def test_the_last_answer_stands_for_a_while(self):
        with mock.patch.object(ovs_filter.Ovs, "rows", lambda *_: self.rows), \
                mock.patch.object(ovs_filter, "_AGAIN_SECONDS", 0):
            self.assertTrue(ovs_filter.is_ready(self.filter))
            self.rows = [{"name": []}]
            self.assertTrue(ovs_filter.is_ready(self.filter))
            with mock.patch.object(ovs_filter, "_SILENT_SECONDS", 0):
                self.assertFalse(ovs_filter.is_ready(self.filter))
            self.assertFalse(ovs_filter.is_ready(self.filter), "it was not ready before")

    def test_one_that_is_not_ready_yet_is_asked_again_at_once(self):
        rows, self.rows = self.rows, []
        with mock.patch.object(ovs_filter.Ovs, "rows", lambda *_: self.rows):
            self.assertFalse(ovs_filter.is_ready(self.filter))
            self.rows = rows
            self.assertTrue(ovs_filter.is_ready(self.filter))
            self.rows = []
            self.assertTrue(ovs_filter.is_ready(self.filter), "as it said lately")


class AnswerTest(InstanceCase):
    """A guest that has another program at its serial port."""

    def guest(self, behaviour, seconds=60):
        """The entry of a guest that has `seconds` to answer.

        behaviour: called with its end of the port and the number of the request.
        """
        files = self.instance("guest", {"function": "router-vm", "form": "vm", "processes": ["qemu"]})
        files.log.write_bytes(b"\xff penstock: ready\n")
        listening = self.listen(files.own / "requests.sock")

        def serve():
            link, _ = listening.accept()
            with link, contextlib.suppress(OSError):
                behaviour(link, link.recv(1000).split()[1])
        thread = threading.Thread(target=serve)
        thread.start()
        with mock.patch.object(qemu, "_ANSWER_SECONDS", seconds):
            entry = self.status()["guest"]
        thread.join()
        shutil.rmtree(files.directory)
        return entry

    def test_a_right_answer(self):
        answer = b'{"nftables": [{"metainfo": {}}, {"counter": {"name": "denied", "packets": 7}}]}'
        entry = self.guest(lambda link, number: link.sendall(b"1 other\n%b %b\n" % (number, answer)))
        self.assertEqual((entry["counters"], entry.get("problem")), ({"denied": 7}, None))

    def test_answers_of_another_kind(self):
        self.instance("fw")
        for answer in (b"[1]", b"7", b'{"nftables": 7}', b'{"nftables": [7]}', b'{"nftables": [{"counter": {"a": 1}}]}',
                       b'{"nftables": [{"counter": [1]}]}', b'{"nftables": [{"counter": {"name": [], "packets": 1}}]}',
                       b'{"nftables": [{"counter": {"name": "\\u001b[2J", "packets": 1}}]}', b"[" * 9999, b"\xff", b"",
                       b'{"nftables": [{"counter": {"name": "denied", "packets": "\\u001b[2J"}}]}'):
            with self.subTest(answer[:60]):
                entry = self.guest(lambda link, number, answer=answer: link.sendall(number + b" " + answer + b"\n"))
                self.assertRegex(entry["problem"], "^the guest does not tell its counters: ")
                self.assertNotIn("counters", entry)
                self.assertEqual(self.status()["fw"]["state"], "waiting")

    def test_no_more_than_the_beginning_of_its_log_is_read(self):
        files = self.instance("guest", {"form": "vm", "processes": ["qemu"]})
        files.log.write_bytes(b"penstock: ready\n")
        os.truncate(files.log, 64 << 20)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        self.assertTrue(qemu.is_ready(files))
        self.assertLess(tracemalloc.get_traced_memory()[1], 1 << 20)

    def test_a_log_without_end(self):
        files = self.instance("guest", {"form": "vm", "processes": ["qemu"]})
        files.log.write_bytes(b"penstock: ready\n" + bytes(17 << 20))
        agent_instances.Instances(self.root, NODE, self.root / "catalogue", lambda _: None).run()
        self.assertLess(files.log.stat().st_size, 200)
        self.assertTrue(qemu.is_ready(files), "as before")

    def test_an_answer_that_never_ends(self):
        def trickle(link, _):
            while True:  # Until it is closed.
                link.sendall(b"x\n")
                time.sleep(0.1)

        def flood(link, _):
            for _ in range(30):
                link.sendall(bytes(1 << 17))
        self.assertRegex(self.guest(trickle, seconds=0.5)["problem"], "timed out")
        self.assertRegex(self.guest(flood)["problem"], "the answer is too long")

    def test_flows_that_are_not_of_the_rules(self):
        flows = " cookie=0x1, table=1, n_packets=3, n_bytes=0\n cookie=0x9, table=1, n_packets=5, n_bytes=0\n"
        self.assertEqual(firewall_flows.packets_by_name(["denied"], flows), {"denied": 3})

    def test_one_that_ends_at_that_moment(self):
        self.instance("fw")
        self.instance("gone", {"form": "netns", "processes": ["testpmd"], "namespace": "penstock-none"})
        entries = self.status()
        self.assertRegex(entries["gone"]["problem"], "^ip netns exec penstock-none nft .* failed: ")
        self.assertNotIn("problem", entries["fw"])


class TranslatorTest(InstanceCase):

    def test_hosts_of_a_translator(self):
        translator = nat64.Translator("box", self.root, self.root)
        translator.data.mkdir(parents=True)
        path = translator.data / "dynamic.map"
        path.write_bytes(b"\xff\xff x\n10.0.0.1 none\n\xfe 2001:db8::2\n10.0.0.2 2001:db8::1 7\n")
        self.assertEqual(translator._hosts(), {"2001:db8::1": "10.0.0.2"})
        path.unlink()
        os.mkfifo(path)
        self.assertEqual(translator._hosts(), {})
        path.unlink()
        path.symlink_to("/etc/hosts")
        self.assertEqual(translator._hosts(), {})


if __name__ == "__main__":
    unittest.main()
