# SPDX-License-Identifier: Apache-2.0
"""The samples of the protocol: the agent reads those of orders, and what a node writes are those of reports.

The tests of the controller do the same from its side (NodeSamplesTest, SampleOrdersTest, SampleTraceTest), so a change
of one side alone fails a test of the other.
"""

import json
import os
import pathlib
import tempfile
import types
import unittest

import samples
from names import Controller
from penstock_base import processes
from penstock_node import (
    agent,
    agent_cache,
    agent_database,
    agent_floods,
    agent_orders,
    agent_progress,
    agent_session_flows,
    agent_sessions,
    agent_traces,
    node_protocol,
    node_settings,
    profile,
)
from penstock_node.agent_orders import Record
from penstock_node.ovs import Ovs
from samples import SAMPLES, text

TENANT = 2
_PROFILE = {"name": "edge1", "pmd-cores": [0, 1], "hugepage-memory-mb": 832, "run-directory": "/run/penstock"}
# Answers as Open vSwitch has them, of a packet that goes from acc0 to fw1, and from there to up0 and another port.
_APPCTL = """#!/bin/sh
case "$*" in
*dpif/show*) printf ' acc0 1/1: (system)\\n fw1-in 2/3: (dpdk)\\n fw1-out 3/4: (dpdk)\\n up0 4/5: (system)\\n' ;;
*in_port=acc0,*) printf ' 0. in_port=1\\n20. x\\n60. x\\n'
    printf 'Datapath actions: ct(commit,zone=28674,label=0x5/0xffff,nat),push_vlan(vid=2,pcp=0),3\\n' ;;
*in_port=fw1-out,*) printf ' 0. in_port=2\\n 4. x\\nDatapath actions: pop_vlan,5,7\\n' ;;
esac
"""


class OrdersTest(unittest.TestCase):
    """Each order is read into the value that the agent works with."""

    def test_each_is_read_here_or_by_the_agent_of_functions(self):
        here = {f"{name.removeprefix('test_')}/usual".replace("_", "-") for name in dir(self)
                if name.startswith("test_") and not name.startswith("test_each")}
        self.assertEqual({f"{name.partition('/')[0]}/usual" for name in samples.read_by("agent")}, here)

    def test_sessions(self):
        sessions = agent_sessions.Sessions(None, self.fail)
        sessions.want({TENANT: text("sessions/usual")})
        self.assertEqual(sessions._wanted, {TENANT: 50000})

    def test_dns(self):
        self.assertEqual(agent_orders.parse(text("dns/usual"), TENANT), agent_orders.Order(
            addresses=("240.0.2.0",), upstreams=("192.0.2.53",), inside=False, dns64=None, left_out=(), zones={
                "corp.example.": (Record("www.corp.example.", 300, "A", "10.0.0.5"),
                                  Record("host1.corp.example.", 60, "A", "10.0.0.17")),
                "0.0.10.in-addr.arpa.": (Record("17.0.0.10.in-addr.arpa.", 60, "PTR", "host1.corp.example."),)}))
        self.assertEqual(agent_orders.parse(text("dns/full"), TENANT), agent_orders.Order(
            addresses=("240.0.2.0", "240.0.2.1", "fd50:7300:0:2::53"), upstreams=("10.4.0.53", "2001:db8::53"),
            inside=True, dns64="64:ff9b::/96", left_out=("not a name",), zones={
                "campus.example.": (Record("www.campus.example.", 60, "AAAA", "2001:db8::80"),
                                    Record("campus.example.", 0, "TXT", '"a\\060b" "\\195\\169"'),
                                    Record("campus.example.", 300, "MX", "10 www.campus.example."),
                                    Record("desk1.campus.example.", 60, "A", "10.3.0.101")),
                "0.3.10.in-addr.arpa.": (Record("101.0.3.10.in-addr.arpa.", 60, "PTR", "desk1.campus.example."),),
                "0.4.10.in-addr.arpa.": ()}))

    def test_session_flows(self):
        self.assertEqual(agent_session_flows.parse(text("session-flows/usual")), agent_session_flows.Order(
            collector_set=1, vrf="NXM_NX_REG0[0..15]", open_table=72, open_priority=200,
            open_cookie=0x9e04040000000000, open_actions="load:0x1->NXM_NX_REG0[28],resubmit(,74)", open_seconds=30,
            session_table=74, session_cookie=0x9e04050000000000, most_sessions=12000, most_sessions_of_one=6000,
            sampled_of=512))

    def test_trace(self):
        for name in ("trace/usual", "trace/full"):
            self.assertEqual(agent_traces.parse(text(name).removeprefix(f"{samples.ID} ")), SAMPLES[name])

    def test_cache(self):
        self.assertEqual(_done(text("cache/usual")), samples.ID)

    def test_orders(self):
        progress = agent_progress.Progress()
        self.assertTrue(progress.want(text("orders/usual"), None))
        self.assertTrue(progress.is_asked())


class ReportsTest(unittest.TestCase):
    """What is written is the sample."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def test_each_is_written_here(self):
        here = {name.removeprefix("test_").replace("_", "-") for name in dir(self) if name.startswith("test_")}
        self.assertEqual({name.partition("/")[0] for name in samples.of("ovs-config", "agent")},
                         here - {"each-is-written-here"})

    def announced(self, name, **fields):
        announcement = node_settings.announcement(profile.parse(_PROFILE | {
            key.replace("_", "-"): value for key, value in fields.items()}), with_version=True)
        samples.check(self, name, str(announcement[samples.PREFIX + name.partition("/")[0]]))

    def test_node(self):
        self.announced("node/usual")

    def test_vhost_dir(self):
        self.announced("vhost-dir/usual")

    def test_protocol(self):
        self.announced("protocol/usual")

    def test_accepted_faults(self):
        self.announced("accepted-faults/usual")
        self.announced("accepted-faults/full", accepted_switch_faults=[
            "ftp-ends-switch", "fragments-reach-others", "fragments-end-switch"])

    def test_ports(self):
        self.announced("ports/usual", access_ports=[{"name": "acc0"}], uplink_ports=[{"name": "up0"}])
        self.announced("ports/full", dns={}, access_ports=[
            {"name": "acc0", "type": "dpdk", "devargs": "net_null0", "receive-queues": 2, "queue-cores": [1]}],
            uplink_ports=[{"name": "up0", "type": "dpdk", "devargs": "0000:03:00.0", "queue-cores": [0]}])

    def reports(self, resolvers=None):
        """What the agent says of a tenant with every order, whose limit is set and has 7 connections."""
        made = agent.Agent(self.directory, with_resolvers=False)
        made._orders = {TENANT: agent_database.TenantOrders(text("sessions/usual"), text("dns/usual"))}
        made._sessions.limits, made._sessions.counts = {TENANT: 50000}, {TENANT: 7}
        made._resolvers = resolvers
        return made._reports()[TENANT]

    def test_sessions_set(self):
        samples.check(self, "sessions-set/usual", self.reports()[node_protocol.SESSIONS_SET])

    def test_sessions_count(self):
        samples.check(self, "sessions-count/usual", self.reports()[node_protocol.SESSIONS_COUNT])

    def test_dns_state(self):
        made = agent.Agent(self.directory, with_resolvers=True)._resolvers
        made.want({TENANT: '{"domain": "."}'})
        samples.check(self, "dns-state/failed", self.reports(made)[node_protocol.DNS_STATE])
        tenant = made._tenants[TENANT]
        tenant.wrong, tenant.due = "", 0.0
        samples.check(self, "dns-state/starting", self.reports(made)[node_protocol.DNS_STATE])
        tenant.due = None
        samples.check(self, "dns-state/usual", self.reports(made)[node_protocol.DNS_STATE])

    def test_dns_silent(self):
        made = agent.Agent(self.directory, with_resolvers=True)._resolvers
        made.want({TENANT: '{"domain": "."}'})
        self.assertIsNone(self.reports(made)[node_protocol.DNS_SILENT])
        tenant = made._tenants[TENANT]
        tenant.silent_upstreams = ("192.0.2.53",)
        samples.check(self, "dns-silent/usual", self.reports(made)[node_protocol.DNS_SILENT])
        tenant.silent_upstreams += ("2001:db8::53",)
        samples.check(self, "dns-silent/several", self.reports(made)[node_protocol.DNS_SILENT])

    def test_trace_report(self):
        (self.directory / "ovs-appctl").write_text(_APPCTL, encoding="ascii")
        (self.directory / "ovs-appctl").chmod(0o755)
        switch = types.SimpleNamespace(control_socket="none", environment=dict(os.environ) | {
            "PATH": f"{self.directory}:{os.environ['PATH']}"})
        traces = agent_traces.Traces(switch, lambda _: None)
        order = SAMPLES["trace/usual"] | {"zone": SAMPLES["trace/full"]["zone"]}
        traces.want(f"{samples.ID} {json.dumps(order)}")
        samples.check(self, "trace-report/usual", traces.report)
        traces.want(f"{samples.ID} {json.dumps(order | {'first': order['first'] | {'port': 'acc7'}})}")
        samples.check(self, "trace-report/failed", traces.report)

    def test_cache_done(self):
        samples.check(self, "cache-done/usual", _done(text("cache/usual")))

    def test_orders_done(self):
        progress = agent_progress.Progress()
        progress.want(text("orders/usual"), None)
        full = SAMPLES["orders-done/full"]
        progress.tell(*({int(zone): reason for zone, reason in full[kind].items()} for kind in ("waiting", "failed")))
        samples.check(self, "orders-done/full", progress.report)
        progress.tell({}, {})
        samples.check(self, "orders-done/usual", progress.report)
        many = dict.fromkeys(range(2, 100), "x" * 1000)
        progress.tell(many, many)
        samples.validate("orders-done", json.loads(progress.report))

    def test_floods(self):
        for name in ("floods/usual", "floods/several"):
            floods = agent_floods.Floods(None, self.fail)
            floods.adopt(text(name))
            samples.check(self, name, floods.report)


def _done(order):
    """What the agent says when it has carried out an order to purge cached flows."""
    cache = agent_cache.Cache(lambda: False, None)
    cache.want(order, None)
    cache.run()
    return cache.done


class DatabaseTest(unittest.TestCase):
    """Orders and reports stand in the tables that the definition has, in a real database."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.ovs = Ovs(pathlib.Path(directory.name))
        self.addCleanup(self.ovs.stop)
        self.ovs.start_database()
        self.ovs.vsctl("--no-wait", "add-br", node_protocol.BRIDGE)
        self.controller = Controller(self.ovs.directory)
        self.database = agent_database.Database(self.ovs.socket)

    def keys_of(self, table):
        return {key for key, facts in samples.KEYS.items() if facts["table"] == table}

    def said(self):
        return self.ovs.get("Open_vSwitch", ".", "external_ids")

    def report(self):
        processes.wait_until(lambda: self.database.run() is not None and self.database.report({}, {}), "a report", 20)

    def test_the_version_is_that_of_the_agent_that_runs(self):
        made = profile.parse(_PROFILE | {"run-directory": str(self.ovs.directory), "controller": {
            "address": "127.0.0.1", "ovsdb-port": 1}})
        self.ovs.set_map("external_ids", {"owner": "ann"})
        node_settings.announce(self.ovs, made)
        self.assertEqual(self.said()[node_protocol.PROTOCOL], str(node_protocol.VERSION), "of the one that starts now")

        # This test is an agent of a former release.
        processes.record(os.getpid(), made.directory / "agent.process")
        for former in (("remove", "Open_vSwitch", ".", "external_ids", node_protocol.PROTOCOL),
                       ("set", "Open_vSwitch", ".", f"external_ids:{node_protocol.PROTOCOL}=0")):
            self.ovs.vsctl("--no-wait", *former)
            before = self.said().get(node_protocol.PROTOCOL)
            node_settings.announce(self.ovs, made)
            self.assertEqual(self.said().get(node_protocol.PROTOCOL), before)
            self.report()
            self.assertEqual(self.said()[node_protocol.PROTOCOL], str(node_protocol.VERSION), "the next one says so")
        self.assertEqual(self.said()["owner"], "ann")

    def test_orders_and_reports(self):
        orders = {samples.PREFIX + name.partition("/")[0]: text(name) for name in samples.read_by("agent")
                  if name.endswith("/usual")}
        reports = {samples.PREFIX + name.partition("/")[0]: text(name) for name in samples.of("agent")
                   if name.endswith("/usual")}
        zone, bridge = self.keys_of("CT_Zone"), self.keys_of("Bridge")
        self.controller.order(TENANT, **{key.replace("-", "_"): orders[key] for key in zone & set(orders)})
        self.ovs.vsctl("--no-wait", "set", "Bridge", node_protocol.BRIDGE, *(
            f"external_ids:{key}={json.dumps(orders[key])}" for key in bridge & set(orders)))
        processes.wait_until(lambda: self.database.run() is not None and self.database.bridge(node_protocol.ORDERS),
                             "the orders", 20)
        self.assertEqual(self.database.orders(), {TENANT: agent_database.TenantOrders(text("sessions/usual"),
                                                                                      text("dns/usual"))})
        self.assertEqual({key: self.database.bridge(key) for key in bridge & set(orders)},
                         {key: orders[key] for key in bridge & set(orders)})

        written = ({TENANT: {key: reports[key] for key in zone & set(reports)}},
                   {key: reports[key] for key in bridge & set(reports)})
        processes.wait_until(lambda: self.database.run() is not None and self.database.report(*written),
                             "the reports", 20)
        self.assertEqual(self.said(), {node_protocol.PROTOCOL: reports.pop(node_protocol.PROTOCOL)})
        all_keys = orders | reports
        self.assertEqual(self.controller.reports(TENANT),
                         {key: all_keys[key] for key in zone & set(all_keys)})
        self.assertEqual(self.ovs.get("Bridge", node_protocol.BRIDGE, "external_ids"),
                         {key: all_keys[key] for key in bridge & set(all_keys)})


if __name__ == "__main__":
    unittest.main()
