# SPDX-License-Identifier: Apache-2.0
"""Penstock with network functions: the ports, the processes and the configuration of ./penstock bench chain.

| port | other end | who is there |
|---|---|---|
| acc0 | generator, link acc | tenants, for packet rates and for changes at a high rate |
| up0 | generator, link up | the world, for the same |
| hosts0 | tagged.TaggedHosts | the host of a tenant, for changes |
| up1 | a namespace | the server that it speaks with |
| NAME-in, NAME-out | a function, or the generator | made by the controller |
"""

import contextlib
import os
import pathlib
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from penstock_base import namespaces, processes
from penstock_base.errors import PenstockError
from penstock_functions import agent_process, catalogue, instance, instance_files

from . import configuration, services_bed, tagged
from .host_process import LineProcess
from .private_controller import OPERATIONS
from .results import Results

Program = Callable[[str], LineProcess]
"""Makes a process of module echo."""

LINKS = ("acc", "up")
TENANT = 0
"""Number of the tenant that is watched while its chain is changed."""
CHAIN = "bench"
FUNCTION, OTHER_VERSION = "forwarder", "forwarder-2"
"""What instances are, and the other version of it that an upgrade brings."""
SPREAD, SINGLE = "spread", "single"
"""A function that is several instances, and one that is one."""
INSTANCES = ("one", "two")
IN_SERVICE, DRAINING = "in-service", "draining"
WATCHFUL = {"interval": 100, "lost": 4, "hold": 2}
"""A health check that finds what hangs within half a second."""
PATIENT = {"interval": 200, "lost": 20, "hold": 2}
"""One for planned changes: an instance that starts takes the core from the others for some tenths of a second."""
SERVER, SERVER_PORT = services_bed.FAR_SERVER, 9007

_CORE = 0
_HOSTS_TRUNK, _SERVER_SPACE = "hosts0-trunk", "psbench-server"
_READY_SECONDS = 60
_IDLE_SECONDS = 1.0
_FIRST_PORT, _PORTS_END = 10_000, 60_000


class FunctionsBed(services_bed.ServicesBed):
    """One controller, one node with the agent of functions, one host of a tenant and its server.

    tenant_port: where the tenant is whose chain is changed
    scheduling:  of the instances that the agent starts; see function.schema.json
    """

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path, tenant_port: str = services_bed.HOSTS_PORT,
                 scheduling: str = "low") -> None:
        super().__init__(directory, distribution, with_dns=False, links=LINKS)
        self.tenant_port, self.scheduling = tenant_port, scheduling
        self.server_space = _SERVER_SPACE
        self._next_port = _FIRST_PORT

    def _ports(self) -> Results:
        return {"access-ports": [self._port("acc0", 0, "acc"), _packet_port(services_bed.HOSTS_PORT, 0)],
                "uplink-ports": [self._port("up0", 1, "up"), _packet_port("up1", 1)]}

    def _lay_cables(self, undo: contextlib.ExitStack) -> None:
        undo.callback(namespaces.delete, self.server_space)
        namespaces.create(self.server_space)
        _, _, ours, theirs = services_bed.TRANSIT["far"]
        namespaces.add_veth("hosts0-sw", self.namespace, _HOSTS_TRUNK, self.namespace)
        namespaces.add_veth("up1-sw", self.namespace, "eth0", self.server_space)
        for words in (("address", "add", f"{theirs}/24", "dev", "eth0"),
                      ("address", "add", f"{SERVER}/32", "dev", "lo"),
                      ("route", "add", configuration.POOL, "via", ours)):
            namespaces.execute(self.server_space, "ip", *words)

    def ports(self, count: int) -> int:
        """First of `count` source ports, every second number, that no connection of this run had before."""
        if self._next_port + 2 * count > _PORTS_END:
            self._next_port = _FIRST_PORT
        self._next_port += 2 * count
        return self._next_port - 2 * count

    # Configuration

    def configure(self, functions: Iterable[Results], chain: Iterable[str]) -> None:
        """One tenant at its port, led through the functions of `chain`; waits until the switch has it."""
        tenant = services_bed.tenant(TENANT, self.name, (self.tenant_port,)) | {"chain": CHAIN}
        del tenant["dhcp"]
        content = self.network([tenant])
        content[configuration.NETWORK] |= {"function": list(functions),
                                           "chain": [{"name": CHAIN, "function": list(chain)}]}
        self.restconf.replace(configuration.NETWORK, content)
        self.applied()

    def put_function(self, entry: Results) -> None:
        """Puts one function in the place of what it was; waits until the switch has it."""
        self.restconf.replace(f"{configuration.NETWORK}/function={entry['name']}", {"penstock:function": [entry]})
        self.applied()

    def put_chain(self, names: Iterable[str]) -> None:
        """Leads the tenant through these functions; waits until the switch has it."""
        self.restconf.replace(f"{configuration.NETWORK}/chain={CHAIN}",
                              {"penstock:chain": [{"name": CHAIN, "function": list(names)}]})
        self.applied()

    def spread(self, check: Mapping[str, int] = PATIENT, **instances: Any) -> Results:
        """The function with a health check and these instances, by name; of each its leaves as a dict."""
        return self._started(SPREAD) | {"health-check": check, "instance": [
            {"name": name} | leaves for name, leaves in instances.items()]}

    def single(self) -> Results:
        """The function without a list of instances."""
        return self._started(SINGLE)

    def _started(self, name: str) -> Results:
        # Closed: packets that pass a function by would hide that it does not work.
        return {"name": name, "node": self.name, "fail-policy": "closed",
                "start": {"function": FUNCTION, "core": _CORE, "scheduling": self.scheduling}}

    # What there is

    def instances(self, function: str) -> Results:
        """What the controller says of the instances of a function: {name: {"state", "packets-in", ...}}."""
        for entry in self.restconf.call(f"{OPERATIONS}:status").get("function", []):
            if entry["name"] == function:
                return {one["name"]: one for one in entry.get("instance", [])}
        return {}

    def await_states(self, function: str, **wanted: str) -> None:
        """Waits until instances of a function are in these states, and the switch has what follows from that."""
        def are() -> bool:
            found = self.instances(function)
            return all(found.get(name, {}).get("state") == state for name, state in wanted.items())

        processes.wait_until(are, f"{function}: {wanted}", _READY_SECONDS, poll_seconds=0.1)
        self.applied()

    def await_idle(self, function: str, name: str) -> None:
        """Waits until no packet has gone into an instance for a second."""
        seen: list[tuple[float, int | None]] = [(time.monotonic(), None)]

        def stands_still() -> bool:
            packets = int(self.instances(function)[name]["packets-in"])
            if packets != seen[0][1]:
                seen[0] = time.monotonic(), packets
            return time.monotonic() - seen[0][0] > _IDLE_SECONDS

        processes.wait_until(stands_still, f"{name} has no packets any more", _READY_SECONDS, poll_seconds=0.1)

    def signal(self, name: str, number: int) -> None:
        """Sends a signal to the process of an instance."""
        pid = processes.pid_of(self._files(name).process)
        if pid is None:
            raise PenstockError(f"instance {name} does not run")
        os.kill(pid, number)

    def _files(self, name: str) -> instance_files.InstanceFiles:
        return instance_files.InstanceFiles(name, self.name, self.profile.run_directory)

    # Processes

    @contextlib.contextmanager
    def agent(self) -> Iterator[None]:
        """The node starts what the controller orders, for the body; then all of that is taken away.

        The catalogue has a second version of the function.
        """
        directory = self.directory / "catalogue"
        shutil.copytree(catalogue.DIRECTORY, directory)
        text = (directory / f"{FUNCTION}.yaml").read_text(encoding="utf-8")
        (directory / f"{OTHER_VERSION}.yaml").write_text(
            text.replace(f"name: {FUNCTION}", f"name: {OTHER_VERSION}"), encoding="utf-8")
        try:
            agent_process.start(self.name, self.profile.run_directory, directory)
            yield
        finally:
            agent_process.stop(self.name, self.profile.run_directory)
            self.stop_instances()
            shutil.rmtree(directory)

    def stop_instances(self) -> None:
        """Ends whatever runs, also what hangs."""
        for entry in instance.status(self.profile.run_directory, self.name):
            with contextlib.suppress(PenstockError, ProcessLookupError):
                self.signal(entry["name"], signal.SIGCONT)
            instance.stop(entry["name"], self.name, self.profile.run_directory)

    @contextlib.contextmanager
    def hosts(self, log_directory: pathlib.Path) -> Iterator[Program]:
        """Host and server for the body. Yields a function that makes a process of module echo at the host."""
        def program(what: str) -> LineProcess:
            return LineProcess(["penstock_bench.echo", what, SERVER, str(SERVER_PORT)], log_directory / f"{what}.log",
                               hosts.namespace(TENANT))

        serving = LineProcess(["penstock_bench.echo", "serve", SERVER, str(SERVER_PORT)], log_directory / "serve.log",
                              self.server_space)
        with tagged.TaggedHosts(self, [TENANT], _HOSTS_TRUNK) as hosts, serving as server:
            server.result()
            yield program

    def tracked(self) -> str:
        """Connections of hosts as the switch tracks them."""
        return self.ovs.appctl("dpctl/dump-conntrack")


def _packet_port(name: str, number: int) -> Results:
    return {"name": name, "type": "dpdk", "devargs": tagged.packet_port(number, f"{name}-sw")}
