# SPDX-License-Identifier: Apache-2.0
"""The traffic generator: builds the program of it/bench/generator, runs it, and speaks with it.

Commands and answers are one line each; see generator/commands.h. The generator owns the sockets of its
links and a switch connects to them, so either of the two can be started first.
"""

import hashlib
import json
import os
import pathlib
import selectors
import shutil
import subprocess
import time
import typing
from collections.abc import Mapping, Sequence

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_node.hugepages import HugePages

from .results import Results

PACKAGES = ("gcc", "libc6-dev", "pkgconf", "libdpdk-dev", "librte-net-virtio23", "librte-bus-vdev23",
            "librte-mempool-ring23")
"""Debian packages that building and running it needs."""

_SOURCES = pathlib.Path(__file__).resolve().parents[1] / "generator"
_FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O3", "-march=native", "-Wall", "-Wextra", "-Werror")
_NAME = "penstock-generator"
_START_SECONDS = 30
_ANSWER_SECONDS = 20
_END_SECONDS = 5


def build(directory: pathlib.Path, sources: pathlib.Path = _SOURCES) -> pathlib.Path:
    """Returns the program in `directory`, compiled if it is not there or was made from other sources or for other CPUs.

    Safe when several processes do it at the same time: the program is put in place in one go.
    """
    directory = pathlib.Path(directory)
    program = directory / _NAME
    identity = directory / (_NAME + ".sources")
    wanted = _identity(sources)
    try:
        if program.exists() and identity.read_text(encoding="ascii") == wanted:
            return program
    except FileNotFoundError:
        pass
    directory.mkdir(parents=True, exist_ok=True)
    temporary = directory / f"{_NAME}.{os.getpid()}"
    flags = _run("pkg-config", "--cflags", "--libs", "libdpdk").split()
    # The march of the library's own flags is for the least of all CPUs: ours comes last.
    files = sorted(str(path) for path in pathlib.Path(sources).glob("*.c"))
    try:
        _run("cc", "-o", str(temporary), *files, *flags, *_FLAGS)
        temporary.replace(program)
    finally:
        temporary.unlink(missing_ok=True)
    identity.write_text(wanted, encoding="ascii")
    return program


class Generator:
    """A running generator. Use it as a context manager, or call start() and stop().

    program:    what build() returned
    links:      dict of link name -> path of its socket
    prefix:     name that no other DPDK program on this machine uses
    directory:  where its log goes: <directory>/<prefix>.log
    nice:       -20 to 0. While others have its core the switch gets nothing to do, so it comes before them, but after
                the switch's own threads there (see NICENESS in penstock_node.ovs); with 0 it is the others' equal, for
                measurements of the control plane under traffic
    """

    def __init__(self, program: pathlib.Path, links: Mapping[str, pathlib.Path], prefix: str, directory: pathlib.Path,
                 core: int = 0, memory_mb: int = 256, nice: int = -5) -> None:
        self.links = dict(links)
        self.log = pathlib.Path(directory) / f"{prefix}.log"
        self._arguments = [str(program), "--core", str(core), "--memory", str(memory_mb), "--prefix", prefix]
        self._arguments += [f"--link={name}={path}" for name, path in self.links.items()]
        self._memory_mb = memory_mb
        self._nice = nice
        self._runtime = pathlib.Path("/var/run/dpdk", prefix)
        self._owner = f"generator {prefix}"
        self._process: typing.Any = None  # While it does not run.
        self._unread = b""

    def __enter__(self) -> typing.Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """Its process id while it runs, else None."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> None:
        """Starts it and waits until it has its memory. Switches may connect from then on; see wait()."""
        if self.pid:
            raise PenstockError(f"the generator runs already, as process {self.pid}")
        self._unread = b""
        try:
            with HugePages().reserve(self._owner, self._memory_mb), open(self.log, "wb") as log:
                # In a session of its own: an interrupt at the terminal is for us, who end it in good order.
                self._process = subprocess.Popen(
                    self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0,
                    start_new_session=True, preexec_fn=lambda: processes.take_place(self._nice))  # noqa: PLW1509  (system calls alone)
                self.command("wait 0", _START_SECONDS)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends it if it runs, and gives its huge pages back."""
        process, self._process = self._process, None
        if process:
            process.stdin.close()  # The end of its input is its sign to leave.
            for insist in (lambda: None, process.terminate, process.kill):
                insist()
                try:
                    process.wait(_END_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    continue
            process.stdout.close()
            shutil.rmtree(self._runtime, ignore_errors=True)  # DPDK leaves it behind.
        HugePages().give_back(self._owner)

    def command(self, line: str, seconds: float = _ANSWER_SECONDS) -> Results:
        """Sends one command and returns its answer as a dict. PenstockError when it refuses, ends or is silent."""
        if not self._process:
            raise PenstockError(f"the generator does not run, so it cannot obey: {line}")
        try:
            self._process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            raise self._gone() from None
        answer: Results = json.loads(self._read_line(line, seconds))
        if "error" in answer:
            raise PenstockError(f"generator: {line}: {answer['error']}")
        return answer

    def load(self, link: str, path: pathlib.Path) -> Results:
        """Takes the frames of a pcap file as what `link` sends. Returns {"frames": n, "bytes": b}."""
        return self.command(f"load {link} {_word(path)}")

    def order(self, link: str, path: pathlib.Path | None = None) -> Results:
        """Lets `link` send its frames in the order of a file of 32-bit indexes, see orders.py; None: as they come.

        Returns {"order": frames until they begin again}. load() ends an order.
        """
        return self.command(f"order {link} {'off' if path is None else _word(path)}")

    def live(self, link: str, packets: int | None = None) -> None:
        """Lets connections of `link` live for so many packets: then a frame has ports that none had. None: for ever.

        Only UDP, where nothing marks the end of a connection. load() ends this.
        """
        self.command(f"live {link} {packets or 'off'}")

    def wait(self, seconds: float = 30) -> None:
        """Waits until the switch has connected to every link; PenstockError names those that stay alone."""
        up = self.command(f"wait {seconds}", seconds + _ANSWER_SECONDS)["up"]
        missing = [f"{name} ({path})" for name, path in self.links.items() if name not in up]
        if missing:
            raise PenstockError(f"generator: within {seconds} s no switch connected to link {', '.join(missing)}"
                                f"{processes.log_tail(self.log)}")

    def answer(self, link: str, on: bool = True) -> None:
        """Lets `link` send back what it receives during runs, addresses and ports swapped, or stops that."""
        self.command(f"answer {link} {'on' if on else 'off'}")

    def forward(self, first: str, second: str, on: bool = True) -> None:
        """Lets what one of two links receives during runs go out of the other, unchanged, both ways, or stops that.

        They are the two ports of a network function then: what passes is `forwarded`, and counted as received only
        where it arrives for good.
        """
        self.command(f"forward {first} {second if on else 'off'}")

    def capture(self, link: str, path: pathlib.Path, count: int) -> None:
        """Writes the first `count` frames that `link` receives during the next run to a pcap file."""
        self.command(f"capture {link} {_word(path)} {count}")

    def run(self, seconds: float, links: Sequence[str], rate: float | None = None, burst: int | None = None,
            stamp: bool = False, rates: Mapping[str, float] | Sequence[tuple[str, float]] = ()) -> Results:
        """Sends for `seconds` on `links` (names) while it receives on all links; returns the answer as a dict.

        rate:   frames a second, over all links together; None is as fast as the switch takes them
        rates:  {link: frames a second} of those that have a rate of their own; not beside `rate`
        burst:  sends so many frames over all links, back to back unless there is a rate, and then none
        stamp:  measures latency; every frame sent must be UDP over IPv4 with 12 bytes of payload

        The answer: seconds (how long it sent), drained (seconds it then went on receiving), busy (its share of rounds
        that moved something), longest_round_us (long: something else had its core); links: name -> tx, tx_bytes, rx,
        rx_bytes, rx_window (received while sending), full (attempts that the ring did not take whole), late (frames
        given up because their time had passed), refused (those of them for which the ring had no room), answered,
        unanswered, forwarded (received here and sent by the other of the pair), unforwarded (received here and not
        sent before the run was over), captured; with stamp latency_ns: name -> count, min, p50, p90, p99, p999, max,
        mean (only count when that is 0).
        """
        shares = dict(rates)
        words = ["run", f"{seconds}",
                 ",".join(f"{link}@{shares[link]}" if link in shares else link for link in links)]
        words += [f"rate={rate}"] if rate else []
        words += [f"burst={burst}"] if burst else []
        words += ["stamp"] if stamp else []
        return self.command(" ".join(words), seconds + _ANSWER_SECONDS)

    def _read_line(self, command: str, seconds: float) -> bytes:
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._unread:
                if not selector.select(max(0, deadline - time.monotonic())):
                    self.stop()  # An answer that came later would be taken for that of the next command.
                    raise PenstockError(f"generator: no answer within {seconds:g} s to: {command}"
                                        f"{processes.log_tail(self.log)}")
                some = os.read(self._process.stdout.fileno(), 65536)
                if not some:
                    raise self._gone()
                self._unread += some
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _gone(self) -> PenstockError:
        return PenstockError(f"the generator ended by itself{processes.log_tail(self.log)}")


def _word(path: pathlib.Path) -> str:
    """A path as one word of a command."""
    word = str(path)
    if not word or len(word.split()) != 1 or word != word.strip():
        raise PenstockError(f"generator: a path without spaces is needed, not '{word}'")
    return word


def _identity(sources: pathlib.Path) -> str:
    """Changes when the program has to be made anew."""
    digest = hashlib.sha256(repr(_FLAGS).encode())
    for path in sorted(pathlib.Path(sources).glob("*.[ch]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(_run("pkg-config", "--modversion", "libdpdk").encode())
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("flags", "Features")):
            digest.update(line.encode())  # march=native: it need not run on another CPU.
            break
    return digest.hexdigest()


def _run(*args: str | pathlib.Path) -> str:
    try:
        done = subprocess.run(args, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise PenstockError(f"the generator cannot be built: {args[0]} is not installed; "
                            f"apt-get install {' '.join(PACKAGES)}") from None
    if done.returncode:
        raise PenstockError(f"the generator cannot be built: {' '.join(map(str, args[:3]))} ... failed; these packages "
                            f"are needed: {' '.join(PACKAGES)}\n{done.stderr.strip()}")
    said: str = done.stdout
    return said
