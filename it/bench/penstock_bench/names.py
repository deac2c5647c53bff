# SPDX-License-Identifier: Apache-2.0
"""DNS under load: dnsperf in namespaces of some tenants, and the provider's resolver, which the benchmark plays.

dnsperf runs twice: as fast as answers come, and at half of that rate for the time that answers take.
"""

import contextlib
import pathlib
import re
import socket
import struct
import subprocess
import tempfile
import threading
import time
import typing
from collections.abc import Mapping, Sequence

from penstock_base.errors import PenstockError

from . import services_bed, stats, tagged, traffic
from .results import Results

PACKAGES = ("dnsperf",)
WHAT = ("own", "cached")
"""Names of the tenant's own zone, and names of others that the resolver has asked for already."""

_NAMES = 1000
_OUTSTANDING = 100
_ANSWER_TTL = 86_400
_READY_SECONDS = 120
_SPARE_SECONDS = 30
_RATE = re.compile(r"Queries per second:\s+([\d.]+)")
_LOST = re.compile(r"Queries lost:\s+(\d+)")
_CODES = re.compile(r"Response codes:\s+(.*)")
# "> NOERROR host1.t0.example A 0.000123" with -v; "> T ..." is a query without an answer.
_ANSWER = re.compile(r"^> (\S+) \S+ \S+ ([\d.]+)$", re.MULTILINE)


class Upstream:
    """Answers any query for an address, in a thread."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((address, 53))
        self._socket.settimeout(0.2)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.asked = 0

    def __enter__(self) -> typing.Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while not self._ending.is_set():
            try:
                query, peer = self._socket.recvfrom(2048)
            except TimeoutError:
                continue
            self.asked += 1
            with contextlib.suppress(OSError):
                self._socket.sendto(answer(query), peer)


def answer(query: bytes) -> bytes:
    """The answer to a query: every name has the same IPv4 address, and nothing else."""
    end = query.index(b"\0", 12) + 5
    is_address = query[end - 4:end] == b"\0\1\0\1"
    header = query[:2] + struct.pack("!5H", 0x8580, 1, int(is_address), 0, 0)
    record = struct.pack("!HHHIH", 0xc00c, 1, 1, _ANSWER_TTL, 4) + bytes([192, 88, 99, 10])
    return header + query[12:end] + (record if is_address else b"")


class Clients(tagged.TaggedHosts):
    """A host of each of some tenants, at the port for names, that asks for them. A context manager."""

    def __init__(self, bed: services_bed.ServicesBed, tenants: Sequence[int], directory: pathlib.Path) -> None:
        super().__init__(bed, tenants, services_bed.NAMES_TRUNK)
        self._directory = pathlib.Path(directory)

    def await_answers(self) -> None:
        """Waits until every tenant's resolver answers, and knows the names of others."""
        deadline = time.monotonic() + _READY_SECONDS
        for what in WHAT:
            for tenant in self.tenants:
                while self._codes(tenant, what) != {"NOERROR"}:
                    if time.monotonic() > deadline:
                        raise PenstockError(f"within {_READY_SECONDS} s the resolver of tenant {tenant} did not know "
                                            f"{what} names")
                    time.sleep(0.5)

    def measure(self, what: str, seconds: float) -> Results:
        """A sample: queries a second of all tenants together, and what answers take at half of that, in seconds."""
        fast = self._together(what, "-l", str(seconds), "-q", str(_OUTSTANDING))
        rate = sum(one["rate"] for one in fast)
        each = max(1, int(rate / 2 / len(self.tenants)))
        calm = self._together(what, "-l", str(seconds), "-q", str(_OUTSTANDING), "-Q", str(each), "-v")
        times = [second for one in calm for second in one["seconds"]]
        return {"what": what, "rate": rate, "lost": sum(one["lost"] for one in fast), "calm_rate": each * len(calm),
                "calm_lost": sum(one["lost"] for one in calm), "answers": len(times),
                "p50": stats.percentile(times, 50), "p99": stats.percentile(times, 99),
                "codes": sorted({code for one in fast + calm for code in one["codes"]})}

    def _codes(self, tenant: int, what: str) -> set[str]:
        """What comes of asking for every name once."""
        return set(parse(self._run({tenant: self._command(tenant, what, "-n", "1", "-t", "2")})[0])["codes"])

    def _together(self, what: str, *options: str) -> list[Results]:
        return [parse(said) for said in self._run({tenant: self._command(tenant, what, *options)
                                                   for tenant in self.tenants})]

    def _run(self, commands: Mapping[int, Sequence[str]]) -> list[str]:
        return run_together({f"dnsperf of tenant {tenant}": command for tenant, command in commands.items()},
                            self._directory, _READY_SECONDS + _SPARE_SECONDS)

    def _command(self, tenant: int, what: str, *options: str) -> list[str]:
        return ["ip", "netns", "exec", self.namespace(tenant), "dnsperf", "-s", traffic.GATEWAY, "-d",
                str(self._queries(tenant, what)), "-T", "1", *options]

    def _queries(self, tenant: int, what: str) -> pathlib.Path:
        path = self._directory / f"queries-{tenant}-{what}"
        if not path.exists():
            names = services_bed.own_names(tenant) if what == "own" else [f"name{index}.others.example"
                                                                          for index in range(_NAMES)]
            path.write_text("".join(f"{name} A\n" for name in names), encoding="ascii")
        return path


def run_together(commands: Mapping[str, Sequence[str]], directory: pathlib.Path, seconds: float) -> list[str]:
    """Runs commands by name at the same time, and returns their output in this order.

    It goes to files: a full pipe would stop all but the one that is read, and threads that read a line for each query
    take a core from what is measured. Raises PenstockError when one does not end.
    """
    with contextlib.ExitStack() as stack:
        started = []
        for name, command in commands.items():
            output = stack.enter_context(tempfile.TemporaryFile("w+", dir=directory, encoding="utf-8"))
            started.append((name, output, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                                           stderr=subprocess.STDOUT)))
        deadline = time.monotonic() + seconds
        try:
            for name, _, process in started:
                _await(name, process, deadline)
        finally:
            for _, _, process in started:
                process.kill()
                process.wait()
        said = []
        for _, output, _ in started:
            output.seek(0)
            said.append(output.read())
        return said


def _await(name: str, process: subprocess.Popen[bytes], deadline: float) -> None:
    try:
        process.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise PenstockError(f"{name} does not end") from None


def parse(said: str) -> Results:
    """What dnsperf has found: rate, lost, codes by name, and with -v the seconds of each answer."""
    rate, lost, codes = _RATE.search(said), _LOST.search(said), _CODES.search(said)
    if not (rate and lost):
        raise PenstockError(f"dnsperf gave no figures: {said.strip()[-400:]}")
    return {"rate": float(rate[1]), "lost": int(lost[1]),
            "codes": re.findall(r"([A-Z]+) \d+", codes[1]) if codes else [],
            "seconds": [float(second) for code, second in _ANSWER.findall(said) if code != "T"]}
