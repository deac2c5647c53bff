# SPDX-License-Identifier: Apache-2.0
"""OVN, the peer: what a user would take instead of Penstock, set up as fast as we know how.

It is the one of Debian unstable, which is newer than that of this machine. It runs on a switch that somebody else has
started. Its two database servers, ovn-northd and ovn-controller have all their files in one private directory and talk
over unix sockets only. They inherit the CPU affinity of their caller. What OVN is to do with packets is in
ovn_network.py.

What was chosen, and what it was chosen over:

* ovn-monitor-all=true; no probes, which may cut a busy connection; the cache of logical flows stays on, it is faster.
  No parallel build in northd: that is for more cores than two. Other settings of malloc changed nothing.
* bundle-idle-timeout of the switch, 10 s otherwise. With 1000 tenants of each kind ovn-controller has a bundle of flows
  open for longer while it computes; then the switch cuts the connection, all flows come anew, and hv_cfg stays behind.

Two ways to bring the tenants' VLANs in:

container  Each tenant's port is nested in one port, as a container's in its machine: both interfaces are in br-int, no
           other bridge and no patch port. The faster one.
localnet   A provider bridge for the access port and one for the uplink, and a localnet port with a tag for each tenant:
           two patch ports each, so that a change at 1000 tenants takes three times as long; packets are as fast. At
           4000 tenants a frame to an unknown MAC comes near the limit of 4096 resubmits. ovn-controller sends five
           gratuitous ARP requests for each public address in the first 31 seconds.
"""

import json
import pathlib
import re
import typing
from collections.abc import Callable, Mapping, Sequence

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import switch_program
from penstock_node.ovs import Ovs

from . import debian_root, ovn_database
from .ovn_database import Database
from .ovn_network import CHASSIS, COMMIT_SECONDS, Network

PEER = debian_root.DebianRoot("unstable", ("ovn-central", "ovn-host"))
"""The OVN that Debian unstable had when it was fetched."""
PACKAGES = ("ovn-central", "ovn-host")
"""The OVN of this machine's Debian, which is older."""
VARIANTS = ("container", "localnet")
INTEGRATION_BRIDGE = "br-int"

_PROVIDER_BRIDGES = "br-ovn-"
_SCHEMAS = "usr/share/ovn"
_PROGRAMS = {"ovsdb-server": "usr/sbin/ovsdb-server", "ovsdb-tool": "usr/bin/ovsdb-tool",
             "ovn-northd": "usr/bin/ovn-northd", "ovn-controller": "usr/bin/ovn-controller"}
_VERSION = re.compile(r"ovn-controller (\S+)")
_BUNDLE_TIMEOUT = "bundle-idle-timeout"
_START_SECONDS = 20
# Processes in the order in which they are ended.
_PROCESSES = ("controller", "northd", "southbound", "northbound")


class Ovn:
    """One OVN. Use start(), then its network, then stop(), which also does after a start() that failed.

    variant:   one of VARIANTS
    access:    the access ports; tenant i is on number i // traffic.TENANTS_PER_PORT, see traffic.place()
    uplink:    the port to the transit gateway
    datapath:  type of the bridges; "dummy" for tests without packets
    root:      directory of the Debian whose OVN it is; by default that of PEER, which has to be made

    Its network has no tenants when it has been started: see ovn_network.Network.
    """

    def __init__(self, variant: str = "container", access: Sequence[str] = ("ovn-acc0",), uplink: str = "ovn-up0",
                 datapath: str = "netdev", root: pathlib.Path | None = None) -> None:
        if variant not in VARIANTS:
            raise PenstockError(f"variant: {variant!r} is not valid; wanted: {', '.join(VARIANTS)}")
        self._nested = variant == "container"
        self._access, self._uplink, self._datapath = tuple(access), uplink, datapath
        self._root = root
        self._directory: pathlib.Path | None = None  # All three are there once it is started.
        self._ovs: typing.Any = None
        self._northbound: typing.Any = None
        self._settings: dict[str, Sequence[str]] = {}
        self.network = Network(self._nested, self._access, self._uplink)

    @property
    def version(self) -> str:
        """Such as 26.03.1."""
        said = run(*self._words("ovn-controller"), "--version")
        found = _VERSION.search(said)
        if found is None:
            raise PenstockError(f"OVN does not say its version: {said.strip()}")
        return found[1]

    # Processes

    def start(self, directory: pathlib.Path, ovs: Ovs, ports: Mapping[str, Sequence[str]]) -> None:
        """Starts OVN without tenants.

        directory:  for sockets, databases and logs, made if missing; a former run's databases are removed
        ovs:        the running switch, a penstock_node.ovs.Ovs
        ports:      settings of each port's interface, as for ovs-vsctl: {"ovn-acc0": ["type=dpdk", ...], ...}
        """
        self._directory, self._ovs = directory.absolute(), ovs
        self._directory.mkdir(parents=True, exist_ok=True)
        self._northbound = self._start_database("northbound", "OVN_Northbound", "ovn-nb.ovsschema")
        southbound = self._start_database("southbound", "OVN_Southbound", "ovn-sb.ovsschema")
        self.network.begin(self._northbound, lambda: self._count(INTEGRATION_BRIDGE), self._insist)
        self._start("northd", "ovn-northd", f"--ovnnb-db={self._remote('northbound')}",
                    f"--ovnsb-db={self._remote('southbound')}", "--n-threads=1")
        self._add_bridges(ports)
        # Without this row, which northd makes, ovn-controller 23.03 reads through a null pointer.
        self._wait(lambda: southbound.has("SB_Global"), "northd")
        self._start("controller", "ovn-controller", f"unix:{ovs.socket}", "-n", CHASSIS)
        # As long as there is no chassis, nobody is waited for.
        self._wait(lambda: southbound.has("Chassis"), "controller")
        southbound.close()
        self.network.settle()

    def stop(self) -> None:
        """Ends all processes and takes away the bridges and settings that start() put into the switch."""
        if self._northbound:
            self._northbound.close()
            self._northbound = None
        if not self._directory:
            return
        for name in _PROCESSES:
            processes.stop(self._pidfile(name))
        if not processes.is_running(self._ovs.database_process):
            return
        line = [] if self._ovs.is_running() else ["--no-wait"]
        for bridge in self._bridges():
            line += ["--", "del-br", bridge]
        line += ["--", "remove", "Open_vSwitch", ".", "other_config", _BUNDLE_TIMEOUT]
        for key in self._settings:
            line += ["--", "remove", "Open_vSwitch", ".", "external_ids", key]
        self._ovs.vsctl(*line)

    def _start_database(self, name: str, database: str, schema: str) -> ovn_database.Database:
        path = self._file(f"{name}.db")
        path.unlink(missing_ok=True)
        self._socket(name).unlink(missing_ok=True)
        run(*self._words("ovsdb-tool"), "create", path, self._home / _SCHEMAS / schema)
        self._start(name, "ovsdb-server", path, f"--remote=punix:{self._socket(name)}",
                    f"--unixctl={self._file(name)}.ctl")
        client = Database(self._socket(name), database)
        self._wait(client.connects, name)
        return client

    def _start(self, name: str, program: str, *args: object) -> None:
        environment = self._ovs.environment | {"OVN_RUNDIR": str(self._directory), "OVN_LOGDIR": str(self._directory)}
        self._log(name).unlink(missing_ok=True)
        processes.start([*self._words(program), *args, f"--log-file={self._log(name)}", "--verbose=console:emer"],
                        self._pidfile(name), self._file(f"{name}.out"), environment=environment)

    def _words(self, program: str) -> list[object]:
        return switch_program.words_of(_PROGRAMS[program], self._home)

    @property
    def _home(self) -> pathlib.Path:
        return self._root or PEER.existing()

    def _wait(self, ready: Callable[[], object], name: str) -> None:
        processes.wait_until(ready, f"OVN's {name}", _START_SECONDS, self._pidfile(name), self._log(name))

    def _insist(self) -> None:
        """Raises if one of the processes has ended."""
        for name in _PROCESSES:
            if not processes.is_running(self._pidfile(name)):
                raise PenstockError(f"OVN's {name} has ended{processes.log_tail(self._log(name))}")

    def _pidfile(self, name: str) -> pathlib.Path:
        return self._file(f"{name}.process")

    def _log(self, name: str) -> pathlib.Path:
        return self._file(f"{name}.log")

    def _socket(self, name: str) -> pathlib.Path:
        return self._file(f"{name}.sock")

    def _file(self, name: str) -> pathlib.Path:
        if self._directory is None:
            raise PenstockError("OVN is not started")
        return self._directory / name

    def _remote(self, name: str) -> str:
        return f"unix:{self._socket(name)}"

    # The switch

    def _add_bridges(self, ports: Mapping[str, Sequence[str]]) -> None:
        commands = [self._bridge(INTEGRATION_BRIDGE)]
        networks = {}
        for network, port in (*((f"acc{number}", port) for number, port in enumerate(self._access)),
                              ("up", self._uplink)):
            bridge = INTEGRATION_BRIDGE
            settings = list(ports[port])
            if self._nested:
                settings.append(f"external_ids:iface-id={port}")
            else:
                bridge = networks[network] = f"{_PROVIDER_BRIDGES}{network}"
                commands.append(self._bridge(bridge))
            commands.append(["add-port", bridge, port, "--", "set", "Interface", port, *settings])
        self._settings = {
            "ovn-remote": self._remote("southbound"), "ovn-encap-type": "geneve", "ovn-encap-ip": "127.0.0.1",
            "ovn-bridge": INTEGRATION_BRIDGE, "ovn-bridge-datapath-type": self._datapath,
            "ovn-bridge-mappings": ",".join(f"{network}:{bridge}" for network, bridge in networks.items()),
            "ovn-monitor-all": "true", "ovn-remote-probe-interval": "0", "ovn-openflow-probe-interval": "0"}
        commands.append(["set", "Open_vSwitch", ".", f"other_config:{_BUNDLE_TIMEOUT}={COMMIT_SECONDS}",
                         *(f"external_ids:{key}={json.dumps(value)}" for key, value in self._settings.items())])
        self._ovs.vsctl(*(word for command in commands for word in ("--", *command)))
        for bridge in networks.values():
            self._ofctl("add-flow", bridge, "priority=0,actions=NORMAL")
            # Every frame to an unknown MAC would be copied to a tap device.
            self._ofctl("mod-port", bridge, bridge, "no-flood")

    def _bridge(self, name: str) -> list[str]:
        return ["add-br", name, "--", "set", "Bridge", name, f"datapath_type={self._datapath}", "fail_mode=secure"]

    def _bridges(self) -> list[str]:
        return [name for name in self._ovs.vsctl("list-br").split()
                if name == INTEGRATION_BRIDGE or name.startswith(_PROVIDER_BRIDGES)]

    def _ofctl(self, command: str, bridge: str, *args: str) -> str:
        return run("ovs-ofctl", command, bridge, *args, environment=self._ovs.environment)

    # What it costs

    def flows(self) -> dict[str, int]:
        """Number of OpenFlow flows: of br-int, and with the provider bridges as "total"."""
        counts = {bridge: self._count(bridge) for bridge in self._bridges()}
        return {INTEGRATION_BRIDGE: counts[INTEGRATION_BRIDGE], "total": sum(counts.values())}

    def _count(self, bridge: str) -> int:
        return int(self._ofctl("dump-aggregate", bridge).rpartition("flow_count=")[2])

    def rss(self) -> dict[str, int]:
        """Resident memory of each process in MB. The switch is not OVN's and not in it."""
        return {name: processes.resident_megabytes(processes.pid_of(self._pidfile(name))) for name in _PROCESSES}

    def cpu(self) -> dict[str, float]:
        """Processor seconds that each process has used so far."""
        return {name: processes.cpu_seconds(processes.pid_of(self._pidfile(name))) for name in _PROCESSES}
