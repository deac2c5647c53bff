# SPDX-License-Identifier: Apache-2.0
"""OVN's daemons on a real switch with the dummy datapath, which forwards and translates packets, and needs no root.

No time is asserted: this is for any machine.
"""

import pathlib
import re
import struct
import tempfile
import time
import unittest

import pytest

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_bench import configuration, ovn, ovn_network, traffic
from penstock_node import switch_program
from penstock_node.ovs import Ovs

_TENANTS = 3
_FLOWS = 6
_PORTS = ("ovn-acc0", "ovn-up0")
_RECIRCULATION = re.compile(r"recirc_id\(([^)]*)\).*actions:(.*)")
_AGAIN = re.compile(r"recirc\((\w+)\)")
_CHASSIS_MAC = re.compile(r"priority=180,.*(?:conjunction|conj_id)")
_ZONE = re.compile(r"zone=(\d+)")


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
        deadline = time.monotonic() + 60
        while True:
            found = _udp(traffic.read_pcap(self.sent(other))[before:])
            if len(found) >= count or time.monotonic() > deadline:
                return found
            time.sleep(0.01)


class OvnTest(unittest.TestCase):
    """The variant and the kind of router that are the default.

    All tests share a running OVN with three tenants of each kind of router, and leave it so.
    """

    variant = ovn.VARIANTS[0]
    router = "distributed"
    # For each pass with conntrack of a new connection: whether its zones are those that translate.
    zones = [[True]]
    binding = "patch"

    @staticmethod
    def root():
        """That of the OVN: of this machine, so that the gate has to fetch none."""
        return switch_program.MACHINE

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = pathlib.Path(directory.name)
        cls.switch = _Switch(cls.directory)
        cls.addClassCleanup(cls.switch.stop)
        cls.switch.start()
        cls.ovn = ovn.Ovn(cls.variant, datapath="dummy", root=cls.root())
        cls.addClassCleanup(cls.ovn.stop)
        cls.ovn.start(cls.directory / "ovn", cls.switch,
                      {port: ["type=dummy", f"options:tx_pcap={cls.switch.sent(port)}"] for port in _PORTS})
        cls.loads = {router: ovn_network.load(traffic.Load(_TENANTS, _FLOWS), router) for router in ovn_network.ROUTERS}
        for router in ovn_network.ROUTERS:
            cls.ovn.network.provision(_TENANTS, router)
        cls.load = cls.loads[cls.router]
        cls.frames = traffic.access_frames(cls.load)[0]

    def setUp(self):
        # A connection keeps its translation when its tenant changes.
        self.switch.appctl("dpctl/flush-conntrack")

    def forward(self, frames, count):
        """Frames from tenants; returns the `count` that leave by the uplink, as packets."""
        return [traffic.parse(frame) for frame in self.switch.send(_PORTS[0], frames, _PORTS[1], count)]

    def flows(self):
        """Number of flows of br-int.

        Without those that give packets of other chassis a router's MAC, which no packet here meets: ovn-controller
        leaves them when a localnet port gets another VLAN, and makes them or not by the order of events.
        """
        text = run("ovs-ofctl", "dump-flows", ovn.INTEGRATION_BRIDGE, "table=0", environment=self.switch.environment)
        return self.ovn.flows()["br-int"] - len(_CHASSIS_MAC.findall(text))

    def test_translates_each_tenant_to_its_public_address(self):
        packets = self.forward(self.frames, _FLOWS)
        self.assertEqual(len(packets), _FLOWS)
        for tenant in self.load.numbers:
            own = [packet for packet in packets if packet.source == traffic.public_address(tenant)]
            self.assertEqual(len(own), _FLOWS // _TENANTS)
            for packet in own:
                self.assertEqual((packet.source_mac, packet.destination_mac, packet.vlan, packet.destination),
                                 (ovn_network.router_mac(tenant), traffic.TRANSIT_MAC, None, self.load.server))
                self.assertTrue(packet.checksums_valid)

    def test_translates_for_both_kinds_of_routers_side_by_side(self):
        frames = [frame for pair in zip(*(traffic.access_frames(load)[0] for load in self.loads.values()), strict=True)
                  for frame in pair]
        packets = self.forward(frames, 2 * _FLOWS)
        expected = [(traffic.public_address(tenant), load.server)
                    for load in self.loads.values() for tenant in load.numbers]
        self.assertEqual(sorted((packet.source, packet.destination) for packet in packets),
                         sorted(expected * (_FLOWS // _TENANTS)))

    def test_takes_answers_back_to_the_host(self):
        forth = self.switch.send(_PORTS[0], self.frames, _PORTS[1], _FLOWS)
        back = self.switch.send(_PORTS[1], traffic.answers(forth, _FLOWS), _PORTS[0], _FLOWS)
        packets = [traffic.parse(frame) for frame in back]
        self.assertEqual({packet.destination_port for packet in packets},
                         set(range(traffic.FIRST_SOURCE_PORT, traffic.FIRST_SOURCE_PORT + _FLOWS)))
        for packet in packets:
            tenant = packet.vlan - traffic.FIRST_VLAN
            self.assertIn(tenant, self.load.numbers)
            self.assertEqual((packet.destination_mac, packet.source_mac, packet.destination, packet.source),
                             (traffic.host_mac(tenant), ovn_network.router_mac(tenant), traffic.HOST, self.load.server))
            self.assertTrue(packet.checksums_valid)

    def test_drops_what_the_backbone_forbids(self):
        forbidden = [_towards(self.frames[0], f"10.{number}.1.1") for number in range(200, 209)]
        packets = self.forward([*forbidden, _towards(self.frames[1], "10.199.1.1"), self.frames[2]], 2)
        self.assertEqual({packet.destination for packet in packets}, {"10.199.1.1", self.load.server})

    def test_forbids_what_penstock_forbids(self):
        entries = configuration.acls()[configuration.ACLS]["acl"][0]["aces"]["ace"]
        dropped = [entry["matches"]["ipv4"]["destination-ipv4-network"] for entry in entries
                   if entry["actions"]["forwarding"].endswith(":drop")]
        self.assertEqual(ovn_network.INTERNAL_PREFIXES, tuple(dropped))

    def test_binds_the_router_as_its_kind_wants(self):
        path = self.directory / "ovn" / "southbound.sock"
        found = run("ovn-sbctl", f"--db=unix:{path}", "--bare", "--columns=type", "find", "Port_Binding",
                    f"logical_port=t{self.load.first}-out")
        self.assertEqual(found.strip(), self.binding)

    def test_takes_the_passes_of_its_kind_of_router(self):
        self.switch.drop_cached_flows()
        self.forward(self.frames, _FLOWS)
        passes = {}
        first = []
        for number, actions in _RECIRCULATION.findall(self.switch.appctl("dpctl/dump-flows")):
            passes.setdefault(number, []).append(actions)
            if number == "0" and "ct(" in actions:
                first.append(actions)
        self.assertEqual(len(first), _TENANTS)
        for begun in first:
            actions, zones = begun, []
            while (again := _AGAIN.search(actions)) is not None:
                zones.append([int(zone) >= ovn_network.FIRST_ZONE for zone in _ZONE.findall(actions)])
                self.assertEqual(len(passes[again[1]]), 1)
                actions = passes[again[1]][0]
            self.assertEqual(zones, self.zones)
            self.assertNotIn("ct(", actions)

    def test_deletes_and_adds_a_tenant(self):
        first, middle, last = self.load.numbers
        before = self.flows()
        for _ in range(2):
            self.ovn.network.delete_tenant(middle)
            without = self.flows()
            self.assertLess(without, before)
            self.assertEqual({packet.source for packet in self.forward(self.frames[:_TENANTS], 2)},
                             {traffic.public_address(first), traffic.public_address(last)})
            self.ovn.network.add_tenant(middle)
            self.assertEqual(self.flows(), before)
            self.assertEqual(len(self.forward(self.frames[:_TENANTS], _TENANTS)), _TENANTS)

    def test_changes_a_tenant_there_and_back(self):
        tenant = self.load.first
        vlan, public = ovn_network.spare_place(tenant)
        neighbour = traffic.public_address(tenant + 1)
        old, new = self.frames[0], _in_vlan(self.frames[0], vlan)
        before = self.flows()
        for _ in range(2):
            for right, wrong, address in ((new, old, public), (old, new, traffic.public_address(tenant))):
                self.assertGreater(self.ovn.network.change_tenant(tenant), 0)
                self.switch.appctl("dpctl/flush-conntrack")
                packets = self.forward([wrong, right, self.frames[1]], 2)
                self.assertEqual([packet.source for packet in packets], [address, neighbour])
                self.assertEqual(self.flows(), before)

    def test_takes_answers_back_to_a_changed_tenant(self):
        tenant = self.load.first
        vlan, _ = ovn_network.spare_place(tenant)
        self.ovn.network.change_tenant(tenant)
        self.addCleanup(self.ovn.network.change_tenant, tenant)
        forth = self.switch.send(_PORTS[0], [_in_vlan(self.frames[0], vlan)], _PORTS[1], 1)
        back = self.switch.send(_PORTS[1], traffic.answers(forth, 1), _PORTS[0], 1)
        self.assertEqual([traffic.parse(frame).vlan for frame in back], [vlan])

    def test_deletes_and_adds_a_changed_tenant(self):
        before = self.flows()
        self.ovn.network.change_tenant(self.load.first)
        self.ovn.network.delete_tenant(self.load.first)
        self.ovn.network.add_tenant(self.load.first)
        self.assertEqual(self.flows(), before)
        self.assertEqual(len(self.forward(self.frames[:_TENANTS], _TENANTS)), _TENANTS)

    def test_refuses_changes_that_cannot_be(self):
        with self.assertRaisesRegex(PenstockError, "tenant: 7 is not valid; there is none"):
            self.ovn.network.change_tenant(7)
        with self.assertRaisesRegex(PenstockError, "tenants: 2001 are more"):
            self.ovn.network.provision(2001)
        self.ovn.network.change_tenant(0)
        self.addCleanup(self.ovn.network.change_tenant, 0)
        with self.assertRaisesRegex(PenstockError, "tenant: 2000 is not valid; VLAN 4010 is another changed tenant's"):
            self.ovn.network.change_tenant(2000)

    def test_provisions_one_by_one_what_was_cleared(self):
        before = self.flows()
        self.ovn.network.clear()
        without = self.flows()
        self.assertLess(without, before // 2)
        for router in reversed(ovn_network.ROUTERS):
            self.assertEqual(len(self.ovn.network.provision_one_by_one(_TENANTS, router)), _TENANTS)
        self.assertEqual(self.flows(), before)
        self.ovn.network.provision(_TENANTS)
        self.assertEqual(self.flows(), before)
        self.ovn.network.clear()
        self.assertEqual(self.flows(), without)
        for router in ovn_network.ROUTERS:
            self.ovn.network.provision(_TENANTS, router)
        self.assertEqual(self.flows(), before)

    def test_tells_what_it_costs(self):
        flows = self.ovn.flows()
        self.assertEqual(set(flows), {"br-int", "total"})
        self.assertEqual(flows["total"] - flows["br-int"], 2 if self.variant == "localnet" else 0)
        self.assertEqual(set(self.ovn.rss()), {"northbound", "southbound", "northd", "controller"})
        self.assertTrue(all(self.ovn.rss().values()))
        self.assertEqual(set(self.ovn.cpu()), set(self.ovn.rss()))

    def test_says_what_the_database_refuses(self):
        with self.assertRaisesRegex(PenstockError, "OVN_Northbound.*constraint violation"):
            self.ovn.network.add_tenant(0)
        self.ovn.network.provision(_TENANTS)

    def test_stops_without_a_trace(self):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        self.addCleanup(directory.cleanup)
        switch = _Switch(directory.name)
        self.addCleanup(switch.stop)
        switch.start()
        switch.vsctl("add-br", "other", "--", "set", "Open_vSwitch", ".", "external_ids:other=1")
        peer = ovn.Ovn(self.variant, datapath="dummy", root=self.root())
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
        self.assertNotIn("bundle-idle-timeout", switch.get("Open_vSwitch", ".", "other_config"))
        peer.stop()


@pytest.mark.node
@pytest.mark.deep
@pytest.mark.supervision
class GatewayTest(OvnTest):
    """The other kind of router."""

    router = "gateway"
    zones = [[False], [False, True]]
    binding = "l3gateway"


@pytest.mark.node
@pytest.mark.deep
@pytest.mark.supervision
class LocalnetTest(OvnTest):
    """The other variant."""

    variant = "localnet"


@pytest.mark.node
@pytest.mark.deep
@pytest.mark.supervision
class LocalnetGatewayTest(GatewayTest):
    """The other kind of router in the other variant."""

    variant = "localnet"


@pytest.mark.node
@pytest.mark.deep
@pytest.mark.supervision
class NewestTest(OvnTest):
    """The OVN that is measured."""

    @staticmethod
    def root():
        return ovn.PEER.existing()

    def test_is_newer(self):
        major = int(self.ovn.version.split(".")[0])
        self.assertGreater(major, int(ovn.Ovn(root=switch_program.MACHINE).version.split(".")[0]))


@pytest.mark.node
@pytest.mark.deep
@pytest.mark.supervision
class NewestGatewayTest(GatewayTest):
    """The other kind of router of the OVN that is measured."""

    @staticmethod
    def root():
        return ovn.PEER.existing()


class NotStartedTest(unittest.TestCase):
    """What needs no daemon."""

    def test_stops_before_it_has_started(self):
        ovn.Ovn().stop()

    def test_refuses_an_unknown_variant(self):
        with self.assertRaisesRegex(PenstockError, "variant: 'vlan' is not valid; wanted: container, localnet"):
            ovn.Ovn("vlan")


def _udp(frames):
    """Only the tests' own: OVN says where its addresses are, by ARP."""
    return [frame for frame in frames if traffic.parse(frame) is not None]


def _in_vlan(frame, vlan):
    """A tagged frame in another VLAN."""
    return frame[:14] + struct.pack("!H", vlan) + frame[16:]


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
