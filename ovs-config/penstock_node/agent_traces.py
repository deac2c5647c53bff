# SPDX-License-Identifier: Apache-2.0
"""What the switch does with a packet: the order is read from JSON and checked, the switch is asked, nothing is sent.

A packet is followed from the port where it begins to a function, and from the other port of that function on, as often
as it comes to one. Only the fields of an order that are named here reach a command, each of them checked.
"""

import ipaddress
import json
import re
import subprocess
import time
import typing
from collections.abc import Callable, Iterator, Mapping

from penstock_base.errors import PenstockError

from .node_protocol import BRIDGE
from .ovs import Ovs

MOST_LEGS = 16
_SECONDS = 4
"""How long one order may take, in all: so long the agent does nothing else."""
_MOST_PASSES = 16  # Through connection tracking; the switch recirculates a packet less often.
_MOST_FUNCTIONS = 1024
_LONGEST_ORDER = 262144
_STATES = {"new": "trk,new", "est": "trk,est", "rpl": "trk,est,rpl"}
_PROTOCOLS = {(4, 6): "tcp", (4, 17): "udp", (4, 1): "icmp", (6, 6): "tcp6", (6, 17): "udp6", (6, 58): "icmp6"}
_PORT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}")
_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
_LABEL = re.compile(r"0x[0-9a-f]{1,32}")
_STEP = re.compile(r"^ *(\d+)\. ", re.MULTILINE)
_ACTIONS = re.compile(r"^Datapath actions: (.*)$", re.MULTILINE)
_SHOWN_PORT = re.compile(r"^ +(\S+) [0-9]+/([0-9]+): ", re.MULTILINE)


class TraceError(Exception):
    """The order will not do, or cannot be carried out; the text is meant for an operator."""


class Traces:
    """Answers one order after the other. `switch` is an Ovs. Not for several threads."""

    def __init__(self, switch: Ovs, log: Callable[[str], None]) -> None:
        self._switch = switch
        self._log = log
        self._order: str | None = None
        self.report: str | None = None
        """The answer to the last order: its id, a space, JSON. None without an order."""

    def want(self, order: str | None) -> None:
        """Carries an order out, unless it is the last one again: an id, a space, JSON. None for no order."""
        if order == self._order:
            return
        self._order = order
        if order is None:
            self.report = None
            return
        name, _, text = order.partition(" ")
        try:
            answer = _Walk(self._switch, parse(text)).answer()
        except (TraceError, PenstockError) as error:
            self._log(f"trace: {error}")
            answer = {"error": str(error)}
        self.report = f"{name} {json.dumps(answer, separators=(',', ':'))}"


def parse(text: str) -> dict[str, typing.Any]:
    """Reads an order. Returns it as it was, all of it checked. Raises TraceError, which names the field."""
    _need(len(text) <= _LONGEST_ORDER, "the order is too long")
    try:
        order = json.loads(text)
    except ValueError as error:
        raise TraceError(f"the order is not JSON: {error}") from None
    _members(order, "order", {"packet", "first", "functions"}, {"zone", "label", "state"})
    _packet(order["packet"])
    _frame(order["first"], "first")
    functions = order["functions"]
    _need(isinstance(functions, dict) and len(functions) <= _MOST_FUNCTIONS, "functions: is not an object of ports")
    for port, frame in functions.items():
        _text(port, _PORT, "functions")
        _frame(frame, f"functions/{port}")
    if "zone" in order:
        _number(order["zone"], 1, 65535, "zone")
    if "label" in order:
        _text(order["label"], _LABEL, "label")
    if "state" in order:
        _need(isinstance(order["state"], str) and order["state"] in _STATES,
              f"state: is none of {', '.join(_STATES)}")
    checked: dict[str, typing.Any] = order
    return checked


def _packet(packet: typing.Any) -> None:
    _members(packet, "packet", {"source", "destination", "protocol", "source-port", "destination-port"})
    versions = {_address(packet[end], f"packet/{end}").version for end in ("source", "destination")}
    _need(len(versions) == 1, "packet/destination: is of another family than source")
    _number(packet["protocol"], 0, 255, "packet/protocol")
    _need((versions.pop(), packet["protocol"]) in _PROTOCOLS, "packet/protocol: is none of TCP, UDP and ICMP")
    for end in ("source-port", "destination-port"):
        _number(packet[end], 0, 65535, f"packet/{end}")


def _frame(frame: typing.Any, field: str) -> None:
    _members(frame, field, {"port", "vlan", "source-mac", "destination-mac"})
    _text(frame["port"], _PORT, f"{field}/port")
    _number(frame["vlan"], 0, 4094, f"{field}/vlan")
    for end in ("source-mac", "destination-mac"):
        _text(frame[end], _MAC, f"{field}/{end}")


def _need(condition: object, problem: str) -> None:
    if not condition:
        raise TraceError(problem)


def _members(value: typing.Any, field: str, needed: set[str],
             possible: frozenset[str] | set[str] = frozenset()) -> None:
    _need(isinstance(value, dict), f"{field}: is not a JSON object")
    missing, unknown = sorted(needed - set(value)), sorted(set(value) - needed - possible)
    _need(not missing, f"{field}: {', '.join(missing)} is missing")
    _need(not unknown, f"{field}: {', '.join(map(repr, unknown))} is unknown")


def _number(value: typing.Any, low: int, high: int, field: str) -> None:
    _need(type(value) is int and low <= value <= high, f"{field}: is not a number in {low}..{high}")


def _text(value: typing.Any, pattern: re.Pattern[str], field: str) -> None:
    _need(isinstance(value, str) and pattern.fullmatch(value), f"{field}: {json.dumps(value)} is not valid")


def _address(value: typing.Any, field: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        _need(isinstance(value, str) and "%" not in value, f"{field}: is not an address")
        return ipaddress.ip_address(value)
    except ValueError:
        raise TraceError(f"{field}: {json.dumps(value)} is not an address") from None


class _Walk:
    """One packet on its way."""

    def __init__(self, switch: Ovs, order: dict[str, typing.Any]) -> None:
        self._switch = switch
        self._order = order
        self._deadline = time.monotonic() + _SECONDS
        self._label = int(order.get("label", "0x0"), 16)

    def answer(self) -> dict[str, typing.Any]:
        order = self._order
        state = order.get("state") or self._look_up()
        numbers = {number: name for name, number in _SHOWN_PORT.findall(self._command("dpif/show"))}
        legs: list[dict[str, typing.Any]] = []
        frame = order["first"]
        while frame and len(legs) < MOST_LEGS:
            _need(frame["port"] in numbers.values(), f"the switch has no port {frame['port']}")
            leg = self._leg(frame, state, numbers)
            legs.append(leg)
            ahead = [order["functions"][each] for each in leg["to"] if each in order["functions"]]
            frame = ahead[0] if len(ahead) == 1 else None
        return {"state": state, "label": hex(self._label), "legs": legs}

    def _leg(self, frame: dict[str, typing.Any], state: str, numbers: Mapping[str, str]) -> dict[str, typing.Any]:
        text = self._command("ofproto/trace", BRIDGE, self._flow(frame),
                             *["--ct-next", _STATES[state]] * _MOST_PASSES)
        tokens = [token for actions in _ACTIONS.findall(text) for token in _tokens(actions)]
        _need(_ACTIONS.search(text), "the switch's trace has no actions")
        self._keep(tokens)
        return {"from": frame["port"], "to": [numbers.get(token, f"#{token}") for token in tokens if token.isdigit()],
                "tables": [int(number) for number in _STEP.findall(text)]}

    def _keep(self, tokens: list[str]) -> None:
        """Takes up what a connection that begins would get as its label."""
        for token in tokens:
            found = re.fullmatch(r"ct\((?:force_)?commit,zone=(\d+),.*?label=(0x[0-9a-f]+)/(0x[0-9a-f]+).*\)", token)
            if found and int(found[1]) == self._order.get("zone"):
                value, mask = int(found[2], 16), int(found[3], 16)
                self._label = self._label & ~mask | value & mask

    def _flow(self, frame: dict[str, typing.Any]) -> str:
        packet = self._order["packet"]
        version = ipaddress.ip_address(packet["source"]).version
        kind = _PROTOCOLS[version, packet["protocol"]]
        address = "nw" if version == 4 else "ipv6"
        if kind.startswith("icmp"):
            name = "icmp" if version == 4 else "icmpv6"
            transport = f"{name}_type={packet['source-port']},{name}_code={packet['destination-port']}"
        else:
            name = kind[:3]
            transport = f"{name}_src={packet['source-port']},{name}_dst={packet['destination-port']}"
        fields = [f"in_port={frame['port']}", *([f"dl_vlan={frame['vlan']}"] if frame["vlan"] else []),
                  f"dl_src={frame['source-mac']}", f"dl_dst={frame['destination-mac']}", kind,
                  f"{address}_src={packet['source']}", f"{address}_dst={packet['destination']}", "nw_ttl=64", transport]
        # The switch keeps it for the tables behind connection tracking, as if it had been found there.
        return ",".join(fields + ([f"ct_label={hex(self._label)}"] if self._label else []))

    def _look_up(self) -> str:
        """Whether connection tracking knows the packet's connection, and from which side; takes up its label."""
        packet = self._order["packet"]
        kind = {6: "tcp", 17: "udp"}.get(packet["protocol"])
        if "zone" not in self._order or kind is None:
            return "new"
        there = _ends(kind, packet["source"], packet["destination"], packet["source-port"], packet["destination-port"])
        back = _ends(kind, packet["destination"], packet["source"], packet["destination-port"], packet["source-port"])
        with self._start("dpctl/dump-conntrack", f"zone={self._order['zone']}") as process:
            for line in process.stdout or ():
                if line.startswith((there, back)):
                    process.kill()
                    label = re.search(r",labels=(0x[0-9a-f]+)", line)
                    self._label = int(label[1], 16) if label else 0
                    return "est" if line.startswith(there) else "rpl"
            _need(process.wait() == 0, "the switch did not list its connections in time")
        return "new"

    def _command(self, *arguments: str) -> str:
        with self._start(*arguments) as process:
            text, problem = process.communicate()
        if process.returncode:
            raise TraceError(f"{arguments[0]}: {problem.strip() or 'the switch did not answer in time'}")
        return text

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        left = int(self._deadline - time.monotonic())
        _need(left > 0, f"the switch did not answer within {_SECONDS} s")
        return subprocess.Popen(
            ["ovs-appctl", f"--timeout={left}", "-t", self._switch.control_socket, *arguments], text=True,
            errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=self._switch.environment)


def _ends(kind: str, source: str, destination: str, source_port: int, destination_port: int) -> str:
    return f"{kind},orig=(src={source},dst={destination},sport={source_port},dport={destination_port}),"


def _tokens(actions: str) -> Iterator[str]:
    """Splits at the commas that are in no parentheses."""
    depth = start = 0
    for index, letter in enumerate(actions + ","):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            yield actions[start:index]
            start = index + 1
