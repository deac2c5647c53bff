# SPDX-License-Identifier: Apache-2.0
"""An instance of a network function as it is on disk and in the process table, whatever its form."""

import os
import pathlib
import re
import typing
import uuid
from collections.abc import Iterable, Sequence

from penstock_base import locks, processes
from penstock_node import node_protocol, user_ids
from penstock_node.confined import Confinement
from penstock_node.ovs import Ovs

from . import control_group

SIDES = (node_protocol.SIDE_INSIDE, node_protocol.SIDE_OUTSIDE)
"""The tenant's and the backbone's."""
ALT = node_protocol.SIDE_SECOND
"""The side of the second output, another way to the backbone."""
# Columns of /proc/net/unix: Num RefCount Protocol Flags Type St Inode Path.
_SOCKET = re.compile(rb"^[0-9a-f]+: [0-9A-F]{8} [0-9A-F]{8} ([0-9A-F]{8}) [0-9A-F]{4} ([0-9A-F]{2}) +[0-9]+ (.+)$",
                     re.MULTILINE)
_CONNECTED = 3
_NICE = {"idle": 19, "low": 10, "normal": 0}


class InstanceFiles:
    """Names and files of an instance in <run-directory>/<node>/functions/<name>.

    `state` is the content of state.json: what the instance was started as, and what has to be undone.
    """

    def __init__(self, name: str, node_name: str, run_directory: pathlib.Path) -> None:
        self.name = name
        self.node = node_name
        self.run_directory = run_directory
        self.directory = run_directory / node_name / "functions" / name
        self.state: dict[str, typing.Any] = locks.read_json(self.directory / "state.json", {})

    @property
    def control_group_name(self) -> str:
        """Of one machine, and so not of the node alone: another edge on it may have a node of the same name."""
        edge = uuid.uuid5(uuid.NAMESPACE_URL, str(self.directory.absolute())).hex[:12]
        return f"psf-{self.node}-{self.name}-{edge}"

    @property
    def process_names(self) -> Sequence[str]:
        """Names of its processes, that of the forwarding one first."""
        # What an older version has started does not tell.
        return self.state.get("processes") or ["qemu" if self.state.get("form") == "vm" else "testpmd"]

    @property
    def process_files(self) -> list[pathlib.Path]:
        """The files that name the processes; node.py knows running functions by their suffix."""
        return [self.directory / f"{name}.process" for name in self.process_names]

    @property
    def process(self) -> pathlib.Path:
        """The file that names the forwarding process."""
        return self.process_files[0]

    @property
    def log(self) -> pathlib.Path:
        """What the forwarding process prints."""
        return self.directory / f"{self.process_names[0]}.log"

    @property
    def sockets(self) -> dict[str, pathlib.Path]:
        """Paths of the sockets by side."""
        sides = SIDES if self.state.get("outputs", 1) == 1 else (*SIDES, ALT)
        directory = self.state.get("vhost_user_directory") or self.run_directory / self.node / "vhost"
        return {side: pathlib.Path(directory) / f"{self.name}-{side}.sock" for side in sides}

    @property
    def own(self) -> pathlib.Path:
        """The only directory that its processes may write to: their sockets, and files of their own."""
        # What an older version has started has none.
        return self.directory / "own" if self.state.get("uid") else self.directory

    def make_own(self) -> None:
        """Gives the instance a user and its own directory, and has the names of its sockets lead there."""
        self.save(uid=user_ids.take(str(self.directory.absolute())))
        self.own.mkdir(mode=0o700)
        os.chown(self.own, self.state["uid"], self.state["uid"])
        for path in self.sockets.values():
            path.unlink(missing_ok=True)
            path.symlink_to(self.own.absolute() / path.name)

    def clean_own(self) -> None:
        """Removes the names of its sockets, and gives its user back, when its processes are gone."""
        for path in self.sockets.values():
            path.unlink(missing_ok=True)
        user_ids.give_back(str(self.directory.absolute()))

    def confined(self, capabilities: tuple[str, ...] = (), devices: tuple[str, ...] = (),
                 readable: Iterable[object] = (), huge_pages: bool = False) -> list[str]:
        """The words before one of its programs that leave it these rights, in its namespace and control group.

        It sees its own directory at two places: at that of all sockets too, so that a socket has the same path for it
        and for the switch.
        """
        sockets = self.sockets["in"].parent
        return Confinement(self.state["uid"], writable=((self.own, self.own), (self.own, sockets)),
                           readable=tuple(map(str, readable)), devices=devices, capabilities=capabilities,
                           namespace=self.state.get("namespace"),
                           joins=tuple(control_group.files(self.state["control-group"])),
                           nice=_NICE[self.state["scheduling"]] or None, huge_pages=huge_pages).words

    def save(self, **changes: typing.Any) -> None:
        """Remembers facts, on disk too."""
        self.state.update(changes)
        locks.write_json(self.directory / "state.json", self.state)

    def is_running(self) -> bool:
        """Whether all its processes run."""
        return all(map(processes.is_running, self.process_files))

    def connected(self) -> dict[str, bool]:
        """For each side, whether the switch is connected to its socket."""
        # The kernel lists an accepted socket in the network namespace of the side that has connected: the switch.
        pid = processes.pid_of(Ovs(self.run_directory / self.node).switch_process)
        if pid is None or not self.is_running():
            return dict.fromkeys(self.sockets, False)
        try:
            listed = unix_sockets(pathlib.Path(f"/proc/{pid}/net/unix").read_bytes())
        except OSError:
            listed = []
        established = {path for _, state, path in listed if state == _CONNECTED}
        return {side: str(path) in established for side, path in self.sockets.items()}


def unix_sockets(table: bytes) -> list[tuple[int, int, str]]:
    """Flags, state and path of each socket that has a path, from the bytes of a file /proc/PID/net/unix.

    The owner of a socket chooses its path: any bytes, lines too.
    """
    return [(int(flags, 16), int(state, 16), path.decode(errors="replace"))
            for flags, state, path in _SOCKET.findall(table)]
