# SPDX-License-Identifier: Apache-2.0
"""Frames are what tenants would send, and what would come back to them."""

import collections
import pathlib
import struct
import tempfile
import time
import unittest

import pytest

from penstock_base.errors import PenstockError
from penstock_bench import traffic
from penstock_bench.traffic import Load, Translation

EDGE_MAC = "02:50:53:01:00:01"


def checksum(data):
    """The Internet checksum by its definition; 0 over data that has a right one in it."""
    data += b"\0" * (len(data) % 2)
    total = sum(word for word, in struct.iter_unpack("!H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def edge_output(translations, size="64"):
    """What the edge puts out: from its own MAC and the public addresses to the transit gateway's MAC."""
    turned = [Translation(one.remote, one.remote_port, one.public, one.public_port, one.tenant) for one in translations]
    return traffic.backbone_frames(turned, traffic.TRANSIT_MAC, size, source_mac=EDGE_MAC)


class Frames(unittest.TestCase):

    def assert_valid(self, frame, start):
        """The IPv4 packet from `start` fills the frame, and its checksums are right and there."""
        packet = frame[start:]
        self.assertEqual(struct.unpack_from("!H", packet, 2)[0], len(packet))
        self.assertEqual(struct.unpack_from("!H", packet, 24)[0], len(packet) - 20)
        self.assertEqual(checksum(packet[:20]), 0)
        self.assertNotEqual(packet[26:28], b"\0\0")
        self.assertEqual(checksum(packet[12:20] + struct.pack("!2H", 17, len(packet) - 20) + packet[20:]), 0)


class AccessTest(Frames):

    def test_a_frame_byte_by_byte(self):
        frames = traffic.access_frames(Load(tenants=300, flows=600))[0]
        frame = frames[300 + 299]  # Flow 1 of tenant 299.
        self.assertEqual(len(frame), 60)
        self.assertEqual(frame[:18].hex(" "), "02 50 53 00 00 01 02 00 00 00 01 2b 81 00 01 2d 08 00")
        self.assertEqual(frame[30:38], bytes([10, 0, 0, 10, 198, 51, 100, 10]))
        self.assertEqual(struct.unpack_from("!2H", frame, 38), (10599, 5000))
        self.assertEqual(frame[-12:], bytes(12))  # Where the generator's stamps go.
        self.assert_valid(frame, 18)

    def test_every_size_is_valid_and_as_long_as_asked_for(self):
        for size in ("64", "65", "imix", "imix-eantc", "1518"):
            for tagged, tenants in ((True, 7), (False, 1)):
                with self.subTest(size=size, tagged=tagged):
                    frames = traffic.access_frames(Load(tenants, flows=700, frame=size, tagged=tagged))[0]
                    for frame in frames:
                        self.assert_valid(frame, 18 if tagged else 14)
                    allowed = {int(size)} if size.isdigit() else {one for one, _ in traffic.SIZES[size]}
                    self.assertEqual({len(frame) + 4 for frame in frames}, allowed)

    def test_mixes_have_their_weights(self):
        for size, cycle in (("imix", 12), ("imix-eantc", 27)):
            for tenants in (1, 5, 11, 12, 26, 100):
                with self.subTest(size=size, tenants=tenants):
                    frames = traffic.access_frames(Load(tenants, flows=cycle * tenants * 10, frame=size))[0]
                    counted = collections.Counter(len(frame) + 4 for frame in frames)
                    self.assertEqual(counted, {one: weight * tenants * 10 for one, weight in traffic.SIZES[size]})
                    self.assertEqual(traffic.mean_frame_bytes(frames), traffic.mean_size(size))

    def test_no_tenant_gets_frames_of_one_size_only(self):
        for tenants in (12, 24, 1000):
            sizes = collections.defaultdict(set)
            for frame in traffic.access_frames(Load(tenants, flows=24 * tenants, frame="imix"))[0]:
                sizes[traffic.parse(frame).vlan].add(len(frame))
            self.assertEqual({len(some) for some in sizes.values()}, {3})

    def test_flows_are_interleaved_and_all_different(self):
        packets = [traffic.parse(frame) for frame in traffic.access_frames(Load(tenants=100, flows=1000))[0]]
        self.assertEqual([packet.vlan for packet in packets], [2 + tenant for tenant in range(100)] * 10)
        self.assertEqual(len({(packet.source_port, packet.destination_port) for packet in packets}), 1000)
        self.assertEqual({packet.source for packet in packets}, {traffic.HOST})

    def test_more_flows_than_source_ports_still_differ(self):
        frames = traffic.access_frames(Load(tenants=1000, flows=120000))[0]
        ports = {frame[38:42] for frame in frames}
        self.assertEqual(len(ports), 120000)

    def test_same_ports_in_every_tenant(self):
        packets = [traffic.parse(frame) for frame in
                   traffic.access_frames(Load(tenants=100, flows=1000, same_ports=True))[0]]
        ports = collections.Counter((packet.source_port, packet.destination_port) for packet in packets)
        self.assertEqual(ports, {(10000 + flow, 5000): 100 for flow in range(10)})

    def test_flows_that_do_not_divide_are_all_there(self):
        self.assertEqual(len(traffic.access_frames(Load(tenants=300, flows=10000))[0]), 10000)

    def test_more_tenants_than_a_port_has_vlans(self):
        first, second = traffic.access_frames(Load(tenants=5000, flows=10000))
        self.assertEqual((len(first), len(second)), (8000, 2000))
        self.assertEqual(traffic.place(3999), (0, 4001))
        self.assertEqual(traffic.place(4000), (1, 2))
        packet = traffic.parse(second[0])
        self.assertEqual((packet.vlan, packet.source_mac), (2, "02:00:00:00:0f:a0"))
        self.assertEqual(Load(tenants=5000, tenants_per_port=2500).ports, 2)

    def test_a_gateway_for_each_tenant(self):
        macs = ["02:4f:56:4e:00:00", "02:4f:56:4e:00:01"]
        frames = traffic.access_frames(Load(tenants=2, flows=4, gateway_macs=macs))[0]
        self.assertEqual([traffic.parse(frame).destination_mac for frame in frames], macs * 2)

    def test_tenants_that_begin_later(self):
        macs = ["02:4f:56:4e:07:d0", "02:4f:56:4e:07:d1"]
        load = Load(tenants=2, flows=4, gateway_macs=macs, first=2000)
        self.assertEqual((list(load.numbers), load.ports), ([2000, 2001], 1))
        self.assertEqual([load.gateway_mac(tenant) for tenant in load.numbers], macs)
        packets = [traffic.parse(frame) for frame in traffic.access_frames(load)[0]]
        self.assertEqual([(packet.destination_mac, packet.source_mac, packet.vlan) for packet in packets],
                         [(macs[0], "02:00:00:00:07:d0", 2002), (macs[1], "02:00:00:00:07:d1", 2003)] * 2)
        # All else is as in a load that begins with tenant 0.
        begin = [traffic.parse(frame) for frame in traffic.access_frames(Load(tenants=2, flows=4))[0]]
        for packet, other in zip(packets, begin, strict=True):
            self.assertEqual((packet.source, packet.destination, packet.source_port, packet.destination_port),
                             (other.source, other.destination, other.source_port, other.destination_port))

    def test_tenants_that_begin_on_another_port(self):
        load = Load(tenants=4, flows=8, first=3998)
        first, second = traffic.access_frames(load)
        self.assertEqual(load.ports, 2)
        self.assertEqual([traffic.parse(frame).vlan for frame in first], [4000, 4001] * 2)
        self.assertEqual([traffic.parse(frame).vlan for frame in second], [2, 3] * 2)
        ports = traffic.access_frames(Load(tenants=1, flows=2, first=4000))
        self.assertEqual([len(frames) for frames in ports], [0, 2])
        self.assertEqual(Load(tenants=10, first=90, tenants_per_port=50).ports, 2)

    def test_another_server(self):
        frames = traffic.access_frames(Load(tenants=2, flows=4, server="198.51.100.11"))[0]
        for frame in frames:
            self.assert_valid(frame, 18)
        self.assertEqual({traffic.parse(frame).destination for frame in frames}, {"198.51.100.11"})

    def test_what_cannot_be_is_refused(self):
        for arguments, text in (({"tenants": 0}, "tenants: 0"), ({"tenants": 1, "first": -1}, "first: -1"),
                                ({"tenants": 2, "first": 65535}, "first: 65535 is not valid; 2 tenants .* to 65534"),
                                ({"tenants": 1, "server": "server"}, "server: .*'server'"),
                                ({"tenants": 20, "flows": 10}, "flows: 10"),
                                ({"tenants": 1, "frame": "63"}, "frame: '63'"),
                                ({"tenants": 1, "frame": "jumbo"}, "wanted: 64, 1518, imix, imix-eantc or a number"),
                                ({"tenants": 2, "tagged": False}, "without a VLAN"),
                                ({"tenants": 1, "tenants_per_port": 4094}, "tenants-per-port: 4094"),
                                ({"tenants": 2, "gateway_macs": [EDGE_MAC]}, "gateway-macs: 1 for 2"),
                                ({"tenants": 2, "first": 1, "gateway_macs": [EDGE_MAC]}, "gateway-macs: 1 for 2"),
                                ({"tenants": 1, "flows": 50001, "same_ports": True}, "at most 50000")):
            with self.subTest(arguments), self.assertRaisesRegex(PenstockError, text):
                Load(**arguments)

    @pytest.mark.deep
    @pytest.mark.scale
    def test_ten_thousand_frames_take_far_less_than_a_second(self):
        started = time.process_time()
        frames = traffic.access_frames(Load(tenants=1000, flows=10000, frame="imix"))[0]
        self.assertEqual(len(frames), 10000)
        self.assertLess(time.process_time() - started, 0.8)

    def test_mtu_and_layer1(self):
        self.assertAlmostEqual(traffic.layer1_gbps(14.88, 64), 10, places=2)


class BackTest(Frames):

    def test_frames_from_translations(self):
        translations = [Translation("100.64.1.2", 40000, traffic.SERVER, 5000, 258),
                        Translation("100.64.0.1", 40001, traffic.SERVER, 5001, 1)]
        frames = traffic.backbone_frames(translations, EDGE_MAC)
        for frame in frames:
            self.assertEqual(len(frame), 60)
            self.assert_valid(frame, 14)
        packet = traffic.parse(frames[0])
        self.assertEqual((packet.source_mac, packet.destination_mac, packet.vlan),
                         (traffic.TRANSIT_MAC, EDGE_MAC, None))
        self.assertEqual((packet.source, packet.source_port, packet.destination, packet.destination_port),
                         (traffic.SERVER, 5000, "100.64.1.2", 40000))
        self.assertEqual([len(frame) for frame in traffic.backbone_frames(translations, EDGE_MAC, "1518")], [1514] * 2)

    def test_answers_to_captured_frames(self):
        translations = [Translation(traffic.public_address(tenant), 10000 + tenant, traffic.SERVER, 5000, tenant)
                        for tenant in range(20)]
        out = edge_output(translations, "imix")
        # The edge has taken a tag of 4 bytes off a 64-byte frame.
        shorter = [frame[:16] + struct.pack("!H", 42) + frame[18:56] for frame in out]
        back = traffic.answers(shorter + shorter, flows=20)
        self.assertEqual(len(back), 20)
        for frame, translation in zip(back, translations, strict=False):
            self.assertEqual(len(frame), 60)
            self.assert_valid(frame, 14)
            packet = traffic.parse(frame)
            self.assertEqual((packet.destination_mac, packet.source_mac), (EDGE_MAC, traffic.TRANSIT_MAC))
            self.assertEqual((packet.destination, packet.destination_port, packet.source, packet.source_port),
                             (translation.public, translation.public_port, translation.remote, translation.remote_port))

    def test_sizes_of_answers_stay(self):
        frames = traffic.backbone_frames([Translation("100.64.0.1", port, traffic.SERVER, 5000, 1) for port in
                                          range(1000, 1012)], EDGE_MAC, "imix")
        self.assertEqual([len(frame) for frame in traffic.answers(frames)], [len(frame) for frame in frames])

    def test_too_few_flows_at_the_far_end(self):
        frames = traffic.backbone_frames([Translation("100.64.0.1", 1000, traffic.SERVER, 5000, 1)], EDGE_MAC)
        with self.assertRaisesRegex(PenstockError, "only 1 of 2 flows came out"):
            traffic.answers(frames * 5, flows=2)

    def test_answers_leave_out_what_is_no_udp(self):
        arp = bytes.fromhex("ffffffffffff0200000000010806") + bytes(46)
        self.assertEqual(traffic.answers([arp, b"", bytes(20)]), [])


class ParseTest(unittest.TestCase):

    def test_wrong_checksums_are_seen(self):
        frame = bytearray(traffic.access_frames(Load(tenants=1, flows=1))[0][0])
        self.assertTrue(traffic.parse(frame).checksums_valid)
        for place in (18 + 8, 18 + 20, len(frame) - 1):  # Time to live, source port, payload.
            wrong = bytearray(frame)
            wrong[place] ^= 1
            self.assertFalse(traffic.parse(wrong).checksums_valid, place)

    def test_padding_is_no_part_of_the_packet(self):
        frame = traffic.access_frames(Load(tenants=1, flows=1))[0][0]
        self.assertTrue(traffic.parse(frame + b"\x55" * 4).checksums_valid)

    def test_what_is_cut_off_is_no_packet(self):
        frame = traffic.access_frames(Load(tenants=1, flows=1))[0][0]
        for length in range(60):
            self.assertIsNone(traffic.parse(frame[:length]), length)


class PcapTest(unittest.TestCase):

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.directory = pathlib.Path(made.name)

    def test_written_frames_are_read_again(self):
        paths = traffic.write_access(Load(tenants=5000, flows=5000, frame="imix"), self.directory)
        self.assertEqual([path.name for path in paths], ["access0.pcap", "access1.pcap"])
        self.assertEqual([traffic.read_pcap(path) for path in paths],
                         traffic.access_frames(Load(tenants=5000, flows=5000, frame="imix")))

    def test_other_byte_order_and_nanoseconds(self):
        path = self.directory / "other.pcap"
        for magic in (0xA1B2C3D4, 0xA1B23C4D):
            head = struct.pack(">I2H4I", magic, 2, 4, 0, 0, 65535, 1)
            path.write_bytes(head + struct.pack(">4I", 5, 6, 3, 3) + b"abc")
            self.assertEqual(traffic.read_pcap(path), [b"abc"])

    def test_files_that_will_not_do(self):
        path = self.directory / "bad.pcap"
        traffic.write_pcap(path, [b"x" * 60, b"y" * 60])
        good = path.read_bytes()
        for content, text in ((b"", "no classic pcap"), (b"\x0a\x0d\x0d\x0a" + good[4:], "no classic pcap"),
                              (good[:-1], "cut off after 1 frames"), (good[:110], "cut off after 1 frames"),
                              (good[:20] + b"\x71\0\0\0" + good[24:], "Ethernet"),
                              (good[:36] + struct.pack("<I", 90) + good[40:], "cut off after 0 frames")):
            path.write_bytes(content)
            with self.subTest(text), self.assertRaisesRegex(PenstockError, text):
                traffic.read_pcap(path)


if __name__ == "__main__":
    unittest.main()
