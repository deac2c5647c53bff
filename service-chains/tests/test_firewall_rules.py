# SPDX-License-Identifier: Apache-2.0
"""Rule sets: errors name the field, and what is made of them is what nft and Open vSwitch understand."""

import json
import pathlib
import tempfile
import unittest

from penstock_base.commands import run
from penstock_base.errors import ProfileError
from penstock_functions import firewall_flows, firewall_nft, firewall_rules

GOOD = {"from": "inside", "protocol": "tcp", "destination-port": 23, "action": "drop", "counter": "denied"}


class FirewallRulesTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name) / "x.rules.yaml"

    def load(self, *rules, outputs=1):
        entries = [{key: value for key, value in rule.items() if value is not ...} for rule in rules]
        self.path.write_text(json.dumps({"rules": entries}), encoding="ascii")
        return firewall_rules.load(self.path, outputs)

    def test_wrong_fields(self):
        for changes, start in (
                ({"from": ...}, "rules[1].from: is missing"), ({"from": "above"}, "rules[1].from: "),
                ({"protocol": "sctp"}, "rules[1].protocol: "), ({"action": "reject"}, "rules[1].action: "),
                ({"destination-port": 0}, "rules[1].destination-port: "),
                ({"destination-port": 65536}, "rules[1].destination-port: "),
                ({"destination-port": "telnet"}, "rules[1].destination-port: "),
                ({"protocol": "icmp"}, "rules[1].destination-port: icmp has no ports"),
                ({"counter": ...}, "rules[1].counter: is missing"),
                ({"counter": "untagged"}, "rules[1].counter: "), ({"counter": "Denied; "}, "rules[1].counter: "),
                ({"action": "accept"}, "rules[1].counter: only what is dropped is counted"),
                ({"comment": "two\nlines"}, "rules[1].comment: "), ({"comment": ""}, "rules[1].comment: "),
                ({"port": 23}, "rules[1].port: unknown field")):
            with self.subTest(changes), self.assertRaises(ProfileError) as caught:
                self.load(GOOD, GOOD | changes)
            self.assertTrue(any(problem.startswith(start) for problem in caught.exception.problems),
                            caught.exception.problems)

    def test_divert(self):
        divert = GOOD | {"action": "divert", "counter": ...}
        with self.assertRaisesRegex(ProfileError, r"rules\[1\].action: is divert, and the function has one output"):
            self.load(GOOD, divert)
        with self.assertRaisesRegex(ProfileError, r"rules\[1\].action: is divert, and the function has one output"):
            firewall_nft.of_file(self.path)
        for changes, start in (({"from": "outside"}, "rules[0].from: is outside; only what the tenant begins"),
                               ({"counter": "web"}, "rules[0].counter: only what is dropped is counted")):
            with self.subTest(changes), self.assertRaises(ProfileError) as caught:
                self.load(divert | changes, outputs=2)
            self.assertTrue(caught.exception.problems[0].startswith(start), caught.exception.problems)
        flows = firewall_flows.of(self.load(divert, outputs=2), 2)
        parsed = run("ovs-ofctl", "-O", "OpenFlow13", "parse-flows", "-", standard_input="\n".join(flows))
        self.assertEqual(parsed.count(": ADD "), len(flows))
        to_alternative = [flow for flow in flows if flow.endswith("output:3")]
        self.assertTrue(all("in_port=1," in flow and "ct_mark=2," in flow for flow in to_alternative), to_alternative)
        from_alternative = [flow for flow in flows if "in_port=3," in flow and "output:" in flow]
        self.assertTrue(from_alternative)
        self.assertTrue(all("+rpl,ct_mark=2,actions=output:1" in flow for flow in from_alternative), from_alternative)

    def test_later_pieces(self):
        """They show no port: whatever a rule may divert is diverted."""
        drop, accept = GOOD, {"from": "inside", "protocol": "tcp", "action": "accept"}
        divert = accept | {"destination-port": 80, "action": "divert"}
        for rules, outputs, wanted in (((drop,), 1, []), ((drop, accept), 1, ["ct(commit"]),
                                       ((drop, accept), 2, [":1->ct_mark"]), ((divert, accept), 2, [":2->ct_mark"]),
                                       ((accept, divert), 2, [":1->ct_mark"]), ((divert,), 2, [":2->ct_mark"])):
            flows = [flow for flow in firewall_flows.of(self.load(*rules, outputs=outputs), outputs)
                     if "nw_frag=later" in flow]
            with self.subTest(rules=rules):
                self.assertEqual(len(flows), 2 * len(wanted))
                self.assertTrue(all(words in flow for words in wanted for flow in flows), flows)

    def test_no_rules(self):
        self.path.write_text("{}", encoding="ascii")
        with self.assertRaisesRegex(ProfileError, "rules: is missing; give the list of at most 1000 rules"):
            firewall_rules.load(self.path)

    def test_every_kind_of_rule(self):
        rules = self.load(*({"from": side, "protocol": protocol, "action": action, "comment": 'why { "not" ; }'}
                            | ({"counter": f"c-{protocol}"} if action == "drop" else {})
                            | ({"destination-port": port} if port else {})
                            for side in ("inside", "outside") for protocol in ("tcp", "udp", "icmp")
                            for action in ("accept", "drop") for port in (None, 65535)
                            if not port or protocol != "icmp"))
        self.assertEqual(firewall_rules.counters(rules), ["c-tcp", "c-udp", "c-icmp", "unsolicited", "untagged"])
        run("nft", "--check", "--file", "-", standard_input=firewall_nft.of(rules))
        flows = firewall_flows.of(rules, 1)
        parsed = run("ovs-ofctl", "-O", "OpenFlow13", "parse-flows", "-", standard_input="\n".join(flows))
        self.assertEqual(parsed.count(": ADD "), len(flows))

    def test_first_rule_that_fits_decides(self):
        rules = self.load(GOOD, GOOD | {"destination-port": ..., "action": "accept", "counter": ...})
        telnet, tcp = (next(flow for flow in firewall_flows.of(rules, 1) if words in flow)
                       for words in (",tcp,tp_dst=23,", ",tcp,ct_state=+trk+new,"))
        self.assertGreater(*(int(flow.partition("priority=")[2].partition(",")[0]) for flow in (telnet, tcp)))
        text = firewall_nft.of(rules)
        self.assertLess(text.index("tcp dport 23"), text.index("ct state new meta l4proto tcp accept"))

    def test_counters_of_flows(self):
        dumped = """\
 cookie=0x1, duration=9.1s, table=1, n_packets=3, n_bytes=1, reset_counts priority=60000,tcp,tp_dst=23 actions=drop
 cookie=0x1, duration=9.1s, table=1, n_packets=4, n_bytes=1, reset_counts priority=60000,tcp6,tp_dst=23 actions=drop
 cookie=0x0, duration=9.1s, table=0, n_packets=99, n_bytes=1, reset_counts priority=200,arp actions=output:2
 cookie=0x3, duration=9.1s, table=0, n_packets=5, n_bytes=1, reset_counts priority=0 actions=drop"""
        self.assertEqual(firewall_flows.packets_by_name(["denied", "unsolicited", "untagged"], dumped),
                         {"denied": 7, "unsolicited": 0, "untagged": 5})


if __name__ == "__main__":
    unittest.main()
