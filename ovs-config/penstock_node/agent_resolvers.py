# SPDX-License-Identifier: Apache-2.0
"""The resolver processes of a node, one a tenant. They outlive the agent; the next one finds them by their files."""

from __future__ import annotations

import contextlib
import os
import pathlib
import select
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from penstock_base import processes
from penstock_base.errors import PenstockError

from . import agent_orders, user_ids, user_processes
from .agent_resolver import Resolver
from .alive import Poller

DIRECTORY = "dns"
"""Name of the directory of the resolvers, below that of the node."""

_STARTING_AT_ONCE = 4
_LONGEST_REPORT = 300
_POLL_MS = 20  # While resolvers start.
_AGAIN_SECONDS = 5
_LOOK_SECONDS = 5  # Which of them were stopped is looked at as often;
_ASKED_AT_ONCE = 100  # at most so many are asked each time whether they work: a thousand answers take a second.
_PART_SECONDS = 6  # A turn has three parts at most: new orders, starts, questions.


class Resolvers:
    """Keeps the resolvers in `directory` as ordered, and starts again what ended.

    Those that do not answer take time, and may be many: what a call of `want` or `run` does not get done in some
    seconds the next ones do. alive: called between two resolvers.
    """

    def __init__(self, directory: pathlib.Path, log: Callable[[str], None], now: Callable[[], float] = time.monotonic,
                 alive: Callable[[], None] = lambda: None) -> None:
        self._directory = pathlib.Path(directory)
        self._log = log
        self._now = now
        self._alive = alive
        self._endings = select.epoll()
        self._tenants: dict[int, Resolver] = {}
        self._unasked: list[int] = []
        self._look_due = now() + _LOOK_SECONDS
        for path in sorted(self._directory.glob("[0-9]*")):
            self._tenants[int(path.name)] = self._adopt(path)

    def want(self, texts: Mapping[int, str]) -> None:
        """Takes the orders by tenant. A wrong one leaves the tenant's resolver as it is."""
        deadline = self._now() + _PART_SECONDS
        gone = sorted(set(self._tenants) - set(texts))
        for number in gone:
            self._alive()
            self._tenants.pop(number).remove()
            self._log(f"tenant {number}: resolver removed")
        try:
            _kill_left(gone, user_processes.network_of("self"))
        except PenstockError as error:
            self._log(str(error))
        for number, text in texts.items():
            tenant = self._tenants.get(number)
            if tenant is None:
                tenant = self._tenants[number] = Resolver(self._directory / str(number), self._endings, self._now)
            if tenant.text == text:
                continue
            tenant.text = text
            if self._now() < deadline:
                self._alive()
                self._take(number, tenant)
            else:
                tenant.wrong, tenant.again = "", self._now()

    def _take(self, number: int, tenant: Resolver) -> None:
        tenant.again = None
        try:
            tenant.take(agent_orders.parse(tenant.text or "", number))
            tenant.wrong = ""
        except Exception as error:  # noqa: BLE001  (a bad order of one tenant must not end the agent of all)
            before, tenant.wrong = tenant.wrong, f"order: {ascii(str(error))[1:-1]}"[:_LONGEST_REPORT]
            if isinstance(error, (PenstockError, OSError)):
                tenant.again = self._now() + _AGAIN_SECONDS  # The order is good: the disk was full, for example.
            if tenant.wrong != before:
                self._log(f"tenant {number}: {tenant.wrong}")

    def run(self) -> None:
        """Starts what should run and does not."""
        for file, _ in self._endings.poll(0):
            for tenant in self._tenants.values():
                if tenant.watched == file:
                    tenant.ended()
                    self._log(f"{tenant.directory.name}: {tenant.trouble}")
        starting = 0
        for number, tenant in self._each():
            if tenant.again is not None and self._now() >= tenant.again:
                self._take(number, tenant)
            tenant.run(starting < _STARTING_AT_ONCE)
            starting += tenant.is_starting

        if self._now() >= self._look_due:
            self._look_due = self._now() + _LOOK_SECONDS
            self._look()

    def _look(self) -> None:
        """Notices the processes that hang, and logs that are too long."""
        self._unasked = self._unasked or sorted(self._tenants)
        asked = set(self._unasked[:_ASKED_AT_ONCE])
        seen = set()
        for number, tenant in self._each():
            seen.add(number)
            processes.limit_log(tenant.directory / "log")
            said = tenant.go_on()
            if not said and (number in asked or tenant.silences):
                said = tenant.ask()
            if said:
                self._log(f"tenant {number}: {said}")
        self._unasked = [number for number in self._unasked if number not in asked & seen]

    def _each(self) -> Iterator[tuple[int, Resolver]]:
        """Numbers and tenants for some seconds. Those that are left over come first the next time."""
        deadline = self._now() + _PART_SECONDS
        for number in list(self._tenants):
            if self._now() >= deadline:
                return
            self._alive()
            tenant = self._tenants[number] = self._tenants.pop(number)
            yield number, tenant

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` has something to do."""
        poller.timer_wait(max(int((self._look_due - self._now()) * 1000), _POLL_MS))
        poller.fd_wait(self._endings.fileno(), select.POLLIN)
        if any(tenant.is_starting for tenant in self._tenants.values()):
            poller.timer_wait(_POLL_MS)
        due = [moment for tenant in self._tenants.values() for moment in (tenant.due, tenant.again)
               if moment is not None]
        if due:
            poller.timer_wait(max(int((min(due) - self._now()) * 1000), _POLL_MS))

    def states(self) -> dict[int, str]:
        """What to tell the operator, by tenant; those of whom nothing is known yet are not there."""
        found = {number: tenant.state() for number, tenant in self._tenants.items()}
        return {number: state for number, state in found.items() if state}

    def silent_upstreams(self) -> dict[int, str]:
        """Upstreams that did not answer when they were last asked, by tenant; without those of whom all answered."""
        return {number: " ".join(tenant.silent_upstreams) for number, tenant in self._tenants.items()
                if tenant.silent_upstreams}

    def waiting(self) -> dict[int, str]:
        """Tenants whose resolver is not known to answer as ordered, with the reason; not those that have failed."""
        return {number: "the resolver starts" for number, tenant in self._tenants.items()
                if not tenant.failure() and not tenant.is_ready()}

    def failed(self) -> dict[int, str]:
        """Tenants whose resolver does not run, or not as ordered, with the reason."""
        return {number: tenant.failure() for number, tenant in self._tenants.items() if tenant.failure()}

    def _adopt(self, path: pathlib.Path) -> Resolver:
        tenant = Resolver(path, self._endings, self._now)
        tenant.adopt()
        return tenant


def stop_all(directory: pathlib.Path) -> None:
    """Ends every resolver below a directory, when no agent runs. All at the same time: there may be many."""
    files = sorted(pathlib.Path(directory).glob("[0-9]*/process"))
    networks = set()
    for path in files:
        pid = processes.pid_of(path)
        if pid:
            networks.add(user_processes.network_of(pid))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    for path in files:
        processes.stop(path)
    for network in networks:
        _kill_left([int(path.parent.name) for path in files], network)


def _kill_left(tenants: Iterable[int], network: int | None) -> None:
    """Kills what resolvers have started and left, in the network of their node: those of other nodes on this machine
    have the same users."""
    if network is not None:
        user_processes.kill([user_ids.resolver(number) for number in tenants], "resolvers", network=network)


def running(directory: pathlib.Path) -> int:
    """Number of resolvers that run below a directory."""
    return sum(processes.is_running(path) for path in pathlib.Path(directory).glob("[0-9]*/process"))
