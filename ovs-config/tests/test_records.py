# SPDX-License-Identifier: Apache-2.0
"""Records of connections: those of a real switch, as collectors of Debian read them."""

import collections
import contextlib
import ipaddress
import json
import pathlib
import re
import socket
import struct
import subprocess
import tempfile
import unittest

import samples
from dummy_switch import DummySwitch, checksum, packet
from penstock_base import places, processes
from penstock_records import connections, messages, sender
from penstock_records.program import Rounds

_SERVER = "198.51.100.10"
_ELEMENTS = ("natEvent", "ingressVRFID", "protocolIdentifier", "sourceIPv4Address", "sourceTransportPort",
             "destinationIPv4Address", "destinationTransportPort", "postNATSourceIPv4Address",
             "postNAPTSourceTransportPort", "postNATDestinationIPv4Address", "postNAPTDestinationTransportPort",
             "VRFname")
_NAMES = {"2": samples.text("tenant/usual")}
_PROTOCOL = {"icmp": "1", "tcp": "6", "udp": "17"}


def _udp(number, tenant=0):
    return packet(f"10.{tenant}.{number >> 8}.{number & 255}", _SERVER, 17, struct.pack("!HHHH", 2000, 53, 8, 0))


def _syn(source):
    ends = socket.inet_aton(source) + socket.inet_aton(_SERVER)
    segment = struct.pack("!HHIIBBHHH", 3000, 80, 1, 0, 0x50, 2, 1000, 0, 0)
    total = checksum(ends + struct.pack("!HH", 6, len(segment)) + segment)
    return packet(source, _SERVER, 6, segment[:16] + struct.pack("!H", total) + segment[18:])


def _ping(source):
    echo = struct.pack("!BBHHH", 8, 0, 0, 77, 1)
    return packet(source, _SERVER, 1, echo[:2] + struct.pack("!H", checksum(echo)) + echo[4:])


def _free_port(kind):
    with socket.socket(socket.AF_INET, kind) as link:
        link.bind(("127.0.0.1", 0))
        return link.getsockname()[1]


def dumped(path):
    """What ipfixDump reads in a file: the values of each record, without the time."""
    found = []
    text = subprocess.run(["ipfixDump", "--data", "--in", path], capture_output=True, text=True, check=False).stdout
    for line in text.splitlines():
        if line.startswith("--- data record"):
            found.append({})
        elif parts := re.match(r"\s*\(\d+\)\s*(\w+) : (.*)", line):
            found[-1][parts[1]] = re.sub(r"^\(len: \d+\) ?", "", parts[2])
    return [tuple(each[name] for name in _ELEMENTS) for each in found]


class ConnectionsTest(unittest.TestCase):
    def test_lines_of_a_switch(self):
        for line, wanted in (
                ("udp,orig=(src=10.0.0.5,dst=198.51.100.10,sport=1024,dport=53),"
                 "reply=(src=198.51.100.10,dst=203.0.113.3,sport=53,dport=40428),zone=2",
                 (2, 17, "10.0.0.5", 1024, _SERVER, 53, "203.0.113.3", 40428, _SERVER, 53)),
                ("tcp,orig=(src=192.0.2.9,dst=203.0.113.3,sport=1024,dport=80),"
                 "reply=(src=10.0.0.5,dst=192.0.2.9,sport=8080,dport=1024),zone=25599,mark=1,labels=0x3,"
                 "protoinfo=(state=ESTABLISHED)",
                 (25599, 6, "192.0.2.9", 1024, "203.0.113.3", 80, "192.0.2.9", 1024, "10.0.0.5", 8080)),
                ("icmp,orig=(src=10.0.0.5,dst=198.51.100.10,id=77,type=8,code=0),"
                 "reply=(src=198.51.100.10,dst=203.0.113.3,id=4000,type=0,code=0),zone=2",
                 (2, 1, "10.0.0.5", 77, _SERVER, 0, "203.0.113.3", 4000, _SERVER, 0))):
            (key,) = connections.keys(line + "\n")
            self.assertEqual(connections.read(key), connections.Connection(*(
                int(ipaddress.ip_address(value)) if isinstance(value, str) else value for value in wanted)))

    def test_the_last_vrf_is_that_of_planner_and_protocol(self):
        java = (places.ROOT / "odl-apps/pipeline/src/main/java/io/penstock/pipeline/registry/VrfId.java").read_text(
            encoding="utf-8")
        self.assertEqual(int(re.search(r"int LAST = 0x([0-9a-f]+);", java)[1], 16), connections.LAST_VRF)
        self.assertIn(f"has its VRF id, 2 to {connections.LAST_VRF}", json.dumps(samples.DEFINITION))

    def test_what_is_not_translated_is_left_out(self):
        end = "src=10.0.0.5,dst=198.51.100.10,sport=1024,dport=53"
        for line in (f"udp,orig=({end}),reply=({end}),zone=1", f"udp,orig=({end}),reply=({end}),zone=25600",
                     f"udp,orig=({end}),reply=({end})", f"47,orig=({end}),reply=({end}),zone=2",
                     f"udp,orig=({end.replace('10.0.0.5', 'fd00::1')}),reply=({end}),zone=2",
                     f"udp,orig=({end}),reply=({end.replace('53', '70000')}),zone=2",
                     f"udp,orig=({end}),reply=(src=10.0.0.5),zone=2", "udp,orig=(),reply=(),zone=2", "\0\ud800", ""):
            with self.subTest(line):
                self.assertFalse([each for key in connections.keys(line) if (each := connections.read(key))])

    def test_a_collector_is_an_address_and_a_port(self):
        self.assertEqual(sender.collector("tcp:192.0.2.1:4739"), (True, ("192.0.2.1", 4739)))
        self.assertEqual(sender.collector("192.0.2.1:4739"), (False, ("192.0.2.1", 4739)))
        for wrong in ("192.0.2.1", "192.0.2.1:0", "192.0.2.1:65536", "host:1", "sctp:192.0.2.1:1"):
            with self.subTest(wrong), self.assertRaises(ValueError):
                sender.collector(wrong)

    def test_sequence_numbers_count_records(self):
        some = [connections.Connection(2, 17, *[1] * 8)] * 70
        made = list(messages.Session(is_repeated=True).messages(messages.CREATED, some, 1.5, {2: "x" * 48}))
        self.assertEqual([records for _, records in made], [13, 13, 13, 13, 13, 5])
        self.assertEqual([struct.unpack_from("!I", message, 8)[0] for message, _ in made], [0, 13, 26, 39, 52, 65])
        self.assertTrue(all(len(message) <= 1232 and struct.unpack_from("!H", message, 2)[0] == len(message)
                            for message, _ in made))


class SwitchTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="psr-", dir="/tmp")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.switch = DummySwitch(self.directory)
        self.addCleanup(self.switch.close)
        for zone in (2, 3):
            self.switch.flow(f"in_port=1,ip,nw_src=10.{zone}.0.0/16,actions=ct(commit,zone={zone},"
                             "nat(src=203.0.113.1-203.0.113.9:1024-65535)),output:2")
        self.switch.flow("in_port=1,ip,nw_src=10.9.0.0/16,actions=ct(commit,zone=30000),output:2")
        self.switch.name(2, _NAMES["2"])
        self.log = []

    def listed(self, event):
        """What the switch has, in the form of `dumped`; read in another way than by the program."""
        found = []
        for line in self.switch.ask("dpctl/dump-conntrack").splitlines():
            kind, zone = line.split(",")[0], re.search(r"zone=(\d+)", line)[1]
            addresses = re.findall(r"(?:src|dst)=([0-9.]+)", line)
            ports = re.findall(r"(?:sport|dport)=(\d+)", line)
            if kind == "icmp":
                one, other = re.findall(r"id=(\d+),type", line)
                ports = [one, "0", "0", other]
            if zone in ("2", "3"):
                found.append((str(event), zone, _PROTOCOL[kind], addresses[0], ports[0], addresses[1], ports[1],
                              addresses[3], ports[3], addresses[2], ports[2], _NAMES.get(zone, "")))
        return collections.Counter(found)

    def rounds(self, place, most=1000):
        self.sender = sender.Sender(place, self.log.append)
        return Rounds(self.directory, self.sender, most, self.log.append)

    def packets(self, number):
        self.switch.receive("p1", [*(_udp(each, 2 + each % 2) for each in range(1, number + 1)), _syn("10.2.9.1"),
                                   _ping("10.3.9.1"), _udp(1, 9)])
        processes.wait_until(lambda: sum(self.listed(4).values()) == number + 2, "the connections", 60)

    @contextlib.contextmanager
    def listener(self, port, path):
        collector = subprocess.Popen(["socat", "-u", f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr", f"CREATE:{path}"])
        try:
            yield collector
        finally:
            collector.kill()
            collector.wait()

    def test_each_connection_is_told_once_and_its_end_too(self):
        port, path = _free_port(socket.SOCK_STREAM), self.directory / "received"
        rounds = self.rounds(f"tcp:127.0.0.1:{port}")
        rounds.run()
        self.packets(100)
        begun = self.listed(4)
        with self.listener(port, path):
            processes.wait_until(self.sender.connect, "the collector", 60)
            for _ in range(3):
                rounds.run()
            self.switch.ask("dpctl/flush-conntrack", "zone=3")
            ended = self.listed(5)
            rounds.run()
            rounds.run()
            processes.wait_until(lambda: len(dumped(path)) == 102 + 51, "all records", 60)
        found = collections.Counter(dumped(path))
        ends = collections.Counter({key: count for key, count in found.items() if key[0] == "5"})
        self.assertEqual(found - ends, begun)
        self.assertEqual(sum(ends.values()), 51)
        self.assertEqual({key[1] for key in ends}, {"3"})
        self.assertFalse(ends & ended)
        self.assertEqual({("4", *key[1:]) for key in ends} - set(begun), set())
        self.assertEqual((self.sender.sent, self.sender.lost), (153, 0))
        self.assertEqual(len(self.log), 2)  # It was away, and is back.

    def test_nfcapd_reads_them(self):
        port = _free_port(socket.SOCK_DGRAM)
        place = self.directory / "nfcapd"
        place.mkdir()
        collector = subprocess.Popen(["nfcapd", "-l", place, "-b", "127.0.0.1", "-p", str(port)],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(collector.kill)
        socket_of = f"0100007F:{port:04X}"

        def queues():
            return [line.split()[4] for line in pathlib.Path("/proc/net/udp").read_text().splitlines()
                    if line.split()[1] == socket_of]
        processes.wait_until(queues, "nfcapd", 60)
        self.packets(100)
        self.rounds(f"127.0.0.1:{port}").run()
        processes.wait_until(lambda: all(each.endswith(":00000000") for each in queues()), "nfcapd reads", 60)
        collector.terminate()
        collector.wait()
        text = subprocess.run(["nfdump", "-R", place, "-q", "-o", "json"], capture_output=True, text=True,
                              check=True).stdout.strip()
        records = json.loads("[" + text.strip("[], \n") + "]")
        self.assertEqual(collections.Counter(
            (each["nat_event_id"], each["ingress_vrf"], each["src4_addr"], each["dst4_addr"], each["src4_xlt_ip"])
            for each in records), collections.Counter(
            {(key[0], key[1], key[3], key[5], key[7]): 1 for key in self.listed(4)}))

    def test_more_connections_than_permitted_are_not_read(self):
        self.packets(20)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            link.bind(("127.0.0.1", 0))
            rounds = self.rounds(f"127.0.0.1:{link.getsockname()[1]}", most=10)
            rounds.run()
            rounds.run()
            self.assertEqual(self.sender.sent, 0)
            self.assertEqual(len(self.log), 1)
            self.assertIn("most-connections", self.log[0])
            self.switch.ask("dpctl/flush-conntrack", "zone=3")
            self.switch.ask("dpctl/flush-conntrack", "zone=30000")
            rounds._most = 100
            rounds.run()
            self.assertEqual(self.sender.sent, 11)
            self.assertIn("read again", self.log[-1])

    def test_a_switch_that_ends_is_told_and_read_again(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            link.bind(("127.0.0.1", 0))
            rounds = self.rounds(f"127.0.0.1:{link.getsockname()[1]}")
            self.switch.close()
            rounds.run()
            rounds.run()
            self.assertEqual(len(self.log), 1)
            self.assertIn("cannot be read", self.log[0])


if __name__ == "__main__":
    unittest.main()
