# SPDX-License-Identifier: Apache-2.0
"""The huge pages of a run: it keeps them, nodes borrow none meanwhile, and they go back. The kernel is files here."""

import os
import pathlib
import tempfile
import unittest

from penstock_node.hugepages import HugePages
from penstock_suite import page_pool

_MEGABYTES = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // page_pool.PART_OF_MEMORY >> 20
_WANTED = -(-_MEGABYTES // 2)


class _Kernel(HugePages):
    """Huge pages of a kernel that has `possible` of them at most."""

    def __init__(self, root, possible):
        self.number, self._possible = 0, possible
        super().__init__(root, root, root)
        (root / "meminfo").write_text("Hugepagesize: 2048 kB\n", encoding="ascii")

    def _get(self, place):
        return self.number

    def _set(self, place, number):
        self.number = min(number, self._possible)

    def _memory(self, place):
        return {"Hugepagesize": 2048, "HugePages_Total": self.number, "HugePages_Free": self.number,
                "HugePages_Rsvd": 0, "MemAvailable": 0}


class PoolTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_nodes_find_pages(self):
        kernel = _Kernel(self.root, 2 * _WANTED)
        with page_pool.filled(kernel, self.root / "place"):
            self.assertEqual(kernel.number, _WANTED)
            with kernel.reserve("node /a", 64) as added:
                self.assertEqual(added, 0)
            kernel.give_back("node /a")
            self.assertEqual(kernel.owners(), [f"tests {self.root}/place"])
        self.assertEqual((kernel.number, kernel.owners()), (0, []))

    def test_a_machine_without_so_many_has_no_pool(self):
        kernel = _Kernel(self.root, _WANTED - 1)
        with page_pool.filled(kernel, self.root / "place"):
            self.assertEqual(kernel.number, 0)

    def test_they_go_back_after_a_failure(self):
        kernel = _Kernel(self.root, 2 * _WANTED)
        with self.assertRaises(KeyError), page_pool.filled(kernel, self.root / "place"):
            raise KeyError
        self.assertEqual(kernel.number, 0)


if __name__ == "__main__":
    unittest.main()
