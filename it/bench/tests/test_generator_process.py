# SPDX-License-Identifier: Apache-2.0
"""The generator as a process: built, started and ended, without a switch. Needs root, DPDK and a compiler."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import pytest

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_bench import generator
from penstock_node.hugepages import HugePages

# Starts switches with DPDK, or guests.
pytestmark = pytest.mark.node


class ProcessTest(unittest.TestCase):
    """All share one build."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="psl-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.program = generator.build(cls.directory / "build")

    def started(self):
        started = generator.Generator(self.program, {"acc": self.directory / "acc.sock"}, f"psl-{os.getpid()}",
                                      self.directory, memory_mb=64)
        self.addCleanup(started.stop)
        started.start()
        return started

    def test_built_anew_only_when_sources_differ(self):
        sources = self.directory / "sources"
        shutil.copytree(generator._SOURCES, sources)
        program = generator.build(self.directory / "twice", sources)
        made = program.stat().st_mtime_ns
        self.assertEqual(generator.build(self.directory / "twice", sources), program)
        self.assertEqual(program.stat().st_mtime_ns, made)
        with open(sources / "pace.h", "a", encoding="ascii") as header:
            header.write("/* changed */\n")
        generator.build(self.directory / "twice", sources)
        self.assertGreater(program.stat().st_mtime_ns, made)
        (sources / "main.c").write_text("wrong\n", encoding="ascii")
        with self.assertRaisesRegex(PenstockError, "cannot be built"):
            generator.build(self.directory / "twice", sources)
        self.assertEqual(sorted(path.name for path in program.parent.iterdir()),
                         ["penstock-generator", "penstock-generator.sources"])

    def test_nobody_connects(self):
        lonely = self.started()
        with self.assertRaisesRegex(PenstockError, "no switch connected to link acc"):
            lonely.wait(0.2)
        pid, pages = lonely.pid, HugePages().added_by(f"generator psl-{os.getpid()}")
        self.assertGreaterEqual(pages, 0)
        lonely.stop()
        self.assertIsNone(lonely.pid)
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())
        self.assertFalse((self.directory / "acc.sock").exists())
        self.assertFalse(pathlib.Path(f"/var/run/dpdk/psl-{os.getpid()}").exists())
        self.assertEqual(HugePages().added_by(f"generator psl-{os.getpid()}"), 0)
        with self.assertRaisesRegex(PenstockError, "does not run"):
            lonely.wait(0)

    def test_killed(self):
        killed = self.started()
        processes.wait_until((self.directory / "acc.sock").exists, "its socket", 120)
        os.kill(killed.pid, 9)
        with self.assertRaisesRegex(PenstockError, "ended by itself"):
            killed.wait(5)
        killed.stop()
        self.assertTrue((self.directory / "acc.sock").exists(), "so the next one has to clear it away")
        self.assertIsNotNone(self.started().pid)

    def test_does_not_start(self):
        (self.directory / "acc.sock").unlink(missing_ok=True)
        (self.directory / "acc.sock").write_text("somebody's file", encoding="ascii")
        self.addCleanup((self.directory / "acc.sock").unlink)
        with self.assertRaisesRegex(PenstockError, "file that is no socket"):
            self.started()

    def test_used_wrongly(self):
        for arguments in ([], ["--link", "acc"], ["--link", "a=/tmp/x", "--link", "a=/tmp/y"], ["--speed", "9"],
                          ["--link", "a=/tmp/x", "--core", "none"], ["--link", "a=/" + 107 * "x"]):
            done = subprocess.run([self.program, *arguments], capture_output=True, check=False, timeout=120,
                                  stdin=subprocess.DEVNULL)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, b"")
            self.assertNotEqual(done.stderr, b"")


if __name__ == "__main__":
    unittest.main()
