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
import json
import os
import pathlib
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import typing

from penstock_base import places
from penstock_node.hugepages import HugePages

_RUNS = pathlib.Path("/var/tmp")  # noqa: S108  (mkdtemp makes what is in it)
_PREFIX = "penstock-test-"
_LOCK = "lock"
_GROUPS = pathlib.Path("/sys/fs/cgroup")
_TEMPORARY = {"tmp": pathlib.Path("/tmp"), "disk": pathlib.Path("/var/tmp")}  # noqa: S108  (of the sandbox alone)
"""Directories of a run, and where its processes find them."""
_START_SECONDS = 600
"""A control group without processes that is older is of no function that starts."""
_DIED = 128
"""What a shell adds to the number of the signal that has ended a program."""

# bash is the first process: it waits for all whose parents have ended. It has programs in the background ignore SIGINT.
# A clone below /tmp or /var/tmp stays where it is.
_FIRST = """
set -e
tree=$1 temporary=$2 disk=$3
shift 3
mount -t tmpfs tmpfs /dev/shm
case $tree/ in /tmp/* | /var/tmp/*) mkdir /dev/shm/kept; mount --bind "$tree" /dev/shm/kept ;; esac
mount --bind "$temporary" /tmp
mount --bind "$disk" /var/tmp
case $tree/ in /tmp/* | /var/tmp/*)
    mkdir -p "$tree"; mount --move /dev/shm/kept "$tree"; rmdir /dev/shm/kept ;;
esac
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
            for name in _TEMPORARY:
                (directory / name).mkdir()
                (directory / name).chmod(0o1777)
            directory.chmod(0o711)  # Users of functions and resolvers have files in /tmp.
            return _run(directory, command)
        finally:
            _remove(directory)


def _run(directory: pathlib.Path, command: collections.abc.Sequence[str]) -> int:
    words = ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc", "--propagation",
             "private", "bash", "-c", _FIRST, "bash", str(places.ROOT), *(str(directory / name) for name in _TEMPORARY),
             *command]
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
        # The directory of its node was below those of the sandbox.
        place = pathlib.Path(owner.partition(" ")[2])
        if any(place.is_relative_to(there) and (directory / name / place.relative_to(there)).exists()
               for name, there in _TEMPORARY.items()):
            pages.give_back(owner)
    # Not all that are empty: a function that starts elsewhere has a group before it has a process.
    for group in {*_groups_of(directory), *filter(_is_old, _GROUPS.glob("**/psf-*"))}:
        with contextlib.suppress(OSError):  # It has processes, or has gone.
            group.rmdir()
    shutil.rmtree(directory, ignore_errors=True)


def _groups_of(directory: pathlib.Path) -> set[pathlib.Path]:
    """Control groups of the functions whose files are below a directory."""
    found = set[pathlib.Path]()
    for path in directory.glob("**/functions/*/state.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):  # Cut off, or of others.
            groups = json.loads(path.read_text(encoding="utf-8"))["control-group"]["directories"].values()
            found.update(map(pathlib.Path, groups))
    return found


def _is_old(group: pathlib.Path) -> bool:
    try:
        return time.time() - group.stat().st_mtime > _START_SECONDS
    except OSError:
        return False
