# SPDX-License-Identifier: Apache-2.0
"""The functions beside a node as its switch sees them: peers that share memory with it over vhost-user sockets.

An instance is its directory <node>/functions/<instance>, which penstock_functions makes; instance_files.py there has
the same names. All its processes run as one user that no other instance has, who owns the files of its memory too.
"""

import contextlib
import pathlib

from penstock_base import locks, processes

from . import node_protocol, user_ids, user_processes

_SIDES = (node_protocol.SIDE_INSIDE, node_protocol.SIDE_OUTSIDE, node_protocol.SIDE_SECOND)


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

    def kill(self, name: str, patience_seconds: float = user_processes.PATIENCE_SECONDS) -> bool:
        """Kills all its processes, whatever they have started. Returns True if there was one."""
        uid = user_ids.of(str((self._functions / name).absolute()))
        return user_processes.kill(() if uid is None else (uid,), f"function {name}", patience_seconds,
                                   named=lambda: self._named(name))

    def _named(self, name: str) -> set[int]:
        """The processes that its files name, which may not have their user yet."""
        return {pid for pid in map(processes.pid_of, (self._functions / name).glob("*.process")) if pid}

    def _socket(self, name: str, side: str) -> pathlib.Path:
        place = self.facts(name).get("vhost_user_directory")
        if not place:
            wanted = locks.read_json(self._node / "state.json", {}).get("wanted", {})
            place = wanted.get("vhost_user_directory") or self._node / "vhost"
        return pathlib.Path(str(place)) / f"{name}-{side}.sock"
