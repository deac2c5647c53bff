# SPDX-License-Identifier: Apache-2.0
"""Rule sets of stateful firewalls, read and checked. `firewall_nft` and `firewall_flows` make of them what each form
filters by.

Whatever the rules, a firewall passes the packets of accepted sessions and the ICMP errors that are about one, ARP and
neighbour discovery. It keeps sessions apart by VLAN tag, and drops and counts what fits no rule, and what is untagged
or neither IP nor ARP.
"""

import dataclasses
import pathlib
import typing
from collections.abc import Iterable, Iterator, Mapping

from penstock_base import documents
from penstock_base.errors import ProfileError

SUFFIX = ".rules.yaml"
"""How the names of rule sets end. Other files of rules are nftables."""
UNSOLICITED = "unsolicited"
"""The counter of packets that belong to no session and may begin none."""
UNTAGGED = "untagged"
"""The counter of frames without a VLAN tag, or with neither IP nor ARP behind it."""
NEIGHBOUR_DISCOVERY = {"nd-router-solicit": 133, "nd-router-advert": 134, "nd-neighbor-solicit": 135,
                       "nd-neighbor-advert": 136}
"""Types of ICMPv6 that pass untracked, by their names in nftables."""

_SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "firewall.schema.json"


@dataclasses.dataclass(frozen=True)
class Rule:
    """What happens to packets that begin a session and fit.

    side:      inside or outside: where they come from
    protocol:  tcp, udp or icmp, which is ICMPv6 too
    port:      destination port, None for any
    action:    accept, drop, or divert: accept and have the session leave by the side alt
    counter:   where what is dropped is counted, else None
    comment:   why, may be empty
    """
    side: str
    protocol: str
    port: int | None
    action: str
    counter: str | None
    comment: str


def is_rule_set(path: pathlib.Path) -> bool:
    """Whether a file of rules is a rule set, by its name."""
    return pathlib.Path(path).name.endswith(SUFFIX)


def load(path: pathlib.Path, outputs: int = 1) -> tuple[Rule, ...]:
    """The rules of a file, in their order, for a function with so many outputs. Raises ProfileError with everything
    that is wrong."""
    content = documents.read_yaml(path)
    wrong = documents.problems(content, _SCHEMA)
    if not wrong:
        for index, entry in enumerate(content["rules"]):
            wrong += (f"rules[{index}].{problem}" for problem in _problems(entry, outputs))
    if wrong:
        raise ProfileError(wrong, path)
    return tuple(Rule(entry["from"], entry["protocol"], entry.get("destination-port"), entry["action"],
                      entry.get("counter"), entry.get("comment", "")) for entry in content["rules"])


def counters(rules: Iterable[Rule]) -> list[str]:
    """Names of all counters of a firewall with these rules, each once."""
    return [*dict.fromkeys(rule.counter for rule in rules if rule.counter), UNSOLICITED, UNTAGGED]


def _problems(entry: Mapping[str, typing.Any], outputs: int) -> Iterator[str]:
    """What is wrong between the fields of an entry that are right by themselves."""
    if entry["protocol"] == "icmp" and "destination-port" in entry:
        yield "destination-port: icmp has no ports; remove it, or set protocol: tcp or udp"
    if entry["action"] == "drop" and "counter" not in entry:
        yield "counter: is missing; a rule with action drop names the counter of what it drops, such as denied"
    if entry["action"] != "drop" and "counter" in entry:
        yield "counter: only what is dropped is counted; remove it, or set action: drop"
    if entry["action"] == "divert" and entry["from"] != "inside":
        yield "from: is outside; only what the tenant begins is diverted: set from: inside, or action: accept"
    if entry["action"] == "divert" and outputs == 1:
        yield "action: is divert, and the function has one output; give it outputs: 2, with form container, or accept"
