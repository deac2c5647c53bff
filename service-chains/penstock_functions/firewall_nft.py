# SPDX-License-Identifier: Apache-2.0
"""Rules of a firewall as nftables, for the forms that filter in a kernel: netns and vm.

They are loaded before the two devices "inside" and "outside" are bridged. The kernels we met have no connection
tracking in the bridge family, so br_netfilter hands the bridged packets to the inet family. There the device they came
in by is no longer to be seen: the bridge table notes it in the packet mark.
"""

import pathlib
import string
from collections.abc import Iterable, Iterator

from . import firewall_rules
from .firewall_rules import Rule

_MARKS = {"inside": 1, "outside": 2}
_ICMP = "{ icmp, ipv6-icmp }"
# One zone of conntrack for each VLAN tag, so tenants with equal addresses never share a session. Before -400, where
# fragments are put together: those must not mix either. (The zone is the tag in network byte order.)
_TEXT = string.Template("""\
table bridge penstock {
    counter $untagged {
    }
    chain arrive {
        type filter hook prerouting priority -300; policy accept;
        $marks
    }
    chain pass {
        type filter hook forward priority -300; policy drop;
        ether type vlan vlan type { ip, ip6, arp } accept
        counter name $untagged drop
    }
}

table inet penstock {
    $counters
    chain zone {
        type filter hook prerouting priority -450; policy accept;
        ct zone set vlan id
    }
    chain pass {
        type filter hook forward priority 0; policy drop;
        ct state established,related accept
        icmpv6 type { $discovery } accept
        $rules
        counter name $unsolicited drop
    }
}
""")


def of_file(path: pathlib.Path) -> str:
    """The nftables text of a file of rules: of a rule set, or the text that it holds."""
    if firewall_rules.is_rule_set(path):
        return of(firewall_rules.load(path))
    return pathlib.Path(path).read_text(encoding="utf-8")


def of(rules: Iterable[Rule]) -> str:
    """The nftables text of a rule set."""
    unsolicited, untagged = firewall_rules.UNSOLICITED, firewall_rules.UNTAGGED
    named = (name for name in firewall_rules.counters(rules) if name != untagged)
    return _TEXT.substitute(
        untagged=untagged, unsolicited=unsolicited, discovery=", ".join(firewall_rules.NEIGHBOUR_DISCOVERY),
        marks=_lines(2, (f'iifname "{side}" meta mark set {mark}' for side, mark in _MARKS.items())),
        counters=_lines(1, (f"counter {name} {{\n    }}" for name in named)),
        rules=_lines(2, (line for rule in rules for line in _rule(rule))))


def _rule(rule: Rule) -> Iterator[str]:
    if rule.comment:
        yield f"# {rule.comment}"
    match = f"{rule.protocol} dport {rule.port}" if rule.port else \
        f"meta l4proto {_ICMP if rule.protocol == 'icmp' else rule.protocol}"
    # No divert: a kernel has two devices, so such rules were not loaded for it.
    state, action = {"accept": ("ct state new ", "accept"),
                     "drop": ("", f"counter name {rule.counter} drop")}[rule.action]
    yield f"meta mark {_MARKS[rule.side]} {state}{match} {action}"


def _lines(depth: int, lines: Iterable[str]) -> str:
    return f"\n{'    ' * depth}".join(lines)
