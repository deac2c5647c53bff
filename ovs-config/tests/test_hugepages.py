# SPDX-License-Identifier: Apache-2.0
"""What is borrowed is given back, exactly, whatever happens in between. The kernel is a pair of files here."""

import json
import pathlib
import tempfile
import threading
import unittest
from unittest import mock

from penstock_base.errors import PenstockError
from penstock_node import hugepages
from penstock_node.hugepages import ANYWHERE, HugePages

_NO_PROCESS = 1


class _Kernel(HugePages):
    """Huge pages of a kernel that has `possible` of them at most, on each NUMA node if it has some, and of which `used`
    are taken."""

    def __init__(self, root, total, used=0, possible=1000, nodes=0):
        self.used = used
        self.possible = possible
        self.crash = False
        self.places = [str(node) for node in range(nodes)]
        super().__init__(root, root, root)
        (root / "meminfo").parent.mkdir(parents=True, exist_ok=True)
        (root / "meminfo").write_text("Hugepagesize: 2048 kB\n", encoding="ascii")
        for place in self.places or [ANYWHERE]:
            self._number(place).parent.mkdir(parents=True)
            super()._set(place, total)

    def _get(self, place):
        return sum(map(self._get, self.places)) if place == ANYWHERE and self.places else super()._get(place)

    def _set(self, place, number):
        crash, self.crash = self.crash, False
        if place == ANYWHERE and self.places:
            others = sum(map(self._get, self.places[:-1]))
            super()._set(self.places[-1], min(max(number - others, 0), self.possible))
        else:
            super()._set(place, min(number, self.possible))
        if crash:
            raise KeyboardInterrupt

    def _memory(self, place):
        return {"Hugepagesize": 2048, "HugePages_Total": self._get(place),
                "HugePages_Free": self._get(place) - self.used, "HugePages_Rsvd": 0, "MemAvailable": 4096 * 1024}

    @property
    def total(self):
        return self._get(ANYWHERE)

    def borrow(self, owner, megabytes):
        with self.reserve(owner, megabytes):
            self.used += megabytes // 2

    def end(self, owner, megabytes):
        self.used -= megabytes // 2
        return self.give_back(owner)


class HugePagesTest(unittest.TestCase):

    def test_pages_that_another_took_are_added_again(self):
        kernel = self.kernel(0)
        kernel.borrow("crashes", 100)
        kernel.used -= 50
        kernel.borrow("thief", 60)
        self.assertEqual(kernel.total, 50)
        kernel.claim("crashes", 100, _NO_PROCESS)
        kernel.used += 50
        self.assertEqual((kernel.total, kernel.added_by("crashes")), (80, 80))
        kernel.end("crashes", 100)
        self.assertEqual(kernel.total, 30)
        kernel.end("thief", 60)
        self.assertEqual(kernel.total, 0)

    def test_a_claim_in_the_own_reservation_waits_for_none(self):
        kernel = self.kernel(0)
        with kernel.reserve("first", 100):
            kernel.claim("first", 100, _NO_PROCESS)
        self.assertEqual(kernel.added_by("first"), 50)

    def test_a_claim_does_not_take_what_another_has_reserved(self):
        kernel = self.kernel(0)
        kernel.borrow("crashes", 100)
        kernel.used -= 50
        claims = threading.Thread(target=kernel.claim, args=("crashes", 100, _NO_PROCESS))
        with kernel.reserve("new", 100):
            claims.start()
            claims.join(0.3)
            self.assertTrue(claims.is_alive())
            kernel.used += 50
        claims.join(10)
        self.assertEqual((kernel.added_by("crashes"), kernel.added_by("new"), kernel.total), (100, 0, 100))

    def test_pages_that_are_claimed_are_for_no_one_else_until_they_are_taken(self):
        """A switch that starts again takes them a second after its claim, and a function may start in between."""
        kernel = self.kernel(0)
        kernel.borrow("crashes", 100)
        self.process(7, begun=5, taken=0)
        kernel.used -= 50
        kernel.claim("crashes", 100, 7)
        kernel.borrow("other", 60)
        self.assertEqual((kernel.total, kernel.used), (80, 30))
        self.assertEqual(kernel.end("other", 60), 30, "of those that are added, and none of those that are promised")
        self.assertEqual(kernel.total, 50)
        # Taken, all but four.
        self.process(7, begun=5, taken=46)
        kernel.used += 46
        kernel.borrow("other", 60)
        self.assertEqual(kernel.total, 80)
        kernel.end("other", 60)
        # Another process with the same number, and none.
        for begun in (6, None):
            self.process(7, begun=begun, taken=0)
            kernel.borrow("other", 8)
            self.assertEqual(kernel.total, 50)
            kernel.end("other", 8)
        self.assertEqual(kernel.end("crashes", 92), 50)
        self.assertFalse((self.root / "hugepages.json").exists())

    def test_a_process_that_never_takes_its_pages_is_forgotten(self):
        kernel = self.kernel(0)
        self.process(7, begun=5, taken=0)
        kernel.claim("idle", 100, 7)
        with mock.patch.object(hugepages, "_PROMISE_SECONDS", -1):
            kernel.borrow("other", 60)
        self.assertEqual(kernel.total, 50)

    def process(self, pid, begun, taken):
        """A process with so many pages; with None as its begin there is none."""
        (self.root / str(pid)).mkdir(exist_ok=True)
        if begun is None:
            (self.root / str(pid) / "stat").unlink()
            return
        (self.root / str(pid) / "stat").write_text(f"{pid} (a b) c) S{' 0' * 18} {begun} 0", encoding="utf-8")
        (self.root / str(pid) / "status").write_text(
            f"Name:\tovs-vswitchd\nHugetlbPages:\t{taken * 2048} kB\n", encoding="utf-8")

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

    def by_node(self, kernel):
        return [kernel._get(place) for place in kernel.places]

    def test_crash_while_they_are_given_back(self):
        kernel = self.kernel(total=7)
        kernel.borrow("a", 64)
        kernel.used = 0
        kernel.crash = True
        with self.assertRaises(KeyboardInterrupt):
            kernel.give_back("a")
        self.assertEqual(kernel.total, 7)
        self.assertEqual(kernel.give_back("a"), 0)
        self.assertEqual(kernel.total, 7)

    def test_each_numa_node_has_its_own(self):
        kernel = self.kernel(total=10, nodes=3)
        with kernel.reserve("a", (64, 0, 32)) as added:
            self.assertEqual(added, 22 + 6)
        self.assertEqual(self.by_node(kernel), [32, 10, 16])
        self.assertEqual(kernel.give_back("a"), 28)
        self.assertEqual(self.by_node(kernel), [10, 10, 10])
        self.assertFalse((self.root / "hugepages.json").exists())

    def test_what_one_numa_node_lacks_is_named_and_the_others_are_given_back(self):
        kernel = self.kernel(total=0, possible=40, nodes=2)
        with self.assertRaisesRegex(PenstockError, "gave 40 of the 64 huge pages that are missing on NUMA node 1;"), \
                kernel.reserve("a", (64, 128)):
            pass
        self.assertEqual(self.by_node(kernel), [32, 0])
        self.assertEqual(kernel.give_back("a"), 32)
        self.assertEqual(self.by_node(kernel), [0, 0])

    def test_crash_between_numa_nodes(self):
        kernel = self.kernel(total=1, nodes=2)
        set_one = kernel._set

        def crash_at_the_second(place, number):
            kernel.crash = place == "1"
            set_one(place, number)
        for interrupted in (lambda: kernel.reserve("a", (64, 32)).__enter__(), lambda: kernel.give_back("a")):
            kernel._set = crash_at_the_second
            with self.assertRaises(KeyboardInterrupt):
                interrupted()
            kernel._set = set_one
        kernel.give_back("b")
        self.assertEqual(self.by_node(kernel), [1, 1])
        self.assertFalse((self.root / "hugepages.json").exists())

    def test_those_of_a_numa_node_go_before_those_of_the_machine(self):
        kernel = self.kernel(total=0, nodes=2)
        with kernel.reserve("a", (64,)):
            kernel.used += 32
        with kernel.reserve("a", 16):
            kernel.used = 0
        self.assertEqual(self.by_node(kernel), [32, 8])
        kernel.give_back("a")
        self.assertEqual(self.by_node(kernel), [0, 0])

    def test_plain_numbers_are_kept_where_there_are_no_numa_nodes(self):
        kernel = self.kernel(total=0)
        kernel.borrow("a", 64)
        self.assertEqual(json.loads((self.root / "hugepages.json").read_text("ascii")), {"added": {"a": 32}, "owed": 0})

    def test_forecast(self):
        kernel = self.kernel(total=10, nodes=1)
        self.assertIsNone(kernel.problem(64))
        self.assertIsNone(kernel.problem((64,)))
        self.assertRegex(kernel.problem(8192), "^8192 MB of huge pages are requested; this machine can provide 4116 MB")
        self.assertRegex(kernel.problem((8192,)), "^8192 MB of huge pages are requested on NUMA node 0; this machine")
        self.assertRegex(kernel.problem((64, 64)), "^this machine has no NUMA node 1, and so no place for the 64 MB")

    def test_this_machine_tells_about_its_first_numa_node(self):
        self.assertIsNone(HugePages().problem((2,)))
        self.assertRegex(HugePages().problem((1 << 20,)), "on NUMA node 0; this machine can provide [0-9]+ MB")

    def test_ledger_of_a_former_version(self):
        kernel = self.kernel(total=40)
        (self.root / "hugepages.json").write_text(json.dumps({"added": {"a": 20, "b": 0}, "owed": 3}), encoding="ascii")
        self.assertEqual((kernel.owners(), kernel.added_by("a")), (["a"], 20))
        self.assertEqual(kernel.give_back("a"), 23)
        self.assertEqual(kernel.total, 17)

    def test_unreadable_ledger_counts_as_empty(self):
        kernel = self.kernel(total=7)
        (self.root / "hugepages.json").write_text("{", encoding="ascii")
        self.assertEqual(kernel.give_back("a"), 0)
        self.assertEqual(kernel.total, 7)


if __name__ == "__main__":
    unittest.main()
