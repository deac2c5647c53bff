# SPDX-License-Identifier: Apache-2.0
"""Reads the answers of Open vSwitch's control socket. All functions are pure; lines that are not known are passed
over."""

import re
from collections.abc import Iterator

_THREAD = re.compile(r"^(?:pmd thread numa_id (\d+) core_id (\d+)|main thread):$")
_COUNT = re.compile(r"^\s*(?:- )?([A-Za-z][^:]*?)\s*:\s+(\d+)")
_CYCLES = re.compile(r"^\s*Rx packets: .*, (\d+) cycles/pkt\)")
_QUEUE = re.compile(r"^  port: (\S+)\s+queue-id:\s*(\d+) \((?:enabled|disabled)\)\s+pmd usage:\s*(\d+) %")
_OVERHEAD = re.compile(r"^  overhead:\s*(\d+) %")
_EVENT = re.compile(r"^([a-z0-9_]+) .* total: (\d+)$", re.MULTILINE)

Thread = tuple[str, str]
"""NUMA node and core of a polling thread, as labels have them."""


def threads(text: str) -> dict[Thread, dict[str, int]]:
    """{polling thread: {name: count}} of dpif-netdev/pmd-perf-show; names are those of the answer. The main thread is
    left out."""
    return {thread: {found[1]: int(found[2]) for line in lines if (found := _COUNT.match(line))}
            for thread, lines in _by_thread(text)}


def cycles_per_packet(text: str) -> dict[Thread, int]:
    """{polling thread: cycles for each packet since the switch began} of dpif-netdev/pmd-perf-show; without threads
    that have received no packet."""
    return {thread: int(found[1]) for thread, lines in _by_thread(text) for line in lines
            if (found := _CYCLES.search(line))}


def queues(text: str) -> dict[Thread, dict[tuple[str, str], float]]:
    """{polling thread: {(interface, queue): share of the thread's time}} of dpif-netdev/pmd-rxq-show, 0 to 1."""
    return {thread: {(found[1], found[2]): int(found[3]) / 100 for line in lines if (found := _QUEUE.match(line))}
            for thread, lines in _by_thread(text)}


def overheads(text: str) -> dict[Thread, float]:
    """{polling thread: share of its time for no queue} of dpif-netdev/pmd-rxq-show, 0 to 1."""
    return {thread: int(found[1]) / 100 for thread, lines in _by_thread(text)
            for line in lines if (found := _OVERHEAD.match(line))}


def events(text: str) -> dict[str, int]:
    """{event: times since the switch began} of coverage/show. An event that never came is not in it."""
    return {name: int(total) for name, total in _EVENT.findall(text)}


def datapath(text: str) -> dict[str, int]:
    """hit, missed, lost and flows of dpctl/show, those of several datapaths added up."""
    found: dict[str, int] = {}
    for name, value in re.findall(r"\b(hit|missed|lost|flows): ?(\d+)", text):
        found[name] = found.get(name, 0) + int(value)
    return found


def memory(text: str) -> dict[str, int]:
    """{kind of object: number} of memory/show, such as rules or udpif keys."""
    return {name.strip(): int(number) for name, number in re.findall(r"([A-Za-z][^:]*):(\d+)", text)}


def _by_thread(text: str) -> Iterator[tuple[Thread, list[str]]]:
    thread: Thread | None = None
    lines: list[str] = []
    for line in text.splitlines():
        begins = _THREAD.match(line)
        if begins:
            if thread:
                yield thread, lines
            thread, lines = ((begins[1], begins[2]) if begins[1] else None), []
        else:
            lines.append(line)
    if thread:
        yield thread, lines
