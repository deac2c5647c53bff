# SPDX-License-Identifier: Apache-2.0
"""The switch under test: what its polling thread says of its work.

Every figure is read in the middle of a run of the generator: counters are cleared when the traffic has settled and read
before it ends, so cycles and busy share are those of saturation and nothing else.
"""

import contextlib
import os
import pathlib
import re
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from penstock_base.errors import PenstockError
from penstock_node.ovs import Ovs

from . import traffic
from .generator import Generator
from .results import Results

PACKAGES = ("openvswitch-switch-dpdk", "librte-net-vhost23")
SETTLE_SECONDS = 1.0
"""Flows that were cached for another contender are made anew in this time."""

_TAIL_SECONDS = 0.3
_FCS = 4
_RX = re.compile(r"Rx packets:\s+(\d+)\s+\((\d+) Kpps, (\d+) cycles/pkt\)")
_TX = re.compile(r"Tx packets:\s+(\d+)\s+\((\d+) Kpps\)")
_DURATION = re.compile(r"Measurement duration:\s+([\d.]+) s")
_FLOWS = re.compile(r"^\s*flows:\s+(\d+)", re.MULTILINE)
_BUSY = re.compile(r"busy iterations:\s+\d+\s+\(\s*([\d.]+) % of used cycles\)")
_PASSES = re.compile(r"Datapath passes:\s+\d+\s+\(\s*([\d.]+) passes/pkt\)")
_UPCALLS = re.compile(r"Upcalls:\s+(\d+)")
_HITS = {"simple": "Simple Match hits", "emc": "EMC hits", "smc": "SMC hits", "megaflow": "Megaflow hits"}
# A value, after "=" or alone in parentheses, without what stands behind "/". Flags are named, and are no value.
_VALUE = re.compile(r"=[^,()/]+|(?<=\()[^,()/=+-]+(?=[/)])")
_SIGN = re.compile(r"(?<=[(+\-a-z_])[+-](?=[a-z_])")


def vhost_port(number: int, socket: pathlib.Path) -> str:
    """The devargs of a port of type dpdk whose other end is a virtio-user port that listens on `socket`."""
    return f"net_vhost{number},iface={socket},client=1,queues=1"


def measure(ovs: Ovs, generator: Generator, links: Sequence[str], seconds: float,
            settle: float = SETTLE_SECONDS) -> Results:
    """Sends on `links` as fast as the switch takes it, and returns one sample (see README.md for its fields)."""
    answer, sample = watch(ovs, generator, links, seconds, settle)
    sample["generator_busy"] = answer["busy"]
    sent = sum(link["tx"] for link in answer["links"].values())
    mean = sum(link["tx_bytes"] for link in answer["links"].values()) / max(1, sent)
    sample["gbps_l1"] = traffic.layer1_gbps(sample["mpps"], mean + _FCS)
    sample["lost"] = sum(link["tx"] for link in answer["links"].values()) \
        - sum(link["rx"] for link in answer["links"].values())
    return sample


def watch(ovs: Ovs, generator: Generator, links: Sequence[str], seconds: float, settle: float = SETTLE_SECONDS,
          **options: Any) -> tuple[Results, Results]:
    """Sends on `links`, with options of Generator.run(). Returns its answer, and what the polling thread said.

    That is about the `seconds` after the settling, without one from before the first packet on; the run is a little
    longer.
    """
    answer = {}

    def send() -> None:
        answer.update(generator.run(settle + seconds + _TAIL_SECONDS, links, **options))

    sender = threading.Thread(target=send)
    if not settle:
        ovs.appctl("dpif-netdev/pmd-stats-clear")
    sender.start()
    try:
        if settle:
            time.sleep(settle)
            ovs.appctl("dpif-netdev/pmd-stats-clear")
        time.sleep(seconds)
        perf = ovs.appctl("dpif-netdev/pmd-perf-show")
    finally:
        sender.join()
    if not answer:
        raise PenstockError("the generator gave no answer")
    return answer, parse(perf)


@contextlib.contextmanager
def giving_way(ovs: Ovs, microseconds: int, before: int) -> Iterator[None]:
    """For the body the polling thread sleeps so long when it has little to do, and is there at once when it wakes up.

    Who shares its core has it meanwhile. Without the second a ring is full before the others' turn is over.

    before: how long it sleeps otherwise
    """
    ovs.set_map("other_config", {"pmd-maxsleep": microseconds})
    threads = _polling_threads(ovs)
    try:
        for thread in threads:
            with contextlib.suppress(PermissionError):  # No right of a container without CAP_SYS_NICE.
                os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(1))
        yield
    finally:
        for thread in threads:
            with contextlib.suppress(OSError):
                os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
        ovs.set_map("other_config", {"pmd-maxsleep": before})


def niceness(ovs: Ovs) -> int:
    """Of the polling threads, as the kernel has it: a container may refuse what ovs-config asks for."""
    return max(os.getpriority(os.PRIO_PROCESS, thread) for thread in _polling_threads(ovs))


def set_niceness(ovs: Ovs, nice: int) -> None:
    """Gives all threads of the switch another niceness than the product does."""
    process = _process(ovs)
    for thread in (process / "task").iterdir():
        try:
            os.setpriority(os.PRIO_PROCESS, int(thread.name), nice)
        except ProcessLookupError:
            continue
        except PermissionError:
            raise PenstockError(f"no right to give the switch the niceness {nice}") from None
    with contextlib.suppress(OSError):  # Where the kernel has groups, they share the core by the group's.
        (process / "autogroup").write_text(str(nice), "ascii")


def _polling_threads(ovs: Ovs) -> list[int]:
    return [int(path.name) for path in (_process(ovs) / "task").iterdir()
            if (path / "comm").read_text("ascii").startswith("pmd-")]


def _process(ovs: Ovs) -> pathlib.Path:
    return pathlib.Path("/proc") / (ovs.directory / "ovs-vswitchd.pid").read_text("ascii").strip()


def parse(perf: str) -> Results:
    """The figures of one polling thread from pmd-perf-show."""
    rx, tx, busy, passes = _RX.search(perf), _TX.search(perf), _BUSY.search(perf), _PASSES.search(perf)
    if not (rx and tx and busy and int(rx[1])):
        raise PenstockError(f"the switch has seen no packets: {perf.strip()[:400]}")
    lookups = {name: int(found[1]) for name, label in _HITS.items()
               if (found := re.search(rf"{label}:\s+(\d+)", perf))}
    total = max(1, sum(lookups.values()))
    upcalls = _UPCALLS.search(perf)
    return {"mpps": int(tx[2]) / 1000, "received_mpps": int(rx[2]) / 1000, "cycles_per_packet": int(rx[3]),
            "busy": float(busy[1]) / 100, "passes": float(passes[1]) if passes else None,
            "upcalls": int(upcalls[1]) if upcalls else None,
            **{name: hits / total for name, hits in lookups.items()}}


def sent(ovs: Ovs) -> tuple[float, int]:
    """Since the counters of the polling thread were cleared: seconds, and packets that it has sent out."""
    perf = ovs.appctl("dpif-netdev/pmd-perf-show")
    duration, tx = _DURATION.search(perf), _TX.search(perf)
    if not duration:
        raise PenstockError(f"the polling thread has no counters: {perf.strip()[:400]}")
    return float(duration[1]), int(tx[1]) if tx else 0


def cached_flows(ovs: Ovs) -> int:
    """Number of cached flows, without a copy of them."""
    return sum(int(number) for number in _FLOWS.findall(ovs.appctl("dpctl/show")))


def datapath_flows(ovs: Ovs) -> list[str]:
    """The cached flows of the datapath, one line each."""
    return [line for line in ovs.appctl("dpctl/dump-flows").splitlines() if "actions:" in line]


def masks(lines: Iterable[str]) -> int:
    """How many different masks cached flows have: each is one more table to look a packet up in."""
    return len({mask(line) for line in lines})


def mask(line: str) -> str:
    """What a cached flow looks at, without the values."""
    return _SIGN.sub("+", _VALUE.sub("", line.partition(", packets:")[0]))
