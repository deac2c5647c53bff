# SPDX-License-Identifier: Apache-2.0
"""Gives VRFs sessions, and takes them away, as session_choice decides from the samples of the switch.

The flows are the whole memory: an agent that begins finds the open VRFs on the switch, and VRFs whose agent has ended
lose their flow by its timeout.
"""

import dataclasses
import json
import re
import socket
import time
from collections.abc import Callable, Iterable

from penstock_base.commands import run
from penstock_base.errors import PenstockError

from . import agent_switch, ipfix, session_choice
from .alive import Poller
from .node_protocol import BRIDGE
from .ovs import Ovs

_RUN_SECONDS = 0.5
_COUNT_SECONDS, _TOTAL_SECONDS = 20, 2
"""How often the sessions of each VRF are counted, and how often those of all together."""
_GROWN, _GROWN_FEW = 1.1, 64
"""If these have grown by a tenth and some, those of each VRF are counted at once."""
_RETRY_SECONDS = 5
_DROP_SECONDS = 5
"""Cached flows are not dropped more often than that: each time makes the switch look at all flows anew."""
_WRITES = 3
"""Times that the flow of an open VRF is written in the time that it stays by itself."""
_LATE_SECONDS = 5
"""After a gap of this length the samples may be of VRFs whose flow had expired."""
_MOST_SAMPLES = 20_000
"""How many are read at a time."""
_KEYS = {"collector-set": int, "vrf": str, "open-table": int, "open-priority": int,
         "open-cookie": str, "open-actions": str, "open-seconds": int, "session-table": int, "session-cookie": str,
         "most-sessions": int, "most-sessions-of-one": int, "sampled-of": int}
_COOKIE_ID = 0xffffffff
_OFCTL = ("ovs-ofctl", "--timeout=20", "-O", "OpenFlow13")


@dataclasses.dataclass(frozen=True)
class Order:
    """What the controller says about samples and flows; io.penstock.pipeline.stage.SessionOrder writes it.

    collector_set:        the Flow_Sample_Collector_Set that samples go to
    vrf:                  the register with the number of the VRF
    open_...:             the flow that gives a VRF sessions, and how long it stays without being written again
    session_...:          where sessions are, and their cookie without the number of the VRF
    most_sessions(_of_one): of the node, and of one VRF
    sampled_of:           one in so many tracked packets is sampled
    """
    collector_set: int
    vrf: str
    open_table: int
    open_priority: int
    open_cookie: int
    open_actions: str
    open_seconds: int
    session_table: int
    session_cookie: int
    most_sessions: int
    most_sessions_of_one: int
    sampled_of: int


def parse(text: str) -> Order:
    """Reads an order. Raises ValueError with what is wrong."""
    found = json.loads(text)
    content = found if isinstance(found, dict) else {}
    for key, kind in _KEYS.items():
        if type(content.get(key)) is not kind:
            raise ValueError(f"{key} is missing or is not {'a number' if kind is int else 'a text'}")
    if "\n" in content["open-actions"] + content["vrf"]:
        raise ValueError("a text has more than one line")
    found = {key.replace("-", "_"): content[key] for key in _KEYS}
    for key in ("open_cookie", "session_cookie"):
        found[key] = int(found[key], 16)
    return Order(**found)


class _Flows:
    """The flows, the samples and the counters of the switch, in the numbers of an order."""

    def __init__(self, switch: Ovs, order: Order) -> None:
        self._switch, self._order = switch, order

    def collect(self, port: int) -> None:
        """Has the switch send samples to a UDP port of its loopback."""
        number = self._order.collector_set
        for row in self._switch.rows("Flow_Sample_Collector_Set", "_uuid", "id"):
            if row["id"] == number:
                # Waits until the switch has taken it up: else it thinks that the templates were sent already.
                self._switch.vsctl("destroy", "Flow_Sample_Collector_Set", row["_uuid"])
        self._switch.vsctl(
            "--", "--id=@ipfix", "create", "IPFIX", f'targets="127.0.0.1:{port}"', "--",
            "--id=@bridge", "get", "Bridge", BRIDGE, "--",
            "create", "Flow_Sample_Collector_Set", f"id={number}", "bridge=@bridge", "ipfix=@ipfix")

    def open(self) -> set[int]:
        """The VRFs that have sessions."""
        return {vrf for vrf, _, _ in self._owned(self._order.open_table)}

    def sessions(self) -> dict[int, tuple[int, float]]:
        """By VRF the number of connections with sessions, each of which has a flow for both directions, and their
        packets in a second."""
        counts: dict[int, int] = {}
        rates: dict[int, float] = {}
        for vrf, packets, seconds in self._owned(self._order.session_table):
            counts[vrf] = counts.get(vrf, 0) + 1
            rates[vrf] = rates.get(vrf, 0.0) + packets / max(seconds, _RUN_SECONDS)
        return {vrf: (-(-count // 2), rates[vrf]) for vrf, count in counts.items()}

    def all_sessions(self) -> int:
        """The number of connections with sessions, of all VRFs."""
        text = run(*_OFCTL, "dump-aggregate", BRIDGE, f"table={self._order.session_table}",
                   environment=self._switch.environment)
        found = re.search(r"flow_count=(\d+)", text)
        if not found:
            raise PenstockError("dump-aggregate: no count")
        return -(-int(found[1]) // 2)

    def write(self, opened: Iterable[int], closed: Iterable[int] = (), without: Iterable[int] = ()) -> None:
        """Writes the flows of open VRFs, deletes those of closed ones and the sessions of VRFs without, all at once."""
        order = self._order
        lines = [f"delete_strict table={order.open_table},priority={order.open_priority},{order.vrf}={vrf}"
                 for vrf in closed]
        lines += [f"delete table={order.session_table},cookie={order.session_cookie | vrf:#x}/-1" for vrf in without]
        lines += [f"add table={order.open_table},priority={order.open_priority},cookie={order.open_cookie | vrf:#x},"
                  f"hard_timeout={order.open_seconds},{order.vrf}={vrf},actions={order.open_actions}" for vrf in opened]
        if lines:
            run(*_OFCTL, "--bundle", "add-flows", BRIDGE, "-",
                environment=self._switch.environment, standard_input="\n".join(lines) + "\n")

    def lookups(self) -> tuple[int, int]:
        """Packets that met no cached flow, since the switch began, and all lookups of cached flows."""
        return agent_switch.lookups(self._switch)

    def connections(self) -> dict[int, int]:
        """The number of tracked connections, by VRF, as far as the switch counts them (agent_sessions)."""
        return {zone: count for zone, (_, count) in agent_switch.zones(self._switch).items()}

    def _owned(self, table: int) -> list[tuple[int, int, float]]:
        """Of each flow the VRF, its packets, and its age in seconds."""
        text = run(*_OFCTL, "dump-flows", BRIDGE, f"table={table}", environment=self._switch.environment)
        return [(int(cookie, 16) & _COOKIE_ID, int(packets), float(seconds)) for cookie, seconds, packets in
                re.findall(r"cookie=(0x[0-9a-f]+), duration=([\d.]+)s,.*? n_packets=(\d+)", text)]


class SessionFlows:
    """Listens and writes. `switch` is an Ovs, `link` the socket of sample_socket, or None. Not for several threads."""

    def __init__(self, switch: Ovs, link: socket.socket | None, log: Callable[[str], None],
                 now: Callable[[], float] = time.monotonic) -> None:
        self._switch, self._link, self._log, self._now = switch, link, log, now
        self._text: str | None = None
        self._work: _Work | None = None
        self._known: set[int] = set()
        self._due = 0.0

    def want(self, text: str | None, known: Iterable[int]) -> None:
        """Takes an order, a text, or None for none. known: the VRFs of the node."""
        self._known.clear()
        self._known.update(known)
        if text == self._text:
            return
        self._text, self._work, self._due = text, None, 0.0
        if self._link is None:
            self._log("this agent was started without a socket for samples: no VRF gets sessions")
        elif text is not None:
            try:
                self._work = _Work(self._switch, self._link, self._log, parse(text), self._known)
            except ValueError as error:
                self._log(f"order for sessions: {error}; no VRF gets sessions")

    def run(self) -> None:
        """Reads the samples, and changes flows, if it is time to."""
        now = self._now()
        if self._work is None or now < self._due:
            return
        try:
            self._work.run(now)
            self._due = now + _RUN_SECONDS
        except PenstockError as error:
            self._log(f"sessions: {error}; retrying in {_RETRY_SECONDS} s")
            self._work.begin_again()
            self._due = now + _RETRY_SECONDS

    def disturbed(self) -> None:
        """The cached flows were dropped: the slow path has more to do for a while."""
        if self._work is not None:
            self._work.disturbed(self._now())

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        if self._work is not None:
            poller.timer_wait(max(int((self._due - self._now()) * 1000) + 1, 0))


class _Work:
    """What follows from one order. known: the VRFs of the node, which others keep up to date."""

    def __init__(self, switch: Ovs, link: socket.socket, log: Callable[[str], None], order: Order,
                 known: set[int]) -> None:
        self._switch, self._link, self._log, self._order, self._known = switch, link, log, order, known
        self._flows = _Flows(switch, order)
        self._reader = ipfix.Reader()
        self._choice: session_choice.Choice | None = None
        self._pauses: dict[int, session_choice._Pause] = {}
        self._ran = float("-inf")
        self._closed: set[int] = set()
        self._lookups = (0.0, 0, 0)
        self._total = 0
        self._write_due = self._count_due = self._total_due = 0.0
        self._drop_due: float | None = None
        self._dropped = float("-inf")

    def begin_again(self) -> None:
        """The switch is to be asked again what there is."""
        self._choice = None

    def disturbed(self, now: float) -> None:
        if self._choice is not None:
            self._choice.disturbed(now)

    def run(self, now: float) -> None:
        choice = self._choice = self._choice or self._begin(now)
        self._drain(now, choice)
        if now > self._ran + _LATE_SECONDS:
            self._reopen(now, choice, choice.open)
        self._judge(now, choice)
        if self._drop_due is not None and now >= self._drop_due:
            self._drop_due, self._dropped = None, now
            self._switch.drop_cached_flows()
            # A cached flow that had packets not counted yet has learned its session again (xlate_push_stats_entry,
            # ofproto/ofproto-dpif-xlate-cache.c, 3.1).
            self._flows.write((), without=sorted(self._closed - choice.open))
            self._closed.clear()
            choice.disturbed(now)
        self._ran = now

    def _begin(self, now: float) -> session_choice.Choice:
        """Has the switch send samples here, and takes over the VRFs that are open already."""
        self._lookups = (now, *self._flows.lookups())  # Fails at once when there is no switch to wait for.
        self._flows.collect(self._link.getsockname()[1])
        order = self._order
        choice = session_choice.Choice(order.most_sessions, order.most_sessions_of_one, order.sampled_of, self._pauses)
        sessions, opened = self._flows.sessions(), self._flows.open()
        for vrf in opened:
            choice.adopt(now, vrf, sessions.get(vrf, (0, 0))[0])
        # Nobody looks for the others any more.
        self._flows.write(sorted(opened), without=sorted(set(sessions) - opened))
        self._write_due = now + self._order.open_seconds / _WRITES
        self._count_due = now + _COUNT_SECONDS
        return choice

    def _drain(self, now: float, choice: session_choice.Choice) -> None:
        count = 0
        while count < _MOST_SAMPLES:
            count += 1  # A datagram without a sample takes time too.
            try:
                message = self._link.recv(65535)
            except BlockingIOError:
                return
            try:
                samples = self._reader.read(message)
            except ValueError:
                continue
            count += len(samples)
            for vrf, connection in samples:
                if vrf in self._known:
                    choice.sample(now, vrf, connection)

    def _judge(self, now: float, choice: session_choice.Choice) -> None:
        if choice.open and now >= self._total_due:
            self._total_due = now + _TOTAL_SECONDS
            self._reopen(now, choice, choice.open - self._flows.open())
            if self._is_to_count(now, choice):
                self._count_due = now + _COUNT_SECONDS
                sessions = self._flows.sessions()
                for vrf in choice.open:
                    choice.count(vrf, *sessions.get(vrf, (0, 0.0)))
        connections = self._flows.connections() if choice.is_asking() else {}
        changes = choice.judge(now, *self._rates(now), self._known, connections)
        written = set(changes.opened)
        if now >= self._write_due:
            self._write_due = now + self._order.open_seconds / _WRITES
            written = choice.open
        gone = (*changes.closed, *changes.unused)
        self._flows.write(sorted(written), gone, gone)
        for vrf, count in changes.opened.items():
            self._log(f"VRF {vrf}: sessions for {count} connections")
        for vrf, reason in changes.closed.items():
            self._log(f"VRF {vrf}: no more sessions: {reason}")
        self._closed.update(changes.closed)
        if changes.closed:
            # Exact flows of what had a session would hide the one flow that serves all, as long as they have packets.
            self._drop_due = max(now, self._dropped + _DROP_SECONDS)

    def _reopen(self, now: float, choice: session_choice.Choice, vrfs: set[int]) -> None:
        """Writes flows of open VRFs again that were deleted, or have expired."""
        self._flows.write(sorted(vrfs))
        for vrf in vrfs:
            choice.reopened(now, vrf)

    def _is_to_count(self, now: float, choice: session_choice.Choice) -> bool:
        total, before = self._flows.all_sessions(), self._total
        if (now < self._count_due and total <= min(self._order.most_sessions, _GROWN * before + _GROWN_FEW)
                and not choice.is_uncounted):
            return False
        self._total = total
        return True

    def _rates(self, now: float) -> tuple[float, float]:
        """Packets a second that met no cached flow, since the last time, and lookups; 0 when that is not known."""
        before, self._lookups = self._lookups, (now, *self._flows.lookups())
        upcalls, lookups = self._lookups[1] - before[1], self._lookups[2] - before[2]
        if min(upcalls, lookups) < 0 or now <= before[0]:
            return 0, 0
        return upcalls / (now - before[0]), lookups / (now - before[0])
