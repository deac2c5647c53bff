# SPDX-License-Identifier: Apache-2.0
"""Penstock with two polling threads, and without a generator: the access port itself replays frames from files.

| port | device | what it does |
|---|---|---|
| that of a case | `net_pcap`, two receive queues | each queue has a file of frames; what is sent to it is dropped |
| up0 | `net_null` | drops what is sent to it, and receives nothing |

So both cores are left to the switch. Nothing answers: the ARP of hosts and of the transit router is injected.
"""

import copy
import pathlib
import re
from collections.abc import Sequence

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node.node_protocol import BRIDGE

from . import configuration, edge, traffic
from .results import Results

Counts = dict[int, dict[str, int]]
"""Of polling threads, by core and name."""

PACKAGES = ("librte-net-pcap23", "librte-net-null23")
QUEUES = 2
CORES = {1: (1, 1), 2: (0, 1)}
"""By the number of polling threads: the core of each receive queue. The uplink's queue is on core 1."""

_UPLINK_CORE = 1
_MOVE_SECONDS = 30
_OTHER_MTU = 1499
_THREAD = re.compile(r"^pmd thread numa_id \d+ core_id (\d+):\n((?:\n? +.*\n?)*)", re.MULTILINE)
_POLLING = re.compile(r"pmd-c(\d+)/")
_QUEUE = re.compile(r"port: (\S+)\s+queue-id:\s*(\d+)")
_COUNTERS = {"packets": r"Rx packets: +(\d+)", "passes": r"Datapath passes: +(\d+)", "used": r"Used TSC cycles: +(\d+)",
             "upcalls": r"Upcalls: +(\d+)"}
_BUSY = re.compile(r"busy iterations: +\d+ +\( *([\d.]+) % of used cycles\)")


def null_port(number: int) -> str:
    """The devargs of a port that drops what is sent to it, and receives nothing."""
    return f"net_null{number},size=64,no-rx=1"


def pcap_port(number: int, files: Sequence[object], forever: bool) -> str:
    """The devargs of a port with a receive queue for each pcap file.

    forever: the frames are kept in memory and begin again after the last. Else each is read once, from the file.
    """
    if any("," in str(path) for path in files):
        raise PenstockError(f"{files[0]}: a comma would end the name for DPDK; choose another directory")
    return ",".join((f"net_pcap{number}", *(f"rx_pcap={path}" for path in files), f"infinite_rx={forever:d}"))


def split(frames: list[bytes]) -> list[list[bytes]]:
    """The frames of the connections of each queue; every tenant has as many in one as in the other, as by a hash.

    frames: those of one port by traffic.access_frames(): connection 0 of every tenant, then connection 1
    """
    half = -(-len(frames) // QUEUES)
    return [frames[start:start + half] for start in range(0, len(frames), half)]


def threads(text: str) -> Counts:
    """{core: {name: count}} of an answer of pmd-perf-show; `idle` and `processing` are cycles, to a thousandth of all.
    """
    found = {}
    for core, part in _THREAD.findall(text):
        # The switch leaves out what a thread has none of.
        values = {name: int(value[1]) if (value := re.search(rf"^ +(?:- )?{label}", part, re.MULTILINE)) else 0
                  for name, label in _COUNTERS.items()}
        busy = _BUSY.search(part)
        processing = round(values["used"] * float(busy[1]) / 100) if busy else 0
        found[int(core)] = {"packets": values["packets"], "recirculated": max(0, values["passes"] - values["packets"]),
                            "idle": values["used"] - processing, "processing": processing,
                            "upcalls": values["upcalls"]}
    return found


def queues(text: str, port: str) -> tuple[int, ...]:
    """The core of each receive queue of a port, in an answer of pmd-rxq-show."""
    found = {int(queue): int(core) for core, part in _THREAD.findall(text) for name, queue in _QUEUE.findall(part)
             if name == port}
    return tuple(core for _, core in sorted(found.items()))


class CoresBed(edge.Edge):
    """One controller and one node with two polling threads, of which one sleeps as long as it has no queue."""

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path) -> None:
        super().__init__(directory, distribution, links=(), pmd_cores=sorted({*CORES[1], *CORES[2]}))
        self.port: Results = {}
        """The access port that replays frames."""

    def _ports(self) -> Results:
        return {"access-ports": [self._null("acc0", 0)], "uplink-ports": [self._null(configuration.UPLINK, 1)]}

    @staticmethod
    def _null(name: str, number: int) -> Results:
        return {"name": name, "type": "dpdk", "devargs": null_port(number), "queue-cores": [_UPLINK_CORE]}

    def feed(self, name: str, devargs: str, count: int, cores: Sequence[int]) -> None:
        """Makes a port the only access port, with `count` tenants, and waits until the switch polls it.

        The transit router speaks before: with an unknown next hop the first packets would all go to the controller.
        """
        self._inject(configuration.UPLINK, edge.arp(traffic.TRANSIT_MAC, "192.0.2.1", "192.0.2.2"))
        self.port = {"name": name, "role": "access", "type": "dpdk", "devargs": devargs, "receive-queues": QUEUES}
        content = configuration.network(copy.deepcopy(self.nodes), self.name, count)
        network = content[configuration.NETWORK]
        uplinks = [port for port in network["node"][0]["port"] if port["role"] == "uplink"]
        network["node"][0]["port"] = [self._polled_by(cores), *uplinks]
        for tenant in network["tenant"]:
            tenant["attachment"][0]["port"] = name
        self.restconf.replace(configuration.NETWORK, content)
        self._await_queues(cores)

    def share(self, cores: Sequence[int]) -> None:
        """Gives the queues of the access port to these cores, and waits until they poll them."""
        self.restconf.replace(f"{configuration.NETWORK}/node={self.name}/port={self.port['name']}",
                              {"penstock:port": [self._polled_by(cores)]})
        self._await_queues(cores)

    def read_again(self) -> None:
        """Has the files of the port read again, from their first frames: a port is set up anew when its MTU changes."""
        self.ovs.vsctl("set", "Interface", self.port["name"], f"mtu_request={_OTHER_MTU}")

    def stop(self) -> None:
        """Takes the access port and all tenants away."""
        self.put(0)
        self.applied()

    def _polled_by(self, cores: Sequence[int]) -> Results:
        return self.port | {"queue-core": [{"queue": queue, "core": core} for queue, core in enumerate(cores)]}

    def _await_queues(self, cores: Sequence[int]) -> None:
        def are_there() -> bool:
            return queues(self.ovs.appctl("dpif-netdev/pmd-rxq-show"), self.port["name"]) == tuple(cores)

        processes.wait_until(are_there, f"queues of {self.port['name']} on cores {cores}", _MOVE_SECONDS,
                             log=self.switch_log)
        self.applied()

    def introduce(self, count: int) -> None:
        """Lets the host of each tenant speak, so that the switch knows its MAC address."""
        for number in range(count):
            self._inject(self.port["name"], edge.arp(traffic.host_mac(number), traffic.HOST, traffic.GATEWAY,
                                                     traffic.place(number)[1]))

    def _inject(self, port: str, frame: bytes) -> None:
        self.ofctl("packet-out", f"in_port={port},packet={frame.hex()},actions=table")

    def ofctl(self, command: str, *arguments: object) -> str:
        """Runs ovs-ofctl on the bridge, with ports and tables by name."""
        return run("ovs-ofctl", "-O", "OpenFlow13", "--names", command, BRIDGE, *arguments,
                   environment=self.ovs.environment)

    def polled(self) -> Counts:
        """What the polling threads have counted since they began, or since `begin_to_count`; see threads()."""
        return threads(self.ovs.appctl("dpif-netdev/pmd-perf-show"))

    def begin_to_count(self) -> None:
        """Has the polling threads count from 0."""
        self.ovs.appctl("dpif-netdev/pmd-stats-clear")

    def awake(self) -> dict[int, float]:
        """{core: seconds} that its polling thread has run, or waited for its core; in the rest it slept."""
        found = {}
        for task in pathlib.Path(f"/proc/{processes.pid_of(self.ovs.switch_process)}/task").iterdir():
            if name := _POLLING.match((task / "comm").read_text("ascii")):
                run_ns, wait_ns, _ = map(int, (task / "schedstat").read_text("ascii").split())
                found[int(name[1])] = (run_ns + wait_ns) / 1e9
        return found
