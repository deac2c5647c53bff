# SPDX-License-Identifier: Apache-2.0
"""Only the process we started is ever signalled."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import tracemalloc
import unittest
from unittest import mock

from penstock_base import processes
from penstock_base.errors import PenstockError


class ProcessesTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.pidfile = pathlib.Path(directory.name, "p.process")
        self.log = pathlib.Path(directory.name, "p.log")
        self.addCleanup(processes.stop, self.pidfile)

    def start(self, *args, **options):
        return processes.start(args, self.pidfile, self.log, **options)

    def test_start_and_stop(self):
        pid = self.start("sleep", "1000")
        self.assertEqual(processes.pid_of(self.pidfile), pid)
        self.assertTrue(processes.stop(self.pidfile))
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists(), "no zombie is left")
        self.assertFalse(self.pidfile.exists())
        self.assertFalse(processes.stop(self.pidfile))

    def test_second_start_is_refused(self):
        pid = self.start("sleep", "1000")
        with self.assertRaisesRegex(PenstockError, f"{pid} is running already"):
            self.start("sleep", "1000")

    def test_recycled_pid_is_not_killed(self):
        other = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        processes.record(other.pid, self.pidfile)
        pid, started, boot = self.pidfile.read_text(encoding="ascii").split()
        for recycled in ((pid, str(int(started) - 1), boot), (pid, started, "another-boot"), (pid,), ("x", "y", "z")):
            with self.subTest(recycled):
                self.pidfile.write_text("\n".join(recycled), encoding="ascii")
                self.assertIsNone(processes.pid_of(self.pidfile))
                self.assertFalse(processes.stop(self.pidfile))
                self.assertIsNone(other.poll(), "the other program must live")

    def test_killed_process_is_not_running_though_a_zombie(self):
        pid = self.start("sleep", "1000")
        os.kill(pid, 9)
        processes.wait_until(lambda: not processes.is_running(self.pidfile), "its end", 60)
        self.assertFalse(processes.stop(self.pidfile))

    def test_a_zombie_that_goes_while_it_is_looked_at(self):
        child = os.posix_spawn("/bin/true", ["true"], {})
        processes.record(child, self.pidfile)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

        def goes_first(listed):
            def listing(path):
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, 0)
                return listed(path)
            return listing

        with mock.patch("os.listdir", goes_first(os.listdir)), mock.patch("os.scandir", goes_first(os.scandir)):
            self.assertFalse(processes.is_running(self.pidfile))
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists(), "it went in between")

    def test_a_child_that_ends_while_it_is_looked_at_is_reaped(self):
        pid = self.start("sleep", "1000")
        is_running = processes.is_running

        def ends_first(pidfile):
            os.kill(pid, 9)
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            return is_running(pidfile)

        with mock.patch.object(processes, "_signal"), mock.patch.object(processes, "is_running", ends_first):
            self.assertTrue(processes.stop(self.pidfile))
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists(), "no zombie is left")

    def test_stubborn_process_is_killed(self):
        pid = self.start("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done")
        processes.wait_until(lambda: "ready" in self.log.read_text(encoding="utf-8"), "the trap", 60)
        self.assertTrue(processes.stop(self.pidfile, timeout_seconds=0.1))
        self.assertFalse(pathlib.Path(f"/proc/{pid}").exists())

    def test_standard_input_that_never_ends(self):
        self.start("sh", "-c", "read line; echo ended", hold_stdin=True)
        with self.assertRaisesRegex(PenstockError, "not within"):
            processes.wait_until(lambda: "ended" in self.log.read_text(encoding="utf-8"), "its end", 0.3)

    def test_early_end_is_reported_with_the_log(self):
        self.start("sh", "-c", "echo no such option; exit 1")
        with self.assertRaisesRegex(PenstockError, "(?s)the daemon: the process ended.*no such option"):
            processes.wait_until(lambda: False, "the daemon", 5, self.pidfile, self.log)

    def test_no_more_than_a_part_of_a_log_is_read(self):
        with open(self.log, "wb") as log:
            log.write(b"ready\n")
            log.seek(64 << 20)
            log.write(b"\n" + b"x" * 5000 + b"\n\xff the end\n")
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        tail = processes.log_tail(self.log, 2)
        self.assertLess(tracemalloc.get_traced_memory()[1], 1 << 20)
        self.assertTrue(tail.endswith("x\n  \N{REPLACEMENT CHARACTER} the end"), tail)
        self.assertLess(len(tail), 1500)
        self.assertTrue(processes.log_head(self.log).startswith(b"ready\n"))
        self.assertLess(tracemalloc.get_traced_memory()[1], 1 << 20)
        self.assertEqual((processes.log_tail(None), processes.log_head(self.log / "none")), ("", b""))

    def test_a_log_that_is_too_long_is_emptied_while_its_program_writes(self):
        goes_on = self.log.with_name("goes-on")
        self.log.write_bytes(b"ready\n")
        self.start("sh", "-c", "head -c 17825792 /dev/zero; echo; echo full; while [ ! -e $0 ]; do sleep 0.05; done; "
                   "echo after; exec sleep 1000", goes_on)
        processes.wait_until(lambda: processes.log_tail(self.log).endswith("full"), "a long log", 120)
        self.assertTrue(processes.limit_log(self.log, b"ready"))
        goes_on.touch()
        processes.wait_until(lambda: processes.log_tail(self.log).endswith("after"), "its next words", 60)
        self.assertRegex(self.log.read_bytes(), rb"^[-0-9]+ [:0-9]+ this log had more than 16 MB and was emptied; "
                                                rb"it had: ready\nafter\n$")
        self.assertFalse(processes.limit_log(self.log), "it is short now")
        self.assertFalse(processes.limit_log(self.log / "none"))

    def test_the_room_of_a_log_counts_not_its_length(self):
        self.log.touch()
        os.truncate(self.log, 64 << 20)
        self.assertFalse(processes.limit_log(self.log))

    def test_yielding_process_is_idle_inside_its_group_and_as_a_group(self):
        pid = self.start("sleep", "1000", preexec=lambda: processes.take_place(19))
        self.assertEqual(os.sched_getscheduler(pid), os.SCHED_IDLE)
        group = pathlib.Path(f"/proc/{pid}/autogroup")
        if group.exists():
            self.assertTrue(group.read_text(encoding="ascii").strip().endswith("nice 19"))

    def test_process_that_comes_first_where_that_is_allowed(self):
        for prefix, niceness in (((), -7), (("nice", "-n", "5"), -7),
                                 (("setpriv", "--bounding-set=-sys_nice"), os.nice(0))):
            program = "import os; from penstock_base import processes; processes.take_place(-7); print(os.nice(0))"
            found = subprocess.run([*prefix, sys.executable, "-c", program], capture_output=True, text=True, check=True,
                                   start_new_session=True,  # Else the whole run of tests would come first too.
                                   env=os.environ | {"PYTHONPATH": str(pathlib.Path(processes.__file__).parents[1])})
            self.assertEqual(found.stdout.strip(), str(niceness))

    def test_file_is_there_before_the_program_runs(self):
        self.start("cat", self.pidfile)
        processes.wait_until(lambda: not processes.is_running(self.pidfile), "its end", 60)
        self.assertEqual(self.log.read_text(encoding="ascii"), self.pidfile.read_text(encoding="ascii"))

    def test_missing_program(self):
        with self.assertRaisesRegex(PenstockError, "no-such-program is not installed"):
            self.start("no-such-program")


if __name__ == "__main__":
    unittest.main()
