# SPDX-License-Identifier: Apache-2.0
"""Which VRFs have sessions: the choice, from samples of tracked packets. Pure: neither clock nor switch.

A session is a flow for one connection, and as soon as a VRF has one the cached flow of each of its connections is
exact. That is fast as long as the connections are few and live long: most of their packets meet a flow that is there.
Where connections are many or short each of them is a visit to the slow path, and tracking is faster. So a VRF is
opened, which means that all of its connections get sessions, in two cases. Either it has as many samples as
connections; conntrack keeps what has ended for a while, so that few connections are also few new ones. Where not all
connections of the node fit, the VRFs with most samples for each connection must have a third of all. Or its samples
show that nearly all of its packets are of connections that were sampled several times, however many others are idle. It
is closed when packets without a session go on to be sampled in it, or when it gets many more sessions.
"""

import collections
import dataclasses
from collections.abc import Collection, Hashable, Iterable, Mapping

_SHORT, _LONG = 2, 20
"""Seconds that are looked back at: the short time for loads that are plain at once."""
_LEAST_SAMPLES = 16
_LEAST_MEAN = 4
"""Samples for each connection. With Poisson's distribution 2 % of the connections have none then, 7 % have one."""
_LEAST_SEEN, _MOST_ONCE = 150, 50
"""Of so many samples one may be the only one of its connection: the share of packets that are of connections without
a sample is about as large (Good and Turing). With fewer samples such connections may just have been missed."""
_WORTH_PART = 3
"""Some of many busy VRFs with sessions make the packets of all dearer: they must have a third of the packets."""
_RIPE = 5
"""Seconds of samples, without a gap of _SHORT, after which the connections of a VRF are all in conntrack."""
_FEW, _FEW_OF, _MOST_OTHERS = 64, 8, 256
"""Connections without a session that an open VRF may have in the long time: 64, or one for each eight with one, and at
most 256, which is where one in 512 packets is sampled about 6500 new ones a second."""
_GROWN_OF = 2
"""An open VRF may have so many sessions more at the next count: 64, or one for each two. Each makes the switch look at
all of its cached flows anew."""
_FLOOD_UPCALLS, _FLOOD_SHARE, _FLOOD_SECONDS = 300, 0.01, 0.5
"""Upcalls a second, their share of all lookups, and for how long. An upcall costs as much as fifty packets, so with
this share the slow path takes a third of the time."""
_LEARNED_A_SECOND = 5000
"""Sessions that a switch learns anew in a second, all at once where the traffic has paused until they expired: upcalls
for that time are no flood."""
_FLOOD_FEW, _FLOOD_PART = 3, 4
"""In a flood VRFs are closed that have so many connections without a session in the short time, and at least so many
times fewer than the VRF that has most of them."""
_FLOOD_LONG = 3
"""Seconds of a flood after which the long time counts: a switch that is that busy has few packets to sample."""
_SETTLING = 3
"""Seconds after a change in which upcalls are expected, and packets without a session too."""
_FIRST_PAUSE, _LAST_PAUSE = 3, 60
"""Seconds for which a VRF that was closed stays closed; twice as long each time that it was not open for long."""
_LONG_OPEN = 60
_IDLE = 30
"""Seconds after which an open VRF without sessions is closed: it is not used."""
_WORTH_TIMES = 4
"""Where there is no room, a VRF is closed for another one that has so many times its packets for each connection."""
_MOST_SAMPLES = 200_000


@dataclasses.dataclass
class _Tally:
    """Samples of a VRF: by connection, all, and how many connections have just one."""
    counts: dict[Hashable, int] = dataclasses.field(default_factory=dict)
    total: int = 0
    once: int = 0

    def add(self, connection: Hashable) -> None:
        count = self.counts[connection] = self.counts.get(connection, 0) + 1
        self.total += 1
        self.once += (count == 1) - (count == 2)

    def remove(self, connection: Hashable) -> None:
        count = self.counts[connection] = self.counts[connection] - 1
        self.total -= 1
        self.once += (count == 1) - (count == 0)
        if not count:
            del self.counts[connection]


class _Window:
    """The samples of the last seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._samples: collections.deque[tuple[float, _Tally, Hashable]] = collections.deque()
        self._tallies: dict[int, _Tally] = {}

    def add(self, now: float, vrf: int, connection: Hashable) -> None:
        tally = self._tallies.get(vrf)
        if tally is None:
            tally = self._tallies[vrf] = _Tally()
        tally.add(connection)
        self._samples.append((now, tally, connection))
        if len(self._samples) > _MOST_SAMPLES:
            self._drop()

    def expire(self, now: float) -> None:
        while self._samples and self._samples[0][0] <= now - self._seconds:
            self._drop()
        for vrf in [vrf for vrf, tally in self._tallies.items() if not tally.total]:
            del self._tallies[vrf]

    def tally(self, vrf: int) -> _Tally:
        return self._tallies.get(vrf, _Tally())

    def forget(self, vrf: int) -> None:
        """The samples of a VRF count no more; those that are still kept belong to a tally that nobody has."""
        self._tallies.pop(vrf, None)

    def vrfs(self) -> list[int]:
        return list(self._tallies)

    @property
    def total(self) -> int:
        return sum(tally.total for tally in self._tallies.values())

    def _drop(self) -> None:
        _, tally, connection = self._samples.popleft()
        tally.remove(connection)


@dataclasses.dataclass
class _Open:
    """settled: whether it is so long ago that packets on their way to a session have one.

    expected: sessions, when it was opened
    before: sessions at the last count but one, or as many as expected if that is more; None until then
    rate: packets a second of all sessions, at the last count; None until then
    """
    since: float
    sessions: int
    expected: int
    settled: bool = False
    before: int | None = None
    counted: bool = False
    rate: float | None = None

    @property
    def growth(self) -> int:
        return self.sessions - (self.expected if self.before is None else self.before)


@dataclasses.dataclass
class _Pause:
    until: float
    seconds: float


@dataclasses.dataclass(frozen=True)
class Changes:
    """VRFs to open, with the number of their connections; those to close, with the reason; those closed unused."""
    opened: dict[int, int]
    closed: dict[int, str]
    unused: list[int]


class Choice:
    """most, most_of_one: sessions of the node, and of one VRF. sampled_of: one in so many tracked packets is sampled.
    pauses: of VRFs that were closed; a choice that follows another one gets the same dict. Times are seconds of one
    clock that never goes back."""

    def __init__(self, most: int, most_of_one: int, sampled_of: int = 512,
                 pauses: dict[int, _Pause] | None = None) -> None:
        self._most, self._most_of_one, self._sampled_of = most, most_of_one, sampled_of
        self._short, self._long = _Window(_SHORT), _Window(_LONG)
        self._open: dict[int, _Open] = {}
        self._pauses = {} if pauses is None else pauses
        self._sampled_since: dict[int, float] = {}
        self._changed = float("-inf")
        self._flooded: float | None = None

    @property
    def open(self) -> set[int]:
        """The VRFs that have sessions."""
        return set(self._open)

    def adopt(self, now: float, vrf: int, sessions: int) -> None:
        """A VRF was open before this choice began."""
        self._open.setdefault(vrf, _Open(now, sessions, sessions))
        self.disturbed(now)

    def reopened(self, now: float, vrf: int) -> None:
        """An open VRF was not open on the switch for a while, or the agent was late: its samples do not count."""
        self._open[vrf] = _Open(now, self._open[vrf].sessions, self._open[vrf].sessions)
        self._forget(vrf)

    def disturbed(self, now: float) -> None:
        """The slow path has more to do for a while, for a known reason."""
        self._changed = now

    def sample(self, now: float, vrf: int, connection: Hashable) -> None:
        """A tracked packet of a connection, any hashable, was sampled."""
        if not self._short.tally(vrf).total:
            self._sampled_since[vrf] = now
        self._short.add(now, vrf, connection)
        self._long.add(now, vrf, connection)

    def count(self, vrf: int, sessions: int, rate: float | None = None) -> None:
        """The number of sessions that the switch has of an open VRF, and their packets in a second."""
        if vrf in self._open:
            found = self._open[vrf]
            found.before = max(found.sessions, found.expected) if found.counted else None
            found.counted, found.sessions, found.rate = found.settled, sessions, rate

    @property
    def is_uncounted(self) -> bool:
        """Whether `count` was not called yet for a VRF that has most of its sessions."""
        return any(found.settled and not found.counted for found in self._open.values())

    def is_asking(self) -> bool:
        """Whether `judge` may want to know how many connections VRFs have."""
        return any(self._long.tally(vrf).total >= _LEAST_SAMPLES for vrf in self._long.vrfs() if vrf not in self._open)

    def judge(self, now: float, upcalls: float, lookups: float, known: Collection[int],
              connections: Mapping[int, int]) -> Changes:
        """Decides what to change; call it twice a second or so. The changes count as made.

        upcalls: packets in a second that met no cached flow
        lookups: those in a second that met one, and those
        known: the VRFs of the node
        connections: how many connections VRFs have, as far as that is known, those without packets too
        """
        self._look_back(now, upcalls, lookups)
        unused = [vrf for vrf, found in self._open.items()
                  if vrf not in known or (not found.sessions and now > found.since + _IDLE)]
        closed = self._to_close(now, {vrf: found for vrf, found in self._open.items() if vrf not in unused})
        for vrf in (*closed, *unused):
            self._close(now, vrf)
        opened, given_up = self._choose(now, known, connections)
        if opened or closed or given_up:
            self.disturbed(now)
        return Changes(opened, closed | given_up, unused)

    def _look_back(self, now: float, upcalls: float, lookups: float) -> None:
        self._short.expire(now)
        self._long.expire(now)
        for vrf, found in self._open.items():
            if not found.settled and now >= found.since + _SETTLING:
                found.settled = True
                self._forget(vrf)
        for vrf in [vrf for vrf in self._sampled_since if not self._long.tally(vrf).total]:
            del self._sampled_since[vrf]
        if upcalls < max(_FLOOD_UPCALLS, _FLOOD_SHARE * lookups):
            self._flooded = None
        elif self._flooded is None:
            self._flooded = now

    def _to_close(self, now: float, found: Mapping[int, _Open]) -> dict[int, str]:
        """VRFs to close, of these, and the reasons."""
        reasons = dict.fromkeys(self._flooding(now), "packets of new connections flood the slow path")
        reasons |= {vrf: reason for vrf, one in found.items() if (reason := self._crowded(vrf, one))}
        closed = {vrf: reasons[vrf] for vrf in found if vrf in reasons}
        left = {vrf: one.sessions for vrf, one in found.items() if vrf not in closed}
        while sum(left.values()) > self._most:
            grown = max(left, key=lambda vrf: (found[vrf].growth, left[vrf]))
            closed[grown] = f"the node has more than {self._most} sessions, and this VRF got most of the last ones"
            del left[grown]
        return closed

    def _crowded(self, vrf: int, found: _Open) -> str | None:
        others = len(self._long.tally(vrf).counts)
        if found.settled and others > min(max(_FEW, found.sessions // _FEW_OF), _MOST_OTHERS):
            return f"{others} connections without a session were sampled beside {found.sessions} with one"
        if found.before is not None and found.sessions - found.before > max(_FEW, found.before // _GROWN_OF):
            return f"it had {found.before} sessions, and some seconds later {found.sessions}"
        return None

    def _flooding(self, now: float) -> list[int]:
        """The open VRFs to blame when the slow path is too busy."""
        patience = (_FLOOD_SECONDS + (_SETTLING if now < self._changed + _SETTLING else 0)
                    + sum(found.sessions for found in self._open.values()) / _LEARNED_A_SECOND)
        if self._flooded is None or now < self._flooded + patience:
            return []
        window = self._short if now < self._flooded + _FLOOD_LONG else self._long
        others = {vrf: len(window.tally(vrf).counts) for vrf, found in self._open.items() if found.settled}
        least = max(_FLOOD_FEW, max(others.values(), default=0) / _FLOOD_PART)
        return [vrf for vrf, count in others.items() if count >= least]

    def _choose(self, now: float, known: Collection[int],
                connections: Mapping[int, int]) -> tuple[dict[int, int], dict[int, str]]:
        candidates = [vrf for vrf in self._long.vrfs() if vrf in known and vrf not in self._open
                      and not (vrf in self._pauses and now < self._pauses[vrf].until)]
        worth = self._of_few_connections(now, candidates, {vrf: connections.get(vrf, 0) for vrf in known})
        given_up: dict[int, str] = {}
        for vrf in candidates:
            for tally in (self._short.tally(vrf), self._long.tally(vrf)):
                if vrf not in worth and _is_seen(tally):
                    worth[vrf] = len(tally.counts)
        room = self._most - sum(found.sessions for found in self._open.values())
        opened = {}
        for vrf in sorted(worth, key=lambda vrf: -self._long.tally(vrf).total):
            if worth[vrf] > self._most_of_one:
                continue
            if worth[vrf] > room:
                less = self._worth_less(now, vrf, worth[vrf], room)
                given_up |= dict.fromkeys(less, f"VRF {vrf} has more packets for each connection")
                room += sum(self._close(now, one).sessions for one in less)
            if worth[vrf] <= room:
                opened[vrf] = worth[vrf]
                room -= worth[vrf]
        for vrf, sessions in opened.items():
            self._open[vrf] = _Open(now, sessions, sessions)
            self._forget(vrf)
        return opened, given_up

    def _worth_less(self, now: float, vrf: int, count: int, room: int) -> list[int]:
        """The open VRFs whose sessions have fewest packets, as many as make room for another VRF; none if it takes one
        with about as many as that has."""
        tally = self._long.tally(vrf)
        seconds = min(now - self._sampled_since.get(vrf, now), _LONG)
        if seconds < _RIPE:
            return []
        most = tally.total * self._sampled_of / seconds / count / _WORTH_TIMES
        rates = {one: found.rate / max(found.sessions, 1) for one, found in self._open.items()
                 if found.rate is not None and found.counted}
        less = []
        for one in sorted(rates, key=rates.__getitem__):
            if room >= count or rates[one] > most:
                break
            less.append(one)
            room += self._open[one].sessions
        return less if room >= count else []

    def _of_few_connections(self, now: float, candidates: Iterable[int],
                            connections: Mapping[int, int]) -> dict[int, int]:
        """VRFs with as many samples as connections, and the number of these."""
        found = {}
        for vrf in candidates:
            tally, count = self._long.tally(vrf), connections[vrf]
            # Fewer than were sampled: they were flushed, or not all are counted.
            if (tally.total >= _LEAST_SAMPLES and len(tally.counts) <= count <= tally.total
                    and now >= self._sampled_since[vrf] + _RIPE):
                found[vrf] = count
        # A VRF with very many gets no session, and is not to keep others from theirs.
        if sum(min(count, self._most_of_one) for count in connections.values()) <= self._most:
            return found
        room = self._most - sum(found.sessions for found in self._open.values())
        best, packets = {}, 0
        for vrf in sorted(found, key=lambda vrf: found[vrf] / self._long.tally(vrf).total):
            if found[vrf] <= min(room, self._most_of_one):
                best[vrf] = found[vrf]
                room -= found[vrf]
                packets += self._long.tally(vrf).total
        return best if packets * _WORTH_PART >= self._long.total else {}

    def _close(self, now: float, vrf: int) -> _Open:
        self._pause(now, vrf)
        self._forget(vrf)
        return self._open.pop(vrf)

    def _pause(self, now: float, vrf: int) -> None:
        seconds: float = _FIRST_PAUSE
        if vrf in self._pauses and now < self._open[vrf].since + _LONG_OPEN:
            seconds = min(2 * self._pauses[vrf].seconds, _LAST_PAUSE)
        self._pauses[vrf] = _Pause(now + seconds, seconds)
        for other in [other for other, pause in self._pauses.items() if now > pause.until + _LONG_OPEN]:
            del self._pauses[other]

    def _forget(self, vrf: int) -> None:
        self._short.forget(vrf)
        self._long.forget(vrf)
        self._sampled_since.pop(vrf, None)


def _is_seen(tally: _Tally) -> bool:
    """Whether nearly all packets are of connections that were sampled several times."""
    return (tally.total >= max(_LEAST_SEEN, _LEAST_MEAN * len(tally.counts))
            and tally.once <= tally.total // _MOST_ONCE)
