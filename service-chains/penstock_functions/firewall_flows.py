# SPDX-License-Identifier: Apache-2.0
"""Rules of a firewall as OpenFlow, for the form that filters in an Open vSwitch of its own: container.

A frame that comes in by one port leaves by another, tag and all. Table 0 lets pass what is not tracked and sends IP
through connection tracking, in the zone of its VLAN tag; table 1 has the rules; table 2 has the packets whose session
has been noted. Each flow that drops has the cookie of its counter.

Pieces of a packet are tracked as one, then looked up one by one, and only the first tells its ports, in IPv6 even its
protocol, which connection tracking tells with each (its ports not). The others of a packet that begins a session go to
be noted unseen: that waits for all pieces, and gives up what lacks the first as invalid.

With a second output each session has a mark in connection tracking, which says by which output it leaves. Its answers
come in there: one of a diverted session that comes in by "outside" is dropped, because it has gone around whatever the
session was diverted to, which might not have let it pass. What has no mark, as when connection tracking is full, leaves
by no output. The last piece of a packet decides how all are noted, so a session that begins in pieces is diverted when
any rule of its protocol diverts: what has to be diverted never leaves by "outside".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from . import firewall_rules
from .firewall_rules import Rule

PORTS = {"inside": 1, "outside": 2, "alternative": 3}
"""OpenFlow ports of the sides."""

_ACROSS = {"inside": "outside", "outside": "inside"}
_STRAIGHT, _DIVERTED = 1, 2  # Marks.
_TAGGED = "vlan_vid=0x1000/0x1000"
# A zone is a whole 16-bit field, and the tag has 12 bits.
_NOTE_TAG = "move:OXM_OF_VLAN_VID[0..11]->NXM_NX_REG0[0..11]"
_ZONE = "zone=NXM_NX_REG0[0..15]"
_FAMILIES = {"tcp": ("tcp", "tcp6"), "udp": ("udp", "udp6"), "icmp": ("icmp", "icmp6")}
_NUMBERS = {"tcp": (6, 6), "udp": (17, 17), "icmp": (1, 58)}
_KNOWN, _LATER_PIECES, _FIRST_RULE = 65000, 64000, 60000
_BEGINS = "ct_state=+trk+new"


def of(rules: Sequence[Rule], outputs: int) -> list[str]:
    """The flows of a rule set, for a function with so many outputs: a list of lines as ovs-ofctl reads them."""
    cookies = {name: cookie for cookie, name in enumerate(firewall_rules.counters(rules), 1)}
    flows = [f"table={table},priority=0,cookie={cookies[firewall_rules.UNSOLICITED]},actions=drop" for table in (1, 2)]
    if outputs == 1:
        known: tuple[str, ...] = ("+trk+est", "+trk+rel")
        begun = "+trk-inv"
        note = {"accept": f"actions=ct(commit,table=2,{_ZONE})"}
    else:
        known, begun = (f"+trk-inv,ct_mark={_STRAIGHT}",), f"+trk-inv,ct_mark={_STRAIGHT}"
        note = {action: f"actions=ct(commit,table=2,{_ZONE},exec(set_field:{mark}->ct_mark))"
                for action, mark in (("accept", _STRAIGHT), ("divert", _DIVERTED))}
        diverted, answers = (f"{state},ct_mark={_DIVERTED}" for state in ("+trk-inv", "+trk-inv+rpl"))
        flows += (*_arrive("alternative", cookies), *_pass("inside", "alternative", (diverted,), diverted),
                  *_pass("alternative", "inside", (answers,), None))
    for side, other in _ACROSS.items():
        flows += (*_arrive(side, cookies), *_pass(side, other, known, begun), *_later_pieces(side, rules, note))
    for index, rule in enumerate(rules):
        flows += _rule(rule, _FIRST_RULE - index, cookies, note)
    return flows


def packets_by_name(counters: Sequence[str], dumped: str) -> dict[str, int]:
    """Packets dropped by name of the counter, of all that the rules have, from what `ovs-ofctl dump-flows` prints.

    A switch that was taken over may have other flows: those have no counter.
    """
    packets = dict.fromkeys(counters, 0)
    names = dict(enumerate(counters, 1))
    for cookie, number in re.findall(r"cookie=(\w+),.* n_packets=(\d+),", dumped):
        name = names.get(int(cookie, 16))
        if name:
            packets[name] += int(number)
    return packets


def _arrive(side: str, cookies: Mapping[str, int]) -> Iterator[str]:
    source = f"in_port={PORTS[side]}"
    yield f"table=0,priority=0,cookie={cookies[firewall_rules.UNTAGGED]},{source},actions=drop"
    untracked = (f"actions=output:{PORTS[_ACROSS[side]]}" if side in _ACROSS else
                 f"cookie={cookies[firewall_rules.UNSOLICITED]},actions=drop")
    for match in ("arp", *(f"icmp6,icmp_type={kind}" for kind in firewall_rules.NEIGHBOUR_DISCOVERY.values())):
        yield f"table=0,priority=200,{source},{_TAGGED},{match},{untracked}"
    for family in ("ip", "ipv6"):
        yield f"table=0,priority=100,{source},{_TAGGED},{family},actions={_NOTE_TAG},ct(table=1,{_ZONE})"


def _pass(side: str, other: str, known: Iterable[str], begun: str | None) -> Iterator[str]:
    """Packets of known sessions, and those that begin one, when it has been noted."""
    source, passed = f"in_port={PORTS[side]}", f"actions=output:{PORTS[other]}"
    for session in known:
        yield f"table=1,priority={_KNOWN},{source},ct_state={session},{passed}"
    if begun:
        yield f"table=2,priority=100,{source},ct_state={begun},{passed}"


def _later_pieces(side: str, rules: Iterable[Rule], note: Mapping[str, str]) -> Iterator[str]:
    for protocol, numbers in _NUMBERS.items():
        actions = set()
        for rule in rules:
            if (rule.side, rule.protocol) == (side, protocol):
                actions.add(rule.action)
                if not rule.port:
                    break  # It fits all.
        action = next((action for action in ("divert", "accept") if action in actions), None)
        if action:
            for family, number in zip(("ip", "ipv6"), numbers, strict=True):
                yield (f"table=1,priority={_LATER_PIECES},in_port={PORTS[side]},{_BEGINS},{family},nw_frag=later,"
                       f"ct_nw_proto={number},{note[action]}")


def _rule(rule: Rule, priority: int, cookies: Mapping[str, int], note: Mapping[str, str]) -> Iterator[str]:
    port = f",tp_dst={rule.port}" if rule.port else ""
    for protocol in _FAMILIES[rule.protocol]:
        match = f"table=1,priority={priority},in_port={PORTS[rule.side]},{protocol}{port}"
        if rule.counter:
            yield f"cookie={cookies[rule.counter]},{match},actions=drop"
        else:
            yield f"{match},{_BEGINS},{note[rule.action]}"
