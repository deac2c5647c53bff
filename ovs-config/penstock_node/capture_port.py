# SPDX-License-Identifier: Apache-2.0
"""Ports and mirrors of captures: made by the command, removed by it, or by the agent when the command is gone.

A capture has a slot while it holds the lock of the slot's file. The kernel lets go of the lock when the process ends,
however it ends, so a slot with a file and no lock is one whose mirror has to go. The file is
there before the port is. A command that ends well removes it; the agent may not write to the node's directory.
"""

import contextlib
import fcntl
import os
import pathlib
import time
import typing
from collections.abc import Callable, Iterator

from penstock_base import locks, processes
from penstock_base.errors import PenstockError

from .alive import Poller
from .node_protocol import BRIDGE, CAPTURE_PORT
from .ovs import Ovs

MOST_CAPTURES = 2
"""At a time on a node: each copies packets on the threads that forward them."""
_LOOK_MILLISECONDS = 500
_BUSY_SECONDS, _POLL_SECONDS = 1.0, 0.05
_BUSY = (f"{MOST_CAPTURES} captures run on this node, which is the most: wait for one to end, or end one of them by "
         "Ctrl-C")


def name(slot: int) -> str:
    """Name of the port, and of the mirror, of a slot."""
    return f"{CAPTURE_PORT}{slot}"


@contextlib.contextmanager
def taken(switch: Ovs) -> Iterator[int]:
    """A slot for the body, without a port at its beginning and at its end. Raises PenstockError if none is free."""
    slot, file = _locked(switch.directory)
    with file:
        os.utime(file.fileno())  # The agent looks at it anew.
        remove(switch, slot)  # Of a command that was killed a moment ago.
        try:
            yield slot
        finally:
            # The agent takes over what fails here: the file stays.
            remove(switch, slot)
            _path(switch.directory, slot).unlink(missing_ok=True)


def _locked(directory: pathlib.Path) -> tuple[int, typing.TextIO]:
    """A free slot with its locked file. Waits a moment: the agent may have the lock while it removes something."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        for slot in range(MOST_CAPTURES):
            file = locks.opened(_path(directory, slot))
            if _is_ours(file, _path(directory, slot)):
                return slot, file
            file.close()
        if time.monotonic() > deadline:
            raise PenstockError(_BUSY)
        time.sleep(_POLL_SECONDS)


def add_port(switch: Ovs, slot: int, vlan: int, mirrored: str) -> None:
    """Adds the port, to which nothing is mirrored yet. It takes the VLAN tag off, so that filters need not name it."""
    mtu = switch.get("Interface", mirrored, "mtu")
    switch.vsctl("--", "add-port", BRIDGE, name(slot), "--", "set", "Interface", name(slot), "type=internal",
                 *([f"mtu_request={mtu}"] if isinstance(mtu, int) else []),
                 "--", "set", "Port", name(slot), "vlan_mode=access", f"tag={vlan}")


def add_mirror(switch: Ovs, slot: int, vlan: int, mirrored: str) -> None:
    """Mirrors the packets of one VLAN that enter and leave by the port `mirrored`, also those of cached flows."""
    switch.vsctl("--", "--id=@seen", "get", "Port", mirrored, "--", "--id=@copies", "get", "Port", name(slot),
                 "--", "--id=@mirror", "create", "Mirror", f"name={name(slot)}", "select_src_port=@seen",
                 "select_dst_port=@seen", f"select_vlan={vlan}", "output_port=@copies",
                 "--", "add", "Bridge", BRIDGE, "mirrors", "@mirror")
    switch.drop_cached_flows()  # Open vSwitch 3.1 does not change the actions of all of them: agent_cache.py.


def remove(switch: Ovs, slot: int) -> None:
    """Removes mirror and port, if they are there, and cached flows: they would copy to the next port of that number.
    A switch that does not run has none, and is not waited for."""
    mirrors = [str(row["_uuid"]) for row in switch.rows("Mirror", "_uuid", "name") if row["name"] == name(slot)]
    if not mirrors and name(slot) not in [row["name"] for row in switch.rows("Port", "name")]:
        return
    runs = processes.is_running(switch.switch_process)
    changes = [word for mirror in mirrors for word in ("--", "remove", "Bridge", BRIDGE, "mirrors", mirror)]
    switch.vsctl(*(() if runs else ("--no-wait",)), *changes, "--", "--if-exists", "del-port", BRIDGE, name(slot))
    if runs:
        switch.drop_cached_flows()


class Leftovers:
    """Removes what killed commands have left. `switch` is an Ovs. Not for several threads."""

    def __init__(self, switch: Ovs, log: Callable[[str], None]) -> None:
        self._switch = switch
        self._log = log
        self._removed: dict[int, tuple[int, int]] = {}

    def run(self) -> None:
        """Removes the ports and mirrors of slots that no command has."""
        for slot, path in self._used():
            try:
                with open(path, encoding="utf-8") as file:
                    if not _is_ours(file, path):
                        continue
                    remove(self._switch, slot)
                    self._removed[slot] = _version(path)
                self._log(f"capture {slot}: its command has ended without an end; its port and mirror are removed")
            except FileNotFoundError:
                continue  # The command has ended this moment.
            except PenstockError as error:
                self._log(f"capture {slot}: {error}; trying again")

    def wait(self, poller: Poller) -> None:
        """Wakes the poller up when `run` may have something to do."""
        if self._used():
            poller.timer_wait(_LOOK_MILLISECONDS)

    def _used(self) -> list[tuple[int, pathlib.Path]]:
        """Slots that a command has had since this agent removed what was in them, with their files."""
        found = []
        for slot in range(MOST_CAPTURES):
            path = _path(self._switch.directory, slot)
            with contextlib.suppress(FileNotFoundError):
                if self._removed.get(slot) != _version(path):
                    found.append((slot, path))
        return found


def _version(path: pathlib.Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_ino, status.st_mtime_ns


def _path(directory: pathlib.Path, slot: int) -> pathlib.Path:
    return directory / f"capture-{slot}.lock"


def _is_ours(file: typing.TextIO, path: pathlib.Path) -> bool:
    """Locks the open file of a slot. False if another process has it, or if it has lost its name meanwhile."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except (BlockingIOError, FileNotFoundError):
        return False
