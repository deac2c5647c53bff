# SPDX-License-Identifier: Apache-2.0
"""An instance of a network function as it is on disk and in the process table, whatever its form."""

import pathlib

from penstock_node import locks, processes
from penstock_node.ovs import Ovs

from . import control_group

SIDES = ("in", "out")
"""The tenant's and the backbone's."""
ALT = "alt"
"""The side of the second output, another way to the backbone."""
_NICE = {"idle": 19, "low": 10, "normal": 0}


class InstanceFiles:
    """Names and files of an instance in <run-directory>/<node>/functions/<name>.

    `state` is the content of state.json: what the instance was started as, and what has to be undone.
    """

    def __init__(self, name, node_name, run_directory):
        self.name = name
        self.node = node_name
        self.run_directory = run_directory
        self.directory = run_directory / node_name / "functions" / name
        self.state = locks.read_json(self.directory / "state.json", {})

    @property
    def process_names(self):
        """Names of its processes, that of the forwarding one first."""
        # What an older version has started does not tell.
        return self.state.get("processes") or ["qemu" if self.state.get("form") == "vm" else "testpmd"]

    @property
    def process_files(self):
        """The files that name the processes; node.py knows running functions by their suffix."""
        return [self.directory / f"{name}.process" for name in self.process_names]

    @property
    def process(self):
        """The file that names the forwarding process."""
        return self.process_files[0]

    @property
    def log(self):
        """What the forwarding process prints."""
        return self.directory / f"{self.process_names[0]}.log"

    @property
    def sockets(self):
        """Paths of the sockets by side."""
        sides = SIDES if self.state.get("outputs", 1) == 1 else (*SIDES, ALT)
        directory = self.state.get("vhost_user_directory") or self.run_directory / self.node / "vhost"
        return {side: pathlib.Path(directory) / f"{self.name}-{side}.sock" for side in sides}

    def save(self, **changes):
        """Remembers facts, on disk too."""
        self.state.update(changes)
        locks.write_json(self.directory / "state.json", self.state)

    def prepare(self):
        """For `preexec`: what its process does before its program is loaded."""
        control_group.join(self.state["control-group"])
        nice = _NICE[self.state["scheduling"]]
        if nice:
            processes.take_place(nice)

    def is_running(self):
        """Whether all its processes run."""
        return all(map(processes.is_running, self.process_files))

    def connected(self):
        """For each side, whether the switch is connected to its socket."""
        # The kernel lists an accepted socket in the network namespace of the side that has connected: the switch.
        pid = processes.pid_of(Ovs(self.run_directory / self.node).switch_process)
        if pid is None or not self.is_running():
            return dict.fromkeys(self.sockets, False)
        try:
            lines = pathlib.Path(f"/proc/{pid}/net/unix").read_text(encoding="utf-8").splitlines()
        except OSError:
            lines = []
        # Columns: Num RefCount Protocol Flags Type St Inode Path; state 03 is connected.
        established = {fields[7] for fields in map(str.split, lines) if len(fields) > 7 and fields[5] == "03"}
        return {side: str(path) in established for side, path in self.sockets.items()}
