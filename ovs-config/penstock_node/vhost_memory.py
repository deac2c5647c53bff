# SPDX-License-Identifier: Apache-2.0
"""A witness of the memory that functions share with the switch, for the moment that the switch has died of it.

The switch maps files that its peers hand over (vhost_user_mmap_region, lib/vhost/vhost_user.c of DPDK 22.11). A peer
that shortens such a file, or takes pages out of it, makes the next access of the switch end it by SIGBUS. When the
switch has ended its mappings are gone, so they are looked at while it runs, and the files are kept open: one descriptor
for each file that belongs to the user of an instance. That user cannot be forged: an instance has no right to change
the owner of a file.
"""

import contextlib
import dataclasses
import os
import pathlib
import re
import stat
import typing

from .peers import Peers

_MOST_FILES = 32
"""Of one instance that are kept open: eight regions of memory (VHOST_MEMORY_MAX_NREGIONS) at three sockets, and some.
One with more stays a suspect."""
_SENDER = re.compile(rb"VHOST_CONFIG: \([^()\n]*/([a-z][a-z0-9-]{0,12})-(?:in|out|alt)\.sock\) ")
_GAP = re.compile(rb"\|dpdk\|\w+\|Dropped \d+ log messages")
_FIRST_LINE = re.compile(rb"\|00001\|")
"""Lines are numbered. The next switch writes to the same file."""
_LONGEST_LOG = 4 << 20

SHORT = "truncated its memory"
HOLED = "took pages out of its memory"


class _State(typing.NamedTuple):
    """What a file says of itself.

    blocks:     the pages that it has, in units of 512 bytes
    changed_ns: when it was changed last. Its owner cannot set that time. Length and holes change it, but also the first
                access to a page by each process (fault_dirty_shared_page, mm/memory.c of Linux) unless pages are huge
    """
    size: int
    blocks: int
    changed_ns: int


@dataclasses.dataclass
class _File:
    """A file of memory that is kept open.

    end:      the offset that follows the last mapped byte
    doubtful: it may fail the switch without a change: it is no memory but a file of a file system, which may be full,
              or it has lost pages once, and there may be no others for them, or it has changed as the switch ended
    """
    instance: str
    descriptor: int
    end: int
    state: _State
    doubtful: bool

    @property
    def is_short(self) -> bool:
        """Whether the switch has mapped pages that the file has not."""
        page = os.sysconf("SC_PAGE_SIZE")
        return -(-self.state.size // page) * page < self.end


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What is known after the end of the switch.

    proven:   what they did, by instance
    suspects: the other instances that may have done something: they have spoken with the switch or changed their memory
              since the last look, or none of their memory had been seen
    """
    proven: dict[str, str]
    suspects: frozenset[str]


class Witness:
    """Looks at the memory of the switch of a node, and remembers what it has seen.

    directory: that of the node; log: the file to which the switch writes its log
    """

    def __init__(self, directory: pathlib.Path, log: pathlib.Path) -> None:
        self._peers = Peers(directory)
        self._files: dict[tuple[bytes, bytes], _File] = {}
        self._others: set[tuple[bytes, bytes]] = set()  # Files of the switch itself, and of no instance.
        self._incomplete: set[str] = set()
        self._log = _Log(log)
        self._memory_devices = _memory_devices()

    def look(self, pid: int) -> dict[str, str]:
        """Looks at process `pid`. Returns what instances have done already, by name: the switch has not noticed yet."""
        log_end = self._log.end()
        maps = _maps(pid)
        if maps is None:
            return {}  # It has ended: what was seen last is what counts.
        self._log.mark(log_end)
        ranges = _shared(maps)
        self._incomplete = set()
        for key in set(self._files) - set(ranges):
            os.close(self._files.pop(key).descriptor)
        self._others &= set(ranges)
        offences = {}
        changed = []
        for key, (place, end) in ranges.items():
            if key in self._others:
                continue
            file = self._files.get(key) or self._open(pid, key, place, end)
            if file is None:
                continue
            file.end = end
            before, file.state = file.state, _state(file.descriptor)
            file.doubtful |= file.state.blocks < before.blocks
            if file.state != before:
                changed.append(file)
            if file.is_short:
                offences[file.instance] = SHORT
        if changed and _maps(pid) is None:
            # It has ended since its maps were read: a change may be what has ended it, and is not seen again.
            for file in changed:
                file.doubtful = True
        return offences

    def evidence(self) -> Evidence:
        """What is known, to be called once after the end of the switch. Closes the files: their memory is free then."""
        proven = {}
        suspects, complete = self._log.senders()
        suspects |= self._incomplete
        for file in self._files.values():
            before, file.state = file.state, _state(file.descriptor)
            if file.is_short:
                proven[file.instance] = SHORT
            elif file.state.blocks < before.blocks:
                proven.setdefault(file.instance, HOLED)
            elif file.doubtful or file.state != before:
                suspects.add(file.instance)
        if not complete or not suspects:
            suspects |= self._peers.running() - self.witnessed()
        self.forget()
        return Evidence(proven, frozenset(suspects & self._peers.names()))

    def witnessed(self) -> set[str]:
        """Instances whose memory was seen at the last look."""
        return {file.instance for file in self._files.values()}

    def close(self) -> None:
        """Closes the log too."""
        self.forget()
        self._log.close()

    def forget(self) -> None:
        """Closes all files: the switch has ended, or is about to."""
        for file in self._files.values():
            os.close(file.descriptor)
        self._files.clear()
        self._others.clear()
        self._incomplete.clear()

    @property
    def open_files(self) -> int:
        """How many files are kept open."""
        return len(self._files)

    def _open(self, pid: int, key: tuple[bytes, bytes], place: str, end: int) -> _File | None:
        """Keeps a file open that has not been seen before, if it belongs to an instance."""
        path = f"/proc/{pid}/map_files/{place}"
        name = None
        try:
            # To open a device may do something. A file of the switch, such as those of its huge pages, is root's.
            status = pathlib.Path(path).stat()
            if stat.S_ISREG(status.st_mode):
                name = self._peers.of_user(status.st_uid)
            if name is None:
                self._others.add(key)
                return None
            if sum(file.instance == name for file in self._files.values()) < _MOST_FILES:
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                file = _File(name, descriptor, end, _state(descriptor), status.st_dev not in self._memory_devices)
                self._files[key] = file
                return file
        except OSError:  # It has just been unmapped, or this process may open no more files.
            pass
        if name is not None:
            self._incomplete.add(name)
        return None


class _Log:
    """The log of the switch, in which DPDK names the peer of each vhost-user message before it carries it out."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._file: typing.BinaryIO | None = None

    def end(self) -> os.stat_result | None:
        """Where it ends now; for `mark`."""
        try:
            return self._path.stat()
        except OSError:
            return None

    def mark(self, end: os.stat_result | None) -> None:
        """What is written from there on is evidence. The file stays open: the next start may remove it."""
        if self._file is None or end is None or not os.path.samestat(end, os.fstat(self._file.fileno())):
            self.close()
            if end is None:
                return
            try:
                self._file = self._path.open("rb")
            except OSError:
                return
        self._file.seek(end.st_size)

    def senders(self) -> tuple[set[str], bool]:
        """Instances that have sent vhost-user messages since the mark, and whether these are all."""
        if self._file is None:
            return set(), False
        start = self._file.tell()
        length = os.fstat(self._file.fileno()).st_size - start
        self._file.seek(start + max(0, length - _LONGEST_LOG))
        text = _FIRST_LINE.split(self._file.read(_LONGEST_LOG), maxsplit=1)[0]
        names = {match[1].decode("ascii") for match in _SENDER.finditer(text)}
        return names, 0 <= length <= _LONGEST_LOG and not _GAP.search(text)

    def close(self) -> None:
        """Closes the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _maps(pid: int) -> bytes | None:
    """The mappings of a process, None when it has ended: they may be a part then."""
    try:
        maps = pathlib.Path(f"/proc/{pid}/maps").read_bytes()
        pages = int(pathlib.Path(f"/proc/{pid}/statm").read_bytes().split()[0])
    except OSError:
        return None
    return maps if pages else None


def _shared(maps: bytes) -> dict[tuple[bytes, bytes], tuple[str, int]]:
    """Of a file maps: by device and inode of each file that is mapped to be written and shared, one range as in
    map_files, and the offset that follows the last mapped byte."""
    ranges: dict[tuple[bytes, bytes], tuple[str, int]] = {}
    for line in maps.splitlines():
        # Columns: range, rights, offset, device, inode, path.
        if b" rw-s " not in line:
            continue
        place, _, offset, device, inode = line.split(maxsplit=5)[:5]
        start, _, stop = place.partition(b"-")
        first, last = int(start, 16), int(stop, 16)
        end = int(offset, 16) + last - first
        key = device, inode
        former = ranges.get(key)
        ranges[key] = (f"{first:x}-{last:x}", max(end, former[1]) if former else end)
    return ranges


def _memory_devices() -> set[int]:
    """The devices of files that are memory, one for each size of pages."""
    devices = set()
    for flags in (0, os.MFD_HUGETLB | os.MFD_HUGE_2MB, os.MFD_HUGETLB | os.MFD_HUGE_1GB):
        with contextlib.suppress(OSError):  # The machine has no pages of that size.
            descriptor = os.memfd_create("device", os.MFD_CLOEXEC | flags)
            devices.add(os.fstat(descriptor).st_dev)
            os.close(descriptor)
    return devices


def _state(descriptor: int) -> _State:
    status = os.fstat(descriptor)
    return _State(status.st_size, status.st_blocks, status.st_ctime_ns)
