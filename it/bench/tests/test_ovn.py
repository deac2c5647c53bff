# SPDX-License-Identifier: Apache-2.0
"""OVN's daemons on a real switch with the dummy datapath, which forwards and translates packets, and needs no root.

No time is asserted: this is for any machine.
"""

import pathlib
import re
import struct
import sys
import tempfile
import time
import unittest

_BENCH = pathlib.Path(__file__).resolve().parents[1]
if str(_BENCH) not in sys.path:
    sys.path.append(str(_BENCH))

# pylint: disable=wrong-import-position
from penstock_bench import control, ovn, traffic
from penstock_node import processes
from penstock_node.errors import PenstockError
from penstock_node.ovs import Ovs

_TENANTS = 3
_FLOWS = 6
_PORTS = ("ovn-acc0", "ovn-up0")
_RECIRCULATION = re.compile(r"recirc_id\(([^)]*)\).*actions:(.*)")


class _Switch(Ovs):
    """A switch that needs no DPDK; what leaves a port of it goes to a file."""

    def start(self):
        """Starts both processes."""
        self.start_database()
        processes.start(["ovs-vswitchd", "--enable-dummy=override", "--disable-system", f"unix:{self.socket}",
                         "--pidfile", f"--log-file={self.switch_log}", "--verbose=console:emer"],
                        self.switch_process, self.directory / "ovs-vswitchd.out", environment=self.environment)

    def sent(self, port):
        """The file of a port."""
        return self.directory / f"{port}.pcap"

    def receive(self, port, frames):
        """Lets frames come in at a port."""
        for frame in frames:
            self.appctl("netdev-dummy/receive", port, frame.hex())

    def send(self, port, frames, other, count):
        """Lets frames come in at a port, and returns the `count` that leave by the other one because of it."""
        before = len(traffic.read_pcap(self.sent(other)))
        self.receive(port, frames)
        deadline = time.monotonic() + 5
        while True:
            found = _udp(traffic.read_pcap(self.sent(other))[before:])
            if len(found) >= count or time.monotonic() > deadline:
                return found
            time.sleep(0.01)


class OvnTest(unittest.TestCase):
    """The variant that is the default. All tests share a running OVN with three tenants, and leave it so."""

    variant = ovn.VARIANTS[0]

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.switch = _Switch(cls.directory)
        cls.addClassCleanup(cls.switch.stop)
        cls.switch.start()
        cls.ovn = ovn.Ovn(cls.variant, datapath="dummy")
        cls.addClassCleanup(cls.ovn.stop)
        cls.ovn.start(cls.directory / "ovn", cls.switch,
                      {port: ["type=dummy", f"options:tx_pcap={cls.switch.sent(port)}"] for port in _PORTS})
        cls.ovn.provision(_TENANTS)
        cls.load = traffic.Load(_TENANTS, _FLOWS, gateway_macs=[ovn.router_mac(tenant) for tenant in range(_TENANTS)])

    def forward(self, frames, count):
        """Frames from tenants; returns the `count` that leave by the uplink, as packets."""
        return [traffic.parse(frame) for frame in self.switch.send(_PORTS[0], frames, _PORTS[1], count)]

    def test_translates_each_tenant_to_its_public_address(self):
        packets = self.forward(traffic.access_frames(self.load)[0], _FLOWS)
        self.assertEqual(len(packets), _FLOWS)
        for tenant in range(_TENANTS):
            own = [packet for packet in packets if packet.source == traffic.public_address(tenant)]
            self.assertEqual(len(own), _FLOWS // _TENANTS)
            for packet in own:
                self.assertEqual((packet.source_mac, packet.destination_mac, packet.vlan, packet.destination),
                                 (ovn.router_mac(tenant), traffic.TRANSIT_MAC, None, traffic.SERVER))
                self.assertTrue(packet.checksums_valid)

    def test_takes_answers_back_to_the_host(self):
        forth = self.switch.send(_PORTS[0], traffic.access_frames(self.load)[0], _PORTS[1], _FLOWS)
        back = self.switch.send(_PORTS[1], traffic.answers(forth, _FLOWS), _PORTS[0], _FLOWS)
        packets = [traffic.parse(frame) for frame in back]
        self.assertEqual({packet.destination_port for packet in packets},
                         set(range(traffic.FIRST_SOURCE_PORT, traffic.FIRST_SOURCE_PORT + _FLOWS)))
        for packet in packets:
            tenant = packet.vlan - traffic.FIRST_VLAN
            self.assertEqual((packet.destination_mac, packet.source_mac, packet.destination, packet.source),
                             (traffic.host_mac(tenant), ovn.router_mac(tenant), traffic.HOST, traffic.SERVER))
            self.assertTrue(packet.checksums_valid)

    def test_drops_what_the_backbone_forbids(self):
        frames = traffic.access_frames(self.load)[0]
        forbidden = [_towards(frames[0], f"10.{number}.1.1") for number in range(200, 209)]
        packets = self.forward([*forbidden, _towards(frames[1], "10.199.1.1"), frames[2]], 2)
        self.assertEqual({packet.destination for packet in packets}, {"10.199.1.1", traffic.SERVER})

    def test_forbids_what_penstock_forbids(self):
        entries = control.acls()["ietf-access-control-list:acls"]["acl"][0]["aces"]["ace"]
        dropped = [entry["matches"]["ipv4"]["destination-ipv4-network"] for entry in entries
                   if entry["actions"]["forwarding"].endswith(":drop")]
        self.assertEqual(ovn.INTERNAL_PREFIXES, tuple(dropped))

    def test_takes_two_passes_and_one_connection_tracking(self):
        self.forward(traffic.access_frames(self.load)[0], _FLOWS)
        flows = [_RECIRCULATION.search(line).groups() for line in self.switch.appctl("dpctl/dump-flows").splitlines()
                 if traffic.SERVER in line and ("in_port(" in line)]
        first = [actions for number, actions in flows if number == "0" and "ct(commit" in actions]
        self.assertEqual(len(first), _TENANTS)
        for actions in first:
            self.assertEqual(actions.count("ct("), 1)
            again = re.search(r"recirc\((\w+)\)", actions)[1]
            self.assertGreaterEqual(int(re.search(r"zone=(\d+)", actions)[1]), ovn.FIRST_ZONE)
            for number, then in flows:
                if number == again:
                    self.assertNotIn("recirc(", then)

    def test_deletes_and_adds_a_tenant(self):
        frames = traffic.access_frames(self.load)[0][:_TENANTS]
        before = self.ovn.flows()
        self.ovn.delete_tenant(1)
        without = self.ovn.flows()
        self.assertLess(without["br-int"], before["br-int"])
        self.assertEqual({packet.source for packet in self.forward(frames, 2)},
                         {traffic.public_address(0), traffic.public_address(2)})
        self.ovn.add_tenant(1)
        self.assertEqual(self.ovn.flows(), before)
        self.assertEqual(len(self.forward(frames, _TENANTS)), _TENANTS)

    def test_provisions_one_by_one_what_was_cleared(self):
        before = self.ovn.flows()
        self.ovn.clear()
        self.assertLess(self.ovn.flows()["br-int"], before["br-int"] // 2)
        self.assertEqual(len(self.ovn.provision_one_by_one(_TENANTS)), _TENANTS)
        self.assertEqual(self.ovn.flows(), before)
        self.ovn.provision(_TENANTS)
        self.assertEqual(self.ovn.flows(), before)

    def test_tells_what_it_costs(self):
        self.assertEqual(set(self.ovn.rss()), {"northbound", "southbound", "northd", "controller"})
        self.assertTrue(all(self.ovn.rss().values()))
        self.assertEqual(set(self.ovn.cpu()), set(self.ovn.rss()))

    def test_says_what_the_database_refuses(self):
        with self.assertRaisesRegex(PenstockError, "OVN_Northbound.*constraint violation"):
            self.ovn.add_tenant(0)
        self.ovn.provision(_TENANTS)

    def test_stops_without_a_trace(self):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        self.addCleanup(directory.cleanup)
        switch = _Switch(directory.name)
        self.addCleanup(switch.stop)
        switch.start()
        switch.vsctl("add-br", "other", "--", "set", "Open_vSwitch", ".", "external_ids:other=1")
        peer = ovn.Ovn(self.variant, datapath="dummy")
        self.addCleanup(peer.stop)
        peer.start(switch.directory / "ovn", switch, {port: ["type=dummy"] for port in _PORTS})
        records = {path: path.read_bytes() for path in switch.directory.glob("ovn/*.process")}
        self.assertEqual(len(records), 4)
        peer.stop()
        for path, record in records.items():
            self.assertFalse(path.exists())
            path.write_bytes(record)
            self.assertFalse(processes.is_running(path), path.name)
        self.assertEqual(switch.vsctl("list-br").split(), ["other"])
        self.assertEqual(switch.get("Open_vSwitch", ".", "external_ids"), {"other": "1"})
        peer.stop()


class LocalnetTest(OvnTest):
    """The other variant."""

    variant = "localnet"


class NotStartedTest(unittest.TestCase):
    """What needs no daemon."""

    def test_stops_before_it_has_started(self):
        ovn.Ovn().stop()

    def test_refuses_an_unknown_variant(self):
        with self.assertRaisesRegex(PenstockError, "variant: 'vlan' will not do; wanted: container, localnet"):
            ovn.Ovn("vlan")

    def test_gives_every_router_a_mac_of_its_own(self):
        macs = {ovn.router_mac(tenant) for tenant in range(5000)}
        self.assertEqual(len(macs), 5000)
        self.assertFalse(macs & {traffic.host_mac(tenant) for tenant in range(5000)})


def _udp(frames):
    """Only the tests' own: OVN says where its addresses are, by ARP."""
    return [frame for frame in frames if traffic.parse(frame) is not None]


def _towards(frame, destination):
    """A tagged frame to another address, with right checksums."""
    frame = bytearray(frame)
    frame[34:38] = bytes(map(int, destination.split(".")))
    frame[28:30] = frame[44:46] = b"\0\0"  # Without a UDP checksum, as IPv4 allows.
    total = sum(struct.unpack("!10H", frame[18:38]))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    frame[28:30] = struct.pack("!H", ~total & 0xffff)
    return bytes(frame)


if __name__ == "__main__":
    unittest.main()
