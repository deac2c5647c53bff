# SPDX-License-Identifier: Apache-2.0
"""Makes metrics of a reading. docs/operations.md has the table of them."""

import typing
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from . import switch_answers
from .reading import Reading

OTHERS = "(others)"
"""The label of the interfaces beyond the bound, which are added up. No interface can have this name."""

_PERF = {  # Names of dpif-netdev/pmd-perf-show.
    "Iterations": ("iterations", "Iterations"),
    "idle iterations": ("idle_iterations", "Iterations without packets"),
    "busy iterations": ("busy_iterations", "Iterations with packets"),
    "sleep iterations": ("sleep_iterations", "Iterations after which the thread slept"),
    "Used TSC cycles": ("used_cycles", "TSC cycles that the thread was awake"),
    "Rx packets": ("rx_packets", "Packets received"),
    "Datapath passes": ("datapath_passes", "Passes of packets through the datapath, recirculations included"),
    "PHWOL hits": ("phwol_hits", "Passes that partial hardware offload served"),
    "Simple Match hits": ("simple_match_hits", "Passes that the simple match cache served"),
    "EMC hits": ("emc_hits", "Passes that the exact match cache served"),
    "SMC hits": ("smc_hits", "Passes that the signature match cache served"),
    "Megaflow hits": ("megaflow_hits", "Passes that the megaflow cache served"),
    "Upcalls": ("upcalls", "Passes that met no cached flow and were handled by the slow path"),
    "Lost upcalls": ("lost_upcalls", "Passes that met no cached flow and were dropped"),
    "Tx packets": ("tx_packets", "Packets sent"),
    "Tx batches": ("tx_batches", "Batches of packets sent")}
_STATISTICS = {  # Keys of the column statistics of Interface.
    "rx_packets": ("rx_packets", "Packets received"), "tx_packets": ("tx_packets", "Packets sent"),
    "rx_bytes": ("rx_bytes", "Bytes received"), "tx_bytes": ("tx_bytes", "Bytes sent"),
    "rx_dropped": ("rx_dropped", "Received packets that were dropped"),
    "tx_dropped": ("tx_dropped", "Packets that were dropped instead of being sent"),
    "rx_errors": ("rx_errors", "Packets received with errors"),
    "tx_errors": ("tx_errors", "Packets that could not be sent because of errors"),
    "rx_missed_errors": ("rx_missed", "Packets that the device had no room for")}
_DATAPATH = {"hit": "Lookups that met a cached flow", "missed": "Lookups that met no cached flow",
             "lost": "Packets that were dropped before they reached the slow path"}


def make(reading: Reading, most_interfaces: int) -> Iterator[Metric]:
    """All metrics of a reading. most_interfaces: how many interfaces, and bridges, get samples of their own."""
    yield GaugeMetricFamily("ovs_up", "Whether the switch answers", value=reading.switch_up)
    yield GaugeMetricFamily("ovs_database_up", "Whether the database of the switch answers", value=reading.database_up)
    interfaces = _Interfaces(reading, most_interfaces)
    yield from _threads(reading.answers, interfaces)
    yield from _switch(reading.answers)
    yield from interfaces.families()
    yield from _node(reading)
    yield GaugeMetricFamily("penstock_exporter_series_dropped",
                            "Series that are left out or added up because of the bound on interfaces",
                            value=interfaces.dropped)
    yield GaugeMetricFamily("penstock_exporter_reading_seconds", "How long the last reading of the node took",
                            value=reading.seconds)


def _threads(answers: dict[str, str], interfaces: "_Interfaces") -> Iterator[Metric]:
    labels = ("numa", "core")
    perf = answers.get("perf", "")
    counts = switch_answers.threads(perf)
    for name, (metric, text) in _PERF.items():
        family = CounterMetricFamily(f"ovs_pmd_{metric}", f"{text}, by polling thread", labels=labels)
        for thread, found in counts.items():
            if name in found:
                family.add_metric(thread, found[name])
        yield family
    cycles = GaugeMetricFamily("ovs_pmd_cycles_per_packet", "TSC cycles for each received packet since the start of "
                               "the switch", labels=labels)
    for thread, number in switch_answers.cycles_per_packet(perf).items():
        cycles.add_metric(thread, number)
    yield cycles
    slept = CounterMetricFamily("ovs_pmd_sleep_seconds", "Time that a polling thread slept", labels=labels)
    for thread, found in counts.items():
        if "Sleep time (us)" in found:
            slept.add_metric(thread, found["Sleep time (us)"] / 1e6)
    yield slept
    text = answers.get("queues", "")
    usage = GaugeMetricFamily("ovs_pmd_rxq_usage_ratio", "Share of its thread's time that a receive queue took in the "
                              "last minute", labels=(*labels, "interface", "queue"))
    for thread, shares in switch_answers.queues(text).items():
        for (name, queue), share in shares.items():
            if interfaces.has(name):
                usage.add_metric((*thread, name, queue), share)
            else:
                interfaces.dropped += 1
    yield usage
    overhead = GaugeMetricFamily("ovs_pmd_overhead_ratio", "Share of its time that a polling thread spent on no queue "
                                 "in the last minute", labels=labels)
    for thread, share in switch_answers.overheads(text).items():
        overhead.add_metric(thread, share)
    yield overhead


def _switch(answers: dict[str, str]) -> Iterator[Metric]:
    for event, total in switch_answers.events(answers.get("coverage", "")).items():
        yield CounterMetricFamily(f"ovs_coverage_{event}", f"Times of the event {event} of coverage/show", value=total)
    found = switch_answers.datapath(answers.get("datapath", ""))
    for name, text in _DATAPATH.items():
        if name in found:
            yield CounterMetricFamily(f"ovs_datapath_lookups_{name}", text, value=found[name])
    if "flows" in found:
        yield GaugeMetricFamily("ovs_datapath_flows", "Cached flows", value=found["flows"])
    objects = GaugeMetricFamily("ovs_memory_objects", "Objects in the memory of the switch, by kind", labels=("kind",))
    for kind, number in switch_answers.memory(answers.get("memory", "")).items():
        objects.add_metric((kind,), number)
    yield objects
    for answer, metric, text in (("connections", "entries", "Connections that are tracked"),
                                 ("most_connections", "entries_limit", "Most connections that can be tracked")):
        if answers.get(answer, "").strip().isdigit():
            yield GaugeMetricFamily(f"ovs_conntrack_{metric}", text, value=int(answers[answer]))


def _node(reading: Reading) -> Iterator[Metric]:
    runs = GaugeMetricFamily("penstock_node_service_up", "Whether a process of the node runs", labels=("service",))
    ends = CounterMetricFamily("penstock_node_service_endings", "How often a process of the node has ended by itself",
                               labels=("service",))
    for name, (running, number) in sorted(reading.services.items()):
        runs.add_metric((name,), running)
        ends.add_metric((name,), number)
    cpu = CounterMetricFamily("penstock_node_instance_cpu_seconds", "CPU time of an instance of a function",
                              labels=("function_instance",))
    memory = GaugeMetricFamily("penstock_node_instance_resident_bytes", "Resident memory of an instance of a function, "
                               "without huge pages", labels=("function_instance",))
    for name, (seconds, resident) in reading.instances.items():
        cpu.add_metric((_text(name),), seconds)
        memory.add_metric((_text(name),), resident)
    pages = GaugeMetricFamily("penstock_node_huge_pages", "Huge pages of the machine", labels=("numa", "size_bytes"))
    free = GaugeMetricFamily("penstock_node_huge_pages_free", "Huge pages of the machine that are free",
                             labels=("numa", "size_bytes"))
    for (node, size), (number, unused) in sorted(reading.huge_pages.items()):
        pages.add_metric((node, str(size)), number)
        free.add_metric((node, str(size)), unused)
    yield from (runs, ends, cpu, memory, pages, free)
    yield GaugeMetricFamily("penstock_node_quarantined_instances", "Instances of functions in quarantine",
                            value=reading.quarantined)


class _Interfaces:
    """The interfaces of the database: the first ones by name have samples of their own."""

    def __init__(self, reading: Reading, most: int) -> None:
        self.dropped = 0
        tables = reading.tables
        by_port = {row["_uuid"][1]: _members(row["interfaces"]) for row in tables.get("Port", ())}
        self._bridges = {_text(row["name"]): _members(row["ports"]) for row in tables.get("Bridge", ())}
        bridge_of = {interface: bridge for bridge, ports in self._bridges.items()
                     for port in ports for interface in by_port.get(port, ())}
        rows = sorted(tables.get("Interface", ()), key=lambda row: str(row["name"]))
        self._rows = [(bridge_of.get(row["_uuid"][1], ""), row) for row in rows]
        self._most = most
        self._own = {str(row["name"]) for row in rows[:most]}

    def has(self, name: str) -> bool:
        """Whether an interface has samples of its own. Without the database the first ones asked for have."""
        if name not in self._own and not self._rows and len(self._own) < self._most:
            self._own.add(name)
        return name in self._own

    def families(self) -> Iterator[Metric]:
        """Metrics of bridges and interfaces."""
        ports = GaugeMetricFamily("ovs_bridge_ports", "Ports of a bridge", labels=("bridge",))
        for bridge in sorted(self._bridges)[:self._most]:
            ports.add_metric((bridge,), len(self._bridges[bridge]))
        self.dropped += max(len(self._bridges) - self._most, 0)
        yield ports
        labels = ("bridge", "interface")
        link = GaugeMetricFamily("ovs_interface_link_up", "Whether the link of an interface is up", labels=labels)
        mtu = GaugeMetricFamily("ovs_interface_mtu_bytes", "MTU of an interface", labels=labels)
        for bridge, row in self._rows[:self._most]:
            where = (bridge, _text(row["name"]))
            link.add_metric(where, row["link_state"] == "up")
            if isinstance(row["mtu"], int):
                mtu.add_metric(where, row["mtu"])
        rest = max(len(self._rows) - self._most, 0)
        self.dropped += 2 * rest
        yield from (link, mtu)
        for key, (metric, text) in _STATISTICS.items():
            family = CounterMetricFamily(f"ovs_interface_{metric}", f"{text}, by interface", labels=labels)
            others: list[int] = []
            for number, (bridge, row) in enumerate(self._rows):
                value = dict(row["statistics"][1]).get(key)
                if value is None:
                    continue
                if number < self._most:
                    family.add_metric((bridge, _text(row["name"])), value)
                else:
                    others.append(value)
            if others:
                family.add_metric(("", OTHERS), sum(others))
            self.dropped += len(others)
            yield family


def _members(value: typing.Any) -> list[str]:
    """The UUIDs of a column that holds a set of references: one by itself is not in a set (RFC 7047, section 5.1)."""
    kind, content = value
    return [content] if kind == "uuid" else [uuid for _, uuid in content]


def _text(name: object) -> str:
    """A label that can be encoded: JSON permits halves of letters."""
    return str(name).encode("utf-8", "replace").decode("utf-8")
