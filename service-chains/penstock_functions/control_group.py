# SPDX-License-Identifier: Apache-2.0
"""Control groups: each instance has one, which bounds what its processes take of memory, threads and cores.

With cgroup v2 a group is one directory at the top of the file system, with v1 one for each controller, below the group
of who starts the instance. A group is a dict, as it is in the instance's state.json: `version`, `directories` by
controller, and its limits `memory-mb`, `hugepage-mb`, `threads` and `core`; or `missing`, why there is none.
"""

import contextlib
import functools
import os
import pathlib
import signal
import typing

from penstock_base import processes
from penstock_base.errors import PenstockError

from .function import Function

Group = dict[str, typing.Any]

MEMORY_MB = 512
"""Of ordinary memory, which huge pages are not, beside the memory of a guest."""
_SWITCH_MEMORY_MB = 1024  # Of an Open vSwitch, which tracks many sessions in ordinary memory.
THREADS = 256
"""Processes and threads. QEMU has the most, about 70 when it reads and writes a lot."""

_CONTROLLERS = ("memory", "pids", "cpuset")
_HUGEPAGES = "hugetlb"
"""A controller too. Not every machine has it mounted: a group is made without it."""
_ROUNDING_PAGES = 1
"""Of DPDK, which takes whole pages."""
_REMOVE_SECONDS = 5


def plan(name: str, entry: Function, proc: pathlib.Path = pathlib.Path("/proc/self")) -> Group:
    """The group that an instance of a catalogue function will have; nothing is made yet."""
    # At scheduling idle only the thread that forwards is bound to the core, by testpmd itself. All others have to run
    # elsewhere, or a forwarding thread of the switch on that core would leave them nothing to open their sockets with.
    memory = _SWITCH_MEMORY_MB if entry.form == "container" and entry.rules else MEMORY_MB
    guest = entry.form == "vm"  # Its memory is ordinary memory, that of all other forms is huge pages.
    limits = {"memory-mb": memory + (entry.memory_mb if guest else 0), "hugepage-mb": 0 if guest else entry.memory_mb,
              "threads": THREADS, "core": None if entry.scheduling == "idle" else entry.core}
    try:
        version, parents = _parents(proc)
        for parent in set(parents.values()):
            if not os.access(parent, os.W_OK):
                raise PenstockError(f"{parent} cannot be written to")
    except (OSError, PenstockError) as error:
        return {"missing": str(error)}
    return limits | {"version": version,
                     "directories": {controller: str(parent / name) for controller, parent in parents.items()}}


def make(group: Group, scheduling: str) -> None:
    """Makes a planned group. One of that name that is empty is replaced, one with processes is an error."""
    try:
        for directory in _directories(group):
            if directory.exists():
                directory.rmdir()
            directory.mkdir()
        for controller in group.get("directories", ()):
            _limit(pathlib.Path(group["directories"][controller]), controller, group)
        if group.get("version") == 2:
            _share(_directories(group)[0], scheduling)
    except OSError as error:
        raise PenstockError(f"control group {error.filename}: {error.strerror}") from None


def files(group: Group) -> list[str]:
    """Where a process writes its id to join the group, so that nothing it ever starts is outside."""
    return [str(directory / "cgroup.procs") for directory in _directories(group)]


def remove(group: Group) -> None:
    """Kills what is left in a group, and removes it; nothing is said of one that has gone. Raises PenstockError."""
    for directory in _directories(group):
        processes.wait_until(functools.partial(_is_removed, directory), f"the end of control group {directory}",
                             _REMOVE_SECONDS)


def _parents(proc: pathlib.Path) -> tuple[int, dict[str, pathlib.Path]]:
    """The version, and the directory to make a group in by controller."""
    # Fields: id, parent, device, root, mount point, options, optional ones; "-", type, source, options.
    mounts = [line.split(" ") for line in (proc / "mountinfo").read_text(encoding="utf-8").splitlines()]
    for fields in mounts:
        if fields[-3] == "cgroup2":
            top = pathlib.Path(fields[4])
            there = (top / "cgroup.controllers").read_text(encoding="ascii").split()
            if set(_CONTROLLERS) <= set(there):
                wanted = [name for name in (*_CONTROLLERS, _HUGEPAGES) if name in there]
                _write(top / "cgroup.subtree_control", " ".join(f"+{name}" for name in wanted))
                return 2, dict.fromkeys(wanted, top)
    own = [line.split(":", 2) for line in (proc / "cgroup").read_text(encoding="utf-8").splitlines()]
    paths = {name: path for _, names, path in own for name in names.split(",")}
    parents = {name: _own_directory(fields, paths[name]) for fields in mounts if fields[-3] == "cgroup"
               for name in (*_CONTROLLERS, _HUGEPAGES) if name in fields[-1].split(",")}
    lack = [name for name in _CONTROLLERS if name not in parents]
    if lack:
        raise PenstockError(f"this machine has no controller {', '.join(lack)} mounted")
    if _HUGEPAGES in parents and not os.access(parents[_HUGEPAGES], os.W_OK):
        del parents[_HUGEPAGES]
    return 1, parents


def _own_directory(fields: list[str], path: str) -> pathlib.Path:
    """Where a group of version 1 is in its mount, which may show only a part of the hierarchy: that of a container."""
    top, root, own = pathlib.Path(fields[4]), pathlib.PurePath(fields[3]), pathlib.PurePath(path)
    return top / own.relative_to(root) if own.is_relative_to(root) else top


def _limit(directory: pathlib.Path, controller: str, group: Group) -> None:
    first, amount = group["version"] == 1, group["memory-mb"] << 20
    if controller == "memory" and first:
        _write(directory / "memory.limit_in_bytes", amount)
        _write_if_there(directory / "memory.memsw.limit_in_bytes", amount)
    elif controller == "memory":
        _write(directory / "memory.max", amount)
        _write_if_there(directory / "memory.swap.max", 0)
        _write_if_there(directory / "memory.oom.group", 1)
    elif controller == "pids":
        _write(directory / "pids.max", group["threads"])
    elif controller == _HUGEPAGES:
        _limit_hugepages(directory, first, group["hugepage-mb"] << 20)
    else:
        if first:  # A new group has none, and nobody can join it.
            for name in ("cpuset.cpus", "cpuset.mems"):
                _write(directory / name, (directory.parent / name).read_text(encoding="ascii").strip())
        if group["core"] is not None:
            _write(directory / "cpuset.cpus", group["core"])


def _limit_hugepages(directory: pathlib.Path, first: bool, amount: int) -> None:
    """Limits pages of default size, used and reserved ones, to `amount` bytes with rounding; of other sizes to none."""
    meminfo = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
    size = int(next(line.split()[1] for line in meminfo.splitlines() if line.startswith("Hugepagesize:"))) << 10
    # As mem_fmt of the kernel's mm/hugetlb_cgroup.c.
    bits, unit = next((bits, unit) for bits, unit in ((30, "GB"), (20, "MB"), (10, "KB")) if size >> bits)
    allowed = (-(-amount // size) + _ROUNDING_PAGES) * size if amount else 0
    for path in directory.glob("hugetlb.*.limit_in_bytes" if first else "hugetlb.*.max"):
        _write(path, allowed if path.name.split(".")[1] == f"{size >> bits}{unit}" else 0)


def _share(directory: pathlib.Path, scheduling: str) -> None:
    """Where groups share the processor, what a process was told counts inside its group alone: tell the group too."""
    if scheduling == "idle":
        _write_if_there(directory / "cpu.idle", 1)
    elif scheduling == "low":
        _write_if_there(directory / "cpu.weight.nice", 10)


def _is_removed(directory: pathlib.Path) -> bool:
    try:
        for pid in map(int, (directory / "cgroup.procs").read_text(encoding="ascii").split()):
            if pid:  # One in a process namespace that is not ours is shown as 0.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        directory.rmdir()
    except OSError:
        return not directory.exists()
    return True


def _directories(group: Group) -> list[pathlib.Path]:
    return [pathlib.Path(path) for path in dict.fromkeys(group.get("directories", {}).values())]


def _write(path: pathlib.Path, value: str | int) -> None:
    # Never makes a file: what the kernel does not have is an error.
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, str(value).encode("ascii"))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(descriptor)


def _write_if_there(path: pathlib.Path, value: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        _write(path, value)
