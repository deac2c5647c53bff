# SPDX-License-Identifier: Apache-2.0
"""The functions beside a node as its switch sees them: peers that share memory with it over vhost-user sockets.

An instance is its directory <node>/functions/<instance>, which penstock_functions makes; instance_files.py there has
the same names. All its processes run as one user that no other instance has, who owns the files of its memory too.
"""

import contextlib
import os
import pathlib
import signal
import time

from . import locks, processes, user_ids
from .errors import PenstockError

_SIDES = ("in", "out", "alt")
_KILL_SECONDS = 5
_POLL_SECONDS = 0.01


class Peers:
    """All instances beside the node whose files are in `directory`."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._functions = directory / "functions"
        self._node = directory

    def names(self) -> set[str]:
        """All of which there is anything, also of those that do not run."""
        return {path.parent.name for path in self._functions.glob("*/state.json")}

    def running(self) -> set[str]:
        """Those with a process."""
        return {path.parent.name for path in self._functions.glob("*/*.process") if processes.is_running(path)}

    def of_user(self, uid: int) -> str | None:
        """The instance whose user this is, None when it is of none beside this node."""
        path = user_ids.owner(uid)
        if path is None or pathlib.Path(path).parent.resolve() != self._functions.resolve():
            return None
        return pathlib.Path(path).name

    def facts(self, name: str) -> dict[str, object]:
        """What its directory says of it: state.json of InstanceFiles, {} when it is not there."""
        facts: dict[str, object] = locks.read_json(self._functions / name / "state.json", {})
        return facts

    def sever(self, name: str) -> None:
        """Takes the names of its sockets away: the switch cannot connect to it again."""
        for side in _SIDES:
            self._socket(name, side).unlink(missing_ok=True)

    def join(self, name: str) -> None:
        """Puts the names of its sockets back, as InstanceFiles.make_own makes them."""
        own = self._functions / name / "own"
        if not own.is_dir():
            return
        outputs = self.facts(name).get("outputs", 1)
        for side in _SIDES if outputs != 1 else _SIDES[:2]:
            path = self._socket(name, side)
            with contextlib.suppress(FileExistsError):
                path.symlink_to(own.absolute() / path.name)

    def kill(self, name: str) -> bool:
        """Kills all its processes at once, whatever they have started. Returns True if there was one."""
        found = False
        uid = user_ids.of(str((self._functions / name).absolute()))
        deadline = time.monotonic() + _KILL_SECONDS
        while pids := self._pids(name, uid):
            found = True
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if uid is not None:
                _kill_all(uid)
            if time.monotonic() > deadline:
                raise PenstockError(f"function {name}: process {min(pids)} does not end")
            time.sleep(_POLL_SECONDS)
        return found

    def _pids(self, name: str, uid: int | None) -> set[int]:
        files = map(processes.pid_of, (self._functions / name).glob("*.process"))
        return {pid for pid in files if pid} | (set() if uid is None else _of_user(uid))

    def _socket(self, name: str, side: str) -> pathlib.Path:
        place = self.facts(name).get("vhost_user_directory")
        if not place:
            wanted = locks.read_json(self._node / "state.json", {}).get("wanted", {})
            place = wanted.get("vhost_user_directory") or self._node / "vhost"
        return pathlib.Path(str(place)) / f"{name}-{side}.sock"


def _of_user(uid: int) -> set[int]:
    """All processes of a user."""
    found = set()
    for path in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue  # It has ended.
        fields = {key: value.split() for key, _, value in (line.partition(":") for line in lines)}
        if int(fields["Uid"][0]) == uid and fields["State"][0] not in "ZX":
            found.add(int(path.parent.name))
    return found


def _kill_all(uid: int) -> None:
    """Kills all processes of a user in one call, so that none can start others meanwhile."""
    if user_ids.owner(uid) is None:  # Never root: that would be all processes.
        return
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            if os.getresuid() == (uid, uid, uid):
                os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
