# SPDX-License-Identifier: Apache-2.0
"""What the agent asks the running switch at its control socket, many times a minute, without a process for each."""

import contextlib
import json
import pathlib
import re
import socket
import time
import typing
from collections.abc import Callable, Iterator, Sequence

from penstock_base import processes
from penstock_base.errors import PenstockError

from .node_protocol import BRIDGE
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
    with _asked(switch, command, *arguments, patience=patience) as answer:
        return answer()


@contextlib.contextmanager
def _asked(switch: Ovs, command: str, *arguments: str, patience: float = PATIENCE_SECONDS
           ) -> Iterator[Callable[[], str]]:
    """Sends one command likewise. The body may do other things before it calls for the answer."""
    pid = processes.pid_of(switch.switch_process)
    try:
        with _called(switch.directory / f"ovs-vswitchd.{pid}.ctl", command, arguments, patience) as result:
            yield lambda: result() or ""
    except NoAnswer as error:
        raise NoAnswer(f"{command}: the switch does not answer: {error}") from None


def call(path: pathlib.Path, method: str, parameters: Sequence[object], patience: float) -> typing.Any:
    """The result of one JSON-RPC call at a unix socket. NoAnswer when none comes within `patience` seconds;
    PenstockError with the other side's error."""
    with _called(path, method, parameters, patience) as result:
        return result()


@contextlib.contextmanager
def _called(path: pathlib.Path, method: str, parameters: Sequence[object], patience: float
            ) -> Iterator[Callable[[], typing.Any]]:
    deadline = time.monotonic() + patience

    def result() -> typing.Any:
        try:
            answer = _read(link, deadline)
        except (OSError, ValueError) as error:
            raise NoAnswer(str(error)) from None
        if answer.get("error"):
            raise PenstockError(f"{method}: {str(answer['error']).strip()}")
        return answer.get("result")

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        try:
            link.settimeout(patience)
            link.connect(str(path))
            link.sendall(json.dumps({"id": 0, "method": method, "params": parameters}).encode())
        except OSError as error:
            raise NoAnswer(str(error)) from None
        yield result


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


def version(switch: Ovs) -> str:
    """The version of the running switch, as 4.0.0; what it says instead if it says none."""
    return ask(switch, "version").rpartition(" ")[2].strip()


_NO_HOST = "02:50:53:00:00:00"
"""A MAC address for the table of the action NORMAL, which no flow of Penstock has."""


def revalidate(switch: Ovs) -> None:
    """Returns when a round over all cached flows has ended that began after the call. Each of them then has the actions
    of the tables as they were at the call, or later. PenstockError when the switch does not answer.

    A round lasts as long as the switch takes to translate all cached flows, and the next one would begin up to half a
    second later (max-revalidator): it is made to begin at once.
    """
    # The main loop of the switch notes a change of tables, answers here, and has rounds take it into account in its
    # next turn. What comes after this answer comes after that.
    ask(switch, "version")
    # The first round to end may have begun before. The second one has not.
    for _ in range(2):
        with _asked(switch, "revalidator/wait") as ended:
            _start_round(switch)
            ended()


def _start_round(switch: Ovs) -> None:
    """Changes a table that all cached flows depend on for Open vSwitch (need_revalidate, ofproto/ofproto-dpif.c)."""
    try:
        ask(switch, "fdb/del", BRIDGE, "0", _NO_HOST)
    except NoAnswer:
        raise
    except PenstockError:  # It is not there.
        ask(switch, "fdb/add", BRIDGE, BRIDGE, "0", _NO_HOST)


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
