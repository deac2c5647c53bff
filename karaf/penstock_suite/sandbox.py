# SPDX-License-Identifier: Apache-2.0
"""Runs tests in namespaces of their own, so that a run that ends in any way leaves nothing behind.

The first process of a process namespace takes all others with it, and network namespaces, mounts and anonymous huge
pages end with their last process. What outlives processes is in one directory, or is removed here: control groups of
functions, and the numbers of huge pages that nodes have borrowed. Where this process itself is killed, the next run
does that.

A run is the same whatever started it: signals, umask, locale, time zone and home directory are set.
"""

import collections.abc
import contextlib
import fcntl
import os
import pathlib
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import typing

from penstock_base import places
from penstock_node.hugepages import HugePages

_RUNS = pathlib.Path("/var/tmp")  # noqa: S108  (mkdtemp makes what is in it)
_PREFIX = "penstock-test-"
_LOCK = "lock"
_GROUPS = pathlib.Path("/sys/fs/cgroup")
_TEMPORARY = pathlib.Path("/tmp")  # noqa: S108  (of the sandbox alone)
_DIED = 128
"""What a shell adds to the number of the signal that has ended a program."""

# bash is the first process: it waits for all whose parents have ended. It has programs in the background ignore SIGINT.
# A clone below /tmp stays where it is.
_FIRST = """
set -e
tree=$1 temporary=$2 kept=$3
shift 3
case $tree/ in /tmp/*) mount --bind "$tree" "$kept" ;; esac
mount --bind "$temporary" /tmp
case $tree/ in /tmp/*) mkdir -p "$tree"; mount --move "$kept" "$tree" ;; esac
mount -t tmpfs tmpfs /dev/shm
mkdir -p /run/netns
while mountpoint -q /run/netns; do umount --recursive --lazy /run/netns; done
mount -t tmpfs tmpfs /run/netns
mount --make-shared /run/netns
set +e
env --default-signal=INT,QUIT "$@" &
wait $!
"""


def run(command: collections.abc.Sequence[str]) -> int:
    """Runs a command of the tree in a sandbox and returns its exit code; 128 and more for a signal that ended it.

    A signal that ends this process ends all in the sandbox first. Needs root.
    """
    sweep()
    directory = pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_RUNS))
    with open(directory / _LOCK, "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            (directory / "tmp").mkdir()
            (directory / "tmp").chmod(0o1777)
            (directory / "tree").mkdir()
            directory.chmod(0o711)  # Users of functions and resolvers have files in /tmp.
            return _run(directory, command)
        finally:
            _remove(directory)


def _run(directory: pathlib.Path, command: collections.abc.Sequence[str]) -> int:
    words = ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc", "--propagation",
             "private", "bash", "-c", _FIRST, "bash", str(places.ROOT), str(directory / "tmp"),
             str(directory / "tree"), *command]
    before = {number: signal.signal(number, _end) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        with subprocess.Popen(words, env=environment(), stdin=subprocess.DEVNULL, cwd=places.ROOT, umask=0o022,
                              preexec_fn=_as_anywhere) as process:  # noqa: PLW1509  (no thread has been started)
            try:
                code = process.wait()
            except BaseException:
                _kill(process)
                raise
    except _Ended as ended:
        print(f"penstock: ended by {ended.number.name}; nothing is left running", file=sys.stderr, flush=True)
        return _DIED + ended.number
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return code if code >= 0 else _DIED - code


class _Ended(BaseException):
    """A signal has come."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number)
        self.number = number


def _end(number: int, _: object) -> typing.NoReturn:
    # Once: a second one must not cut off the removal.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise _Ended(signal.Signals(number))


def _as_anywhere() -> None:
    """In the child: cron, nohup and runners of CI ignore signals, and what is ignored is inherited."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setsid()  # A terminal would end programs of the run one by one, before their reports.
    _die_with_parent()


def _die_with_parent() -> None:
    import ctypes  # noqa: PLC0415  (in the child alone)
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends all in the sandbox and waits until it has gone."""
    try:
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        first = os.pidfd_open(int(children[0]))
    except (OSError, IndexError):
        first = None  # It has not begun, or has ended.
    process.kill()  # The kernel ends its child with it (--kill-child), and with the first process all others.
    process.wait()
    if first is not None:
        select.select([first], [], [])
        os.close(first)


def environment() -> dict[str, str]:
    """The variables of a run: those of the caller that say where caches and packages are, and none of a person."""
    person = pwd.getpwuid(os.geteuid())
    theirs = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "PYTHON"))
              and name not in {"LANGUAGE", "TERM", "COLUMNS", "LINES", "DISPLAY", "TMPDIR"}}
    return theirs | {
        "HOME": person.pw_dir, "USER": person.pw_name, "LANG": "C.UTF-8", "TZ": "UTC", "SHELL": "/bin/sh",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": places.python_path(),
        "PYTHONDONTWRITEBYTECODE": "1"}


def sweep() -> None:
    """Removes what runs have left that were killed."""
    for directory in _RUNS.glob(f"{_PREFIX}*"):
        try:
            with open(directory / _LOCK, "a", encoding="ascii") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(directory)
        except OSError:
            continue  # It runs, or another run is removing it.


def _remove(directory: pathlib.Path) -> None:
    pages = HugePages()
    for owner in pages.owners():
        # The directory of its node was below the /tmp of the sandbox.
        place = pathlib.Path(owner.partition(" ")[2])
        if place.is_relative_to(_TEMPORARY) and (directory / "tmp" / place.relative_to(_TEMPORARY)).exists():
            pages.give_back(owner)
    for group in _GROUPS.glob("**/psf-*"):
        with contextlib.suppress(OSError):  # It has processes.
            group.rmdir()
    shutil.rmtree(directory, ignore_errors=True)
