# SPDX-License-Identifier: Apache-2.0
"""Three controllers and a real node, private, from nothing: what faults of a cluster are tried on.

All of it is in the network namespace of the caller, which has to be a new one. The members reach each other at
addresses of the loopback device, so that a packet filter can cut one off.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import time
import unittest.mock
from collections.abc import Iterator
from typing import Any, Self

from penstock_base import namespaces, processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.restconf import Restconf
from penstock_controller import Controller, Settings
from penstock_controller.settings import Member
from penstock_node import management, node, profile
from penstock_node.ovs import Ovs

from . import cluster_tls, configuration
from .cluster_observers import LEASE_TENANT, NAT_TENANT, PUBLIC_ADDRESS
from .slow_network import SlowNetwork

NUMBERS = (1, 2, 3)
PORT, VLAN, STATIC_VLAN = "acc0", 100, 200
HEAP = "1g"
_NAME = "pscl"
_READY_SECONDS = 300
_STEADY_SECONDS = 3
"""How long a member has to stay in. One that was away for nearly as long as Akka waits may be taken out a moment after
it is back."""
_SYNC_SECONDS = 120
_BEGIN_SECONDS = 60
_DISK_MB = 2000
_LEFT_MB = 32
"""Less than a controller needs to store anything."""
_CLOCK = pathlib.Path(__file__).with_name("clock_ahead.c")


class ClusterBed:
    """Everything is taken away at the end."""

    def __init__(self, directory: pathlib.Path, distribution: pathlib.Path, tls: bool = False,
                 disks: bool = False, apart_seconds: int = 0, delay_ms: int = 0,
                 numbers: tuple[int, ...] = NUMBERS) -> None:
        """Makes nothing yet.

        tls:           all connections use certificates of an authority of their own
        disks:         each member has a small one of its own, which can be filled
        apart_seconds: the clock of the second member is so much ahead of the true time, that of the third one behind
        delay_ms:      of what members send each other
        numbers:       of the members; a single one is a controller without a cluster
        """
        self.numbers = numbers
        self.directory = directory
        self._disks = disks
        self.apart_seconds = apart_seconds
        self._delay_ms = delay_ms
        self._ahead = dict(zip(NUMBERS, (0, apart_seconds, -apart_seconds), strict=True))
        names = tuple(Member(f"member-{number}", f"127.0.0.{number}") for number in numbers) if len(numbers) > 1 else ()
        self.settings = {number: Settings(
            listen_address=f"169.254.77.{number}", northbound_address=f"127.0.0.{number}", member=f"member-{number}",
            members=names, heap=HEAP) for number in self.numbers}
        shown: dict[str, object] = {}
        if tls:
            directory.mkdir(parents=True, exist_ok=True)
            self.settings = {number: cluster_tls.settings(directory, number, plain)
                             for number, plain in self.settings.items()}
            shown["tls"] = cluster_tls.node(directory, _NAME)
        self.members = {number: Controller(distribution, directory / f"member-{number}") for number in self.numbers}
        self.profile = profile.parse({
            "name": _NAME, "namespace": f"{_NAME}-node", "run-directory": str(directory / "nodes"),
            "pmd-cores": [1], "hugepage-memory-mb": 832, "pmd-maxsleep-us": 1000,
            "access-ports": [{"name": PORT}], "uplink-ports": [],
            "controller": {"addresses": [self.settings[number].listen_address for number in self.numbers]} | shown})
        self.ovs = Ovs(self.profile.directory)
        self.cable = f"{_NAME}-{PORT}"
        self.boot_seconds = 0.0
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as undo:
            undo.callback(shutil.rmtree, self.directory, ignore_errors=True)
            for number in self.numbers:
                address = self.settings[number].listen_address
                management.acquire_address(_NAME, address)
                undo.callback(management.release_address, _NAME, address)
            if self._disks:
                for member in self.members.values():
                    member.run_dir.mkdir(parents=True)
                    run("mount", "-t", "tmpfs", "-o", f"size={_DISK_MB}m", "penstock", member.run_dir)
                    undo.callback(run, "umount", "--lazy", member.run_dir)
            if self._delay_ms:
                undo.enter_context(SlowNetwork(self.settings[self.numbers[0]].ports.cluster, self._delay_ms / 1000))
            undo.callback(self._kill_all)
            self.start(*self.numbers)
            self.boot_seconds = self.await_ready(*self.numbers)
            namespaces.delete(self.profile.namespace)
            namespaces.create(self.profile.namespace)
            undo.callback(namespaces.delete, self.profile.namespace)
            namespaces.add_veth(PORT, self.profile.namespace, self.cable, None)
            undo.callback(namespaces.delete_link, self.cable)
            pathlib.Path(f"/proc/sys/net/ipv6/conf/{self.cable}/disable_ipv6").write_text("1", "ascii")
            undo.callback(node.down, _NAME, self.profile.run_directory)
            node.up(self.profile)
            self._provision()
            self._undo = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._undo.close()

    # Members

    def start(self, *numbers: int) -> None:
        """Starts some members, and returns."""
        password = self.members[1].password if 1 in numbers or self.members[1].run_dir.is_dir() else None
        for number in numbers:
            if password:
                self.members[number].take_password(password)
            with self._clock(self._ahead[number]):
                self.members[number].start(self.settings[number])

    @contextlib.contextmanager
    def _clock(self, ahead: int) -> Iterator[None]:
        """Programs that are started in the body have a clock that is so many seconds ahead."""
        library = self.directory / "clock-ahead.so"
        if ahead and not library.exists():
            run("gcc", "-O2", "-shared", "-fPIC", "-o", library, _CLOCK)
        with unittest.mock.patch.dict(os.environ, {"LD_PRELOAD": str(library), "CLOCK_AHEAD": str(ahead)}
                                      if ahead else {}):
            yield

    def await_ready(self, *numbers: int) -> float:
        """Waits until some members are ready; returns the seconds that it took."""
        begun = time.monotonic()
        for number in numbers:
            self.members[number].wait_until_ready(_READY_SECONDS, None, "penstock")
        return time.monotonic() - begun

    def restconf(self, number: int, seconds: float = 5) -> Restconf:
        """A client of one member."""
        member = self.members[number]
        return Restconf(member.restconf_url, member.user, member.password, seconds)

    def mastership(self) -> tuple[int, int]:
        """(number of the member that is the master, epoch), as the first member that answers has it."""
        for number in self.numbers:
            with contextlib.suppress(PenstockError, OSError):
                found = self.restconf(number).read("penstock-allocation:allocations/mastership")
                if found:
                    stored = found["penstock-allocation:mastership"]
                    return int(stored["member"].removeprefix("member-")), int(stored["epoch"])
        raise PenstockError("no member tells which one is the master")

    # Faults

    def kill(self, number: int) -> None:
        """As in a crash."""
        self.members[number].kill()

    def freeze(self, number: int) -> None:
        """Stops the process, with its connections as they are."""
        os.kill(self._pid(number), signal.SIGSTOP)

    def thaw(self, number: int) -> None:
        """Lets it go on."""
        os.kill(self._pid(number), signal.SIGCONT)

    def _pid(self, number: int) -> int:
        pid = self.members[number].pid
        if pid is None:
            raise PenstockError(f"member {number} does not run")
        return pid

    def cut(self, number: int, percent: int = 100) -> None:
        """Drops packets between a member and the others, all or as many of a hundred; nodes reach it."""
        own = f"127.0.0.{number}"
        port = self.settings[number].ports.cluster  # Clients connect from the address of member 1, whichever they ask.
        others = ", ".join(f"127.0.0.{other}" for other in self.numbers if other != number)
        some = f"numgen random mod 100 < {percent}" if percent < 100 else ""
        run("nft", "--file", "-", standard_input=f"""
            table ip cluster_cut {{
                chain output {{
                    type filter hook output priority filter; policy accept;
                    tcp dport {port} jump between
                    tcp sport {port} jump between
                }}
                chain between {{
                    ip saddr {own} ip daddr {{ {others} }} {some} drop
                    ip saddr {{ {others} }} ip daddr {own} {some} drop
                }}
            }}""")

    def heal(self) -> None:
        """Ends a cut."""
        run("nft", "--file", "-", standard_input="table ip cluster_cut\ndelete table ip cluster_cut\n")

    def fill(self, number: int) -> None:
        """Leaves a member next to no room on its disk."""
        path = self._filler(number)
        free = shutil.disk_usage(path.parent).free - (_LEFT_MB << 20)
        with path.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, free)

    def empty(self, number: int) -> None:
        """Gives it its room again."""
        self._filler(number).unlink()

    def _filler(self, number: int) -> pathlib.Path:
        return self.members[number].run_dir / "filler"

    def oldest(self) -> int:
        """The member that has run for the longest time, as Akka counts it."""
        return max(self.numbers, key=lambda number: self.members[number].uptime or 0)

    def come_back(self, number: int) -> float:
        """Waits until a member is in again after a fault, and stays in; starts all that have ended again, as
        supervisors would. Returns when it was in (monotonic clock, seconds)."""
        begun = time.monotonic()
        came = None
        while came is None or time.monotonic() < came + _STEADY_SECONDS:
            if not self._is_ready(number):
                came = None
            elif came is None:
                came = time.monotonic()
            for each in self.numbers:
                if self.members[each].pid is None:
                    self._start_again(each)
            if time.monotonic() > begun + _READY_SECONDS:
                raise PenstockError(f"member {number} is not in again after {_READY_SECONDS} s")
            time.sleep(1)
        return came

    def _start_again(self, number: int) -> None:
        self.start(number)
        # The start script becomes Java; a second start in that time would be a second process.
        processes.wait_until(lambda: self.members[number].pid is not None, "the process begins", _BEGIN_SECONDS)

    def resident_mb(self, number: int) -> int:
        """Memory of a member, as the kernel counts it."""
        status = pathlib.Path(f"/proc/{self._pid(number)}/status").read_text("ascii")
        return int(status.split("VmRSS:")[1].split()[0]) // 1024

    def log(self, number: int) -> str:
        """The log of a member's process of now, and of those before it."""
        file = self.members[number].log_file
        return "".join(path.read_text("utf-8", "replace") for path in file.parent.glob(f"{file.name}*"))

    def journal(self, number: int) -> pathlib.Path:
        """Directory of the journal of public addresses of a member."""
        return self.members[number].run_dir / "nat-journal"

    def _is_ready(self, number: int) -> bool:
        return self.members[number].pid is not None and self.members[number].ask("penstock").done["model"]

    # The network

    def _provision(self) -> None:
        client = self.restconf(self.numbers[-1], 30)
        address = self.profile.management_controller_address
        client.replace(f"{configuration.NETWORK}/node={_NAME}", {
            "penstock:node": [{"name": _NAME, "address": address}]})
        processes.wait_until(lambda: self._has_port(client), "the node is registered", _SYNC_SECONDS)
        steady = _tenant(NAT_TENANT, STATIC_VLAN) | {"nat": {"public-address": PUBLIC_ADDRESS}}
        for tenant in (_tenant(LEASE_TENANT, VLAN, dhcp=True), steady):
            client.replace(f"{configuration.NETWORK}/tenant={tenant['name']}", {"penstock:tenant": [tenant]})
        processes.wait_until(lambda: client.call("penstock-operations:wait-applied", {"timeout-milliseconds": 5000}
                                                 ).get("applied"), "all is applied", _SYNC_SECONDS)

    @staticmethod
    def _has_port(client: Restconf) -> bool:
        found = client.read(f"{configuration.NETWORK}/node={_NAME}")
        return bool(found and found["penstock:node"][0].get("port"))

    def _kill_all(self) -> None:
        for member in self.members.values():
            member.kill()


def _tenant(name: str, vlan: int, dhcp: bool = False) -> dict[str, Any]:
    wanted: dict[str, Any] = {
        "name": name, "attachment": [{"name": "lan", "node": _NAME, "port": PORT, "vlan": vlan}],
        "subnet": [{"name": "lan", "prefix": "10.0.0.0/16", "gateway": "10.0.0.1"}]}
    if dhcp:
        wanted["dhcp"] = {"subnet": [{"prefix": "10.0.0.0/16", "pool": [
            {"first": "10.0.1.0", "last": "10.0.200.255"}]}]}
    return wanted
