# SPDX-License-Identifier: Apache-2.0
"""Hosts in a process of their own, which comes before all others on its core: the clock of the samples is there.

A job is one line of JSON: `residents` (MAC, VLAN, address), `leases` (at, MAC, VLAN, whether it is given back),
`queries` (at, address, name), `pings` (at, address), where `at` is seconds from the job's begin; and `seconds`,
how long it may take. The answer is a line with `samples`, `frames` (sent and received), `cpu_seconds` and `seconds`.

    python3 -m penstock_bench.host_process DEVICE
"""

import json
import pathlib
import subprocess
import sys
import time

from penstock_node import processes
from penstock_node.errors import PenstockError

from . import hosts

_NICENESS = -12  # The switch's own threads have -10.
_BENCH = pathlib.Path(__file__).resolve().parents[1]
_SPARE_SECONDS = 30


class HostProcess:
    """Starts the process; use it as a context manager. `device` is in the current network namespace."""

    def __init__(self, device, log):
        self._device, self._log = device, pathlib.Path(log)
        self._process = None

    def __enter__(self):
        with open(self._log, "wb") as log:
            # In a session of its own: an interrupt at the terminal is for us, who end it in good order.
            self._process = subprocess.Popen(  # pylint: disable=consider-using-with
                [sys.executable, "-m", "penstock_bench.host_process", self._device], cwd=_BENCH, stderr=log,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
                env={"PYTHONPATH": ":".join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
                preexec_fn=lambda: processes.take_place(_NICENESS))
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(_SPARE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def begin(self, job):
        """Has a job begin. Ask for its result before the next one."""
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()

    def result(self):
        """Waits for the end of the job and returns its answer."""
        line = self._process.stdout.readline()
        if not line:
            raise PenstockError(f"the hosts ended by themselves{processes.log_tail(self._log)}")
        return json.loads(line)

    def play(self, job):
        """Does a job and returns its answer."""
        self.begin(job)
        return self.result()


def play(played, job):
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


def main():
    """Does jobs until the end of the input."""
    played = hosts.Hosts(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(play(played, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
