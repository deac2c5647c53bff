# SPDX-License-Identifier: Apache-2.0
"""Orders for the names of a tenant: what is accepted, what is refused in which words, and the files made of it."""

import dataclasses
import ipaddress
import json
import unittest

import pytest

from penstock_node import agent_orders, agent_unbound

pytestmark = pytest.mark.hostile

GOOD = {"domain": "corp.example", "addresses": ["240.1.44.0", "fd50:7300:0:12c:1::53"], "upstreams": ["192.0.2.53"]}
TENANT = 300


def parse(**changes):
    return agent_orders.parse(json.dumps(GOOD | changes), TENANT)


class OrdersTest(unittest.TestCase):

    def test_refused(self):
        record = {"name": "x", "type": "A", "data": "10.0.0.1"}
        for changes, words in (
                ({"domain": "."}, "domain: is not a domain name"), ({"domain": None}, "domain: is missing"),
                ({"domain": "a" * 64}, "is not a name"),
                ({"domain": ".".join(["a" * 60] * 4)}, "domain: is not a domain name"),
                ({"domain": "../../etc"}, "is not a name"), ({"domain": 'x"\n'}, "is not a name"),
                ({"addresses": []}, "addresses: is empty"), ({"addresses": "240.1.44.0"}, "addresses: is not a list"),
                ({"addresses": ["240.1.45.0"]}, "is not a service address of tenant 300"),
                ({"addresses": ["fd50:7300:0:12d::53"]}, "is not a service address of tenant 300"),
                ({"addresses": ["10.0.0.1"]}, "is not a service address of tenant 300"),
                ({"addresses": [7]}, "addresses[0]: 7 is not an IPv4 or IPv6 address"),
                ({"upstreams": ["ns.example"]}, 'upstreams[0]: "ns.example" is not an IPv4 or IPv6 address'),
                ({"upstreams": ["fe80::1%eth0"]}, "upstreams[0]"),
                ({"upstreams": [{"address": "10.0.0.53", "port": 53}]}, "upstreams[0]: needs"),
                ({"upstreams": ["192.0.2.1", {"address": "10.0.0.53", "inside": True}]}, "all have to be of one kind"),
                ({"records": [record | {"type": "LOC"}]}, "records[0].type"),
                ({"records": [record | {"ttl": -1}]}, "records[0].ttl"), ({"records": [record | {"ttl": True}]}, "ttl"),
                ({"records": [record | {"data": "::1"}]}, "is not an IPv4 address"),
                ({"records": [record | {"name": "x.other.example."}]}, "is not in corp.example."),
                ({"records": [record | {"type": "MX", "data": "mail"}]}, "1 numbers up to 65535 and a name"),
                ({"records": [record | {"type": "SRV", "data": "0 5 65536 a"}]}, "3 numbers"),
                ({"records": [record | {"type": "CNAME", "data": "a b"}]}, "wanted is a name"),
                ({"records": [record, record | {"type": "CNAME", "data": "a"}]}, "x.corp.example. has a CNAME"),
                ({"records": [record | {"name": "@", "type": "CNAME", "data": "a"}]}, "has a CNAME"),
                ({"leases": [{"name": "x", "address": "10.0.0"}]}, "leases[0].address"),
                ({"leases": ["x"]}, "leases[0]"),
                ({"reverse": ["10.0.0.1/24"]}, "reverse[0]"), ({"dns64": "64:ff9b::/95"}, "dns64"),
                ({"dns64": "10.0.0.0/8"}, "dns64"), ({"zone": 1}, "zone: unknown"),
                ({"dns64": "2001:db8::%x\n  evil: yes #/96"}, "dns64"), ({"reverse": ["fe80::1%x/128"]}, "reverse[0]"),
                ({"records": [record | {"type": "TXT", "data": "\ud800"}]}, "records[0].data"),
                ({"records": [record | {"type": "MX", "data": "\u0661\u0660 mail"}]}, "1 numbers up to 65535"),
                ({"records": [record | {"type": "SRV", "data": "0 5 \u0665\u0663 a"}]}, "3 numbers")):
            with self.subTest(changes), self.assertRaises(agent_orders.OrderError) as caught:
                parse(**changes)
            self.assertIn(words, str(caught.exception))
        for text in ("", "[]", "3", '{"domain": "x"'):
            with self.subTest(text), self.assertRaises(agent_orders.OrderError):
                agent_orders.parse(text, TENANT)

    def test_reverse_zones_hold_the_prefix_and_nothing_else(self):
        for prefix, zones in (("10.0.0.0/24", ["0.0.10.in-addr.arpa."]), ("10.0.0.0/8", ["10.in-addr.arpa."]),
                              ("10.1.2.0/23", ["2.1.10.in-addr.arpa.", "3.1.10.in-addr.arpa."]),
                              ("192.0.2.4/31", ["4.2.0.192.in-addr.arpa.", "5.2.0.192.in-addr.arpa."]),
                              ("2001:db8::/32", ["8.b.d.0.1.0.0.2.ip6.arpa."])):
            self.assertEqual(agent_orders.reverse_zones(ipaddress.ip_network(prefix)), zones)
        self.assertEqual(len(agent_orders.reverse_zones(ipaddress.ip_network("10.0.0.0/25"))), 128)

    def test_hosts_choose_their_names_but_not_those_of_others(self):
        order = parse(reverse=["10.0.0.0/24"], records=[{"name": "www", "type": "A", "data": "10.0.0.5"}], leases=[
            {"name": "WWW", "address": "10.0.0.66"}, {"name": "bad name", "address": "10.0.0.3"},
            {"name": "*", "address": "10.0.0.4"}, {"name": "out.example.", "address": "10.0.0.4"},
            {"name": "corp.example.", "address": "10.0.0.4"},
            {"name": 'a"\n$INCLUDE /etc/passwd', "address": "10.0.0.7"},
            {"name": None, "address": "10.0.0.7"}, {"name": "Good", "address": "10.0.0.8"}])
        self.assertEqual([(record.name, record.data) for record in order.zones["corp.example."]],
                         [("www.corp.example.", "10.0.0.5"), ("good.corp.example.", "10.0.0.8")])
        self.assertEqual([record.name[:2] for record in order.zones["0.0.10.in-addr.arpa."]], ["66", "8."])
        self.assertEqual(len(order.left_out), 6)

    def test_files_hold_one_record_a_line(self):
        order = parse(records=[{"name": "t", "type": "TXT", "data": '"a\\"\n$INCLUDE /etc/passwd\\010\\\\;(" b'}])
        text = agent_unbound.zone_text("corp.example.", order.zones["corp.example."])
        self.assertEqual(len(text.splitlines()), 3)
        self.assertIn('IN TXT "a\\034\\010\\036INCLUDE /etc/passwd\\010\\092\\059\\040" "b"', text)

    def test_a_value_is_no_more_than_a_value_in_the_configuration(self):
        good = parse(dns64="64:ff9b::/96", reverse=["10.0.0.0/24"])
        self.assertIn("dns64-prefix: 64:ff9b::/96", agent_unbound.configuration(good, "/d"))
        for field, value in (("dns64", "64:ff9b::/96\n  evil: yes"), ("upstreams", ("192.0.2.1\n",)),
                             ("addresses", ("240.1.44.0 #",)), ("zones", {'x"': []})):
            with self.subTest(field), self.assertRaises(agent_orders.OrderError):
                agent_unbound.configuration(dataclasses.replace(good, **{field: value}), "/d")

    def test_configuration_asks_nobody_else(self):
        text = agent_unbound.configuration(parse(upstreams=[]), "/run/x")
        self.assertIn('local-zone: "." refuse', text)
        self.assertNotIn("forward-addr", text)
        inside = agent_unbound.configuration(parse(upstreams=[{"address": "10.0.0.53", "inside": True}]), "/run/x")
        for line in ("outgoing-interface: 240.1.44.0", "outgoing-interface: fd50:7300:0:12c:1::53",
                     "forward-addr: 10.0.0.53"):
            self.assertIn(line, inside)
        self.assertNotIn("outgoing-interface", agent_unbound.configuration(parse(), "/run/x"))


if __name__ == "__main__":
    unittest.main()
