# SPDX-License-Identifier: Apache-2.0
"""The profile of a node: read, checked, defaults filled in."""

import dataclasses
import ipaddress
import os
import pathlib
import re
import typing
from collections.abc import Collection, Iterator, Mapping

from penstock_base import documents, namespaces, places
from penstock_base.errors import ProfileError

from . import management, numa, resolver_network, switch_faults, switch_program
from .hugepages import HugePages
from .node_protocol import ROLE_ACCESS, ROLE_SERVICE, ROLE_UPLINK, TYPE_DPDK, TYPE_SYSTEM
from .resolver_network import Dns

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "profile.schema.json"
_PCI_ADDRESS = re.compile(r"^([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7](,|$)", re.IGNORECASE)
_LONGEST_SOCKET_DIRECTORY = 70  # A unix socket path has 107 bytes at most; 36 are left for the name of a socket.


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of the node. `role` is access or uplink, `type` system or dpdk; the others only for dpdk.

    queue_cores: the cores that poll the first of the receive queues, in their order; the switch chooses for the rest.
    """
    name: str
    role: str
    type: str
    devargs: str | None = None
    receive_queues: int = 1
    queue_cores: tuple[int, ...] = ()

    def announced(self) -> dict[str, object]:
        """What the controller reads about this port."""
        entry: dict[str, object] = {"name": self.name, "role": self.role, "type": self.type}
        entry |= {"devargs": self.devargs} if self.devargs else {}
        entry |= {"receive-queues": self.receive_queues} if self.receive_queues > 1 else {}
        return entry | ({"queue-cores": list(self.queue_cores)} if self.queue_cores else {})

    @property
    def pci_address(self) -> str | None:
        """The PCI address in devargs, or None for a virtual device or a system port."""
        return self.devargs.split(",")[0] if self.devargs and _PCI_ADDRESS.match(self.devargs) else None

    @property
    def pci_device(self) -> str | None:
        """The kernel's name of the device with that address, or None."""
        address = self.pci_address
        return address and (address if address.count(":") == 2 else f"0000:{address}").lower()


@dataclasses.dataclass(frozen=True)
class Tls:
    """Files with the certificate of a node, its private key, and the certificate of the authority, all PEM."""
    certificate: str
    key: str
    ca: str


@dataclasses.dataclass(frozen=True)
class Metrics:
    """Where the metrics of the node are served, and how many interfaces have samples of their own."""
    address: str
    port: int
    most_interfaces: int

    @property
    def is_loopback(self) -> bool:
        """Whether programs of this machine alone can reach it."""
        return ipaddress.ip_address(self.address).is_loopback


@dataclasses.dataclass(frozen=True)
class Records:
    """The collector of records of connections, [tcp:]ADDRESS:PORT, how often connections are read, and of how many."""
    collector: str
    interval_seconds: int
    most_connections: int


@dataclasses.dataclass(frozen=True)
class Profile:
    """A checked profile with every default filled in. `field_of_port` gives the field an error about a port names.

    `hugepage_memory_mb` is a number, or a tuple with one for each NUMA node from node 0 on. `dns` is None for a node
    without resolvers, `switch_root` for one with the newest Open vSwitch that ovs-config has unpacked, `tls` for one
    that connects in plain text, `metrics` for one that serves none, `records` for one that sends none.
    `accepted_switch_faults` has names of switch_faults, sorted.
    """
    name: str
    pmd_cores: tuple[int, ...]
    hugepage_memory_mb: int | tuple[int, ...]
    balance_queues: bool
    pmd_maxsleep_us: int
    exact_match_cache: bool
    switch_root: pathlib.Path | None
    accepted_switch_faults: tuple[str, ...]
    ports: tuple[Port, ...]
    dns: Dns | None
    vhost_user_directory: pathlib.Path
    controller_addresses: tuple[str, ...]
    ovsdb_port: int
    openflow_port: int
    tls: Tls | None
    metrics: Metrics | None
    records: Records | None
    namespace: str
    management_controller_address: str
    management_node_address: str | None
    run_directory: pathlib.Path
    field_of_port: dict[str, str] = dataclasses.field(compare=False, repr=False, default_factory=dict)

    @property
    def directory(self) -> pathlib.Path:
        """Directory of this node's files."""
        return self.run_directory / self.name

    @property
    def routed_controllers(self) -> tuple[str, ...]:
        """Addresses of controllers that are not of the management network, and so may be on other machines."""
        return tuple(address for address in self.controller_addresses
                     if address != self.management_controller_address
                     and not ipaddress.ip_address(address).is_link_local)

    def announced_ports(self) -> list[dict[str, object]]:
        """What the controller reads about the ports, that of the resolvers too."""
        service: dict[str, object] = {"name": resolver_network.PORT, "role": ROLE_SERVICE, "type": TYPE_SYSTEM}
        return [port.announced() for port in self.ports] + ([service] if self.dns else [])


def load(path: pathlib.Path | str) -> Profile:
    """Reads and checks a profile file. Raises ProfileError with everything that is wrong with its text."""
    try:
        return parse(documents.read_yaml(path))
    except ProfileError as error:
        raise error if error.args[0].startswith(str(path)) else ProfileError(error.problems, path) from None


def parse(content: Mapping[str, typing.Any]) -> Profile:
    """Makes a Profile of the mapping a profile file holds. Looks at the text only, not at the machine."""
    wrong = documents.problems(content, SCHEMA)
    if wrong:
        raise ProfileError(wrong)
    ports, field_of_port = _ports(content, wrong)
    dns = _dns(content, field_of_port, wrong)
    metrics = _metrics(content, wrong)
    addresses = content.get("management", {})
    controller = content.get("controller", {})
    controller_side = addresses.get("controller-address", management.CONTROLLER_ADDRESS)
    node_side = addresses.get("node-address")
    if node_side == controller_side:
        wrong.append("management.node-address: is the controller's address; give the node one of its own")
    if "address" in controller and "addresses" in controller:
        wrong.append("controller.addresses: address is there too; give one of them")
    run_directory = pathlib.Path(content.get("run-directory") or places.run_directory())
    name = content["name"]
    sockets = pathlib.Path(content.get("vhost-user-directory") or run_directory / name / "vhost")
    if len(str(sockets)) > _LONGEST_SOCKET_DIRECTORY:
        field = "vhost-user-directory" if "vhost-user-directory" in content else "run-directory"
        wrong.append(f"{field}: the socket directory {sockets} has more than {_LONGEST_SOCKET_DIRECTORY} letters, too "
                     "long for unix sockets; use a shorter path")
    if wrong:
        raise ProfileError(wrong)
    memory = content["hugepage-memory-mb"]
    return Profile(
        name=name, pmd_cores=tuple(sorted(content["pmd-cores"])),
        hugepage_memory_mb=tuple(memory) if isinstance(memory, list) else memory,
        balance_queues=content.get("balance-queues", False), pmd_maxsleep_us=content.get("pmd-maxsleep-us", 500),
        exact_match_cache=content.get("exact-match-cache", False),
        switch_root=pathlib.Path(content["switch-root"]) if "switch-root" in content else None,
        accepted_switch_faults=tuple(sorted(content.get("accepted-switch-faults", ()))), ports=ports, dns=dns,
        vhost_user_directory=sockets,
        controller_addresses=tuple(controller.get("addresses") or [controller.get("address", controller_side)]),
        ovsdb_port=controller.get("ovsdb-port", 6640), openflow_port=controller.get("openflow-port", 6653),
        tls=Tls(**controller["tls"]) if "tls" in controller else None,
        metrics=metrics, records=_records(content),
        namespace=content.get("namespace", f"ps-{name}"), management_controller_address=controller_side,
        management_node_address=node_side, run_directory=run_directory, field_of_port=field_of_port)


def _ports(content: Mapping[str, typing.Any], wrong: list[str]) -> tuple[tuple[Port, ...], dict[str, str]]:
    ports: list[Port] = []
    fields: dict[str, str] = {}
    for role in (ROLE_ACCESS, ROLE_UPLINK):
        for index, entry in enumerate(content.get(f"{role}-ports") or []):
            field = f"{role}-ports[{index}]"
            port = Port(entry["name"], role, entry.get("type", TYPE_SYSTEM), entry.get("devargs"),
                        entry.get("receive-queues", 1), tuple(entry.get("queue-cores", ())))
            if port.name in fields:
                wrong.append(f"{field}.name: {port.name} is also {fields[port.name]}; give each port once")
            if port.name in (management.NODE_LINK, resolver_network.PORT):
                what = "management port" if port.name == management.NODE_LINK else "port of the resolvers"
                wrong.append(f"{field}.name: {port.name} is the {what}; name another device")
            if port.type == TYPE_DPDK and not port.devargs:
                wrong.append(f"{field}.devargs: is missing; a dpdk port needs its device, for example 0000:03:00.0")
            if port.type == TYPE_SYSTEM and port.devargs:
                wrong.append(f"{field}.devargs: a system port has none; remove it, or set type: dpdk")
            wrong += _queue_problems(field, port, content["pmd-cores"])
            fields[port.name] = field
            ports.append(port)
    return tuple(ports), fields


def _queue_problems(field: str, port: Port, cores: Collection[int]) -> Iterator[str]:
    if port.type == TYPE_SYSTEM and (port.receive_queues > 1 or port.queue_cores):
        which = "receive-queues" if port.receive_queues > 1 else "queue-cores"
        yield f"{field}.{which}: a system port has one queue, which no polling core reads; remove it, or set type: dpdk"
    if len(port.queue_cores) > port.receive_queues:
        yield (f"{field}.queue-cores: names {len(port.queue_cores)} cores, but receive-queues is "
               f"{port.receive_queues}; give at most one core a queue, or raise receive-queues")
    for index, core in enumerate(port.queue_cores):
        if core not in cores:
            yield f"{field}.queue-cores[{index}]: core {core} is not in pmd-cores, which has {sorted(cores)}"


def _dns(content: Mapping[str, typing.Any], field_of_port: Mapping[str, str], wrong: list[str]) -> Dns | None:
    if "dns" not in content:
        return None
    fields = content["dns"] or {}
    device, address, gateway = (fields.get(name) for name in ("device", "upstream-address", "upstream-gateway"))
    if (device is None) != (address is None):
        wrong.append("dns: device and upstream-address belong together; give both, or none of them")
    if gateway and not device:
        wrong.append("dns.upstream-gateway: needs a device to be reached by; give device and upstream-address")
    if device and device in field_of_port:
        wrong.append(f"dns.device: {device} is also {field_of_port[device]}; give each device once")
    try:
        network = ipaddress.ip_interface(address or "0.0.0.0/0").network
        if gateway and address and ipaddress.ip_address(gateway) not in network:
            wrong.append(f"dns.upstream-gateway: {gateway} is not in {network}")
    except ValueError as error:
        wrong.append(f"dns.upstream-address: {error}")
    return Dns(device, address, gateway)


def _metrics(content: Mapping[str, typing.Any], wrong: list[str]) -> Metrics | None:
    if "metrics" not in content:
        return None
    fields = content["metrics"] or {}
    metrics = Metrics(fields.get("address", "127.0.0.1"), fields.get("port", 9475), fields.get("interfaces", 200))
    if not metrics.is_loopback and "tls" not in content.get("controller", {}):
        wrong.append(f"metrics.address: {metrics.address} is not of this machine alone; that needs controller.tls, the "
                     "certificate of the node")
    return metrics


def _records(content: Mapping[str, typing.Any]) -> Records | None:
    fields = content.get("connection-records")
    return fields and Records(fields["collector"], fields.get("interval-seconds", 20),
                              fields.get("most-connections", 100_000))


def online_cores() -> set[int]:
    """The numbers of the cores this machine has switched on."""
    return numa.numbers(pathlib.Path("/sys/devices/system/cpu/online"))


def machine_problems(profile: Profile, check_memory: bool = True) -> list[str]:
    """What this machine lacks for the profile: a list of sentences that start with the field, empty if nothing.

    check_memory: False for a node that is up, whose huge pages are taken already, by itself.
    """
    wrong = []
    cores = online_cores()
    for index, core in enumerate(profile.pmd_cores):
        if core not in cores:
            wrong.append(f"pmd-cores[{index}]: this machine has no core {core}; it has {sorted(cores)}")
    problem = HugePages().problem(profile.hugepage_memory_mb) if check_memory else None
    if problem:
        wrong.append(f"hugepage-memory-mb: {problem}")
    wrong += numa.Numa().problems(profile)
    for name, path in dataclasses.asdict(profile.tls).items() if profile.tls else ():
        if not os.access(path, os.R_OK):
            wrong.append(f"controller.tls.{name}: cannot read {path}; copy the files that ./penstock pki issue made")
    if profile.switch_root:
        wrong += switch_problems(profile)
    for port in profile.ports:
        field = profile.field_of_port[port.name]
        if port.type == TYPE_SYSTEM and find_port(profile, port) is None:
            wrong.append(f"{field}.name: there is no network device {port.name}, neither in namespace "
                         f"{profile.namespace} nor here; create it first")
        if port.pci_device and not pathlib.Path("/sys/bus/pci/devices", port.pci_device).exists():
            wrong.append(f"{field}.devargs: there is no PCI device {port.pci_address}; see lspci -D")
    if profile.dns and profile.dns.device and not (
            namespaces.link_exists(profile.dns.device)
            or (resolver_network.is_there(profile.namespace)
                and namespaces.link_exists(profile.dns.device, resolver_network.namespace_of(profile.namespace)))):
        wrong.append(f"dns.device: there is no network device {profile.dns.device} here; create it first")
    return wrong


def switch_problems(profile: Profile) -> list[str]:
    """Why the switch of the profile may not run, sentences as of `machine_problems`. The switch has to be chosen."""
    root = profile.switch_root or switch_program.MACHINE
    problem = switch_program.problem(root) or switch_program.exposure(root)
    if problem:
        return [f"switch-root: {problem}; make it as docs/node-profile.md says"]
    problem = switch_faults.problem(switch_program.version(root)[0], profile.accepted_switch_faults)
    return [f"switch-root: {problem}"] if problem else []


def find_port(profile: Profile, port: Port) -> str | None:
    """Where the device of a system port is: "node", "here" (the current namespace), or None."""
    if namespaces.exists(profile.namespace) and namespaces.link_exists(port.name, profile.namespace):
        return "node"
    return "here" if namespaces.link_exists(port.name) else None
