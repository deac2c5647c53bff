# SPDX-License-Identifier: Apache-2.0
"""One controller: start, wait, stop, talk to its console."""

from __future__ import annotations

import collections.abc
import contextlib
import dataclasses
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import BinaryIO, NoReturn, Protocol

from . import probe, rights, standing, thread_dump
from .console import Printed, Script
from .durable import write
from .errors import ControllerError, EngineError, HungError
from .layout import RESTCONF_USER, Layout
from .process import Idleness, Process, put_before_others
from .programs import Programs, inside
from .settings import Settings

Progress = collections.abc.Callable[[str, float], None]
"""Called with a step of probe.STEPS, or "prepared" or "started", and the seconds since start() was called."""

POLL_SECONDS = 1.0

_END_SECONDS = 5.0
"""A process that was ended has gone by then."""

_EXEC_SECONDS = 30.0
"""Of a start until the process is Java."""

HANG_SECONDS = 90.0
"""A boot takes 15 to 40 seconds on two cores; one that takes this long and is idle has hung."""

class Keeper(Protocol):
    """Starts a controller again whenever it ends, until it is stopped."""

    def start(self, settings: Settings) -> None:
        """Has a process call Controller.become with the settings."""

    def stop(self, patience: float) -> None:
        """Ends it for good, by force after `patience` seconds."""


class Controller:
    """A controller in a run directory, running or not. Safe to make anew at any time: the state is on disk."""

    def __init__(self, distribution_dir: str | os.PathLike[str], run_dir: str | os.PathLike[str],
                 system_user: str | None = None, keeper: Keeper | None = None) -> None:
        """system_user: runs the process and gets the run directory at the next start; None for the caller.

        keeper: has it run again when it ends; None to start it once.
        """
        self._layout = Layout(pathlib.Path(distribution_dir), pathlib.Path(run_dir))
        self._system_user = system_user
        self._programs = Programs(self._layout, system_user)
        self._keeper = keeper
        self._child: subprocess.Popen[bytes] | None = None

    # What it is

    @property
    def run_dir(self) -> pathlib.Path:
        """Holds all that belongs to this controller."""
        return self._layout.run

    @property
    def log_file(self) -> pathlib.Path:
        """Karaf's log."""
        return self._layout.log_file

    @property
    def user(self) -> str:
        """The RESTCONF administrator."""
        return RESTCONF_USER

    @property
    def password(self) -> str:
        """Of RESTCONF and of the console."""
        with rights.owner_of(self.run_dir):
            return self._layout.password()

    @property
    def has_password(self) -> bool:
        """Whether it has been made."""
        with rights.owner_of(self.run_dir):
            return self._layout.password_file.exists()

    def take_password(self, password: str) -> None:
        """Has it start with the password of another controller of its cluster, unless it has one."""
        rights.give(self._layout.run, self._system_user)
        with rights.owner_of(self._layout.run):
            if not self._layout.password_file.exists():
                write(self._layout.password_file, password + "\n", mode=0o600)

    @property
    def settings(self) -> Settings:
        """Those of the last start."""
        try:
            with rights.owner_of(self.run_dir):
                saved = json.loads(self._settings_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Settings()
        return Settings.from_json(saved)

    @property
    def restconf_url(self) -> str:
        """Root of RESTCONF, from inside the controller's network namespace."""
        settings = self.settings
        return f"http://{settings.plain_address}:{settings.ports.restconf}/rests"

    @property
    def pid(self) -> int | None:
        """None when it does not run."""
        process = self._process()
        return process.pid if process else None

    @property
    def uptime(self) -> float | None:
        """Seconds, or None when it does not run."""
        process = self._process()
        return process.uptime() if process else None

    @property
    def resident_bytes(self) -> int | None:
        """Physical memory, or None when it does not run."""
        process = self._process()
        return process.resident_bytes() if process else None

    @property
    def thread_dumps(self) -> list[pathlib.Path]:
        """Of the boots that hung, in order of time."""
        return self._layout.thread_dumps()

    # What it does

    def start(self, settings: Settings = Settings()) -> None:
        """Starts the Java process and returns. The controller answers later: see wait_until_ready."""
        if self._process():
            raise ControllerError(f"already running, process {self.pid}, in {self.run_dir}")
        if self._keeper:
            self._keeper.start(settings)
            return
        with self._prepare(settings) as output:
            self._child = subprocess.Popen(
                self._programs.karaf(settings), env=self._programs.environment(settings), cwd=self._layout.run,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        self._began(self._child.pid)

    def become(self, settings: Settings) -> NoReturn:
        """Turns this process into the Java process. What it prints goes where that of a started one goes."""
        with self._prepare(settings) as output:
            for number in (1, 2):
                os.dup2(output.fileno(), number)
        self._began(os.getpid())
        os.chdir(self._layout.run)
        command = self._programs.karaf(settings)
        os.execvpe(command[0], command, self._programs.environment(settings))

    def boot(self, settings: Settings = Settings(), seconds: float = 300, progress: Progress | None = None,
             model: str = "") -> None:
        """Starts and waits until ready; ends what does not get ready in time and raises ControllerError.

        The last resort: a boot that hangs is ended and started again while the time lasts, reported as "again". Both
        logs say so, and a thread dump of the process that hung is kept beside them: see thread_dumps.
        """
        begun = time.monotonic()
        while True:
            self.start(settings)
            try:
                self.wait_until_ready(seconds - (time.monotonic() - begun), progress, model, HANG_SECONDS)
                return
            except ControllerError as failure:
                again = isinstance(failure, HungError) and seconds - (time.monotonic() - begun) >= HANG_SECONDS
                dump = None if isinstance(failure, EngineError) else self.save_thread_dump()
                self.stop(patience=10)
                if dump:
                    self._log(f"{failure}; thread dump: {dump}; {'starting again' if again else 'giving up'}")
                if not again:
                    raise
            except BaseException:
                self.stop(patience=10)
                raise
            if progress:
                progress("again", time.monotonic() - begun)

    def wait_until_ready(self, seconds: float = 300, progress: Progress | None = None, model: str = "",
                         hang_seconds: float | None = None) -> float:
        """Waits until every bundle is active, OpenFlow listens and RESTCONF takes our password.

        With `model`, also until that YANG module is there. Returns the seconds it took; raises ControllerError when
        the process ends or the time is over, EngineError when its engine could not start, and HungError when it is
        idle after `hang_seconds`.
        """
        begun = time.monotonic()
        reported: set[str] = set()
        process = self._recorded()
        idle = Idleness(process) if process and hang_seconds is not None else None
        failed = False
        while True:
            answer = self.ask(model)
            done = answer.done
            # Twice: the framework may still have been about to start it once more.
            if failed and answer.failed:
                raise EngineError(f"the engine of the controller cannot work: {answer.reason}; see {self.log_file}")
            failed = answer.failed
            for step in probe.STEPS:
                if done[step] and step not in reported:
                    reported.add(step)
                    if progress:
                        progress(step, time.monotonic() - begun)
            took = time.monotonic() - begun
            if all(done.values()):
                return took
            if not self._running_or_starting(took):
                raise ControllerError(f"the controller ended while it started: see {self._layout.console_file} and "
                                      f"{self.log_file}")
            missing = ", ".join(step for step in probe.STEPS if not done[step])
            if idle and idle() and hang_seconds is not None and took > hang_seconds:
                raise HungError(f"not ready and idle after {took:.0f} s, missing: {missing}; see {self.log_file}")
            if took > seconds:
                raise ControllerError(f"not ready after {seconds:.0f} s, missing: {missing}; see {self.log_file}")
            time.sleep(POLL_SECONDS)

    def ask(self, model: str = "") -> probe.Answer:
        """Which of probe.STEPS are done now, and what the engine says."""
        settings = self.settings
        question = ((settings.listen_address, settings.ports.openflow),
                    (settings.plain_address, settings.ports.restconf),
                    self.user, self.password, model)
        if not settings.namespace:
            return probe.ask(*question)
        answer = subprocess.run(
            [*inside(settings), sys.executable, "-m", "penstock_controller.probe"], input=json.dumps(question),
            env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent.parent)},
            capture_output=True, text=True, check=True)
        return probe.Answer(**json.loads(answer.stdout))

    def stop(self, patience: float = 60) -> None:
        """Ends it in good order, or by force after `patience` seconds. Does nothing when it does not run."""
        if self._keeper:
            self._keeper.stop(patience)
        process = self._process()
        if process:
            process.end(patience)
        self._reap()

    def kill(self) -> None:
        """kill -9, as in a crash; what the datastore had accepted is there at the next start."""
        process = self._process()
        if process:
            process.kill()
        self._reap()

    def save_thread_dump(self) -> pathlib.Path | None:
        """Has the process print its threads and keeps them; None when it does not run."""
        process = self._process()
        if not process:
            return None
        with rights.owner_of(self.run_dir):
            return thread_dump.take(process, self._layout)

    def console(self, commands: str | None = None, seconds: float = 120) -> str:
        """Runs console commands, one a line, and returns what they print, or hands over the terminal for None. Raises
        ControllerError with the lines that failed."""
        printed = self.console_lines(commands, seconds) if commands is not None else self._terminal()
        if printed.errors:
            raise ControllerError("console: " + "\n".join(printed.errors))
        return printed.text

    def console_lines(self, commands: str, seconds: float = 120) -> Printed:
        """Runs console commands, one a line: one that fails does not end those after it."""
        client, environment = self._client()
        script = Script(commands)
        ran = subprocess.run([*client, "-b"], env=environment, input=script.text,
                             capture_output=True, text=True, timeout=seconds, check=False)
        if ran.returncode:
            raise ControllerError(f"console: {ran.stderr.strip() or ran.stdout.strip()}")
        return script.printed(ran.stdout)

    def _terminal(self) -> Printed:
        client, environment = self._client()
        # Ctrl-C is for the command that runs in the console. The client takes it, and Python must not end of it. A
        # handler that is no function would be the client's, too.
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            subprocess.run(client, env=environment, check=False)
        finally:
            signal.signal(signal.SIGINT, before)
        return Printed("", [])

    def _client(self) -> tuple[list[str], dict[str, str]]:
        if not self._process():
            raise ControllerError("not running")
        settings = self.settings
        return self._programs.client(settings), self._programs.environment(settings, client=True)

    # How

    @property
    def _settings_file(self) -> pathlib.Path:
        return self.run_dir / "settings.json"

    def _began(self, pid: int) -> None:
        put_before_others(pid)
        with rights.owner_of(self._layout.run):
            write(self._layout.pid_file, f"{pid}\n")

    def _prepare(self, settings: Settings) -> BinaryIO:
        """Makes the run directory ready for a start; returns the file for what the process prints."""
        layout = self._layout
        rights.give(layout.run, self._system_user)
        with rights.owner_of(layout.run):
            self._check_standing(settings)
            program = layout.distribution / "bin" / "karaf"
            if not os.access(program, os.R_OK | os.X_OK, effective_ids=True) and self._system_user:
                raise ControllerError(f"user {self._system_user} may not run {program}: give others the right to read "
                                      "it, and the directories above")
            layout.prepare(settings)
            write(self._settings_file, json.dumps(dataclasses.asdict(settings)))
            if not settings.members:
                standing.withdraw(layout.run)
            return open(layout.console_file, "ab")

    def _check_standing(self, settings: Settings) -> None:
        """A member that goes on alone may lack what the others have accepted."""
        run = self._layout.run
        if (self.settings.members and not settings.members and (run / standing.DATA).is_dir()
                and not standing.is_decided(run)):
            raise ControllerError(
                f"{run}: this controller was a member of a cluster, and would go on alone, perhaps without the newest "
                "data: decide for its data by penstock-controller cluster decide, or give it its members again")

    def _process(self) -> Process | None:
        process = self._recorded()
        return process if process and process.alive() else None

    def _recorded(self) -> Process | None:
        """The process of the last start, running or not; it becomes Java by two exec."""
        try:
            with rights.owner_of(self.run_dir):
                pid = int(self._layout.pid_file.read_text(encoding="ascii"))
        except FileNotFoundError:
            return None
        return Process(pid, f"-Dkaraf.base={self.run_dir}")

    def _log(self, text: str) -> None:
        """A line in both logs, in the form of Karaf's; for when the process has ended."""
        now = datetime.datetime.now().astimezone()
        line = f"{now:%Y-%m-%dT%H:%M:%S},{now.microsecond // 1000:03} | WARN  | penstock_controller | {text}\n"
        for path in (self._layout.console_file, self.log_file):
            # The disk may be full, which must not keep a controller from being started again.
            with contextlib.suppress(OSError), rights.owner_of(self.run_dir), open(path, "a", encoding="utf-8") as log:
                log.write(line)

    def _running_or_starting(self, seconds: float) -> bool:
        """The start script has the process id before Java has it."""
        if self._child:
            return self._child.poll() is None
        return self._process() is not None or seconds < _EXEC_SECONDS

    def _reap(self) -> None:
        if self._child:
            try:
                self._child.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                # It is the start script still, which is not what _process looks for.
                self._child.kill()
                self._child.wait()
            self._child = None
        self._layout.pid_file.unlink(missing_ok=True)

def start(distribution_dir: str | os.PathLike[str], run_dir: str | os.PathLike[str],
          settings: Settings = Settings(), *, seconds: float = 300, progress: Progress | None = None,
          model: str = "") -> Controller:
    """Starts a controller and waits until it is ready; one that does not get ready is ended."""
    controller = Controller(distribution_dir, run_dir)
    controller.boot(settings, seconds, progress, model)
    return controller
