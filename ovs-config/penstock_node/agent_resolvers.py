# SPDX-License-Identifier: Apache-2.0
"""The resolver processes of a node, one a tenant. They outlive the agent; the next one finds them by their files.

A tenant has a directory, which only the user of its resolver may read: `unbound.conf`, `process` (who it is), `log`,
`run/control` (its socket), and `root`, which is the root directory of the process and holds its zone files.
unbound.conf is only written while the process is stopped, so it always says what a running process was started with.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import select
import shutil
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

from penstock_base import files, processes
from penstock_base.errors import PenstockError

from . import agent_orders, agent_unbound, node_protocol, user_ids, user_processes
from .alive import Poller

DIRECTORY = "dns"
"""Name of the directory of the resolvers, below that of the node."""

_STARTING_AT_ONCE = 4
_LONGEST_REPORT = 300
_START_SECONDS = 20
_POLL_MS = 20  # While resolvers start.
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.5, 60
_AGAIN_SECONDS = 5
_LOOK_SECONDS = 5  # Which of them were stopped is looked at as often;
_ASKED_AT_ONCE = 100  # at most so many are asked each time whether they work: a thousand answers take a second.
_PART_SECONDS = 6  # A turn has three parts at most: new orders, starts, questions.
_STOP_SECONDS = 2  # Nothing is lost with a resolver, and one that was taken over may not listen.
_SILENCES = 2  # One that has not answered so often is started again.
_STEADY_SECONDS = 120  # One that has run so long starts again without a pause.


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
        self._tenants: dict[int, _Tenant] = {}
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
                tenant = self._tenants[number] = _Tenant(self._directory / str(number), self._endings, self._now)
            if tenant.text == text:
                continue
            tenant.text = text
            if self._now() < deadline:
                self._alive()
                self._take(number, tenant)
            else:
                tenant.wrong, tenant.again = "", self._now()

    def _take(self, number: int, tenant: _Tenant) -> None:
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

    def _each(self) -> Iterator[tuple[int, _Tenant]]:
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

    def waiting(self) -> dict[int, str]:
        """Tenants whose resolver is not known to answer as ordered, with the reason; not those that have failed."""
        return {number: "the resolver starts" for number, tenant in self._tenants.items()
                if not tenant.failure() and not tenant.is_ready()}

    def failed(self) -> dict[int, str]:
        """Tenants whose resolver does not run, or not as ordered, with the reason."""
        return {number: tenant.failure() for number, tenant in self._tenants.items() if tenant.failure()}

    def _adopt(self, path: pathlib.Path) -> _Tenant:
        tenant = _Tenant(path, self._endings, self._now)
        tenant.adopt()
        return tenant


class _Tenant:
    """One resolver. `due` is when to start it, None while it runs or nothing is known of what it should do."""

    def __init__(self, directory: pathlib.Path, endings: select.epoll, now: Callable[[], float]) -> None:
        self.directory = directory
        self.text: str | None = None
        self.wrong = ""
        self.trouble = ""
        self.note = ""
        self.due: float | None = None
        self.again: float | None = None  # When to take the order once more, which could not be carried out.
        self.is_starting = False
        self.watched: int | None = None
        self.silences = 0
        self._endings = endings
        self._now = now
        self._pause = 0.0
        self._started = now()
        self._adopted = False  # Whether a former agent has started the process.
        self._fresh = False  # Whether the process has certainly read the zone files as they are.

    def take(self, order: agent_orders.Order) -> None:
        """Makes the files as ordered; the process is told, or started anew if it has to."""
        self.note = f"names that are not valid in DNS: {', '.join(order.left_out)}"[:200] if order.left_out else ""
        configuration = agent_unbound.configuration(order, self.directory)
        texts = {agent_unbound.zone_file(zone): agent_unbound.zone_text(zone, records)
                 for zone, records in order.zones.items()}
        root = self.directory / "root"
        if _read(self.directory / "unbound.conf") != configuration:
            # All that may find no room comes first: the process then goes on as it is.
            self._make_directories()
            for name, text in texts.items():
                files.replace(root / name, text)
            prepared = self.directory / "unbound.conf.next"
            files.replace(prepared, configuration)
            self._stop()
            for path in root.iterdir():
                if path.name not in texts:
                    path.unlink()
            prepared.replace(self.directory / "unbound.conf")
            self.trouble = ""  # Of the former one; whether this one starts is not known yet.
            self._pause, self.due = 0.0, self._now()
            return
        changed = [zone for zone in order.zones
                   if not self._fresh or _read(root / agent_unbound.zone_file(zone)) != texts[
                       agent_unbound.zone_file(zone)]]
        for zone in changed:
            files.replace(root / agent_unbound.zone_file(zone), texts[agent_unbound.zone_file(zone)])
        if self.is_starting:
            self._fresh = False  # It may have read the former ones: told when it answers.
        elif self.due is None:
            self._tell(changed)

    def adopt(self) -> None:
        """Goes on with what a former agent has left."""
        if not (self.directory / "unbound.conf").exists():
            return
        if processes.is_running(self._process):
            self._adopted = self.is_starting = True  # Until it answers.
            self._watch()
        else:
            self.due = self._now()

    def run(self, may_start: bool) -> None:
        """Starts the process if it is time to, and looks whether it answers."""
        if self.is_starting:
            self._look()
        elif may_start and self.due is not None and self._now() >= self.due:
            self._start()

    def go_on(self) -> str | None:
        """Continues a process that was stopped. Returns a line for the log, None if it was not."""
        pid = processes.pid_of(self._process) if self.watched is not None else None
        return f"the resolver was stopped and goes on, process {pid}" if pid and processes.go_on(pid) else None

    def ask(self) -> str | None:
        """Starts a process anew that runs and does not answer. Returns a line for the log, None if it does."""
        if self.watched is None or self.is_starting:
            return None
        try:
            agent_unbound.control(self.directory, "status")
            self.silences = 0
        except PenstockError as error:
            self.silences += 1
            if self.silences < _SILENCES:
                return None
            self.silences = 0
            self._stop()
            self.trouble = f"the resolver does not answer and is started again: {error}"
            self._fail()
            return self.trouble
        return None

    def ended(self) -> None:
        """The process has ended and nobody told it to."""
        self._unwatch()
        words = processes.log_tail(self.directory / "log", 1).strip("; \n")
        if self._now() - self._started > _STEADY_SECONDS:
            self._pause = 0.0
        self.trouble = f"the resolver ended and is started again in {self._pause:g} s" + (f"; {words}" if words else "")
        self._fail()

    def failure(self) -> str:
        """Why it does not run as ordered, and will not before something changes; empty if that is not so."""
        return "; ".join(filter(None, (self.wrong, self.trouble)))

    def is_ready(self) -> bool:
        """Whether it answers as ordered."""
        return (self.text is not None and not self._adopted and not self.is_starting and self.due is None
                and self.again is None)

    def state(self) -> str | None:
        """One line for the operator: ok, or what is wrong."""
        if self.failure():
            return self.failure()
        if self._adopted or self.again is not None:
            return None
        return "starting" if self.is_starting or self.due is not None else self.note or node_protocol.RESOLVER_OK

    def remove(self) -> None:
        """Ends the process and removes its files."""
        self._stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def _process(self) -> pathlib.Path:
        return self.directory / "process"

    @property
    def _user(self) -> int:
        return user_ids.resolver(int(self.directory.name))

    def _make_directories(self) -> None:
        """Those that its user reads, and the one that is its own."""
        for path, owner, mode in ((self.directory, 0, 0o710), (self.directory / "root", 0, 0o750),
                                  (self.directory / "run", self._user, 0o700)):
            path.mkdir(parents=True, exist_ok=True)
            os.chown(path, 0, self._user)  # The agent changes the mode of its own files alone.
            path.chmod(mode)
            os.chown(path, owner, self._user)

    def _start(self) -> None:
        self.due = None
        (self.directory / agent_unbound.CONTROL).unlink(missing_ok=True)
        (self.directory / "log").unlink(missing_ok=True)
        try:
            # The agent comes before others on its core; what tenants keep busy does not.
            processes.start(agent_unbound.command(self._user, self.directory / "unbound.conf"),
                            self._process, self.directory / "log", preexec=lambda: processes.take_place(0))
        except PenstockError as error:
            self.trouble = str(error)
            self._fail()
            return
        self._started = self._now()
        self._fresh = True
        self.is_starting = True
        self._watch()

    def _look(self) -> None:
        try:
            agent_unbound.control(self.directory, "status")
        except PenstockError as error:
            if self._now() - self._started > _START_SECONDS:
                self._stop()
                self.trouble = str(error)
                self._fail()
            return
        self._adopted = self.is_starting = False
        self.trouble = ""
        if not self._fresh:
            self._tell([path.name.removesuffix("zone") for path in (self.directory / "root").glob("*.zone")])

    def _tell(self, zones: Iterable[str]) -> None:
        """Makes the process read zones anew. One that does not is started anew."""
        try:
            commands = [command for zone in zones for command in agent_unbound.reload_commands(zone)]
            agent_unbound.control(self.directory, *commands)
            self._fresh = True
        except PenstockError as error:
            self._stop()
            self.trouble = str(error)
            self._fail()

    def _fail(self) -> None:
        self._adopted = self.is_starting = False
        self.due = self._now() + self._pause
        self._pause = min(max(self._pause * 2, _FIRST_PAUSE_SECONDS), _LONGEST_PAUSE_SECONDS)

    def _stop(self) -> None:
        self._unwatch()
        self._adopted = self.is_starting = False
        processes.stop(self._process, _STOP_SECONDS)

    def _watch(self) -> None:
        """Have the kernel tell when the process ends, whoever started it."""
        try:
            self.watched = os.pidfd_open(processes.pid_of(self._process) or 0)
        except OSError:  # It has ended before we could look.
            self.ended()
            return
        self._endings.register(self.watched, select.EPOLLIN)

    def _unwatch(self) -> None:
        if self.watched is not None:
            self._endings.unregister(self.watched)
            os.close(self.watched)
            self.watched = None
        with contextlib.suppress(ChildProcessError, OSError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


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


def _read(path: pathlib.Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
