# SPDX-License-Identifier: Apache-2.0
"""Borrows huge pages from the kernel and gives back exactly what was borrowed.

A ledger shared by the whole machine remembers how many pages each owner added to vm.nr_hugepages. Pages that were
there before, or that somebody else added, are never taken away; pages still in use when their borrower ends are
remembered as owed and given back with the next return.
"""

import contextlib
import json
import os
import pathlib
import sys
import time
import typing
from collections.abc import Iterator, Sequence

from penstock_base import files, locks, processes
from penstock_base.errors import PenstockError

Megabytes = int | Sequence[int]
"""A number, or one for each NUMA node, from node 0 on."""

ANYWHERE = ""
"""The place of pages of which the kernel chooses the NUMA node."""


class _Ledger(typing.TypedDict, total=False):
    """added: pages by owner and place; owed: by place; pending: a change that may have been cut off; promised: the
    last claim of an owner whose process may not have taken its pages yet."""
    added: typing.Required[dict[str, dict[str, int]]]
    owed: typing.Required[dict[str, int]]
    promised: typing.Required[dict[str, "_Promise"]]
    pending: dict[str, typing.Any]


class _Promise(typing.TypedDict):
    """pid and begun: of the process, begun in clock ticks since boot; made: seconds since boot; pages: by place."""
    pid: int
    begun: str
    made: float
    pages: dict[str, int]


_PROMISE_SECONDS = 60
"""A process takes its pages at its start. One that has not by then takes no more."""


class HugePages:
    """The huge pages of default size. `proc`, `nodes` and `directory` (of lock and ledger) are parameters for tests.

    Pages are counted by place: a NUMA node, or ANYWHERE, where the kernel chooses the node of each.
    """

    def __init__(self, proc: pathlib.Path | str = "/proc", directory: pathlib.Path | None = None,
                 nodes: pathlib.Path | str = "/sys/devices/system/node") -> None:
        self._proc = pathlib.Path(proc)
        self._nodes = pathlib.Path(nodes)
        self._directory = pathlib.Path(directory or locks.lock_directory())
        self._ledger = self._directory / "hugepages.json"
        self._borrower = self._directory / "hugepages.borrower"

    @contextlib.contextmanager
    def reserve(self, owner: str, megabytes: Megabytes) -> Iterator[int]:
        """Makes `megabytes` of huge pages free and keeps other borrowers out while the body claims them.

        megabytes: a number, or a sequence with one for each NUMA node, from node 0 on.
        The body must start the process that takes the pages and wait until it has them: the pages are only counted
        as used from then on. Yields the number of pages added. What was added stays when the body fails: call
        `give_back`, as after success.
        """
        with locks.held("hugepages", self._directory):
            files.replace(self._borrower, f"{os.getpid()} {owner}")
            try:
                yield sum(self._add(owner, place, amount) for place, amount in _by_place(megabytes))
            finally:
                self._borrower.unlink(missing_ok=True)

    def claim(self, owner: str, megabytes: Megabytes, process: int) -> None:
        """Makes `megabytes` free again for an owner whose process starts again: another one may have taken the pages
        since the former process has ended. Arguments as of `reserve`. process: the id of the process that will take
        them; until it has, or has ended, or a minute has passed, they are for no one else.

        Does nothing while the owner itself is in the body of `reserve`. Waits for the body of another one: the pages
        that are free then are that one's.
        """
        with contextlib.suppress(FileNotFoundError):
            pid, _, borrower = self._borrower.read_text(encoding="utf-8").partition(" ")
            if borrower == owner and pathlib.Path("/proc", pid).exists():
                return
        with self.reserve(owner, megabytes):
            begun = processes.start_time(process, self._proc)
            if begun is not None:
                ledger = self._read()
                ledger["promised"][owner] = {"pid": process, "begun": begun, "made": _uptime(), "pages": {
                    place: self._pages(amount) for place, amount in _by_place(megabytes)}}
                self._write(ledger)

    @staticmethod
    def claim_command(owner: str, megabytes: Megabytes) -> tuple[str, ...]:
        """The words of a command that claims for the process that runs it."""
        home = pathlib.Path(__file__).resolve().parent.parent
        return ("env", f"PYTHONPATH={home}", "/usr/bin/python3", "-B", "-m", "penstock_node.hugepages", owner,
                json.dumps(megabytes))

    def _add(self, owner: str, place: str, megabytes: int) -> int:
        ledger = self._read()
        memory = self._memory(place)
        missing = max(0, self._pages(megabytes) + self._promised(ledger, place, owner) - _free(memory))
        if missing:
            before = self._get(place)
            got = self._change(ledger, "added", owner, place, missing)
            if got < missing:
                self._change(ledger, "added", owner, place, before - self._get(place))
                raise PenstockError(
                    f"hugepage-memory-mb: the kernel gave {max(got, 0)} of the {missing} huge pages that are missing"
                    f"{_where(place)}; free memory (it may be fragmented: reserve pages at boot) or request less")
        return missing

    def _change(self, ledger: _Ledger, account: str, owner: str | None, place: str, pages: int) -> int:
        """Has the kernel add `pages`, or take them away if negative, and notes what it did. Returns that number."""
        # Written first, with the number to compare with: a crash in between is put right by the next reader.
        before = self._get(place)
        pending = {"account": account, "owner": owner, "place": place, "before": before, "pages": pages}
        self._write(ledger | {"pending": pending})
        self._set(place, before + pages)
        done = self._get(place) - before
        _settle(ledger, pending, done)
        self._write(ledger)
        return done

    def give_back(self, owner: str) -> int:
        """Lowers the number by what `owner` added. Call it when the process is gone. Returns the pages given back."""
        with locks.held("hugepages", self._directory):
            ledger = self._read()
            for place, pages in ledger["added"].pop(owner, {}).items():
                _settle(ledger, {"account": "owed", "place": place}, pages)
            self._write(ledger)
            # The machine's number last: lowering it takes pages of any NUMA node.
            return sum(self._lower(ledger, place) for place in sorted(ledger["owed"], reverse=True))

    def added_by(self, owner: str) -> int:
        """Number of pages `owner` has added and not given back."""
        with locks.held("hugepages", self._directory):
            return sum(self._read()["added"].get(owner, {}).values())

    def owners(self) -> list[str]:
        """Those who have added pages and not given them back."""
        with locks.held("hugepages", self._directory):
            return sorted(self._read()["added"])

    def problem(self, megabytes: Megabytes) -> str | None:
        """Why `megabytes` cannot be had now, as a text, or None. A forecast: only the kernel knows about fragments.

        megabytes: as in `reserve`.
        """
        if not _numbers(self._proc / "meminfo").get("Hugepagesize"):
            return "this kernel has no huge pages"
        for place, amount in _by_place(megabytes):
            if place != ANYWHERE and not self._number(place).exists():
                return f"this machine has no NUMA node {place}, and so no place for the {amount} MB; see lscpu"
            memory = self._memory(place)
            possible = _free(memory) * memory["Hugepagesize"] // 1024 + memory["MemAvailable"] // 1024
            if amount > possible:
                return (f"{amount} MB of huge pages are requested{_where(place)}; this machine can provide {possible} "
                        "MB: request less")
        return None

    def _lower(self, ledger: _Ledger, place: str) -> int:
        before = self._get(place)
        memory = self._memory(place)
        used = memory["HugePages_Total"] - _free(memory) + self._promised(ledger, place)
        pages = before - max(before - ledger["owed"][place], min(used, before), 0)
        return -self._change(ledger, "owed", None, place, -pages) if pages else 0

    def _read(self) -> _Ledger:
        ledger = locks.read_json(self._ledger, {})
        added = {owner: _places(pages) for owner, pages in ledger.get("added", {}).items() if pages}
        result: _Ledger = {"added": added, "owed": _places(ledger.get("owed", 0)), "promised": {
            owner: promise for owner, promise in ledger.get("promised", {}).items() if self._left(promise)}}
        pending = ledger.get("pending")
        if pending:
            done = self._get(pending.get("place", ANYWHERE)) - pending["before"]
            _settle(result, pending, max(min(done, max(pending["pages"], 0)), min(pending["pages"], 0)))
        return result

    def _write(self, ledger: _Ledger) -> None:
        if any(ledger.values()):
            # Plain numbers, wherever they do, for those who know no places.
            kept = {name: value for name, value in ledger.items() if value or name != "promised"}
            locks.write_json(self._ledger, kept | {
                "added": {owner: _plain(pages) for owner, pages in ledger["added"].items()},
                "owed": _plain(ledger["owed"])})
        else:
            self._ledger.unlink(missing_ok=True)

    def _pages(self, megabytes: int) -> int:
        return -(-megabytes * 1024 // _numbers(self._proc / "meminfo")["Hugepagesize"])

    def _promised(self, ledger: _Ledger, place: str, but: str | None = None) -> int:
        """Pages of a place that are free, and that processes of other owners are about to take."""
        return sum(min(promise["pages"].get(place, 0), self._left(promise))
                   for owner, promise in ledger["promised"].items() if owner != but)

    def _left(self, promise: _Promise) -> int:
        """Pages that a process has not taken yet of those that it was promised."""
        if _uptime() - promise["made"] > _PROMISE_SECONDS:
            return 0
        if processes.start_time(promise["pid"], self._proc) != promise["begun"]:
            return 0
        try:
            taken = _numbers(self._proc / str(promise["pid"]) / "status").get("HugetlbPages", 0)
        except OSError:
            return 0
        return max(0, sum(promise["pages"].values()) - taken // _numbers(self._proc / "meminfo")["Hugepagesize"])

    def _memory(self, place: str) -> dict[str, int]:
        machine = _numbers(self._proc / "meminfo")
        if place == ANYWHERE:
            return machine
        node = _numbers(self._nodes / f"node{place}" / "meminfo")
        # The kernel says of the machine alone how many pages are promised, and what it could make free: that is at
        # least what is free, and the caches that it would drop first.
        return {"Hugepagesize": machine["Hugepagesize"], "HugePages_Rsvd": machine["HugePages_Rsvd"],
                "MemAvailable": node["MemFree"] + node.get("Inactive(file)", 0)} | node

    def _number(self, place: str) -> pathlib.Path:
        if place == ANYWHERE:
            return self._proc / "sys/vm/nr_hugepages"
        size = _numbers(self._proc / "meminfo").get("Hugepagesize")
        return self._nodes / f"node{place}" / "hugepages" / f"hugepages-{size}kB" / "nr_hugepages"

    def _get(self, place: str) -> int:
        return int(self._number(place).read_text(encoding="ascii"))

    def _set(self, place: str, number: int) -> None:
        self._number(place).write_text(f"{number}\n", encoding="ascii")


def _by_place(megabytes: Megabytes) -> list[tuple[str, int]]:
    """Pairs of place and megabytes."""
    if isinstance(megabytes, int):
        return [(ANYWHERE, megabytes)]
    return [(str(node), amount) for node, amount in enumerate(megabytes) if amount]


def _where(place: str) -> str:
    return "" if place == ANYWHERE else f" on NUMA node {place}"


def _free(memory: dict[str, int]) -> int:
    return memory["HugePages_Free"] - memory["HugePages_Rsvd"]


def _settle(ledger: _Ledger, pending: dict[str, typing.Any], pages: int) -> None:
    """Adds pages to those that an owner has added, or that are owed, at a place."""
    owed = pending.get("account") == "owed"
    entry = ledger["owed"] if owed else ledger["added"].setdefault(pending["owner"], {})
    place = pending.get("place", ANYWHERE)
    entry[place] = entry.get(place, 0) + pages
    if not entry[place]:
        del entry[place]
    if not owed and not entry:
        del ledger["added"][pending["owner"]]


def _places(pages: int | dict[str, int]) -> dict[str, int]:
    """Numbers of pages by place. A plain number is of pages without a place."""
    return dict(pages) if isinstance(pages, dict) else {ANYWHERE: pages} if pages else {}


def _plain(places: dict[str, int]) -> int | dict[str, int]:
    return places if set(places) - {ANYWHERE} else places.get(ANYWHERE, 0)


def _numbers(path: pathlib.Path) -> dict[str, int]:
    """The numbers of a file such as /proc/meminfo, by name; the lines of a NUMA node begin with `Node 0`."""
    lines = (line.split() for line in path.read_text(encoding="utf-8", errors="replace").splitlines())
    lines = (words[2:] if words[:1] == ["Node"] else words for words in lines)
    return {words[0].rstrip(":"): int(words[1]) for words in lines if len(words) > 1 and words[1].isdecimal()}


def _uptime() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


if __name__ == "__main__":
    HugePages().claim(sys.argv[1], json.loads(sys.argv[2]), os.getppid())
