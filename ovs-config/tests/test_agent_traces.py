# SPDX-License-Identifier: Apache-2.0
"""Orders to trace a packet: what is accepted and what is refused, and what a real switch and the agent of its node say.

The second part needs root and Open vSwitch with DPDK.
"""

import copy
import json
import re
import unittest

import pytest

from names import Controller
from penstock_base import processes
from penstock_base.commands import run
from penstock_node import agent_traces, node_protocol
from penstock_node.node_protocol import BRIDGE
from sandbox import Sandbox, hanging

GOOD = {"packet": {"source": "10.0.0.5", "destination": "198.18.0.10", "protocol": 6, "source-port": 40000,
                   "destination-port": 7},
        "first": {"port": "acc0", "vlan": 100, "source-mac": "02:00:00:00:00:01",
                  "destination-mac": "02:50:53:00:00:01"},
        "functions": {f"{name}-in": {"port": f"{name}-out", "vlan": 2, "source-mac": "02:50:53:ff:00:01",
                                     "destination-mac": "02:50:53:ff:00:02"} for name in ("fw1", "fw2")}}
ZONE = 0x7002
_ABSENT = object()


def order(**changes):
    """The good order with other members; of nested ones the names are joined by two underscores, - is one."""
    changed = copy.deepcopy(GOOD)
    for path, value in changes.items():
        *above, name = [part.replace("_", "-") for part in path.split("__")]
        place = changed
        for part in above:
            place = place[part]
        if value is _ABSENT:
            del place[name]
        else:
            place[name] = value
    return changed


class OrdersTest(unittest.TestCase):

    def test_accepted(self):
        for changes in ({}, {"zone": ZONE, "label": "0x5", "state": "rpl"}, {"first__vlan": 0},
                        {"packet__source": "2001:db8::1", "packet__destination": "2001:db8::2"}):
            with self.subTest(changes):
                wanted = order(**changes)
                self.assertEqual(agent_traces.parse(json.dumps(wanted)), wanted)

    def test_refused(self):
        evil = "acc0 actions=drop"
        for changes, words in (
                ({"packet__source": "10.0.0.5,nw_dst=1.1.1.1"}, "packet/source: "), ({"packet__source": 7}, "source"),
                ({"packet__source": "fe80::1%eth0"}, "packet/source: is not an address"),
                ({"packet__destination": "2001:db8::1"}, "packet/destination: is of another family"),
                ({"packet__protocol": 47}, "packet/protocol"), ({"packet__protocol": "6"}, "packet/protocol"),
                ({"packet__protocol": True}, "packet/protocol"), ({"packet__source_port": 65536}, "packet/source-port"),
                ({"packet__destination_port": -1}, "packet/destination-port"),
                ({"packet__destination_port": _ABSENT}, "packet: destination-port is missing"),
                ({"packet__tos": 1}, "packet: 'tos' is unknown"), ({"flow": "ip"}, "order: 'flow' is unknown"),
                ({"first__port": evil}, "first/port: "), ({"first__port": "--help"}, "first/port: "),
                ({"first__port": "a" * 16}, "first/port: "), ({"first__port": "acc0\n"}, "first/port: "),
                ({"first__vlan": 4095}, "first/vlan"), ({"functions__fw1_in__vlan": "2"}, "functions/fw1-in/vlan"),
                ({"functions__fw1_in__source_mac": "02:00:00:00:00"}, "functions/fw1-in/source-mac"),
                ({"first__destination_mac": "02:00:00:00:00:0g"}, "first/destination-mac"),
                ({"functions": ["fw1-in"]}, "functions: "), ({"functions": {evil: GOOD["first"]}}, "functions: "),
                ({"functions__fw1_in__port": evil}, "functions/fw1-in/port: "),
                ({"functions": {"fw1-in": "fw1-out"}}, "functions/fw1-in: "),
                ({"functions": {f"p{number}": "x" for number in range(1025)}}, "functions: "),
                ({"zone": 0}, "zone: "), ({"zone": "28674 -m"}, "zone: "), ({"label": "5"}, "label: "),
                ({"label": "0x" + "f" * 33}, "label: "), ({"label": None}, "label: "),
                ({"state": "trk,new"}, "state: "), ({"state": ["new"]}, "state: "), ({"first": []}, "first: "),
                ({"functions": {"x": "y" * 300000}}, "too long")):
            with self.subTest(str(changes)[:100]), self.assertRaises(agent_traces.TraceError) as caught:
                agent_traces.parse(json.dumps(order(**changes)))
            self.assertIn(words, str(caught.exception))
        for text in ("", "{", "[]", "7", "null", '"x"'):
            with self.subTest(text), self.assertRaises(agent_traces.TraceError):
                agent_traces.parse(text)


@pytest.mark.node
class SwitchTest(unittest.TestCase):
    """A bridge that spreads by a bit of the source port, and keeps in a label what it chose, as the real flows do."""

    @classmethod
    def setUpClass(cls):
        cls.box = Sandbox()
        cls.addClassCleanup(cls.box.close)
        cls.name, cls.directory = cls.box.running_node("t")
        cls.ovs = Controller(cls.directory).ovs
        ports = ["acc0", "up0", "fw1-in", "fw1-out", "fw2-in", "fw2-out"]
        cls.ovs.vsctl(*" -- ".join(f"add-port {BRIDGE} {name} -- set Interface {name} type=internal "
                                   f"ofport_request={number}" for number, name in enumerate(ports, 1)).split())

    def setUp(self):
        tag = "set_field:4098->vlan_vid"
        self.flows(
            f"table=0,in_port=1,dl_vlan=100,ip,actions=pop_vlan,ct(table=1,zone={ZONE})",
            "table=1,priority=9,ip,ct_label=0x3/0xffff,actions=goto_table:3",
            "table=1,priority=9,ip,ct_label=0x5/0xffff,actions=goto_table:3",
            "table=1,priority=1,ip,tcp,tp_src=0/1,actions=load:3->NXM_NX_REG0[0..15],goto_table:2",
            "table=1,priority=1,ip,tcp,tp_src=1/1,actions=load:5->NXM_NX_REG0[0..15],goto_table:2",
            f"table=2,ip,actions=ct(commit,zone={ZONE},exec(move:NXM_NX_REG0[0..15]->NXM_NX_CT_LABEL[0..15])),"
            "goto_table:4",
            "table=3,ip,actions=move:NXM_NX_CT_LABEL[0..15]->NXM_NX_REG0[0..15],goto_table:4",
            f"table=4,reg0=3,actions=push_vlan:0x8100,{tag},output:3",
            f"table=4,reg0=5,actions=push_vlan:0x8100,{tag},output:5",
            "table=0,in_port=4,dl_vlan=2,actions=goto_table:9", "table=0,in_port=6,dl_vlan=2,actions=goto_table:9",
            "table=9,dl_vlan=2,actions=pop_vlan,output:2",
            f"table=0,in_port=2,ip,actions=ct(table=3,zone={ZONE})")

    def flows(self, *flows):
        path = self.box.run_directory / "flows"
        path.write_text("\n".join(flows) + "\n", encoding="ascii")
        run("ovs-ofctl", "-O", "OpenFlow13", "replace-flows", self.directory / f"{BRIDGE}.mgmt", path)

    def ask(self, wanted, name="1"):
        """Has the agent answer an order in the database; the words are the controller's."""
        text = json.dumps(f"{name} {wanted if isinstance(wanted, str) else json.dumps(wanted)}")
        self.ovs.vsctl("--no-wait", "set", "Bridge", BRIDGE, f"external_ids:{node_protocol.TRACE}={text}")
        answers = []

        def answered():
            said = self.ovs.get("Bridge", BRIDGE, "external_ids").get(node_protocol.TRACE_REPORT, "")
            answers[:] = [said.removeprefix(f"{name} ")] if said.startswith(f"{name} ") else []
            return bool(answers)
        try:
            processes.wait_until(answered, "an answer of the agent", 120)
        finally:
            self.ovs.vsctl("--no-wait", "remove", "Bridge", BRIDGE, "external_ids", node_protocol.TRACE)
        processes.wait_until(lambda: node_protocol.TRACE_REPORT not in self.ovs.get(
            "Bridge", BRIDGE, "external_ids"), "the end of the report", 120)
        return json.loads(answers[0])

    def test_a_packet_is_followed_through_functions(self):
        for port, instance, number in ((40000, "fw1", 3), (40001, "fw2", 5)):
            with self.subTest(port):
                answer = self.ask(order(zone=ZONE, packet__source_port=port), str(port))
                self.assertEqual(answer, {"state": "new", "label": hex(number), "legs": [
                    {"from": "acc0", "to": [f"{instance}-in"], "tables": [0, 1, 2, 4]},
                    {"from": f"{instance}-out", "to": ["up0"], "tables": [0, 9]}]})

    def test_an_answer_goes_where_the_label_says(self):
        back = order(first={"port": "up0", "vlan": 0, "source-mac": "02:00:00:00:00:01",
                            "destination-mac": "02:50:53:00:00:01"}, zone=ZONE, state="rpl", label="0x5",
                     functions={})
        self.assertEqual(self.ask(back, "back")["legs"], [
            {"from": "up0", "to": ["fw2-in"], "tables": [0, 3, 4]}])

    def test_a_known_connection_has_its_label_from_both_sides(self):
        for source, destination, ports in (("10.0.0.5", "198.18.0.10", (50000, 7)),
                                           ("2001:db8::5", "2001:db8::10", (50002, 7))):
            version = 6 if ":" in source else 4
            run("ovs-ofctl", "-O", "OpenFlow13", "packet-out", self.directory / f"{BRIDGE}.mgmt",
                f"in_port=LOCAL packet={_syn(version, source, destination, *ports)} "
                f"actions=ct(commit,zone={ZONE},exec(set_field:0x5->ct_label))")
            there = order(zone=ZONE, packet={"source": source, "destination": destination, "protocol": 6,
                                             "source-port": ports[0], "destination-port": ports[1]})
            back = order(zone=ZONE, packet={"source": destination, "destination": source, "protocol": 6,
                                            "source-port": ports[1], "destination-port": ports[0]})
            with self.subTest(source):
                known = self.ask(there, f"there{version}")
                self.assertEqual((known["state"], known["label"]), ("est", "0x5"))
                known = self.ask(back, f"back{version}")
                self.assertEqual((known["state"], known["label"]), ("rpl", "0x5"))
        # An even port would choose the other one.
        self.assertEqual(self.ask(order(zone=ZONE, packet__source_port=50000), "kept")["legs"][0]["to"], ["fw2-in"])

    def test_what_is_changed_by_hand_is_seen(self):
        run("ovs-ofctl", "-O", "OpenFlow13", "del-flows", self.directory / f"{BRIDGE}.mgmt", "table=4,reg0=3")
        self.assertEqual(self.ask(order(zone=ZONE), "gone")["legs"], [
            {"from": "acc0", "to": [], "tables": [0, 1, 2, 4]}])

    def test_a_loop_ends(self):
        self.flows("table=0,in_port=1,dl_vlan=100,actions=output:3", "table=0,in_port=4,actions=output:3")
        self.assertEqual(len(self.ask(order(), "loop")["legs"]), agent_traces.MOST_LEGS)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_a_switch_that_hangs_is_not_waited_for_long(self):
        with hanging(processes.pid_of(self.ovs.switch_process)):
            answer = self.ask(order(zone=ZONE), "hangs")
        self.assertIn("in time", answer["error"])

    def test_wrong_orders_are_refused_and_the_agent_goes_on(self):
        self.assertIn("is not JSON", self.ask("{", "bad")["error"])
        self.assertIn("first/port", self.ask(order(first__port="acc0;reboot"), "evil")["error"])
        self.assertIn("the switch has no port acc7", self.ask(order(first__port="acc7"), "none")["error"])
        self.assertEqual(self.ask(order(zone=ZONE), "good")["state"], "new")


def _syn(version, source, destination, source_port, destination_port):
    """A TCP SYN in hexadecimal, made by the switch's own tool, which fills in lengths and checksums."""
    names = ("nw", "tcp") if version == 4 else ("ipv6", "tcp6")
    dump = run("ovs-ofctl", "compose-packet",
               f"{names[1]},eth_src=02:00:00:00:00:05,eth_dst=02:00:00:00:00:06,{names[0]}_src={source},"
               f"{names[0]}_dst={destination},nw_ttl=64,tcp_src={source_port},tcp_dst={destination_port},"
               "tcp_flags=0x002")
    return "".join(re.findall(r"[0-9a-f]{2}", " ".join(line[10:57] for line in dump.splitlines())))
