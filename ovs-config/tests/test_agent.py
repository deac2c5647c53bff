# SPDX-License-Identifier: Apache-2.0
"""The agent and the resolvers of a real node: orders in its database, answers to real queries, crashes of every part.

The switch is not asked to forward: the node's end of the service port gets the addresses of hosts, as if flows had
already translated their queries. Needs root, Open vSwitch with DPDK, Unbound and dig.
"""

import json
import os
import signal
import subprocess
import unittest

import pytest

from names import Asker, Controller, Upstream, dig, short
from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import agent_sessions, node_protocol, resolver_network
from penstock_node.node_protocol import BRIDGE
from sandbox import Sandbox, hanging

from .agent_case import DEAD, INSIDE, PROVIDER, AgentCase

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node

_TAKE_PORT = """
import socket, sys, time
with socket.socket() as taken:
    taken.setsockopt(socket.IPPROTO_IP, 15, 1)  # IP_FREEBIND
    taken.bind((sys.argv[1], 53))
    taken.listen()
    print("taken", flush=True)
    time.sleep(600)
"""


class _Undisturbed:
    """What becomes of one tenant disturbs no question of another one's hosts."""

    patience: float = 60
    """Seconds that a host waits for an answer. What is interrupted gives none at all."""

    def test_dead_upstream(self):
        server = self.tenant(7, upstreams=[DEAD])
        said = dig(self.hosts, server, "www.elsewhere.example", timeout=max(self.patience, 5))
        self.assertIn("status: SERVFAIL", said, "before dig gives up")
        self.assertEqual(short(self.hosts, server, "www.corp.example"), ["10.0.0.7"])
        alone = self.tenant(8, upstreams=[])
        self.assertIn("status: REFUSED", dig(self.hosts, alone, "www.elsewhere.example"))
        self.assertEqual(short(self.hosts, alone, "www.corp.example"), ["10.0.0.8"])

    def test_wrong_orders_harm_nobody(self):
        server, other = self.tenant(10), self.tenant(11)
        with Asker(self.hosts, other, "www.corp.example", self.patience) as asker:
            for changes, words in (({"domain": "bad name"}, 'domain: "bad name" is not a name'),
                                   ({"addresses": [other]}, "240.0.11.0 is not a service address of tenant 10"),
                                   ({"records": [{"name": "x", "type": "A", "data": "10.0.0"}]}, "records[0].data"),
                                   ({"upstreams": [PROVIDER, {"address": INSIDE, "inside": True}]}, "some are inside"),
                                   ({"dns64": "2001:db8::%x\n  evil: yes #/96"}, "dns64"),
                                   ({"reverse": ["fe80::1%x/128"]}, "reverse[0]"),
                                   ({"records": [{"name": "x", "type": "TXT", "data": "\ud800"}]}, "records[0].data"),
                                   ({"records": [{"name": "x", "type": "MX", "data": "\u0661 a"}]}, "up to 65535")):
                with self.subTest(words):
                    self.tenant(10, wait=False, **changes)
                    self.until_state(10, words)
                    self.assertEqual(short(self.hosts, server, "www.corp.example"), ["10.0.0.10"], "as before")
            self.controller.order(10, penstock_dns="{", penstock_sessions="many")
            self.until_state(10, "is not JSON")
            self.tenant(12, wait=False, domain="")
            self.until_state(12, "domain: is missing")
            self.controller.order(10, penstock_sessions=None)
            self.tenant(10, records=[{"name": "new", "type": "A", "data": "10.0.0.1"}])
            self.assertEqual(short(self.hosts, server, "new.corp.example"), ["10.0.0.1"])
            self.tenant(10, wait=False, leases=[{"name": "my phone!", "address": "10.0.0.3"}])
            self.until_state(10, "names that are not valid in DNS: my phone!")
        self.assertEqual(asker.lost, 0)

    def test_changed_leases_interrupt_nobody(self):
        server, other = self.tenant(13), self.tenant(14)
        pid = self.resolver(13)
        self.assertEqual(short(self.hosts, server, "moving.corp.example"), [])
        with Asker(self.hosts, server, "www.corp.example", self.patience) as own, \
                Asker(self.hosts, other, "www.corp.example", self.patience) as asker:
            for number in range(20, 30):
                self.tenant(13, wait=False, leases=[{"name": "moving", "address": f"10.0.0.{number}"}])
                self.until_answer(server, "moving.corp.example", f"10.0.0.{number}")
            self.assertEqual(short(self.hosts, server, "-x", "10.0.0.20"), [], "the former address is nobody's")
        self.assertEqual((own.lost, asker.lost), (0, 0))
        self.assertGreater(asker.answered, 10)
        self.assertEqual(self.resolver(13), pid)

    def test_new_and_removed_tenants_interrupt_nobody(self):
        other = self.tenant(15)
        with Asker(self.hosts, other, "www.corp.example", self.patience) as asker:
            self.tenant(16)
            self.assertIsNotNone(self.resolver(16))
            self.controller.order(16, penstock_dns=None)
            self.until(lambda: self.resolver(16) is None and self.controller.state(16) is None, "the resolver's end")
            self.tenant(16)
            self.controller.remove(16)
            self.until(lambda: not (self.directory / "dns/16").exists(), "the end of the tenant")
        self.assertEqual(asker.lost, 0)

    def test_killed_agent_and_resolver(self):
        server = self.tenant(17)
        pid = self.resolver(17)
        with Asker(self.hosts, server, "www.corp.example", self.patience) as asker:
            for name, address in (("first", "10.0.0.31"), ("second", "10.0.0.32")):
                agent = self.agent()
                os.kill(agent, 9)
                self.tenant(17, wait=False, leases=[{"name": name, "address": address}])
                self.until_answer(server, f"{name}.corp.example", address)
                self.assertNotEqual(self.agent(), agent)
            self.assertEqual(self.resolver(17), pid, "adopted")
        self.assertEqual(asker.lost, 0)
        os.kill(pid, 9)
        self.until(lambda: self.resolver(17) not in (None, pid), "the next resolver")
        self.until_answer(server, "second.corp.example", "10.0.0.32")
        self.until_state(17, "ok")


class AgentTest(_Undisturbed, AgentCase):

    def test_own_names(self):
        server = self.tenant(2, records=[
            {"name": "www", "type": "A", "ttl": 300, "data": "10.0.0.5"},
            {"name": "www", "type": "AAAA", "data": "2001:db8::5"},
            {"name": "alias", "type": "CNAME", "data": "www"},
            {"name": "far", "type": "CNAME", "data": "www.elsewhere.example."},
            {"name": "@", "type": "MX", "data": "10 mail"},
            {"name": "txt", "type": "TXT", "data": r'"say \"hello\" \\ ; and $ORIGIN ' + "y" * 200 + '" more'},
            {"name": "_sip._tcp", "type": "SRV", "data": "0 5 5060 www"},
            {"name": "9.0.0.10.in-addr.arpa.", "type": "PTR", "data": "router"},
            {"name": "*.apps", "type": "A", "data": "10.0.0.6"}],
            leases=[{"name": "host1", "address": "10.0.0.17"}, {"name": "host6", "address": "2001:db8::17"},
                    {"name": "www", "address": "10.0.0.66"}], reverse=["10.0.0.0/24", "2001:db8::/64"])
        for question, answer in (
                ("www.corp.example", ["10.0.0.5"]), ("WWW.Corp.Example AAAA", ["2001:db8::5"]),
                ("alias.corp.example", ["10.0.0.5", "www.corp.example."]),
                ("far.corp.example", ["198.51.100.1", "www.elsewhere.example."]),
                ("corp.example MX", ["10", "mail.corp.example."]),
                ("_sip._tcp.corp.example SRV", ["0", "5", "5060", "www.corp.example."]),
                ("-x 10.0.0.9", ["router.corp.example."]), ("a.apps.corp.example", ["10.0.0.6"]),
                ("host1.corp.example", ["10.0.0.17"]), ("-x 10.0.0.17", ["host1.corp.example."]),
                ("host6.corp.example AAAA", ["2001:db8::17"]), ("-x 2001:db8::17", ["host6.corp.example."])):
            with self.subTest(question):
                self.assertEqual(short(self.hosts, server, *question.split()), answer)
        self.assertIn('"say \\"hello\\" \\\\ ; and $ORIGIN yyy', dig(self.hosts, server, "txt.corp.example", "TXT"))
        for question in ("none.corp.example", "-x 10.0.0.200"):
            with self.subTest(question):
                said = dig(self.hosts, server, *question.split())
                self.assertRegex(said, "status: NXDOMAIN(?s:.*)AUTHORITY SECTION(?s:.*)IN\tSOA\t")
        self.assertRegex(dig(self.hosts, server, "host1.corp.example", "AAAA"), "status: NOERROR(?s:.*)IN\tSOA\t")
        own = [name for name, _ in self.provider.asked if name.endswith(("corp.example", "0.0.10.in-addr.arpa"))]
        self.assertEqual(own, [], "own names are nobody else's business")

    def test_forwarded_cached_and_apart(self):
        one = self.tenant(3)
        other = self.tenant(4)
        within = self.tenant(5, upstreams=[{"address": INSIDE, "inside": True}])
        for server, www in ((one, "10.0.0.3"), (other, "10.0.0.4"), (within, "10.0.0.5")):
            self.assertEqual(short(self.hosts, server, "www.corp.example"), [www])
            for _ in range(3):
                wanted = "198.51.100.2" if server == within else "198.51.100.1"
                self.assertEqual(short(self.hosts, server, "shared.example"), [wanted])
        self.assertEqual([entry for entry in self.provider.asked if entry[0] == "shared.example"],
                         [("shared.example", "192.0.2.10")] * 2, "once for each tenant: cached, and no cache shared")
        self.assertEqual([entry for entry in self.inside.asked if entry[0] == "shared.example"],
                         [("shared.example", within)], "from the tenant's service address")

    def test_tcp_truncation_and_edns(self):
        server = self.tenant(6)
        self.assertEqual(short(self.hosts, server, "+tcp", "www.corp.example"), ["10.0.0.6"])
        said = dig(self.hosts, server, "+ignore", "+bufsize=4096", "big.example", "TXT")
        self.assertRegex(said, "flags:[a-z ]* tc[ ;]")
        self.assertIn("EDNS: version: 0", said)
        self.assertIn("xxxxx", dig(self.hosts, server, "big.example", "TXT"), "asked again over TCP")
        self.assertNotIn("EDNS", dig(self.hosts, server, "+noedns", "www.corp.example"))
        self.assertIn("status: BADVERS", dig(self.hosts, server, "+edns=1", "+noednsneg", "www.corp.example"))

    def test_dns64(self):
        server = self.tenant(9, dns64="2001:db8:64::/96")
        self.assertEqual(short(self.hosts, server, "www.elsewhere.example", "AAAA"), ["2001:db8:64::c633:6401"])
        self.assertEqual(short(self.hosts, server, "www.corp.example", "AAAA"), ["2001:db8:64::a00:9"])
        self.tenant(9)
        self.until(lambda: short(self.hosts, server, "www.elsewhere.example", "AAAA") == [], "no DNS64")

    def test_stopped_resolver(self):
        server = self.tenant(25)
        pid = self.resolver(25)
        os.kill(pid, signal.SIGSTOP)
        self.until_answer(server, "www.corp.example", "10.0.0.25")
        self.assertEqual(self.resolver(25), pid)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_hanging_resolver(self):
        server = self.tenant(25)
        pid = self.resolver(25)
        with hanging(pid):
            self.until(lambda: self.resolver(25) not in (None, pid), "the next resolver", 180)
        self.until_answer(server, "www.corp.example", "10.0.0.25")
        self.assertIn("tenant 25: the resolver does not answer", (self.directory / "agent.log").read_text())

    def test_limits_of_sessions(self):
        self.controller.order(18, penstock_sessions="1000")
        self.controller.order(19, penstock_sessions="5")
        self.until_limits({18: "1000", 19: "5"})
        self.controller.order(18, penstock_sessions="2000")
        self.controller.order(19, penstock_sessions=None)
        self.until_limits({18: "2000", 19: None})

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_limits_and_counts_of_sessions_after_restarts(self):
        self.tenant(24)
        pid = self.resolver(24)
        self.controller.order(18, penstock_sessions="2000")
        self.controller.order(19, penstock_sessions=None)
        self.until_limits({18: "2000", 19: None})
        run("ovs-ofctl", "-O", "OpenFlow13", "packet-out", self.directory / f"{BRIDGE}.mgmt",
            f"in_port=LOCAL packet={_udp_packet()} actions=ct(commit,zone=18)")
        self.until(lambda: self.controller.reports(18).get(node_protocol.SESSIONS_COUNT) == "1", "one connection", 270)
        os.kill(processes.pid_of(self.controller.ovs.switch_process), 9)
        self.until_limits({18: "2000", 19: None})
        self.assertIn("zone=18,limit=2000", self.controller.ovs.appctl("dpctl/ct-get-limits"))
        database = self.controller.ovs.database_process
        os.kill(processes.pid_of(database), 9)
        self.until(self.controller.ovs.works, "the next database server", 180)
        self.controller.order(18, penstock_sessions="3000")
        self.until_limits({18: "3000", 19: None})
        self.assertEqual(self.resolver(24), pid, "resolvers go on without switch and database")

    def ask(self, number):
        """Asks how far the agent is, and returns its last answer."""
        self.controller.ovs.vsctl("set", "Bridge", BRIDGE, f'external_ids:{node_protocol.ORDERS}="here {number}"')
        said = {}

        def is_final():
            said.clear()
            said.update(json.loads(self.controller.ovs.get("Bridge", BRIDGE, "external_ids").get(
                node_protocol.ORDERS_DONE, "{}")))
            return said.get("order") == f"here {number}" and not said["waiting"]
        self.until(is_final, f"an answer to question {number}", 240)
        return said

    def test_it_says_what_is_carried_out(self):
        self.controller.order(26, penstock_sessions="700")
        self.tenant(25, wait=False)
        self.assertEqual(self.ask(1)["failed"], {})
        self.assertEqual(self.controller.state(25), "ok", "at the moment of the answer")
        self.assertIn("zone=26,limit=700,", self.controller.ovs.appctl("dpctl/ct-get-limits"))
        self.tenant(25, wait=False, domain="bad name")
        self.controller.order(26, penstock_sessions="800")
        self.assertRegex(self.ask(2)["failed"].pop("25"), 'domain: "bad name" is not a name')
        self.assertIn("zone=26,limit=800,", self.controller.ovs.appctl("dpctl/ct-get-limits"))
        self.controller.order(25, penstock_dns=None)
        self.assertEqual(self.ask(3)["failed"], {})
        self.assertIsNone(self.resolver(25))
        agent = self.agent()
        os.kill(agent, 9)
        self.until(lambda: self.agent() not in (None, agent), "the next agent")
        self.assertEqual(self.ask(4)["failed"], {})

    def test_a_resolver_that_does_not_start_is_told(self):
        taker = subprocess.Popen(["ip", "netns", "exec", f"{self.hosts}-dns", "/usr/bin/python3", "-c", _TAKE_PORT,
                                  "240.0.27.0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(taker.wait)
        self.addCleanup(taker.kill)
        self.addCleanup(taker.stdout.close)
        self.assertEqual(taker.stdout.readline(), "taken\n")
        self.tenant(27, wait=False)
        self.assertIn("the resolver ended", self.ask(5)["failed"]["27"])
        taker.kill()
        self.until_state(27, "ok")
        self.assertEqual(self.ask(6)["failed"], {})

    def until_limits(self, wanted):
        def fits():
            try:
                answer = self.controller.ovs.appctl("dpctl/ct-get-limits")
            except PenstockError:
                return False  # It is being started.
            return all(self.controller.reports(number).get(node_protocol.SESSIONS_SET) == limit
                       and f"zone={number},limit={limit or agent_sessions.LARGEST}," in answer
                       for number, limit in wanted.items())
        self.until(fits, f"limits {wanted}", 180)

    def test_service_addresses_are_not_for_the_provider(self):
        """Nobody reaches a tenant's resolver from the provider's side."""
        server = self.tenant(20)
        provider = f"psh-{os.getpid()}-provider"
        run("ip", "-n", provider, "route", "replace", node_protocol.SERVICE_IPV4, "via", "192.0.2.10")
        self.assertIn("timed out", dig(provider, server, "sneaked.example", timeout=1))
        self.assertEqual(short(self.hosts, server, "asked.example"), ["198.51.100.1"])
        asked = {name for name, _ in self.provider.asked}
        self.assertIn("asked.example", asked)
        self.assertNotIn("sneaked.example", asked, "it must not even be heard")

    def test_any_source_address(self):
        """Hosts may have the addresses of the provider's side, or that of the resolvers themselves there."""
        server = self.tenant(22)
        for address in ("192.0.2.10", PROVIDER, "100.64.0.9", "203.0.113.9"):
            run("ip", "-n", self.hosts, "address", "add", f"{address}/32", "dev", "svc0")
            with self.subTest(address):
                self.assertEqual(short(self.hosts, server, "-b", address, "www.corp.example"), ["10.0.0.22"])
                self.assertEqual(short(self.hosts, server, "-b", address, "+tcp", "www.corp.example"), ["10.0.0.22"])
                self.assertEqual(short(self.hosts, server, "-b", address, "any.example"), ["198.51.100.1"])

    def test_ipv6_service_address(self):
        server, upstream = "fd50:7300:0:17::53", "2001:db8::53"
        for args in (("address", "replace", "2001:db8::10/64", "dev", "svc0", "nodad"),
                     ("address", "replace", f"{upstream}/64", "dev", "svc0", "nodad"),
                     ("route", "replace", node_protocol.SERVICE_IPV6, "dev", "svc0"),
                     ("neighbour", "replace", server, "lladdr", resolver_network.RESOLVER_MAC, "dev", "svc0")):
            run("ip", "-n", self.hosts, "-6", *args)
        self.tenant(23, addresses=["240.0.23.0", server])
        self.assertEqual(short(self.hosts, server, "www.corp.example"), ["10.0.0.23"])
        self.assertEqual(short(self.hosts, server, "+tcp", "www.corp.example"), ["10.0.0.23"])
        asked = Upstream(self.hosts, upstream, "198.51.100.6")
        self.addCleanup(asked.close)
        self.tenant(23, addresses=["240.0.23.0", server], upstreams=[{"address": upstream, "inside": True}])
        self.until_answer(server, "elsewhere.example", "198.51.100.6")
        self.assertEqual(asked.asked[0], ("elsewhere.example", server), "from the tenant's service address")


@pytest.mark.deep
@pytest.mark.loss
class PromptTest(_Undisturbed, AgentCase):
    """The same with hosts that wait no longer than programs do."""

    patience = 0.5


class AgentOfPlainNodeTest(unittest.TestCase):

    def test_profile_without_and_with_dns(self):
        box = Sandbox()
        self.addCleanup(box.close)
        name, profile = box.node("b")
        box.ovs_config("up", profile)
        controller = Controller(box.run_directory / name)
        controller.order(2, penstock_dns={"domain": "corp.example", "addresses": ["240.0.2.0"]}, penstock_sessions="7")
        processes.wait_until(lambda: "no resolvers" in (controller.state(2) or ""), "a state", 120)
        processes.wait_until(lambda: controller.reports(2).get(node_protocol.SESSIONS_SET) == "7", "a limit", 120)
        self.assertNotIn("service", controller.ovs.get("Open_vSwitch", ".", "external_ids")[node_protocol.PORTS])
        box.host("plain", "192.0.2.53/24", "psup")
        box.node("b", dns={"device": "psup", "upstream-address": "192.0.2.10/24"})
        self.assertIn("dns", box.ovs_config("up", profile))
        processes.wait_until(lambda: controller.state(2) == "ok", "ok", 120)
        self.assertIn('{"name":"svc0","role":"service","type":"system"}',
                      controller.ovs.get("Open_vSwitch", ".", "external_ids")[node_protocol.PORTS])
        self.assertIn("nothing changed", box.ovs_config("up", profile))
        box.ovs_config("down", name)
        self.assertEqual((box.processes(), box.namespaces_left()), ([], []))
        self.assertFalse((box.run_directory / name).exists())
        self.assertTrue(namespaces.link_exists("psup", box.controller), "the device is back")


def _udp_packet():
    return bytes.fromhex(
        "020000000001 020000000002 0800 4500001c00010000401166ce 0a0000010a000002 1388138900080000").hex()


if __name__ == "__main__":
    unittest.main()
