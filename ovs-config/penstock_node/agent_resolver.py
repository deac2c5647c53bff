# SPDX-License-Identifier: Apache-2.0
"""One resolver process: its files, its start, and how it is told of a change.

A tenant has a directory, which only the user of its resolver may read: `unbound.conf`, `process` (who it is), `log`,
`run/control` (its socket), and `root`, which is the root directory of the process and holds its zone files.
unbound.conf is only written while the process is stopped, so it always says what a running process was started with.
"""

import contextlib
import os
import pathlib
import select
import shutil
from collections.abc import Callable, Iterable

from penstock_base import files, processes
from penstock_base.errors import PenstockError

from . import agent_orders, agent_unbound, agent_upstreams, node_protocol, user_ids

_START_SECONDS = 20
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.5, 60
_STOP_SECONDS = 2  # Nothing is lost with a resolver, and one that was taken over may not listen.
_SILENCES = 2  # One that has not answered so often is started again.
_STEADY_SECONDS = 120  # One that has run so long starts again without a pause.


class Resolver:
    """That of one tenant. `due` is when to start it, None while it runs or nothing is known of what it should do."""

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
        self.silent_upstreams: tuple[str, ...] = ()  # Those that did not answer when they were last asked.
        self._upstreams: tuple[str, ...] = ()
        self._endings = endings
        self._now = now
        self._pause = 0.0
        self._started = now()
        self._adopted = False  # Whether a former agent has started the process.
        self._fresh = False  # Whether the process has certainly read the zone files as they are.

    def take(self, order: agent_orders.Order) -> None:
        """Makes the files as ordered; the process is told, or started again if it has to."""
        self.note = f"names that are not valid in DNS: {', '.join(order.left_out)}"[:200] if order.left_out else ""
        configuration = agent_unbound.configuration(order, self.directory)
        texts = {agent_unbound.zone_file(zone): agent_unbound.zone_text(zone, records)
                 for zone, records in order.zones.items()}
        self._upstreams = order.upstreams
        self.silent_upstreams = tuple(each for each in order.upstreams if each in self.silent_upstreams)
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
        """Asks the process how it is; one that does not answer is restarted. Returns a line for the log, or None."""
        if self.watched is None or self.is_starting:
            return None
        try:
            agent_unbound.control(self.directory, "status")
            if self._upstreams:
                self.silent_upstreams = agent_upstreams.silent(agent_unbound.measurements(self.directory),
                                                               self._upstreams, self.silent_upstreams)
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
        """The process has ended without an order."""
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
        """Makes the process read its zones again. One that does not is restarted."""
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
        """Have the kernel report the end of the process, also when another one started it."""
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


def _read(path: pathlib.Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except (FileNotFoundError, UnicodeDecodeError):
        return None
