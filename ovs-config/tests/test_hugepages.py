# SPDX-License-Identifier: Apache-2.0
"""What is borrowed is given back, exactly, whatever happens in between. The kernel is a pair of files here."""

import json
import pathlib
import tempfile
import unittest

from penstock_node.errors import PenstockError
from penstock_node.hugepages import HugePages


class _Kernel(HugePages):
    """Huge pages of a kernel that has `possible` of them at most and of which `used` are taken."""

    def __init__(self, root, total, used=0, possible=1000):
        self.used = used
        self.possible = possible
        self.crash = False
        number = root / "sys/vm/nr_hugepages"
        number.parent.mkdir(parents=True)
        super().__init__(root, root)
        self._write_total(total)

    def _set(self, number):
        if self.crash:
            self.crash = False
            self._write_total(min(number, self.possible))
            raise KeyboardInterrupt
        self._write_total(min(number, self.possible))

    def _write_total(self, total):
        self._number.write_text(f"{total}\n", encoding="ascii")
        self._meminfo.write_text("", encoding="ascii")

    def _memory(self):
        return {"Hugepagesize": 2048, "HugePages_Total": self._get(), "HugePages_Free": self._get() - self.used,
                "HugePages_Rsvd": 0, "MemAvailable": 4096 * 1024}

    @property
    def total(self):
        return self._get()

    def borrow(self, owner, megabytes):
        with self.reserve(owner, megabytes):
            self.used += megabytes // 2

    def end(self, owner, megabytes):
        self.used -= megabytes // 2
        return self.give_back(owner)


class HugePagesTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name)

    def kernel(self, *args, **options):
        return _Kernel(self.root, *args, **options)

    def test_adds_what_is_missing_and_gives_back_that(self):
        kernel = self.kernel(total=10, used=4)
        kernel.borrow("a", 64)
        self.assertEqual(kernel.total, 36)
        self.assertEqual(kernel.added_by("a"), 26)
        self.assertEqual(kernel.end("a", 64), 26)
        self.assertEqual(kernel.total, 10)
        self.assertFalse((self.root / "hugepages.json").exists())

    def test_free_pages_are_used_first(self):
        kernel = self.kernel(total=100)
        kernel.borrow("a", 64)
        self.assertEqual(kernel.end("a", 64), 0)
        self.assertEqual(kernel.total, 100)

    def test_two_owners_end_in_any_order(self):
        for order in ("ab", "ba"):
            with self.subTest(order):
                kernel = self.kernel(total=0) if order == "ab" else _Kernel(self.root / order, 0)
                kernel.borrow("a", 64)
                kernel.borrow("b", 32)
                self.assertEqual(kernel.total, 48)
                sizes = {"a": 64, "b": 32}
                for owner in order:
                    kernel.end(owner, sizes[owner])
                self.assertEqual(kernel.total, 0)

    def test_pages_in_use_are_owed_and_returned_later(self):
        kernel = self.kernel(total=0)
        kernel.borrow("a", 64)
        self.assertEqual(kernel.give_back("a"), 0)  # somebody still maps them
        self.assertEqual(kernel.total, 32)
        kernel.borrow("b", 2)
        kernel.used -= 33
        kernel.give_back("b")
        self.assertEqual(kernel.total, 0)

    def test_never_takes_pages_of_others(self):
        kernel = self.kernel(total=0)
        kernel.borrow("a", 64)
        kernel.used = 20  # a ended, somebody else took 20 of its pages
        kernel.give_back("a")
        self.assertEqual(kernel.total, 20)

    def test_refusal_names_the_field_and_changes_nothing(self):
        kernel = self.kernel(total=5, possible=20)
        with self.assertRaisesRegex(PenstockError, "hugepage-memory-mb: the kernel gave 15 of the 27"):
            kernel.borrow("a", 64)
        self.assertEqual(kernel.total, 5)
        self.assertEqual(kernel.added_by("a"), 0)

    def test_crash_between_ledger_and_kernel(self):
        kernel = self.kernel(total=7)
        kernel.crash = True
        with self.assertRaises(KeyboardInterrupt):
            kernel.borrow("a", 64)
        self.assertEqual(kernel.total, 32)
        self.assertEqual(kernel.give_back("a"), 25)
        self.assertEqual(kernel.total, 7)

    def test_crash_before_the_kernel_was_asked(self):
        kernel = self.kernel(total=7)
        (self.root / "hugepages.json").write_text(
            json.dumps({"added": {}, "owed": 0, "pending": {"owner": "a", "before": 7, "pages": 25}}), encoding="ascii")
        self.assertEqual(kernel.give_back("a"), 0)
        self.assertEqual(kernel.total, 7)

    def test_unreadable_ledger_counts_as_empty(self):
        kernel = self.kernel(total=7)
        (self.root / "hugepages.json").write_text("{", encoding="ascii")
        self.assertEqual(kernel.give_back("a"), 0)
        self.assertEqual(kernel.total, 7)


if __name__ == "__main__":
    unittest.main()
