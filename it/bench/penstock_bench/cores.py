# SPDX-License-Identifier: Apache-2.0
"""./penstock bench cores: how much two polling threads carry over one.

sessions  few connections, all with sessions; and bare forwarding of the same frames, the limit of the machine
tracked   many connections without sessions: every packet passes conntrack
new       every packet begins a connection, so takes the lock of new connections of conntrack

The ports replay frames themselves, see cores_bed.py, and polling threads count what they take. In each round one and
two threads take turns; between measurements one thread has all queues, so that the controller has a core.
"""

import contextlib
import dataclasses
import pathlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from penstock_base import processes
from penstock_base.errors import PenstockError

from . import bare, cores_bed, nat, run, traffic
from .configuration import UPLINK
from .results import Results

PARTS = ("sessions", "tracked", "new")
CASES = ("bare", *PARTS)
THREADS = {"one": 1, "two": 2}
LOADS = {"sessions": traffic.Load(10, 100), "tracked": traffic.Load(100, 100_000),
         "new": traffic.Load(10, 3_000_000)}
MOST_DIFFERENCE = 0.02
"""Between the packets that flows and polling threads have counted: the switch adds up those of flows now and then."""

_SETTLE_SECONDS = 1.0
_READY_SECONDS = 60
_CHECK_SECONDS = 10
_MOST_SESSIONS = 8_000_000
_NEW_SECONDS, _NEW_SETTLED = 1.0, 50_000
_WARM_SHARE = 0.98
_UNREAD_COOKIE = "0xba4c"
_SOURCE_PORT = re.compile(r"tp_src=(\d+)")
_PACKETS = re.compile(r"packet_count=(\d+)")


@dataclasses.dataclass(frozen=True)
class Plan:
    """How much is measured. seconds: of each measurement, but that of new connections, for which frames are limited."""
    mode: str
    rounds: int = 3
    seconds: float = 5


def full() -> Plan:
    """Some four minutes."""
    return Plan("cores")


def quick() -> Plan:
    """The same ratios, of shorter measurements."""
    return Plan("cores-quick", seconds=2)


class Run(run.Run):
    """Carries it out. `parts`: some of PARTS."""

    def everything(self) -> None:
        """All parts that are wanted."""
        self._work.mkdir(parents=True, exist_ok=True)
        self.results["cores"] = {}
        with cores_bed.CoresBed(self._work / "edge", self._distribution) as bed:
            for part in PARTS:
                if part in self._parts:
                    getattr(self, f"_{part}")(bed)
                    self.save()

    def _sessions(self, bed: cores_bed.CoresBed) -> None:
        load, files = self._feed(bed, "sessions", number=0)
        begun = time.monotonic()
        processes.wait_until(lambda: bed.sessions() >= _WARM_SHARE * load.flows, f"sessions for {load.flows} flows",
                             _READY_SECONDS, log=bed.switch_log)
        self._say(f"{bed.sessions()} sessions after {time.monotonic() - begun:.0f} s")

        def one(case: str) -> Results:
            with contextlib.ExitStack() as undo:
                if case == "bare":
                    bare.put_in(bed.ovs, bed.port["name"], UPLINK)
                    undo.callback(bare.take_out, bed.ovs)
                return sample(bed, self._plan.seconds)

        self._rounds(bed, ("bare", "sessions"), one)
        self.results["checks"] = checked(bed, files)
        self.save()
        judge(self.results["checks"])

    def _tracked(self, bed: cores_bed.CoresBed) -> None:
        bed.stop()
        bed.forget_sessions()
        load, _ = self._feed(bed, "tracked", number=1)
        processes.wait_until(lambda: nat.sessions(bed.ovs) >= load.flows, f"{load.flows} tracked connections",
                             _READY_SECONDS, log=bed.switch_log)
        self._rounds(bed, ("tracked",), lambda _: sample(bed, self._plan.seconds))
        if found := bed.sessions():
            raise PenstockError(f"tracked: {found} connections have sessions")

    def _new(self, bed: cores_bed.CoresBed) -> None:
        bed.stop()
        bed.ovs.appctl("dpctl/ct-set-maxconns", str(_MOST_SESSIONS))
        files = self._files(bed, "new")
        found = self._cases("new")
        for number in range(self._plan.rounds):
            for name in turns(number):
                with self._unread(bed, files, cores_bed.CORES[THREADS[name]]) as before:
                    found["new"][name].append(_taken_new(bed, before))
                self._tell("new", number, name, found["new"][name][-1])
            self.save()

    @contextlib.contextmanager
    def _unread(self, bed: cores_bed.CoresBed, files: Sequence[pathlib.Path], cores: Sequence[int]) -> Iterator[Any]:
        """For the body the port begins to read its files, with all flows in place and an empty table of connections.

        A new port is polled before the controller has sent its flows. So it reads all frames for nothing first. Yields
        the number of packets that threads had counted then.
        """
        bed.ovs.appctl("dpctl/flush-conntrack")
        processes.wait_until(lambda: not nat.sessions(bed.ovs), "an empty conntrack table", _READY_SECONDS)
        bed.ofctl("add-flow", f"table=0,cookie={_UNREAD_COOKIE},priority=65535,ip,actions=drop")
        before = _packets(bed)
        try:
            bed.feed("new", cores_bed.pcap_port(2, files, forever=False), LOADS["new"].tenants, cores)
            processes.wait_until(lambda: _packets(bed) - before >= LOADS["new"].flows, "the end of the files",
                                 _READY_SECONDS, log=bed.switch_log)
            bed.ofctl("del-flows", f"cookie={_UNREAD_COOKIE}/-1")
            bed.ovs.drop_cached_flows()
            before = _packets(bed)
            bed.read_again()
            yield before
        finally:
            bed.ofctl("del-flows", f"cookie={_UNREAD_COOKIE}/-1")
            bed.stop()

    def _feed(self, bed: cores_bed.CoresBed, case: str, number: int) -> tuple[traffic.Load, list[pathlib.Path]]:
        files = self._files(bed, case)
        bed.feed(case, cores_bed.pcap_port(number, files, forever=True), LOADS[case].tenants, cores_bed.CORES[1])
        bed.introduce(LOADS[case].tenants)
        return LOADS[case], files

    @staticmethod
    def _files(bed: cores_bed.CoresBed, case: str) -> list[pathlib.Path]:
        """One pcap file for each queue, which goes with the bed."""
        paths = [pathlib.Path(bed.directory) / f"{case}{queue}.pcap" for queue in range(cores_bed.QUEUES)]
        for path, frames in zip(paths, cores_bed.split(traffic.access_frames(LOADS[case])[0]), strict=True):
            traffic.write_pcap(path, frames)
        return paths

    def _cases(self, *cases: str) -> Results:
        self.results["cores"] |= {case: {name: [] for name in THREADS} for case in cases}
        cores: Results = self.results["cores"]
        return cores

    def _rounds(self, bed: cores_bed.CoresBed, cases: Sequence[str], one: Callable[[str], Results]) -> None:
        found = self._cases(*cases)
        for number in range(self._plan.rounds):
            for name in turns(number):
                for case in cases:
                    with shared(bed, THREADS[name]):
                        found[case][name].append(one(case))
                    self._tell(case, number, name, found[case][name][-1])
            self.save()

    def _tell(self, case: str, number: int, name: str, taken: Results) -> None:
        self._say(f"{case}, round {number + 1}, {name}: {taken['mpps']:.2f} Mpps, {taken['cycles_per_packet']:.0f} "
                  "cycles a packet")


def turns(number: int) -> tuple[str, ...]:
    """Which comes first changes from round to round: a machine that gets slower hits both."""
    return tuple(THREADS) if number % 2 == 0 else tuple(THREADS)[::-1]


@contextlib.contextmanager
def shared(bed: cores_bed.CoresBed, count: int) -> Iterator[None]:
    """For the body so many threads poll the queues; one does afterwards."""
    bed.share(cores_bed.CORES[count])
    try:
        yield
    finally:
        bed.share(cores_bed.CORES[1])


def sample(bed: cores_bed.CoresBed, seconds: float, settle: float = _SETTLE_SECONDS) -> Results:
    """What the polling threads have taken in `seconds`; see compare().

    asleep: share of the time, of those with packets; such a thread sleeps for hardly anything but a lock
    """
    time.sleep(settle)
    # Shares of cycles are those of the time since the count began.
    bed.begin_to_count()
    awake, before, begun = bed.awake(), bed.polled(), time.monotonic()
    time.sleep(seconds)
    awake_after, after, ended = bed.awake(), bed.polled(), time.monotonic()
    found = compare(before, after, ended - begun)
    shares = [1 - (awake_after[core] - awake[core]) / (ended - begun) for core in map(int, found["cores"])]
    return found | {"asleep": max(0.0, sum(shares) / len(shares))}


def compare(before: cores_bed.Counts, after: cores_bed.Counts, seconds: float) -> Results:
    """One sample of two readings of cores_bed.threads().

    mpps: of all threads together
    cycles_per_packet: with work, for each packet taken in; of all threads, and of each in `cores`
    """
    grown = {core: {name: count - before.get(core, {}).get(name, 0) for name, count in one.items()}
             for core, one in after.items()}
    cores = {str(core): {"packets": one["packets"], "mpps": one["packets"] / seconds / 1e6,
                         "cycles_per_packet": one["processing"] / one["packets"],
                         "busy": one["processing"] / max(1, one["processing"] + one["idle"])}
             for core, one in sorted(grown.items()) if one["packets"]}
    if not cores:
        raise PenstockError("the polling threads have taken no packets")
    packets = sum(one["packets"] for one in grown.values())
    return {"seconds": seconds, "packets": packets, "mpps": packets / seconds / 1e6,
            "cycles_per_packet": sum(one["processing"] for one in grown.values()) / packets,
            "passes": 1 + sum(one["recirculated"] for one in grown.values()) / packets,
            "upcalls": sum(one["upcalls"] for one in grown.values()), "cores": cores}


def _taken_new(bed: cores_bed.CoresBed, before: Any) -> Results:
    processes.wait_until(lambda: nat.sessions(bed.ovs) >= _NEW_SETTLED, "new connections", _READY_SECONDS,
                         log=bed.switch_log)
    connections = nat.sessions(bed.ovs)
    read = _packets(bed) - before
    taken = sample(bed, _NEW_SECONDS, settle=0)
    connections = nat.sessions(bed.ovs) - connections
    if read + _packets(bed) >= LOADS["new"].flows:
        raise PenstockError("new: all frames were read before the measurement was over")
    if connections < (1 - MOST_DIFFERENCE) * taken["packets"]:
        raise PenstockError(f"new: {taken['packets']} packets began only {connections} connections")
    return taken


def checked(bed: cores_bed.CoresBed, files: Sequence[pathlib.Path]) -> Results:
    """With two threads: packets by flows and by threads, and how many connections of each queue have a session."""
    with shared(bed, 2):
        time.sleep(_SETTLE_SECONDS)
        before = _counted(bed)
        time.sleep(_CHECK_SECONDS)
        after = _counted(bed)
        shown = bed.ofctl("dump-flows", "table=nat_sessions")
    learned = {int(port) for port in _SOURCE_PORT.findall(shown)}
    return {"flow_packets": after[0] - before[0], "thread_packets": after[1] - before[1],
            "sessions": [len(learned & _source_ports(path))
                         for path in files]}


def _source_ports(path: pathlib.Path) -> set[int]:
    return {packet.source_port for packet in map(traffic.parse, traffic.read_pcap(path)) if packet}


def judge(checks: Results) -> None:
    """Raises unless both ways to count agree and both queues have sessions."""
    flows, threads = checks["flow_packets"], checks["thread_packets"]
    if abs(flows - threads) > MOST_DIFFERENCE * threads:
        raise PenstockError(f"with two threads flows have counted {flows} packets, polling threads {threads}")
    if not all(checks["sessions"]):
        raise PenstockError(f"with two threads a queue has no sessions: {checks['sessions']}")


def _counted(bed: cores_bed.CoresBed) -> tuple[int, int]:
    bed.ovs.appctl("revalidator/wait")  # Until then packets are in cached flows alone.
    text = bed.ofctl("dump-aggregate", f"table=0,in_port={bed.port['name']}")
    return int(_PACKETS.findall(text)[0]), _packets(bed)


def _packets(bed: cores_bed.CoresBed) -> int:
    return sum(one["packets"] for one in bed.polled().values())
