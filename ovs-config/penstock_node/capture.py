# SPDX-License-Identifier: Apache-2.0
"""Captures the packets of one tenant at a port of this node, within bounds (docs/adr/0083).

A mirror of the switch copies them to a port of the capture; tcpdump, confined as a user of its own, filters them. The
caller's process writes the file, which gets its name when it is whole.
"""

import contextlib
import dataclasses
import os
import pathlib
import re
import select
import signal
import struct
import subprocess
import time
import typing
from collections.abc import Callable, Iterator

from penstock_base import files, locks, namespaces
from penstock_base.commands import run
from penstock_base.errors import PenstockError

from . import capture_port, node_agent, user_ids
from .confined import Confinement
from .ovs import Ovs

MOST_PACKETS, MOST_SECONDS, MOST_BYTES = 100_000, 600, 64 << 20
"""Of one capture."""
MOST_PACKETS_A_SECOND = 20_000
"""Packets of the tenant, whether the filter takes them or not. A capture beyond that ends: each copy costs the thread
that forwards the packet."""
_LOOK_SECONDS = 0.1
_LONGEST_PACKET = 65535
_LONGEST_FILTER = 4096
_PART = 1 << 16
_PATIENCE_SECONDS = 10
_MEMORY = 256 << 20
_NO_PACKETS = struct.pack("=IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, _LONGEST_PACKET, 1)
"""A pcap file of Ethernet, to have a filter compiled."""
_DROPPED = re.compile(r"^(\d+) packets? dropped by kernel", re.MULTILINE)
_RECORD = struct.Struct("=IIII")


@dataclasses.dataclass(frozen=True)
class Bounds:
    """When a capture ends. packets, seconds and bytes of the file; packets_a_second of the tenant. Raises PenstockError
    beyond what a node permits."""
    packets: int = 1000
    seconds: float = 60
    bytes: int = MOST_BYTES
    packets_a_second: int = MOST_PACKETS_A_SECOND

    def __post_init__(self) -> None:
        for name, value, least, most in (("packets", self.packets, 1, MOST_PACKETS),
                                         ("seconds", self.seconds, 0.1, MOST_SECONDS),
                                         ("bytes", self.bytes, 1, MOST_BYTES),
                                         ("packets a second", self.packets_a_second, 1, MOST_PACKETS_A_SECOND)):
            if not least <= value <= most:
                raise PenstockError(f"{value} {name}: a capture has {least} to {most}")


@dataclasses.dataclass(frozen=True)
class Summary:
    """Result of a capture. lost: packets of the tenant that the capture had no room for. ended: the bound, or
    `interrupted`, or `port` when the switch has taken the port away."""
    packets: int
    bytes: int
    lost: int
    seconds: float
    ended: str


def capture(directory: pathlib.Path, port: str, vlan: int, words: str, output: pathlib.Path, bounds: Bounds,
            begun: Callable[[], object] = lambda: None) -> Summary:
    """Writes packets of a VLAN at a port to the pcap file `output`, which must not exist.

    directory: of the node
    words:     a filter as tcpdump has it, empty for all packets
    begun:     called when packets are copied
    Ctrl-C and SIGTERM end a capture early, with a whole file. Raises PenstockError when nothing can be captured. For
    the main thread: it handles signals.
    """
    switch = Ovs(directory)
    namespace = locks.read_json(directory / "state.json", {}).get("namespace")
    if namespace is None or node_agent.status(directory)["pid"] is None:
        raise PenstockError(f"the agent of the node in {directory} does not run, so nothing would clean up behind a "
                            "capture that is killed: start it with 'ovs-config up'")
    check_filter(words)
    if output.exists():
        raise PenstockError(f"{output}: is there already; choose another name")
    with _unnamed_file(output) as file, capture_port.taken(switch) as slot:
        capture_port.add_port(switch, slot, vlan, port)
        device = capture_port.name(slot)
        # Nothing of the machine shall answer, or send into the switch.
        namespaces.execute(namespace, "sysctl", "-q", "-w", f"net.ipv6.conf.{device}.disable_ipv6=1")
        run("ip", "-n", namespace, "link", "set", device, "arp", "off", "multicast", "off", "up")
        with _Tcpdump(namespace, device, slot, words, bounds) as reader:
            began = time.monotonic()  # To make the mirror takes time, in which packets come already.
            capture_port.add_mirror(switch, slot, vlan, port)
            begun()
            summary = reader.read(file, began)
        _name(file, output)
    return summary


def check_filter(words: str) -> None:
    """Raises PenstockError if tcpdump does not understand the filter."""
    if len(words) > _LONGEST_FILTER or "\0" in words:
        raise PenstockError(f"the filter has more than {_LONGEST_FILTER} characters, or a character NUL")
    command = [*Confinement(uid=user_ids.CAPTURES).words, *_limited("tcpdump", "-r", "-", "-d", "--", words)]
    done = subprocess.run(command, input=_NO_PACKETS, capture_output=True, check=False, timeout=60)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["it says no reason"]
        raise PenstockError(f"the filter '{words}' is none of tcpdump (pcap-filter(7)): {said[-1]}")


def _limited(*command: str) -> list[str]:
    """Words that run a command with little memory, and without the right to write a file."""
    return ["prlimit", f"--as={_MEMORY}", "--fsize=0", "--nofile=64", *command]


@contextlib.contextmanager
def _unnamed_file(output: pathlib.Path) -> Iterator[int]:
    """A file in the folder of `output` that goes with its process unless it gets a name."""
    folder = output.absolute().parent
    try:
        with files.explained(output):
            file = os.open(folder, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise PenstockError(f"{folder}: no file can be made there ({error.strerror}); choose a folder of a local file "
                            "system") from None
    try:
        yield file
    finally:
        os.close(file)


def _name(file: int, output: pathlib.Path) -> None:
    """Gives the file its name, when it is on the disk."""
    folder = os.open(output.absolute().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with files.explained(output):
            os.fsync(file)
            # With a folder Python calls linkat, which alone follows the link in /proc (os_link_impl, posixmodule.c).
            os.link(f"/proc/self/fd/{file}", output.name, dst_dir_fd=folder, follow_symlinks=True)
            os.fsync(folder)
    except FileExistsError:
        raise PenstockError(f"{output}: has appeared meanwhile; the capture is lost, choose another name") from None
    finally:
        os.close(folder)


class _Tcpdump:
    """tcpdump at the port of a slot, from the body's begin to its end."""

    def __init__(self, namespace: str, device: str, slot: int, words: str, bounds: Bounds) -> None:
        rights = Confinement(uid=user_ids.CAPTURES + slot, capabilities=("net_raw",), nice=19)
        command = _limited("tcpdump", "-i", device, "-p", "-n", "-U", "--immediate-mode", "-B", "8192",
                           "-s", str(_LONGEST_PACKET), "-w", "-", "--", words)
        self._device = device
        self._bounds = bounds
        self._interrupted = False
        self._handlers: dict[int, typing.Any] = {}
        self._process = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{namespace}", *rights.words, *command], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def __enter__(self) -> typing.Self:
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                self._handlers[number] = signal.signal(number, self._interrupt)
            self._until_it_listens()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _interrupt(self, *_: object) -> None:
        self._interrupted = True

    def _until_it_listens(self) -> None:
        said = b""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        errors = typing.cast(typing.IO[bytes], self._process.stderr)
        while b"listening on" not in said:
            part = b""
            if select.select([errors], [], [], max(deadline - time.monotonic(), 0))[0]:
                part = os.read(errors.fileno(), _PART)
            if not part:
                raise PenstockError(f"tcpdump does not listen: {said.decode(errors='replace').strip() or 'no word'}")
            said += part

    def read(self, file: int, began: float) -> Summary:
        """Copies whole packets to the file until a bound is reached. began: when the first packet may have come, by the
        monotonic clock; the bound of time counts from now on."""
        pipe = typing.cast(typing.IO[bytes], self._process.stdout).fileno()
        ready = looked = time.monotonic()
        seen = self._seen() or 0
        left, written, packets, ended = b"", 0, 0, ""
        while not ended:
            now = time.monotonic()
            if self._interrupted:
                ended = "interrupted"
            elif now - ready >= self._bounds.seconds:
                ended = "seconds"
            elif now - looked >= _LOOK_SECONDS:
                count = self._seen()
                if count is None:
                    ended = "port"
                elif count - seen > self._bounds.packets_a_second * (now - looked):
                    ended = "rate"
                else:
                    seen, looked = count, now
            if not ended and select.select([pipe], [], [], _LOOK_SECONDS / 2)[0]:
                part = os.read(pipe, _PART)
                ended = "" if part else "port"
                left += part
                whole, more, full = self._whole(left, written, self._bounds.packets - packets)
                _write(file, left[:whole])
                left = left[whole:]
                written, packets, ended = written + whole, packets + more, ended or full
        if not written:  # It ended before tcpdump had said a word.
            _write(file, _NO_PACKETS)
            written = len(_NO_PACKETS)
        return Summary(packets, written, self._lost(), round(time.monotonic() - began, 1), ended)

    def _whole(self, content: bytes, before: int, room: int) -> tuple[int, int, str]:
        """Bytes and packets at the beginning of `content` that are whole and within the bounds, and the bound that is
        reached, if one is. before: bytes of the file so far, whose first 24 are its header."""
        place = 0 if before else len(_NO_PACKETS)
        if len(content) < place:
            return 0, 0, ""
        packets = 0
        while packets < room and len(content) >= place + _RECORD.size:
            end = place + _RECORD.size + _RECORD.unpack_from(content, place)[2]
            if before + end > self._bounds.bytes:
                return place, packets, "bytes"
            if len(content) < end:
                break
            place, packets = end, packets + 1
        return place, packets, "packets" if packets == room else ""

    def _seen(self) -> int | None:
        """Packets that the switch has given to the port; None if the port has gone."""
        counters = self._counters()
        return counters[1] if counters else None

    def _counters(self) -> list[int] | None:
        """Counters of the port in the kernel, of what it receives first; None if the port has gone."""
        with contextlib.suppress(OSError):
            for line in pathlib.Path(f"/proc/{self._process.pid}/net/dev").read_text(encoding="ascii").splitlines():
                device, _, numbers = line.partition(":")
                if device.strip() == self._device:
                    return list(map(int, numbers.split()))
        return None

    def _lost(self) -> int:
        """Packets that found no room, in the buffer of tcpdump and in the port."""
        counters = self._counters()
        self._process.send_signal(signal.SIGINT)
        try:
            _, said = self._process.communicate(timeout=_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            raise PenstockError("tcpdump does not end; the capture is lost") from None
        found = _DROPPED.search(said.decode(errors="replace"))
        return (int(found[1]) if found else 0) + (counters[3] if counters else 0)


def _write(file: int, content: bytes) -> None:
    with files.explained():
        while content:
            content = content[os.write(file, content):]
