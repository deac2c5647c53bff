# SPDX-License-Identifier: Apache-2.0
"""The witness of the memory that functions share with the switch."""

import ctypes
import mmap
import os
import time
import unittest
from unittest import mock

import pytest

from penstock_node import vhost_memory
from penstock_node.vhost_memory import HOLED, SHORT, Witness

from .vhost_case import LENGTH, VhostCase, refill

_PUNCH = 3  # FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE


class WitnessTest(VhostCase):

    def setUp(self):
        super().setUp()
        self.witness = Witness(self.node, self.log)
        self.addCleanup(self.witness.forget)
        self.good, self.evil = self.instance("good"), self.instance("evil")
        self.current.do("map", self.good, self.evil)

    def look(self):
        return self.witness.look(self.current.pid)

    def evidence(self):
        self.current.end()
        self.assertEqual(self.look(), {})
        return self.witness.evidence()

    def test_truncated(self):
        self.assertEqual(self.look(), {})
        self.assertEqual(self.witness.witnessed(), {"good", "evil"})
        os.truncate(self.evil, 4096)
        self.assertEqual(self.evidence().proven, {"evil": SHORT})
        self.assertEqual(self.witness.open_files, 0)

    def test_truncated_while_the_switch_has_not_noticed(self):
        self.look()
        os.truncate(self.evil, 0)
        self.assertEqual(self.look(), {"evil": SHORT})

    def test_file_of_a_file_system(self):
        """It may be truncated and removed. While it is whole its instance is a suspect: the file system may be full."""
        file = self.node / "functions" / "evil" / "own" / "file"
        file.write_bytes(b"x" * LENGTH)
        os.chown(file, self.evil.stat().st_uid, -1)
        self.current.do("map", file)
        self.look()
        self.look()
        evidence = self.evidence()
        self.assertEqual((evidence.proven, evidence.suspects), ({}, {"evil"}))
        self.switch().do("map", file)
        self.look()
        os.truncate(file, 0)
        file.unlink()
        self.assertEqual(self.evidence().proven, {"evil": SHORT})

    def test_lost_pages_are_remembered(self):
        self.look()
        os.truncate(self.evil, 0)
        os.truncate(self.evil, LENGTH)
        self.look()
        refill(self.evil, LENGTH)
        self.look()
        self.assertEqual(self.evidence().suspects, {"evil"})

    def test_restored(self):
        self.look()
        os.truncate(self.evil, 0)
        refill(self.evil, LENGTH)
        os.utime(self.evil, (0, 0))
        evidence = self.evidence()
        self.assertEqual((evidence.proven, evidence.suspects), ({}, {"evil"}))

    def test_restored_while_it_is_looked_at(self):
        """The switch ends between the look at its maps and that at the files."""
        self.look()
        maps = vhost_memory._maps

        def with_an_attack(pid):
            found = maps(pid)
            if found is not None:
                os.truncate(self.evil, 0)
                refill(self.evil, LENGTH)
                self.current.end()
            return found
        with mock.patch.object(vhost_memory, "_maps", with_an_attack):
            self.assertEqual(self.look(), {})
        evidence = self.witness.evidence()
        self.assertEqual((evidence.proven, evidence.suspects), ({}, {"evil"}))

    def test_hole(self):
        self.look()
        with self.evil.open("r+b") as file:
            self.assertEqual(ctypes.CDLL(None).fallocate(file.fileno(), _PUNCH, ctypes.c_long(0),
                                                         ctypes.c_long(LENGTH)), 0)
        self.assertEqual(self.evidence().proven, {"evil": HOLED})

    def test_written_to(self):
        """What an instance writes to its memory is no offence, and not suspicious but for new pages."""
        self.look()
        with self.good.open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
            content.write(b"y" * LENGTH)
            self.assertEqual(self.evidence().proven, {})

    def test_length_that_is_no_page(self):
        odd = self.instance("odd")
        os.truncate(odd, 5000)
        self.current.do("map", odd)
        self.assertEqual(self.look(), {})

    def test_files_of_others(self):
        """Neither those of root nor of an instance of another node, and no more than some of one instance."""
        roots = self.node / "memory"
        roots.write_bytes(b"x" * LENGTH)
        more = [self.memory(self.evil.stat().st_uid) for _ in range(40)]
        self.current.do("map", roots, *more)
        self.look()
        self.assertEqual(self.witness.open_files, 33)
        self.assertIn("evil", self.evidence().suspects)

    def test_unmapped(self):
        self.look()
        self.current.do("unmap")
        self.look()
        self.assertEqual((self.witness.open_files, self.witness.witnessed()), (0, set()))

    def test_suspects(self):
        self.says("good")
        self.look()
        self.says("evil")
        self.log.unlink()  # As the next start of the switch does.
        self.assertEqual(self.evidence().suspects, {"evil"})

    def test_messages_to_the_next_switch(self):
        self.look()
        self.says("evil")
        with self.log.open("a") as log:
            log.write(f"2026-01-01T00:00:01.000Z|00001|vlog|INFO|opened log file {self.log}\n")
        self.says("good")
        self.assertEqual(self.evidence().suspects, {"evil"})

    def test_suspects_without_a_whole_log(self):
        """When messages are missing in the log all that run are suspects, unless their memory has been seen."""
        self.instance("new", runs=True)
        self.instance("idle")
        self.look()
        with self.log.open("a") as log:
            log.write("2026-01-01T00:00:00.000Z|00100|dpdk|INFO|Dropped 17 log messages in last 3 seconds\n")
        self.assertEqual(self.evidence().suspects, {"new"})

    def many(self):
        """Fifty instances with two ports each, and the switch with as many pieces of memory as it has on a node."""
        memories = [self.instance(f"f{number}") for number in range(50)]
        own = [self.node / f"own-{number}" for number in range(450)]
        for path in own:
            path.write_bytes(b"x")
        self.current.do("map", *memories, *memories, *own)
        self.look()

    def test_files_of_100_ports(self):
        self.many()
        self.look()
        self.assertEqual(self.witness.open_files, 52)

    @pytest.mark.deep
    @pytest.mark.scale
    def test_cost_of_100_ports(self):
        self.many()
        started = time.process_time()
        for _ in range(20):
            self.look()
        self.assertLess((time.process_time() - started) / 20, 0.02)


if __name__ == "__main__":
    unittest.main()
