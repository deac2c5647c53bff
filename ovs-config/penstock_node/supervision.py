# SPDX-License-Identifier: Apache-2.0
"""Keeps processes running by a supervision tree of s6: each has a parent that starts it again when it ends
(docs/adr/0051).

A tree belongs to a directory and has a folder in it. It begins with its first service and ends with its last one.
"""

import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import shlex
import shutil
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Sequence

from penstock_base import locks, processes
from penstock_base.errors import PenstockError

BEGUN = "begun"
"""The file in the folder of a service with the second of the machine's uptime in which it began."""
TURN = "turn"
"""The file in the folder of a service that the process holds which is about to become the service."""
_HOME = pathlib.Path(__file__).resolve().parent.parent
_STEADY_SECONDS = 5
_FINISH = """\
#!/bin/sh
[ ! -e down ] || exit 0
line="$(date -u +%Y-%m-%dT%H:%M:%SZ) {name} ended: $([ "$1" = 256 ] && echo "signal $2" || echo "code $1")"
echo "$line" >>endings
echo "$line" >>{log}
# s6 waits for a second before each start, which one that ran for some time does not need.
read begun <{begun} && read now rest </proc/uptime && [ $((${{now%.*}} - begun)) -ge {steady} ] || exit 0
# It takes the order only when this script has ended.
for pause in 0.01 0.03 0.1; do
    sleep $pause
    [ "$(s6-svstat -o wantedup .)" != true ] || s6-svc -u .
done </dev/null >/dev/null 2>&1 &
"""
"""Runs after each end of a service, in its folder. Its arguments are the code, 256 for a signal, and the signal."""
_BEFORE_SECONDS = 10
_PATIENCE_SECONDS = 20
_POLL_SECONDS = 0.01
_MOST_SERVICES = 64


@dataclasses.dataclass(frozen=True)
class Service:
    """A process to keep running.

    name:        by which the tree knows it
    command:     its words; it has to stay the process that these begin, and in the foreground
    process:     the file that tells which process it is, see `processes`
    log:         its output is appended to it
    environment: variables beside those of the tree
    stale:       patterns of files that a former process may have left, which are removed before each start
    links:       pairs of a path and where it leads, symbolic links that are made before each start; "{pid}" in both
                 stands for the number of the process
    needed:      commands, each a tuple of words, that are run before each start, for ten seconds at most; the process
                 does not start if one fails
    before:      the same, but their failure is no matter
    namespace:   name of the network namespace to run in; None for that of the tree
    nice:        its precedence, as of processes.take_place; None for that of the tree
    """
    name: str
    command: Sequence[object]
    process: pathlib.Path
    log: pathlib.Path
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    stale: Sequence[object] = ()
    links: Sequence[Sequence[object]] = ()
    needed: Sequence[Sequence[object]] = ()
    before: Sequence[Sequence[object]] = ()
    namespace: str | None = None
    nice: int | None = None


def start_once(service: Service) -> None:
    """Starts a service without supervision; returns when its process is there. Raises PenstockError."""
    failed = make_ready(service)
    if failed:
        raise PenstockError(f"{service.name} does not start: {failed}")
    nice = service.nice
    processes.start(service.command, service.process, service.log, namespace=service.namespace,
                    environment=dict(os.environ) | service.environment,
                    preexec=None if nice is None else lambda: processes.take_place(nice))


def make_ready(service: Service) -> str | None:
    """Removes what a former process of the service has left, and runs the commands that come before. Returns why the
    service may not start, None if it may."""
    for pattern in (pathlib.Path(str(stale)) for stale in service.stale):
        for path in pattern.parent.glob(pattern.name):
            if path.is_dir() and not path.is_symlink():  # A hostile program has made it.
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
    for command in service.needed:
        failed = _failure(command)
        if failed:
            return failed
    for command in service.before:
        _failure(command)
    return None


def make_links(service: Service, pid: int) -> None:
    """Makes the links of a service that is about to become a process."""
    for words in service.links:
        path, target = (pathlib.Path(str(word).replace("{pid}", str(pid))) for word in words)
        path.unlink(missing_ok=True)
        path.symlink_to(target)


def _failure(command: Sequence[object]) -> str | None:
    """Runs a command, and returns what is wrong, if anything is."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True,
                              errors="replace", timeout=_BEFORE_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{words[0]} does not end"
    return f"{words[0]}: {done.stderr.strip() or f'code {done.returncode}'}" if done.returncode else None


def read(path: pathlib.Path | str) -> Service:
    """The service of a file that a tree has written."""
    fields = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return Service(**fields | {"process": pathlib.Path(fields["process"]), "log": pathlib.Path(fields["log"])})


def supervisor(folder: pathlib.Path) -> int | None:
    """The process that supervises the service of a folder, None for none."""
    return _holder(folder / "supervise" / "lock")


class Tree:
    """The supervision tree of `directory`, running or not. Safe to make anew at any time: the state is on disk.

    Two programs must not change one tree at a time; who owns the directory sees to that.
    """

    def __init__(self, directory: pathlib.Path) -> None:
        self.directory = pathlib.Path(directory).absolute()
        self._folder = self.directory / "supervised"
        self._process = self.directory / "supervisor.process"
        self.log = self.directory / "supervisor.log"

    def keep(self, service: Service) -> None:
        """Makes the service run, and run again whenever it ends. Returns when its process is there."""
        self._write(service)
        if not self.ensure():
            self._command("s6-svscanctl", "-a", self._folder)
        self._wait(lambda: processes.is_running(service.process), f"{service.name} is started", service.log)

    def ensure(self) -> bool:
        """Starts the root of the tree if it has services and does not run. Returns True if it was started."""
        if self._needs_no_root():
            return False
        # The node's watch does the same at any time.
        with locks.held("supervisor", self.directory):
            if self._needs_no_root():
                return False
            # Supervisors that outlived their root would keep the new ones out. Their services run on, and are adopted.
            for folder in self._folder.iterdir():
                self._end_supervisor(folder)
            processes.start(["s6-svscan", "-c", _MOST_SERVICES, self._folder], self._process, self.log)
        return True

    def _needs_no_root(self) -> bool:
        return processes.is_running(self._process) or not self._folder.is_dir()

    def remove(self, name: str, process: pathlib.Path, patience_seconds: float = 10) -> bool:
        """Ends a service for good. Returns True if its process ran."""
        folder = self._folder / name
        supervised = folder.is_dir()
        ran = processes.is_running(process)
        if supervised:
            (folder / "down").touch()  # From here on it is not started again.
            self._tell(folder, "-d")
        processes.stop(process, patience_seconds)
        if supervised:
            # Out of sight of the scan, which would supervise it again.
            gone = folder.with_name(f".{name}")
            shutil.rmtree(gone, ignore_errors=True)
            folder.rename(gone)
            if processes.is_running(self._process):
                self._command("s6-svscanctl", "-an", self._folder)
            self._end_supervisor(gone)
            self._await_turn(gone)
            processes.stop(process, patience_seconds)  # It may have begun before its supervisor heard of it.
            shutil.rmtree(gone, ignore_errors=True)
        if not self.services():
            self.end()
        return ran

    def end(self) -> None:
        """Ends the tree, with the services that are left."""
        for folder in self._folders():
            (folder / "down").touch()
        processes.stop(self._process)
        for folder in self._folders():
            self._end_supervisor(folder)
            self._await_turn(folder)
            service = self._read(folder)
            if service:
                processes.stop(service.process)
        shutil.rmtree(self._folder, ignore_errors=True)

    def services(self) -> list[str]:
        """The names of the services, sorted."""
        return sorted(folder.name for folder in self._folders())

    def processes(self) -> dict[str, pathlib.Path]:
        """{name: the file that tells which process it is} of all services."""
        return {service.name: service.process for service in map(self._read, self._folders()) if service}

    def command(self, name: str) -> list[str]:
        """The words of a service, empty for one that is not there."""
        service = self._read(self._folder / name)
        return [str(word) for word in service.command] if service else []

    def root(self) -> int | None:
        """Process id of the root, None if it does not run."""
        return processes.pid_of(self._process)

    def supervisors(self) -> list[int]:
        """Process ids of the root and of the supervisors that run."""
        found = [self.root(), *map(supervisor, self._folders())]
        return [pid for pid in found if pid is not None]

    def endings(self) -> dict[str, int]:
        """How often services have ended by themselves since the tree was made: {name: number}."""
        numbers = dict.fromkeys(self.services(), 0)
        for name in numbers:
            try:
                numbers[name] = len((self._folder / name / "endings").read_text(encoding="ascii").splitlines())
            except OSError:
                continue
        return numbers

    def last_signal(self, name: str) -> int | None:
        """The number of the signal by which a service has ended last, 0 if by none or by an order, None if it is not
        known."""
        folder = self._folder / name
        if (folder / "down").exists():
            return 0
        try:
            how = (folder / "endings").read_text(encoding="ascii").splitlines()[-1].rpartition("ended: ")[2]
            kind, number = how.split()
            return int(number) if kind == "signal" else 0
        except (OSError, ValueError, IndexError):
            return None

    def _folders(self) -> list[pathlib.Path]:
        if not self._folder.is_dir():
            return []
        return sorted(path for path in self._folder.iterdir() if path.is_dir() and not path.name.startswith("."))

    def _write(self, service: Service) -> None:
        """Writes the folder of a service, all or nothing; that of a running one is replaced file by file."""
        folder = self._folder / service.name
        partial = self._folder / f".{service.name}.new"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        text = json.dumps(dataclasses.asdict(service), default=str, indent=2)
        (partial / "service.json").write_text(text + "\n", encoding="utf-8")
        words = shlex.join(["env", f"PYTHONPATH={_HOME}", "/usr/bin/python3", "-B", "-m", "penstock_node.service"])
        begin = f"#!/bin/sh\nexec {words} service.json\n"
        end = _FINISH.format(name=service.name, log=shlex.quote(str(self.log)), begun=BEGUN, steady=_STEADY_SECONDS)
        for name, content in (("run", begin), ("finish", end)):
            (partial / name).write_text(content, encoding="utf-8")
            (partial / name).chmod(0o755)
        if not folder.exists():
            partial.rename(folder)
            return
        for path in partial.iterdir():
            path.replace(folder / path.name)
        partial.rmdir()
        (folder / "down").unlink(missing_ok=True)
        self._tell(folder, "-u")

    @staticmethod
    def _read(folder: pathlib.Path) -> Service | None:
        try:
            return read(folder / "service.json")
        except (OSError, ValueError):
            return None

    @staticmethod
    def _tell(folder: pathlib.Path, option: str) -> None:
        """Gives a supervisor an order; one that does not run needs none."""
        subprocess.run(["s6-svc", option, folder], capture_output=True, check=False)

    def _end_supervisor(self, folder: pathlib.Path) -> None:
        """Kills the supervisor of a service, which may outlive the root, and leaves the service as it is."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (pid := supervisor(folder)) is not None:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return
            if time.monotonic() > deadline:
                raise PenstockError(f"the supervisor of {folder.name} does not end, process {pid}")
            time.sleep(_POLL_SECONDS)

    @staticmethod
    def _await_turn(folder: pathlib.Path) -> None:
        """Returns when no process is about to become the service of a folder that is down and has no supervisor: one
        that was has become it, and is recorded, or has ended."""
        turn = os.open(folder / TURN, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        try:
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(turn, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                if time.monotonic() > deadline:
                    raise PenstockError(f"a process that was to become {folder.name} neither does so nor ends; see "
                                        f"which one has {folder / TURN} open, and end it")
                time.sleep(_POLL_SECONDS)
        finally:
            os.close(turn)

    def _command(self, *words: object) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:  # A root that begins takes a moment until it listens.
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
            if time.monotonic() > deadline or not processes.is_running(self._process):
                raise PenstockError(f"{words[0]}: {done.stderr.strip()}")
            time.sleep(_POLL_SECONDS)

    @staticmethod
    def _wait(ready: Callable[[], object], what: str, log: pathlib.Path) -> None:
        processes.wait_until(ready, what, _PATIENCE_SECONDS, log=log)


def _holder(lock: pathlib.Path) -> int | None:
    """The process that holds a record lock of a file, None for none."""
    try:
        with open(lock, "r+b") as file:
            asked = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, _, _, _, pid = struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_GETLK, asked)[:28])
    except OSError:
        return None
    return None if kind == fcntl.F_UNLCK else pid
