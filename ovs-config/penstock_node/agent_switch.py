# SPDX-License-Identifier: Apache-2.0
"""What the agent asks the running switch at its control socket, many times a minute, without a process for each."""

import json
import pathlib
import re
import socket
import time
import typing
from collections.abc import Sequence

from penstock_base import processes
from penstock_base.errors import PenstockError

from .ovs import Ovs

PATIENCE_SECONDS = 10
"""The agent does nothing else meanwhile. A busy switch takes a second or two to answer."""
_PART = 1 << 16
DATAPATH = "netdev@ovs-netdev"
"""Of all bridges in user space. Without its name the switch looks for those of the kernel too, and logs that there is
no module (dp_enumerate_names, lib/dpif.c, 4.0): five lines a second."""


class NoAnswer(PenstockError):
    """A process gave no answer in time, or none that can be read."""


def ask(switch: Ovs, command: str, *arguments: str, patience: float = PATIENCE_SECONDS) -> str:
    """Sends one command to the process of `switch`, an Ovs. Returns the answer; PenstockError when none comes within
    `patience` seconds."""
    pid = processes.pid_of(switch.switch_process)
    try:
        return call(switch.directory / f"ovs-vswitchd.{pid}.ctl", command, arguments, patience) or ""
    except NoAnswer as error:
        raise NoAnswer(f"{command}: the switch does not answer: {error}") from None


def call(path: pathlib.Path, method: str, parameters: Sequence[object], patience: float) -> typing.Any:
    """The result of one JSON-RPC call at a unix socket. NoAnswer when none comes within `patience` seconds;
    PenstockError with the other side's error."""
    deadline = time.monotonic() + patience
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(patience)
            link.connect(str(path))
            link.sendall(json.dumps({"id": 0, "method": method, "params": parameters}).encode())
            answer = _read(link, deadline)
    except (OSError, ValueError) as error:
        raise NoAnswer(str(error)) from None
    if answer.get("error"):
        raise PenstockError(f"{method}: {str(answer['error']).strip()}")
    return answer.get("result")


def _read(link: socket.socket, deadline: float) -> dict[str, typing.Any]:
    """One JSON object (RFC 7047, section 4; a control socket has the same form)."""
    parts = []
    while True:
        link.settimeout(max(deadline - time.monotonic(), 0.001))  # With 0 it would not wait at all, which is an error.
        part = link.recv(_PART)
        parts.append(part)
        if not part:
            raise ValueError("the answer ends early")
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
        if part.endswith(b"}"):  # Else it goes on; a brace may also be inside of it.
            try:
                answer: dict[str, typing.Any] = json.loads(b"".join(parts))
            except ValueError:
                continue
            return answer


def lookups(switch: Ovs, patience: float = PATIENCE_SECONDS) -> tuple[int, int]:
    """Packets that met no cached flow since the switch began, and all lookups of cached flows."""
    found = re.search(r"hit:(\d+) missed:(\d+)", ask(switch, "dpctl/show", DATAPATH, patience=patience))
    if not found:
        raise PenstockError("dpctl/show: no count")
    hit, missed = map(int, found.groups())
    return missed, hit + missed


def zones(switch: Ovs) -> dict[int, tuple[int, int]]:
    """{conntrack zone: (limit, connections)} of the zones that have a limit."""
    return {int(zone): (int(limit), int(count)) for zone, limit, count in
            re.findall(r"zone=(\d+),limit=(\d+),count=(\d+)", ask(switch, "dpctl/ct-get-limits"))}
