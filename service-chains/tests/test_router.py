# SPDX-License-Identifier: Apache-2.0
"""A real guest that routes, beside a real switch whose flows stand for the gateways of its two links."""

import contextlib
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import unittest

import pytest

from penstock_base import processes
from penstock_base.commands import run
from penstock_functions import catalogue, guest_image
from sandbox import inside, reaches, send_over_tcp, udp

from .function_case import INSIDE, OUTSIDE, FunctionCase

# Starts switches with DPDK, or guests.
pytestmark = [pytest.mark.node, pytest.mark.deep, pytest.mark.guest]

# Emulated on a busy machine.
_BOOT_SECONDS = 600
_GATEWAY_MAC = "02:50:53:00:00:01"
# Port of the function, port of the hosts, MAC address of the function, addresses of gateway and function.
_LINKS = ((1, 10, "02:50:53:ff:01:01", "169.254.81.1", "169.254.81.2"),
          (2, 20, "02:50:53:ff:01:02", "169.254.82.1", "169.254.82.2"))
_RULES = """
table inet penstock {
    counter denied { comment "what nobody may ask for" }
    chain pass {
        type filter hook forward priority 0; policy accept;
        tcp dport 23 counter name denied drop
    }
}
"""


class RouterTest(FunctionCase):

    def test_router(self):
        # Built here: the namespace that stands for the controller's has no way to the archive.
        entry = catalogue.find("router-vm")
        guest_image.build(entry.rules)
        self.node(tenants=1)
        self.start("edge", "--function", "router-vm", "--scheduling", "normal")
        self.attach("edge", tenants=1)
        self.start("edge", "--function", "router-vm", "--wait", _BOOT_SECONDS)
        status, = self.status()
        self.assertEqual((status["state"], status["form"], status["mode"]), ("attached", "vm", "routed"))
        client, server = self.hosts[0]
        self.assertTrue(reaches(client, OUTSIDE))
        self.assertTrue(reaches(client, OUTSIDE, "-M", "do", "-s", "1472"), "a full frame")
        self.assertTrue(reaches(client, OUTSIDE, "-s", "3000"), "fragments")
        self.assertEqual(send_over_tcp(client, server, OUTSIDE), b"payload")
        self.assertEqual(send_over_tcp(server, client, INSIDE), b"payload", "it has no rules")
        self.check_frames()
        self.check_used_up_ttl()
        self.check_arp()
        processes.wait_until(lambda: self.status()[0].get("counters") == {}, "no counters of no rules", 120)
        self.check_rules()
        self.box.functions("stop", "edge", "--node", self.name)
        self.box.ovs_config("down", self.name)
        self.assert_nothing_left()

    def add_flows(self, tenants):
        """Only frames without a tag come back to the hosts, and only those that the router sends to a gateway."""
        for (port, hosts, mac, gateway, _), namespace, peer in zip(_LINKS, self.hosts[0], (OUTSIDE, INSIDE),
                                                                    strict=True):
            run("ip", "-n", namespace, "neighbour", "add", peer, "lladdr", _GATEWAY_MAC, "dev", "eth0")
            host_mac = json.loads(run("ip", "-j", "-n", namespace, "link", "show", "dev", "eth0"))[0]["address"]
            for flow in (
                    f"in_port={hosts},ip,actions=set_field:{_GATEWAY_MAC}->eth_src,set_field:{mac}->eth_dst,"
                    f"output:{port}",
                    f"in_port={port},vlan_tci=0,ip,dl_src={mac},dl_dst={_GATEWAY_MAC},"
                    f"actions=set_field:{host_mac}->eth_dst,output:{hosts}",
                    f"in_port={port},vlan_tci=0,arp,arp_op=1,arp_tpa={gateway},actions=move:eth_src->eth_dst,"
                    f"set_field:{_GATEWAY_MAC}->eth_src,set_field:2->arp_op,move:arp_sha->arp_tha,"
                    f"move:arp_spa->arp_tpa,set_field:{_GATEWAY_MAC}->arp_sha,set_field:{gateway}->arp_spa,in_port"):
                self.ofctl("add-flow", "br0", flow)

    def ofctl(self, *args):
        return run("ovs-ofctl", "-O", "OpenFlow13", *args, environment=self.ovs.environment)

    def check_frames(self):
        """What passes has a TTL that is less by one, and the MAC address of the router's card on that side."""
        (client, server), (_, _, inner, _, _), (_, _, outer, _, _) = self.hosts[0], *_LINKS
        for sender, source, receiver, to, mac in ((client, INSIDE, server, OUTSIDE, outer),
                                                  (server, OUTSIDE, client, INSIDE, inner)):
            with self.subTest(mac), frames(receiver) as arriving, udp(sender, source, 5000) as sending:
                sending.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 40)
                sending.sendto(b"penstock", (to, 6000))
                # Errors about such packets have their content too.
                frame = next(frame for frame in iter(lambda: arriving.recv(2000), b"")
                             if frame[23] == socket.IPPROTO_UDP and b"penstock" in frame)
                self.assertEqual((frame[6:12].hex(":"), frame[22]), (mac, 39))
                self.assertEqual(frame[26:34], socket.inet_aton(source) + socket.inet_aton(to))

    def check_used_up_ttl(self):
        """Who sends it is told, by the router's address on his side."""
        for namespace, to, (_, _, _, _, address) in zip(self.hosts[0], (OUTSIDE, INSIDE), _LINKS, strict=True):
            said = subprocess.run(["ip", "netns", "exec", namespace, "ping", "-c", "3", "-W", "12", "-t", "1", to],
                                  capture_output=True, text=True, check=False).stdout
            self.assertRegex(said, f"From {re.escape(address)} icmp_seq=[1-3] Time to live exceeded")

    def check_arp(self):
        """It answers for its own address on a link, not for that on the other."""
        for (port, _, mac, gateway, address), (_, _, _, _, foreign) in zip(_LINKS, reversed(_LINKS), strict=True):
            answers = f"in_port={port},vlan_tci=0,arp,arp_op=2,arp_tpa={gateway}"
            self.ofctl("add-flow", "br0", f"priority=40000,{answers},arp_sha={mac},arp_spa={address},actions=drop")
            self.ofctl("add-flow", "br0", f"priority=39999,{answers},actions=drop")
            for asked in (foreign, address):
                self.ofctl("packet-out", "br0",
                           f"in_port=controller,packet={request(gateway, asked)},actions=output:{port}")
            processes.wait_until(lambda match=answers: self.packets(match, 40000) == 1, f"an answer for {address}", 120)
            self.assertEqual(self.packets(answers, 39999), 0, f"an answer for {foreign}")

    def packets(self, match, priority):
        """Packets of the flow with this priority, among those that `match` finds."""
        listed = self.ofctl("dump-flows", "br0", match)
        return int(re.search(rf"n_packets=(\d+).*priority={priority},", listed)[1])

    def check_rules(self):
        """A router with a filter of its own."""
        with tempfile.TemporaryDirectory() as directory:
            rules = pathlib.Path(directory, "guarded.nft")
            rules.write_text(_RULES, encoding="ascii")
            text = (catalogue.DIRECTORY / "router-vm.yaml").read_text(encoding="utf-8")
            pathlib.Path(directory, "guarded.yaml").write_text(
                text.replace("name: router-vm", "name: guarded") + "  rules: guarded.nft\n", encoding="utf-8")
            guest_image.build(_RULES)
            self.box.functions("stop", "edge", "--node", self.name)
            self.start("edge", "--function", "guarded", "--catalogue", directory, "--scheduling", "normal", "--wait",
                       _BOOT_SECONDS)
        client, server = self.hosts[0]
        self.assertEqual(send_over_tcp(client, server, OUTSIDE), b"payload")
        self.assertIsNone(send_over_tcp(client, server, OUTSIDE, port=23, seconds=2), "denied")
        processes.wait_until(lambda: self.status()[0].get("counters", {}).get("denied"), "a counter", 120)


@contextlib.contextmanager
def frames(namespace):
    """A socket that gets all IPv4 frames that arrive at a host, whole."""
    def make():
        made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        made.bind(("eth0", 0x0800))
        made.settimeout(120)
        return made
    with inside(namespace, make) as made:
        yield made


def request(sender, asked):
    """An ARP request of a gateway, in hexadecimal."""
    mac = bytes.fromhex(_GATEWAY_MAC.replace(":", ""))
    return (b"\xff" * 6 + mac + bytes.fromhex("0806 0001080006040001") + mac + socket.inet_aton(sender) + bytes(6)
            + socket.inet_aton(asked)).hex()


if __name__ == "__main__":
    unittest.main()
