# SPDX-License-Identifier: Apache-2.0
"""Rules of a firewall as OpenFlow, for the form that filters in an Open vSwitch of its own: container.

A frame that comes in by one port leaves by the other, tag and all. Table 0 lets pass what is not tracked and sends IP
through connection tracking, in the zone of its VLAN tag; table 1 has the rules; table 2 has the packets whose session
has been noted. Each flow that drops has the cookie of its counter.

Pieces of a packet are tracked as one, then looked up one by one, and only the first tells its ports, in IPv6 even its
protocol. The others of a packet that begins a session go to be noted unseen: that waits for all pieces, and gives up
what lacks the first as invalid.
"""

import re

from . import firewall_rules

PORTS = {"inside": 1, "outside": 2}
"""OpenFlow ports of the sides."""

_TAGGED = "vlan_vid=0x1000/0x1000"
# A zone is a whole 16-bit field, and the tag has 12 bits.
_NOTE_TAG = "move:OXM_OF_VLAN_VID[0..11]->NXM_NX_REG0[0..11]"
_ZONE = "zone=NXM_NX_REG0[0..15]"
_FAMILIES = {"tcp": ("tcp", "tcp6"), "udp": ("udp", "udp6"), "icmp": ("icmp", "icmp6")}
_KNOWN, _FIRST_RULE, _LATER_PIECES = 65000, 60000, 100
_BEGINS = "ct_state=+trk+new"
_NOTE_SESSION = f"actions=ct(commit,table=2,{_ZONE})"


def of(rules):
    """The flows of a rule set: a list of lines as ovs-ofctl reads them."""
    cookies = {name: cookie for cookie, name in enumerate(firewall_rules.counters(rules), 1)}
    flows = [f"table={table},priority=0,cookie={cookies[firewall_rules.UNSOLICITED]},actions=drop" for table in (1, 2)]
    for side, passed in (("inside", f"output:{PORTS['outside']}"), ("outside", f"output:{PORTS['inside']}")):
        source = f"in_port={PORTS[side]}"
        flows += _arrive(source, passed)
        flows += (f"table=0,priority=0,cookie={cookies[firewall_rules.UNTAGGED]},{source},actions=drop",
                  f"table=1,priority={_KNOWN},{source},ct_state=+trk+est,actions={passed}",
                  f"table=1,priority={_KNOWN},{source},ct_state=+trk+rel,actions={passed}",
                  f"table=2,priority=100,{source},ct_state=+trk-inv,actions={passed}")
        if any(rule.side == side and rule.counter is None for rule in rules):
            flows += (f"table=1,priority={_LATER_PIECES},{source},{family},nw_frag=later,{_BEGINS},{_NOTE_SESSION}"
                      for family in ("ip", "ipv6"))
    for index, rule in enumerate(rules):
        flows += _rule(rule, _FIRST_RULE - index, cookies)
    return flows


def packets_by_name(counters, dumped):
    """Packets dropped by name of the counter, of all that the rules have, from what `ovs-ofctl dump-flows` prints."""
    packets = dict.fromkeys(counters, 0)
    names = dict(enumerate(counters, 1))
    for cookie, number in re.findall(r"cookie=(\w+),.* n_packets=(\d+),", dumped):
        if int(cookie, 16):
            packets[names[int(cookie, 16)]] += int(number)
    return packets


def _arrive(source, passed):
    untracked = ("arp", *(f"icmp6,icmp_type={kind}" for kind in firewall_rules.NEIGHBOUR_DISCOVERY.values()))
    for match in untracked:
        yield f"table=0,priority=200,{source},{_TAGGED},{match},actions={passed}"
    for family in ("ip", "ipv6"):
        yield f"table=0,priority=100,{source},{_TAGGED},{family},actions={_NOTE_TAG},ct(table=1,{_ZONE})"


def _rule(rule, priority, cookies):
    port = f",tp_dst={rule.port}" if rule.port else ""
    for protocol in _FAMILIES[rule.protocol]:
        match = f"table=1,priority={priority},in_port={PORTS[rule.side]},{protocol}{port}"
        if rule.counter:
            yield f"cookie={cookies[rule.counter]},{match},actions=drop"
        else:
            yield f"{match},{_BEGINS},{_NOTE_SESSION}"
