# SPDX-License-Identifier: Apache-2.0
"""Whether the polling threads of a switch go on. A thread that hangs forwards nothing more of its ports, while the main
thread, which answers at the control socket, does not notice it before it has to wait for that thread."""

import pathlib
import re
from collections.abc import Callable, Iterable

from . import alive

_THREAD = re.compile(r"^pmd thread numa_id -?\d+ core_id (\d+):", re.MULTILINE)
_TURNS = re.compile(r"^\s*Iterations:\s+(\d+)", re.MULTILINE)
_PORT = re.compile(r"^\s+port: ", re.MULTILINE)


class Turns:
    """Compares the turns of the polling threads of one process after the other. Not for several threads."""

    def __init__(self, ask: Callable[[pathlib.Path, str], str | None] = alive.ask) -> None:
        self._ask = ask
        self._pid: int | None = None
        self._before: dict[str, int] = {}

    def hanging(self, pid: int, control: pathlib.Path) -> set[str]:
        """Cores of the threads that have ports and have made no turn since the last call for this process.

        A thread makes thousands of turns a second; with nothing to do and `pmd-maxsleep` still a hundred. Without an
        answer at the control socket no thread is known to hang.
        """
        now = turns(self._ask(control, "dpif-netdev/pmd-perf-show") or "")
        before = self._before if pid == self._pid else {}
        self._pid, self._before = pid, now
        still = {core for core, number in now.items() if before.get(core) == number}
        # A thread without ports sleeps until it gets one. The list is long where there are many ports.
        return still and still & with_ports(self._ask(control, "dpif-netdev/pmd-rxq-show") or "")


def turns(text: str) -> dict[str, int]:
    """{core: turns of its polling thread}, of an answer to dpif-netdev/pmd-perf-show."""
    return {core: int(found.group(1)) for core, part in _parts(text) if (found := _TURNS.search(part))}


def with_ports(text: str) -> set[str]:
    """The cores whose polling threads have ports, of an answer to dpif-netdev/pmd-rxq-show."""
    return {core for core, part in _parts(text) if _PORT.search(part)}


def _parts(text: str) -> Iterable[tuple[str, str]]:
    """The core of each thread, and the lines of the thread."""
    pieces = _THREAD.split(text)
    return zip(pieces[1::2], pieces[2::2], strict=True)
