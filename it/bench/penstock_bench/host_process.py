# SPDX-License-Identifier: Apache-2.0
"""Hosts in a process of their own, which comes before all others on its core: the clock of the samples is there.

A job is one line of JSON: `residents` (MAC, VLAN, address), `leases` (at, MAC, VLAN, whether it is given back),
`queries` (at, address, name), `pings` (at, address), where `at` is seconds from the job's begin; and `seconds`,
how long it may take. The answer is a line with `samples`, `frames` (sent and received), `cpu_seconds` and `seconds`.

    python3 -m penstock_bench.host_process DEVICE
"""

import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any, Self

from penstock_base import processes
from penstock_base.errors import PenstockError

from . import hosts
from .results import Results

_NICENESS = -12  # Before all others but the switch.
_BENCH = pathlib.Path(__file__).resolve().parents[1]
_SPARE_SECONDS = 30


class LineProcess:
    """A module of ours as a process that takes jobs and gives answers, one line of JSON each; a context manager.

    arguments: module and arguments
    namespace: network namespace to run in; None is the current one
    """

    def __init__(self, arguments: Iterable[str], log: pathlib.Path, namespace: str | None = None) -> None:
        self._arguments, self._log = list(arguments), pathlib.Path(log)
        self._place = ["ip", "netns", "exec", namespace] if namespace else []
        self._process: Any = None  # Until it is entered.

    def __enter__(self) -> Self:
        with open(self._log, "wb") as log:
            # In a session of its own: an interrupt at the terminal is for us, who end it in good order.
            self._process = subprocess.Popen(
                [*self._place, sys.executable, "-m", *self._arguments], cwd=_BENCH, stderr=log,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
                env={"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
                preexec_fn=lambda: processes.take_place(_NICENESS))  # noqa: PLW1509  (system calls alone)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(_SPARE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def begin(self, job: object) -> None:
        """Has a job begin. Ask for its result before the next one."""
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()

    def result(self) -> Any:
        """Waits for the end of the job and returns its answer."""
        line = self._process.stdout.readline()
        if not line:
            raise PenstockError(f"{self._arguments[0]} ended by itself{processes.log_tail(self._log)}")
        return json.loads(line)

    def play(self, job: object) -> Any:
        """Does a job and returns its answer."""
        self.begin(job)
        return self.result()


class HostProcess(LineProcess):
    """hosts.Hosts. `device` is in the current network namespace."""

    def __init__(self, device: str, log: pathlib.Path) -> None:
        super().__init__(["penstock_bench.host_process", device], log)


def play(played: hosts.Hosts, job: Results) -> Results:
    """Does a job with a hosts.Hosts and returns the answer."""
    played.forget()
    begun = played.now()
    for mac, vlan, address in job.get("residents", ()):
        played.resident(bytes.fromhex(mac), vlan, address)
    for at, mac, vlan, release in job.get("leases", ()):
        played.lease(bytes.fromhex(mac), vlan, begun + at, release)
    for at, host, name in job.get("queries", ()):
        played.query(host, name, begun + at)
    for at, host in job.get("pings", ()):
        played.ping(host, begun + at)
    played.run(begun + job["seconds"])
    return {"samples": played.samples, "frames": played.frames, "cpu_seconds": played.cpu_seconds,
            "seconds": time.monotonic() - begun}


def main() -> None:
    """Does jobs until the end of the input."""
    played = hosts.Hosts(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(play(played, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
