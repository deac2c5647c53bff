# SPDX-License-Identifier: Apache-2.0
"""Faults of a cluster, one after the other, in an order that a seed decides, and what clients see of each.

A fault is put on the master, or on the member that has run for the longest time: killed, stopped with its connections
open, or cut off from the others while nodes reach it, or it loses a part of the packets between them.
"""

import argparse
import contextlib
import dataclasses
import datetime
import gzip
import json
import pathlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from penstock_base import places, processes
from penstock_base.commands import run as run_command
from penstock_base.errors import PenstockError
from penstock_controller import ControllerError

from . import cluster_foreign, cluster_upgrade, stats
from .cluster_bed import NUMBERS, STATIC_VLAN, VLAN, ClusterBed
from .cluster_observers import LEASE_TENANT, PUBLIC_ADDRESS, Forwards, Hosts, Writer

KINDS = ("kill", "freeze", "cut")
LOSSY, FULL = "lose", "fill"
"""A member loses packets to and from the others; its disk is full. No parts of a plan: they move the engine late or
not at all."""
_LOST_PERCENT = 20
TARGETS = ("master", "oldest")
_LIMIT_SECONDS = 40.0
_LEASE_SECONDS = 3600 - 60
"""Leases that were acknowledged so long ago have ended, or end in a minute: the default of penstock-dhcp.yang."""
_LASTS_SECONDS = 6.0
"""Of a fault; a member that is cut off for 7 s ends."""
_REST_SECONDS = 3.0
_QUIET_SECONDS = 10.0
_UPGRADE_PAUSE_SECONDS = 0.4
_ALL_CONNECTED = ["master", *["slave"] * (len(NUMBERS) - 1)]
_WOVEN = ("passes over verdicts on transactions", "reads the end of a segment once")
"""Logged by a member that has the repairs of docs/adr/0076."""
_REHEARSED = "takeover has been rehearsed"
"""Logged by a member that has stood by for some time."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What was seen of one fault, in seconds from its beginning."""
    kind: str
    target: str
    was_master: bool
    lease: float
    """Until a host that began to ask after the fault had its lease: stored, in the switch, and acknowledged."""
    write: float
    """Until a write that was begun after it was accepted, by any member that lives."""
    lost: int
    """Pings of the gateway that were not answered, of `sent`."""
    sent: int
    back: float
    """Until the member was in again, after the end of the fault."""


def plan(count: int, seed: int) -> list[tuple[str, str]]:
    """Kinds and targets of some faults, each kind and target as often as the others."""
    chosen = [(KINDS[index % len(KINDS)], TARGETS[index // len(KINDS) % len(TARGETS)]) for index in range(count)]
    random.Random(seed).shuffle(chosen)
    return chosen


@contextlib.contextmanager
def observed(bed: ClusterBed, pause_seconds: float = 0.05) -> Iterator[tuple[Hosts, list[Writer], Forwards]]:
    """Clients at work in the body: hosts, a writer at each member, and one of port forwards.

    pause_seconds: between two writes of one writer
    """
    with contextlib.ExitStack() as stack:
        hosts = stack.enter_context(Hosts(bed.cable, VLAN, STATIC_VLAN))
        writers = [stack.enter_context(Writer(
            number, lambda number=number: bed.restconf(number, 2), pause_seconds))  # type: ignore[misc]
            for number in bed.numbers]
        forwards = stack.enter_context(Forwards([lambda number=number: bed.restconf(number, 2)  # type: ignore[misc]
                                                 for number in bed.numbers]))
        yield hosts, writers, forwards


def inflict(bed: ClusterBed, kind: str, target: str, hosts: Hosts, writers: list[Writer]) -> Outcome:
    """Does one fault and ends it again."""
    master, _ = bed.mastership()
    number = master if target == "master" else bed.oldest()
    begun = time.monotonic()
    if kind == LOSSY:
        bed.cut(number, _LOST_PERCENT)
    else:
        {"kill": bed.kill, "freeze": bed.freeze, "cut": bed.cut, FULL: bed.fill}[kind](number)
    if kind == FULL:
        begun = time.monotonic()  # It took a moment, and was served meanwhile.
    hosts.hurry = True
    others = [writer for each, writer in zip(NUMBERS, writers, strict=True) if each != number]
    lease = _first(lambda: found.acknowledged - begun if (found := hosts.lease_after(begun)) else None, begun)
    hosts.hurry = False
    write = _first(lambda: min((found.ended - begun for each in others
                                if (found := each.accepted_after(begun))), default=None), begun)
    time.sleep(max(0.0, begun + _LASTS_SECONDS - time.monotonic()))
    ended = time.monotonic()
    lost, sent = hosts.lost(begun - 1, ended - 1)
    if kind == "freeze":
        bed.thaw(number)
    elif kind in ("cut", LOSSY):
        bed.heal()
    elif kind == FULL:
        bed.empty(number)
    return Outcome(kind, target, number == master, lease, write, lost, sent, bed.come_back(number) - ended)


def _first(seen: Callable[[], float | None], begun: float) -> float:
    """What is seen as soon as it is; infinity if it takes too long."""
    while time.monotonic() - begun < _LIMIT_SECONDS:
        found = seen()
        if found is not None:
            return found
        time.sleep(0.02)
    return float("inf")


def check(bed: ClusterBed, hosts: Hosts, writers: list[Writer], forwards: Forwards) -> list[str]:
    """What is wrong after some faults, with all members in and the clients at rest; empty if nothing is."""
    wrong = [f"address {address} was given to {len(macs)} hosts"
             for address, macs in hosts.addresses_in_two_hands().items()]
    wrong += [f"member {number} runs without a repair of the datastore"
              for number in NUMBERS if any(words not in bed.log(number) for words in _WOVEN)]
    if not any(_REHEARSED in bed.log(number) for number in NUMBERS):
        wrong.append("no member has rehearsed a takeover")
    for number in NUMBERS:
        client = bed.restconf(number, 20)
        wrong += [f"member {number}: {text}" for writer in writers for text in writer.lost(client)]
    wrong += _leases(bed.restconf(1, 60).call("penstock-operations:leases", {"tenant": LEASE_TENANT})["lease"], hosts)
    master, epoch = bed.mastership()
    told = bed.members[master].ask("penstock").reason
    if ("the clock of member-" in told) != bool(bed.apart_seconds):
        wrong.append(f"the clocks are {bed.apart_seconds} s apart, and the master says: {told}")
    said = _console(bed, next(number for number in NUMBERS if number != master))
    if f"use the console of member-{master}" not in said:
        wrong.append(f"the console of a member that stands by says: {said}")
    in_node = bed.ovs.vsctl("get", "Open_vSwitch", ".", "external_ids:penstock-epoch").strip().strip('"')
    if in_node != str(epoch):
        wrong.append(f"the node has epoch {in_node}, the datastore {epoch}")
    for found in bed.restconf(1, 60).call("penstock-operations:verify")["node"]:
        if not found["connected"] or found["missing"] or found["excess"] or found["wrong"]:
            wrong.append(f"the switch is not as planned: {found}")
    with contextlib.suppress(TimeoutError, PenstockError):
        # A member that has come back is named to the switch within seconds.
        processes.wait_until(lambda: _roles(bed) == _ALL_CONNECTED, "the switch is connected to all", _LIMIT_SECONDS)
    if _roles(bed) != _ALL_CONNECTED:
        wrong.append(f"the switch has connections with these roles: {_roles(bed)}")
    return wrong + _journals(bed, forwards.allowed())


def _console(bed: ClusterBed, number: int) -> str:
    """What a command says at a member."""
    try:
        return bed.members[number].console("penstock:node list")
    except ControllerError as error:
        return str(error)


def _leases(stored: list[dict[str, Any]], hosts: Hosts) -> list[str]:
    """Acknowledged leases that are not stored any more before their time is over."""
    young = time.monotonic() - _LEASE_SECONDS
    bound = {(lease["mac"], lease["address"]) for lease in stored if lease["state"] == "bound"}
    return [f"the lease of {lease.address} to {lease.mac.hex(':')} was acknowledged, and is not stored"
            for lease in list(hosts.leases)
            if lease.acknowledged > young and (lease.mac.hex(":"), lease.address) not in bound]


def _roles(bed: ClusterBed) -> list[str]:
    """What the members are to the switch that it is connected to."""
    return sorted(bed.ovs.vsctl("--bare", "--columns=role", "find", "Controller", "is_connected=true").split())


def _journals(bed: ClusterBed, allowed: set[int]) -> list[str]:
    """Faults of the journals: all members have to have the same lines, and the last has to be what was written."""
    paths = {number: bed.journal(number) for number in NUMBERS}
    with contextlib.suppress(TimeoutError, PenstockError):
        # A member copies what it has missed within half a minute.
        processes.wait_until(lambda: len({_lines(path) for path in paths.values()}) == 1, "journals are the same",
                             _LIMIT_SECONDS)
    wrong = []
    counts = {number: _lines(path).count(b"\n") for number, path in paths.items()}
    if len({_lines(path) for path in paths.values()}) > 1:
        wrong.append(f"the journals differ, lines by member: {counts}")
    # Lines have the time of the clock that is the most ahead of those of masters.
    now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=bed.apart_seconds)
    for number, path in paths.items():
        try:
            _asked("nat-verify", path)
            owners = _asked("nat-owner", path, PUBLIC_ADDRESS, "80", "--protocol", "tcp", "--tolerance", "0", "--at",
                            now.isoformat())["owners"]
            ports = {owner["inside_port"] for owner in owners if owner["kind"] == "port-forward"}
            if len(ports) != 1 or not ports <= allowed:
                wrong.append(f"member {number}: its journal has forwards to {ports}, not to one of {allowed}")
        except PenstockError as error:
            wrong.append(f"member {number}: {error}")
    return wrong


def _asked(command: str, journal: pathlib.Path, *words: str) -> Any:
    """The answer of a command of the launcher, as an operator gets it."""
    return json.loads(run_command(places.PYTHON, "-m", "penstock_launcher", command, *words, "--directory",
                                  str(journal), "--json"))


def _lines(path: pathlib.Path) -> bytes:
    """All lines of a journal."""
    segments = sorted(path.glob("nat-*.jsonl*"))
    return b"".join(gzip.decompress(segment.read_bytes()) if segment.suffix == ".gz" else segment.read_bytes()
                    for segment in segments)


def say(outcome: Outcome) -> Outcome:
    """Shows at once what was seen of a fault; returns the same."""
    print(f"{outcome.kind} of the {outcome.target}: lease after {outcome.lease:.2f} s, "
          f"write after {outcome.write:.2f} s, {outcome.lost} of {outcome.sent} pings lost, "
          f"back after {outcome.back:.0f} s", file=sys.stderr, flush=True)
    return outcome


def at_rest(bed: ClusterBed, writers: list[Writer]) -> dict[str, Any]:
    """Memory of the members in MB, and the median time of a write by each in ms, while nothing is wrong."""
    begun = time.monotonic()
    time.sleep(_QUIET_SECONDS)
    return {"seconds": _QUIET_SECONDS, "master": bed.mastership()[0],
            "resident-mb": [bed.resident_mb(number) for number in bed.numbers],
            "write-median-ms": [round(1000 * stats.median([write.ended - write.begun for write in list(writer.writes)
                                                           if write.begun >= begun and write.accepted]), 1)
                                for writer in writers]}


def run(bed: ClusterBed, faults: list[tuple[str, str]]) -> tuple[list[Outcome], list[str], dict[str, Any]]:
    """Does some faults while clients work; returns what was seen of each, what is wrong at the end, and what was seen
    before the first one."""
    outcomes = []
    with observed(bed) as (hosts, writers, forwards):
        processes.wait_until(lambda: hosts.leases, "hosts get leases", _LIMIT_SECONDS)
        quiet = at_rest(bed, writers)
        for kind, target in faults:
            time.sleep(_REST_SECONDS)
            outcomes.append(say(inflict(bed, kind, target, hosts, writers)))
    for number in NUMBERS:
        bed.come_back(number)
    return outcomes, check(bed, hosts, writers, forwards), quiet


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """Medians and 95th percentiles by kind and target, and of all."""
    result: dict[str, Any] = {}
    for name, chosen in {"all": outcomes, **{f"{kind} {target}": [each for each in outcomes if (each.kind, each.target)
                                                                  == (kind, target)]
                                             for kind in (*KINDS, LOSSY, FULL)
                                             for target in TARGETS}}.items():
        if chosen:
            result[name] = {"count": len(chosen)} | {
                f"{field}_{label}": round(stats.percentile([getattr(each, field) for each in chosen], percent), 2)
                for field in ("lease", "write") for label, percent in (("median", 50), ("p95", 95))} | {
                "lost": sum(each.lost for each in chosen), "sent": sum(each.sent for each in chosen)}
    return result


def _alone(directory: pathlib.Path, tls: bool) -> int:
    with ClusterBed(directory, places.ASSEMBLY, tls, numbers=NUMBERS[:1]) as bed, observed(bed) as (hosts, writers, _):
        processes.wait_until(lambda: hosts.leases, "hosts get leases", _LIMIT_SECONDS)
        json.dump({"boot-seconds": bed.boot_seconds, "quiet": at_rest(bed, writers)}, sys.stdout, indent=2)
    return 0


def main() -> int:
    """Does the faults that the command line names, as one JSON object at the end; the exit code is 1 if any is wrong.

    For a network namespace of its own, with the loopback device up.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=pathlib.Path, help="of the members and the node; is removed")
    parser.add_argument("faults", nargs="*", metavar="KIND-TARGET",
                        help=f"of {(*KINDS, LOSSY, FULL)} and {TARGETS}, or a number")
    parser.add_argument("--tls", action="store_true", help="all connections use certificates; afterwards a member with "
                        "one of another authority is tried")
    parser.add_argument("--upgrade", action="store_true", help="afterwards the members are upgraded one by one, the "
                        "first one by killing the master")
    parser.add_argument("--alone", action="store_true", help="measure a controller without a cluster at rest")
    parser.add_argument("--apart", type=int, default=0, metavar="SECONDS", help="the clock of the second member is so "
                        "much ahead, that of the third one so much behind")
    parser.add_argument("--delay", type=int, default=0, metavar="MS", help="what members send each other comes so much "
                        "later")
    parser.add_argument("--seed", type=int, default=1, help="of the order, for a number; default %(default)s")
    options = parser.parse_args()
    if options.alone:
        return _alone(options.directory, options.tls)
    words = options.faults
    if not words:
        parser.error("which faults? a number of them, or KIND-TARGET")
    faults = plan(int(words[0]), options.seed) if words[0].isdecimal() else [
        (kind, target) for kind, _, target in (word.partition("-") for word in words)]
    with ClusterBed(options.directory, places.ASSEMBLY, options.tls, FULL in [kind for kind, _ in faults],
                    options.apart, options.delay) as bed:
        outcomes, wrong, quiet = run(bed, faults)
        if options.tls:
            wrong += cluster_foreign.check(bed)
        if options.upgrade:
            later = cluster_upgrade.variant(places.ASSEMBLY, options.directory / "later")
            # Writers that hurry leave a member that starts no time, on two cores.
            with observed(bed, _UPGRADE_PAUSE_SECONDS) as (hosts, writers, forwards):
                wrong += cluster_upgrade.upgrade(bed, later, writers, lambda: outcomes.append(
                    say(inflict(bed, "kill", "master", hosts, writers))))
            wrong += check(bed, hosts, writers, forwards)
        json.dump({"boot-seconds": bed.boot_seconds, "quiet": quiet, "summary": summary(outcomes), "wrong": wrong,
                   "faults": [dataclasses.asdict(outcome) for outcome in outcomes]}, sys.stdout, indent=2)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
