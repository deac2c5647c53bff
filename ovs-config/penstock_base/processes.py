# SPDX-License-Identifier: Apache-2.0
"""Starts and stops background processes, each known by a file.

The file holds pid, start time and boot id. All three must fit before a process is signalled, so a pid that the kernel
has given to another program since is never killed.
"""

import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping

from . import files
from .errors import PenstockError

_PROC = pathlib.Path("/proc")
_POLL_SECONDS = 0.02
_LOG_PART = 1 << 16
_LONGEST_LINE = 1000
_LONGEST_LOG = 16 << 20
_BLOCK = 512
"""Bytes of st_blocks."""
_KILL_SECONDS = 30
"""Also to end a process needs the core, and that of one that gives way to all others may be busy."""


def start(args: Iterable[object], pidfile: pathlib.Path, log: pathlib.Path, namespace: str | None = None,
          environment: Mapping[str, str] | None = None, hold_stdin: bool = False,
          preexec: Callable[[], object] | None = None) -> int:
    """Starts `args` in a session of its own, output appended to `log`, and returns its pid.

    namespace:   name of the network namespace to run in; None is the current one.
    hold_stdin:  gives it a standard input that never ends (testpmd leaves when its input ends), else /dev/null.
    preexec:     called in the child before the program is loaded, for example to set the scheduling policy.
    Refuses when the process of `pidfile` is still running.
    """
    if is_running(pidfile):
        raise PenstockError(f"{pidfile}: its process {pid_of(pidfile)} is running already")
    command = [str(arg) for arg in args]
    if namespace:
        # ip replaces itself by the program, so the pid stays the one we see here.
        command = ["ip", "netns", "exec", namespace, *command]
    inherited: tuple[int, ...] = ()
    stdin = subprocess.DEVNULL
    if hold_stdin:
        # The child holds the writing end of its own input as well.
        stdin, writer = os.pipe()
        inherited = (writer,)
    reason, teller = os.pipe()
    try:
        with files.explained(), open(log, "ab") as output:
            child = subprocess.Popen(command, stdin=stdin, stdout=output, stderr=subprocess.STDOUT, env=environment,
                                     start_new_session=True, pass_fds=inherited,
                                     # Safe: what starts processes has one thread.
                                     preexec_fn=lambda: _prepare(pidfile, preexec, teller))  # noqa: PLW1509
    except FileNotFoundError:
        pathlib.Path(pidfile).unlink(missing_ok=True)
        raise PenstockError(f"the program {command[0]} is not installed") from None
    except subprocess.SubprocessError:
        pathlib.Path(pidfile).unlink(missing_ok=True)
        os.set_blocking(reason, False)
        with contextlib.suppress(BlockingIOError):
            raise PenstockError(os.read(reason, select.PIPE_BUF).decode()) from None
        raise PenstockError(f"{command[0]} could not be given its place: scheduling, or control group") from None
    finally:
        os.close(reason)
        os.close(teller)
        if hold_stdin:
            os.close(stdin)
            os.close(writer)
    child.returncode = 0  # The process outlives this object; from here on its file speaks for it.
    return child.pid


def _prepare(pidfile: pathlib.Path, preexec: Callable[[], object] | None, teller: int) -> None:
    """Runs in the child. It writes its file itself: it cannot be lost, even if we are killed this very moment. Why it
    cannot is told by a pipe: Popen says of an error here only that there was one."""
    try:
        record(os.getpid(), pidfile)
    except PenstockError as error:
        os.write(teller, str(error).encode()[:select.PIPE_BUF])
        raise
    if preexec:
        preexec()


def record(pid: int, pidfile: pathlib.Path) -> None:
    """Writes the identity of a running process to `pidfile`, all or nothing."""
    files.replace(pidfile, f"{pid}\n{start_time(pid)}\n{_boot_id()}\n")


def pid_of(pidfile: pathlib.Path) -> int | None:
    """The pid of the process that `pidfile` names if it still runs, else None."""
    try:
        number, started, boot = pathlib.Path(pidfile).read_text(encoding="ascii").split()
        pid = int(number)
    except (OSError, ValueError):
        return None
    if boot != _boot_id() or start_time(pid) != started:
        return None
    return pid


def is_running(pidfile: pathlib.Path) -> bool:
    """Whether the process that `pidfile` names is alive (a zombie is not)."""
    return pid_of(pidfile) is not None


def go_on(pid: int) -> bool:
    """Continues a process that a signal has stopped. Returns True if it was stopped. A debugger's is left alone."""
    fields = _stat(pid)
    if fields is None or fields[0] != "T":
        return False
    _signal(pid, signal.SIGCONT)
    return True


def is_stopped(pidfile: pathlib.Path) -> bool:
    """Whether a signal has stopped the process that `pidfile` names. One that a debugger holds is not."""
    pid = pid_of(pidfile)
    fields = None if pid is None else _stat(pid)
    return fields is not None and fields[0] == "T"


def take_place(nice: int) -> None:
    """For `preexec`: comes before others on the core, or gives way to them: `nice` -20 to 19.

    19 takes the policy SCHED_IDLE too. To come first is no right of a container without CAP_SYS_NICE, where nothing
    changes. A process in a session of its own is also a scheduling group of its own where the kernel has autogroups,
    and groups share the core equally whatever is inside: so the group is told too.
    """
    try:
        if nice == 19:
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        else:
            os.setpriority(os.PRIO_PROCESS, 0, nice)  # Whatever that of the caller is.
    except PermissionError:
        return
    with contextlib.suppress(OSError):  # Not every kernel has autogroups.
        pathlib.Path("/proc/self/autogroup").write_text(str(nice), encoding="ascii")


def join(files: Iterable[int]) -> None:
    """Puts this process into control groups, so that nothing it ever starts is outside. files: descriptors of their
    files cgroup.procs, which are closed."""
    cores = os.sched_getaffinity(0)
    for file in files:
        os.write(file, str(os.getpid()).encode("ascii"))
        os.close(file)
    # The kernel gives who joins all cores of the group. If it was bound to none of these, that is right.
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, cores & os.sched_getaffinity(0))


def stop(pidfile: pathlib.Path, timeout_seconds: float = 10) -> bool:
    """Ends the process with SIGTERM, or SIGKILL when that takes too long, and removes the file.

    Returns True if it was running.
    """
    pid = pid_of(pidfile)
    if pid is not None:
        for number, patience in ((signal.SIGTERM, timeout_seconds), (signal.SIGKILL, _KILL_SECONDS)):
            _signal(pid, number)
            if _wait_gone(pidfile, pid, patience):
                break
        else:
            raise PenstockError(f"process {pid} ({pidfile}) does not end")
    pathlib.Path(pidfile).unlink(missing_ok=True)
    return pid is not None


def wait_until(ready: Callable[[], object], what: str, timeout_seconds: float, pidfile: pathlib.Path | None = None,
               log: pathlib.Path | None = None, poll_seconds: float = _POLL_SECONDS) -> None:
    """Polls `ready()` until it is true. Gives up at the deadline or when the process of `pidfile` has ended."""
    deadline = time.monotonic() + timeout_seconds
    while not ready():
        if pidfile is not None and not is_running(pidfile):
            raise PenstockError(f"{what}: the process ended{log_tail(log)}")
        if time.monotonic() > deadline:
            raise PenstockError(f"{what}: not within {timeout_seconds} s{log_tail(log)}")
        time.sleep(poll_seconds)


def log_tail(log: pathlib.Path | None, lines: int = 8) -> str:
    """The end of a log, ready to be added to an error text; empty if there is none.

    The program chooses how much it writes, so no more than the last 64 KB are read, and long lines are cut.
    """
    if log is None:
        return ""
    try:
        with open(log, "rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - _LOG_PART, 0))
            text = file.read(_LOG_PART).decode(errors="replace").strip()
    except OSError:
        return ""
    ends = [line[:_LONGEST_LINE] for line in text.splitlines()[-lines:]]
    return f"; the end of {log}:\n  " + "\n  ".join(ends) if text else ""


def log_head(log: pathlib.Path) -> bytes:
    """The first 64 KB of a log, as bytes; empty if there is none."""
    try:
        with open(log, "rb") as file:
            return file.read(_LOG_PART)
    except OSError:
        return b""


def limit_log(log: pathlib.Path, kept: bytes = b"") -> bool:
    """Empties a log that takes more than 16 MB of room, but for a line that says so. Returns whether it did.

    kept: words that stay if they are among the first 64 KB. The program appends to the log, so it goes on at its new
    end. One that was taken over can write behind the end: so the room counts, not the length.
    """
    try:
        if pathlib.Path(log).stat(follow_symlinks=False).st_blocks * _BLOCK <= _LONGEST_LOG:
            return False
        stays = kept if kept in log_head(log) else b""
        file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.ftruncate(file, 0)
            text = time.strftime(f"%Y-%m-%d %H:%M:%S this log had more than {_LONGEST_LOG >> 20} MB and was emptied")
            os.write(file, text.encode() + (b"; it had: " + stays if stays else b"") + b"\n")
        finally:
            os.close(file)
    except OSError:  # It has gone, or there is no room for the line.
        return False
    return True


def resident_megabytes(pid: int | None) -> int:
    """Resident memory of a process in MB, huge pages not counted; 0 if it has gone."""
    try:
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)


def cpu_seconds(pid: int | None) -> float:
    """Processor time a process has used so far, in seconds; 0 if it has gone."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _stat(pid: int | str | None, proc: pathlib.Path = _PROC) -> list[str] | None:
    """The fields of /proc/<pid>/stat from the third (state) on, or None. pid: "<pid>/task/<tid>" for a thread."""
    try:
        text = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def start_time(pid: int, proc: pathlib.Path = _PROC) -> str | None:
    """When a process began, in clock ticks since boot; None if it has ended. With its id this is one process alone.
    proc: /proc, but in tests."""
    fields = _stat(pid, proc)
    if fields is None or (fields[0] in "ZX" and not _has_threads(pid, proc)):
        return None
    return fields[19]


def _has_threads(pid: int, proc: pathlib.Path) -> bool:
    """Whether threads live on after the first one. As long as they do, memory and devices are not free."""
    try:
        threads = [path.name for path in (proc / str(pid) / "task").iterdir()]
    except OSError:
        return False  # It has gone since its state was read.
    found = (_stat(f"{pid}/task/{thread}", proc) for thread in threads)
    return any(fields is not None and fields[0] not in "ZX" for fields in found)


def _boot_id() -> str:
    return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _wait_gone(pidfile: pathlib.Path, pid: int, patience_seconds: float) -> bool:
    deadline = time.monotonic() + patience_seconds
    while True:
        gone = not is_running(pidfile)
        with contextlib.suppress(ChildProcessError):  # Only when it is our own child: do not leave a zombie.
            os.waitpid(pid, os.WNOHANG)
        if gone:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
