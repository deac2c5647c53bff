# SPDX-License-Identifier: Apache-2.0
"""Borrows huge pages from the kernel and gives back exactly what was borrowed.

A ledger shared by the whole machine remembers how many pages each owner added to vm.nr_hugepages. Pages that were
there before, or that somebody else added, are never taken away; pages still in use when their borrower ends are
remembered as owed and given back with the next return.
"""

import contextlib
import pathlib

from . import locks
from .errors import PenstockError


class HugePages:
    """The huge pages of default size. `proc` and `directory` (of lock and ledger) are parameters for tests."""

    def __init__(self, proc="/proc", directory=None):
        self._meminfo = pathlib.Path(proc) / "meminfo"
        self._number = pathlib.Path(proc) / "sys/vm/nr_hugepages"
        self._directory = pathlib.Path(directory or locks.lock_directory())
        self._ledger = self._directory / "hugepages.json"

    @contextlib.contextmanager
    def reserve(self, owner, megabytes):
        """Makes `megabytes` of huge pages free and keeps other borrowers out while the body claims them.

        The body must start the process that takes the pages and wait until it has them: the pages are only counted
        as used from then on. Yields the number of pages added. What was added stays when the body fails: call
        `give_back`, as after success.
        """
        with locks.held("hugepages", self._directory):
            yield self._add(owner, megabytes)

    def _add(self, owner, megabytes):
        ledger = self._read()
        memory = self._memory()
        wanted = -(-megabytes * 1024 // memory["Hugepagesize"])
        missing = max(0, wanted - (memory["HugePages_Free"] - memory["HugePages_Rsvd"]))
        before = self._get()
        if missing:
            # Written first, with the number to compare with: a crash in between is put right by the next reader.
            ledger["pending"] = {"owner": owner, "before": before, "pages": missing}
            self._write(ledger)
            self._set(before + missing)
            got = self._get() - before
            if got < missing:
                self._set(before)
                del ledger["pending"]
                self._write(ledger)
                raise PenstockError(
                    f"hugepage-memory-mb: the kernel gave {max(got, 0)} of the {missing} huge pages that are missing; "
                    "free memory (it may be fragmented: reserve pages at boot) or request less")
            del ledger["pending"]
            ledger["added"][owner] = ledger["added"].get(owner, 0) + missing
            self._write(ledger)
        return missing

    def give_back(self, owner):
        """Lowers the number by what `owner` added. Call it when the process is gone. Returns the pages given back."""
        with locks.held("hugepages", self._directory):
            ledger = self._read()
            due = ledger["added"].pop(owner, 0) + ledger["owed"]
            given = 0
            if due:
                before = self._get()
                memory = self._memory()
                used = memory["HugePages_Total"] - memory["HugePages_Free"] + memory["HugePages_Rsvd"]
                target = max(before - due, used, 0)
                self._set(target)
                given = before - target
            ledger["owed"] = due - given
            self._write(ledger)
            return given

    def added_by(self, owner):
        """Number of pages `owner` has added and not given back."""
        with locks.held("hugepages", self._directory):
            return self._read()["added"].get(owner, 0)

    def problem(self, megabytes):
        """Why `megabytes` cannot be had now, as a text, or None. A forecast: only the kernel knows about fragments."""
        memory = self._memory()
        if not memory.get("Hugepagesize"):
            return "this kernel has no huge pages"
        free = (memory["HugePages_Free"] - memory["HugePages_Rsvd"]) * memory["Hugepagesize"] // 1024
        possible = free + memory["MemAvailable"] // 1024
        if megabytes > possible:
            return f"{megabytes} MB of huge pages are requested; this machine can provide {possible} MB: request less"
        return None

    def _read(self):
        ledger = locks.read_json(self._ledger, {})
        ledger.setdefault("added", {})
        ledger.setdefault("owed", 0)
        pending = ledger.pop("pending", None)
        if pending:
            added = min(max(self._get() - pending["before"], 0), pending["pages"])
            ledger["added"][pending["owner"]] = ledger["added"].get(pending["owner"], 0) + added
        return ledger

    def _write(self, ledger):
        if any(ledger["added"].values()) or ledger["owed"] or "pending" in ledger:
            locks.write_json(self._ledger, ledger)
        else:
            self._ledger.unlink(missing_ok=True)

    def _memory(self):
        lines = (line.split() for line in self._meminfo.read_text(encoding="ascii").splitlines())
        return {words[0].rstrip(":"): int(words[1]) for words in lines if len(words) > 1}

    def _get(self):
        return int(self._number.read_text(encoding="ascii"))

    def _set(self, number):
        self._number.write_text(f"{number}\n", encoding="ascii")
