# SPDX-License-Identifier: Apache-2.0
"""Planned changes under 100,000 packets a second: the changes of planned.py, with frames of the generator.

A host of Python notices what is lost for 20 ms or longer; at this rate a gap of 10 microseconds is a packet.

The generator, the functions and the controller share a core, and the functions poll: so the generator has only its part
of the core. It sends at the rate while it has the core, and gives up the frames that came due while it had not
(`late`). For the same reason a ring can be full before its reader has the core again: what the machine loses by itself
is what is lost in a turn without a change.
"""

import contextlib
import functools
import ipaddress
import pathlib
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

from penstock_base.errors import PenstockError

from . import edge, generator, planned, traffic

PORT = "acc0"
"""Where the tenant is: at the generator's link for access."""
SCHEDULING = "normal"
"""Of the functions. With less than an equal share a function is away from the core until its ring is full."""
NICE = 0
"""Of the generator, which is the equal of functions and controller. With precedence it could send more than the rings
of a function hold before that has its turn."""
RATE = 100_000
"""Frames a second."""
CONNECTIONS, LIFE_PACKETS = 200, 250
"""Connections at a time, and after how many packets each is replaced by a new one: half a second at the full rate. So a
change meets connections that go on and such that begin, and an instance that drains is empty in the end."""
TURNS = (planned.QUIET, *planned.CHANGES)
"""Of a round."""

_ACCESS, _UPLINK = edge.LINKS
# A run of the generator has a fixed time. An instance starts slowly beside others that poll on its core; one drains
# until its connections have been replaced and it has had no packet for a second.
_SECONDS = {"scale-out": 30.0, "drain-and-remove": 30.0}
_USUAL_SECONDS = 12.0
_WARM_SECONDS = 2

Sample = dict[str, Any]


class Stream:
    """Traffic for Planned.lose(): frames of a tenant, counted at the uplink. The generator has the links of the bed."""

    def __init__(self, bed: Any, source: generator.Generator, directory: pathlib.Path) -> None:
        self._bed, self._source, self._directory = bed, source, directory
        self._rounds = 0

    def meet(self) -> None:
        """Host and router speak, so that the switch knows them, and the first connections begin."""
        load = load_of(self._rounds)
        self._rounds += 1
        self._source.wait()
        self._bed.learn(self._source, load)
        self._source.load(_ACCESS, traffic.write_access(load, self._directory, "fast")[0])
        self._source.live(_ACCESS, LIFE_PACKETS)
        self._source.run(_WARM_SECONDS, [_ACCESS], rate=RATE)

    @contextlib.contextmanager
    def around(self, turn: str) -> Iterator[Callable[[], Sample]]:
        """Sends for the body, which gets a function that waits for the end and returns what sample() does."""
        with futures.ThreadPoolExecutor(1) as threads:
            yield functools.partial(_end, turn, threads.submit(self._source.run, seconds(turn), [_ACCESS], rate=RATE))

    @staticmethod
    def told(found: Sample) -> str:
        """What was counted, in words."""
        return (f"{found['lost']:,} of {found['sent']:,} frames lost, {found['refused']:,} refused, {found['late']:,} "
                "late")


def load_of(number: int) -> traffic.Load:
    """What the tenant sends in a round. Each round has a server of its own, so no connection has been there before."""
    return traffic.Load(1, CONNECTIONS, server=str(ipaddress.IPv4Address(traffic.SERVER) + number))


def seconds(turn: str) -> float:
    """How long the generator sends in a turn."""
    return _SECONDS.get(turn, _USUAL_SECONDS)


def sample(answer: dict[str, Any]) -> Sample:
    """What the generator counted in a turn.

    sent:            frames that the switch took at the access port
    lost:            those of them that did not come out at the uplink. Frames of the switch itself, such as an ARP
                     request, are counted there too: each hides a lost one
    refused:         frames that the access port did not take in time
    late:            frames that were never offered, as something else had the generator's core
    traffic_seconds: how long it sent
    pause:           seconds; the longest time between two looks at the links
    """
    access, uplink = (answer["links"][link] for link in (_ACCESS, _UPLINK))
    if not uplink["rx"]:
        raise PenstockError(f"not one of {access['tx']:,} frames came out at the uplink")
    return {"sent": access["tx"], "lost": max(0, access["tx"] - uplink["rx"]), "refused": access["refused"],
            "late": access["late"] - access["refused"], "traffic_seconds": answer["seconds"],
            "pause": answer["longest_round_us"] / 1e6}


def _end(turn: str, running: futures.Future[dict[str, Any]]) -> Sample:
    ended_before = running.done()
    answer = running.result()
    if ended_before:
        raise PenstockError(f"{turn}: the traffic of {seconds(turn):.0f} s ended before the change was over")
    return sample(answer)
