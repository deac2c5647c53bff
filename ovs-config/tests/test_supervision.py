# SPDX-License-Identifier: Apache-2.0
"""A tree of supervised services: what ends is started again, and nothing is started twice."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import pytest

from penstock_base import processes
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_node import node_watch, supervision


def inside(folder):
    """{process: its command line} of all processes whose directory is a folder or below, also if it was removed."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            place = str((entry / "cwd").readlink()).removesuffix(" (deleted)")
            if pathlib.Path(place).is_relative_to(folder):
                found[int(entry.name)] = (entry / "cmdline").read_bytes()
    return found


def waiting(folder):
    """Processes that are to become the service of a folder."""
    return [pid for pid, words in inside(folder).items() if b"penstock_node.service" in words]


def parent(pid):
    """The parent of a process, None if it has ended."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    except OSError:
        return None


class TreeTest(unittest.TestCase):
    """A tree of services that need no switch."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.tree = supervision.Tree(self.directory)
        self.addCleanup(self.tree.end)

    def service(self, name, *command, **fields):
        return supervision.Service(name, command or ("sleep", "1000"), self.directory / f"{name}.process",
                                   self.directory / f"{name}.log", **fields)

    def keep(self, name, *command, **fields):
        service = self.service(name, *command, **fields)
        self.tree.keep(service)
        return service

    def again(self, service, pid, seconds=60):
        """The process of a service that is not `pid`."""
        processes.wait_until(lambda: processes.pid_of(service.process) not in (None, pid), "the next process", seconds)
        return processes.pid_of(service.process)

    def until_a_next_one_waits(self, folder):
        """Waits until the supervisor of a service that runs has started the process that is to follow it."""
        processes.wait_until(lambda: supervision.supervisor(folder) in map(parent, waiting(folder)), "the next one", 60)

    def root(self):
        return processes.pid_of(self.directory / "supervisor.process")

    def test_what_ends_begins_again_and_the_log_says_so(self):
        one, two = self.keep("one"), self.keep("two", "sh", "-c", "sleep 0.5; exit 3")
        pids = [processes.pid_of(service.process) for service in (one, two)]
        os.kill(pids[0], signal.SIGKILL)
        for service, pid in zip((one, two), pids, strict=True):
            self.again(service, pid)
        processes.wait_until(lambda: self.tree.endings()["two"] > 0, "the ending of two", 60)
        self.assertEqual(self.tree.endings()["one"], 1)
        self.assertEqual([self.tree.last_signal(name) for name in ("one", "two", "three")], [signal.SIGKILL, 0, None])
        log = self.tree.log.read_text(encoding="utf-8")
        self.assertIn("one ended: signal 9", log)
        self.assertIn("two ended: code 3", log)

    def test_after_an_end_one_that_ran_for_some_time_is_ordered_up(self):
        """What s6 runs after an end orders the next start, for which it would wait for a second otherwise."""
        self.keep("one")
        folder, tools = self.directory / "supervised" / "one", self.directory / "tools"
        tools.mkdir()
        for name, does in (("s6-svstat", "echo true"), ("s6-svc", f'echo "$@" >>{tools}/ordered')):
            (tools / name).write_text(f"#!/bin/sh\n{does}\n", encoding="ascii")
            (tools / name).chmod(0o755)
        begun = int((folder / "begun").read_text(encoding="ascii"))
        for moment, orders in ((begun + 1000, None), (begun - 100, 3 * "-u .\n")):
            (folder / "begun").write_text(f"{moment}\n", encoding="ascii")
            subprocess.run([folder / "finish", "256", "9"], cwd=folder, check=True,
                           env=dict(os.environ) | {"PATH": f"{tools}:{os.environ['PATH']}"})
            processes.wait_until(lambda: b"finish" not in b" ".join(inside(folder).values()), "the end of it", 60)
            ordered = tools / "ordered"
            self.assertEqual(ordered.read_text(encoding="ascii") if ordered.exists() else None, orders)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_one_that_ran_for_some_time_begins_again_at_once(self):
        service = self.keep("one")
        begun = self.directory / "supervised" / "one" / "begun"

        def pause(steady):
            time.sleep(1.1)
            pid = processes.pid_of(service.process)
            if steady:
                begun.write_text(f"{int(begun.read_text(encoding='ascii')) - 100}\n", encoding="ascii")
            started = time.monotonic()
            os.kill(pid, signal.SIGKILL)
            self.again(service, pid)
            return time.monotonic() - started
        self.assertGreater(pause(steady=False), 0.9)
        # A busy machine may take longer now and then.
        self.assertTrue(any(pause(steady=True) < 0.9 for _ in range(10)))

    def test_one_that_was_told_to_end_stays_down(self):
        service = self.keep("one")
        folder = self.directory / "supervised" / "one"
        (folder / "begun").write_text("0\n", encoding="ascii")
        run("s6-svc", "-d", folder)
        # The order is taken later, by the supervisor: until then the folder may be as empty.
        processes.wait_until(lambda: run("s6-svstat", "-o", "up,wantedup", folder).split() == ["false", "false"],
                             "its end", 60)
        # Until nothing but its supervisor is left there that could start it, and that has no order to do so.
        processes.wait_until(lambda: set(inside(folder)) == {supervision.supervisor(folder)}, "the end of others", 60)
        self.assertEqual(run("s6-svstat", "-o", "up,wantedup", folder).split(), ["false", "false"])
        self.assertFalse(processes.is_running(service.process))

    def test_removed_services_are_gone_and_the_tree_with_the_last(self):
        one, two = self.keep("one"), self.keep("two")
        self.assertTrue(self.tree.remove("one", one.process))
        self.assertFalse(processes.is_running(one.process))
        self.assertEqual(self.tree.services(), ["two"])
        self.assertTrue(self.tree.remove("two", two.process))
        self.assertIsNone(self.root())
        self.assertFalse(self.tree.remove("two", two.process))
        self.assertFalse((self.directory / "supervised").exists())
        self.assertNotIn(str(self.directory), run("ps", "-eo", "args"))

    def test_removed_in_the_moment_of_a_crash(self):
        for number in range(20):
            service = self.keep("one")
            self.keep("other")
            os.kill(processes.pid_of(service.process), signal.SIGKILL)
            time.sleep(number / 100)
            self.tree.remove("one", service.process)
            self.assert_gone("one", service)

    def assert_gone(self, name, service):
        """Nothing is left that could start a service that was removed."""
        for folder in (name, f".{name}"):
            processes.wait_until(lambda folder=folder: not inside(self.directory / "supervised" / folder),
                                 "the end of what was there", 60)
        self.assertFalse(processes.is_running(service.process))

    def test_removed_in_the_moment_before_it_begins(self):
        """Its supervisor does not get to hear of the order to stay down."""
        self.keep("other")
        begun = self.directory / "begun"
        service = self.keep("one", before=(("sh", "-c", f"touch {begun}; sleep 1"),))
        folder = self.directory / "supervised" / "one"
        begun.unlink()
        os.kill(processes.pid_of(service.process), signal.SIGKILL)
        processes.wait_until(begun.exists, "the next process", 60)
        os.kill(supervision.supervisor(folder), signal.SIGSTOP)
        self.tree.remove("one", service.process)
        self.assert_gone("one", service)

    def test_a_tree_ends_with_its_directory(self):
        self.end_with_directory(None)

    @pytest.mark.deep
    @pytest.mark.supervision
    def test_a_tree_ends_with_its_directory_of_which_a_part_goes_first(self):
        for first in ("supervised/one/supervise", "supervised", "supervisor.process", "alive.sock"):
            with self.subTest(removed_before_the_rest=first):
                self.end_with_directory(first)

    def end_with_directory(self, first):
        """Removes a part of the directory first, and the rest after the watch has looked."""
        one = self.keep("one", "sleep", "1234")
        node_watch.start(self.directory)
        pids = [*self.tree.supervisors(), *map(processes.pid_of, (one.process, node_watch.process_of(self.directory)))]
        self.assertEqual(len(pids), 5)
        watch_process = processes.pid_of(node_watch.process_of(self.directory))
        processes.wait_until(lambda: _held(watch_process) >= 3, "the watch knows the supervisors", 60)
        if first is not None:
            removed = self.directory / first
            shutil.rmtree(removed) if removed.is_dir() else removed.unlink()
            time.sleep(1)
        shutil.rmtree(self.directory)
        processes.wait_until(lambda: not any(pathlib.Path(f"/proc/{pid}/cwd").exists() for pid in pids),
                             "the end of all", 120)
        self.directory.mkdir()

    def test_a_killed_supervisor_starts_no_second_process(self):
        service = self.keep("one")
        pid = processes.pid_of(service.process)
        before = set(self.tree.supervisors())
        for supervisor in before - {self.root()}:
            os.kill(supervisor, signal.SIGKILL)
        processes.wait_until(lambda: len(set(self.tree.supervisors()) - before) == 1, "the next supervisor", 60)
        self.until_a_next_one_waits(self.directory / "supervised" / "one")
        self.assertEqual(processes.pid_of(service.process), pid)
        os.kill(pid, signal.SIGKILL)
        self.again(service, pid)

    def test_a_supervisor_that_is_killed_while_a_service_starts_starts_no_second_process(self):
        os.mkfifo(self.directory / "never")
        waits = f"read line < {self.directory}/never"  # By itself: a process that it starts looks like it at first.
        begun, folder = self.directory / "begun", self.directory / "supervised" / "one"
        service = self.keep("one", "sh", "-c", waits, before=(("sh", "-c", f"touch {begun}; sleep 3"),))
        for number in range(2):
            pid = processes.pid_of(service.process)
            begun.unlink()
            os.kill(pid, signal.SIGKILL)
            processes.wait_until(begun.exists, "the next one is at what comes before it", 60)
            os.kill(supervision.supervisor(folder), signal.SIGKILL)
            self.again(service, pid)
            # Each supervisor starts one process. That of the last one waits; a second service would be the other one.
            self.until_a_next_one_waits(folder)
            processes.wait_until(lambda: len(waiting(folder)) == 1, "no other waits", 60)
            processes.wait_until(lambda: run("ps", "-eo", "args").count(waits), "it has begun", 60)
            self.assertEqual(run("ps", "-eo", "args").count(waits), 1, number)

    def test_supervisors_that_are_killed_leave_nothing_that_waits(self):
        service = self.keep("one")
        pid = processes.pid_of(service.process)
        folder = self.directory / "supervised" / "one"
        for _ in range(5):
            before = supervision.supervisor(folder)
            os.kill(before, signal.SIGKILL)
            processes.wait_until(lambda before=before: supervision.supervisor(folder) not in (None, before),
                                 "the next supervisor", 60)
            self.until_a_next_one_waits(folder)
        processes.wait_until(lambda: len(waiting(folder)) == 1, "all but one have gone", 60)
        self.assertEqual(processes.pid_of(service.process), pid)

    def test_a_killed_root_is_replaced_and_adopts(self):
        service = self.keep("one")
        pid = processes.pid_of(service.process)
        os.kill(self.root(), signal.SIGKILL)
        processes.wait_until(lambda: self.root() is None, "the end of the root", 60)
        self.assertTrue(self.tree.ensure())
        self.assertFalse(self.tree.ensure())
        self.assertEqual(processes.pid_of(service.process), pid)
        os.kill(pid, signal.SIGKILL)
        self.again(service, pid)

    def test_the_end_of_a_tree_whose_root_was_killed(self):
        service = self.keep("one")
        os.kill(self.root(), signal.SIGKILL)
        self.tree.remove("one", service.process)
        self.assertFalse(processes.is_running(service.process))
        self.assertNotIn(str(self.directory), run("ps", "-eo", "args"))

    def test_what_comes_before_each_start(self):
        stale = self.directory / "left.1.ctl"
        stale.touch()
        service = self.keep("one", before=(("sh", "-c", f"echo x >>{self.directory}/before; false"),),
                            stale=(self.directory / "left.*.ctl",), environment={"KIND": "mine"}, nice=7)
        self.assertFalse(stale.exists())
        pid = processes.pid_of(service.process)
        processes.wait_until(lambda: "KIND=mine" in pathlib.Path(f"/proc/{pid}/environ").read_text(encoding="utf-8"),
                             "the program has begun", 60)
        self.assertEqual(os.getpriority(os.PRIO_PROCESS, pid), 7)
        os.kill(pid, signal.SIGKILL)
        self.again(service, pid)
        self.assertEqual((self.directory / "before").read_text(encoding="ascii"), "x\nx\n")

    def test_a_process_that_needs_a_command(self):
        permit = self.directory / "permit"
        service = self.service("one", "sleep", "100", needed=(
            ("sh", "-c", f"[ -e {permit} ] || {{ echo no permit >&2; exit 3; }}"),))
        with self.assertRaises(PenstockError), unittest.mock.patch.object(supervision, "_PATIENCE_SECONDS", 1):
            self.tree.keep(service)
        processes.wait_until(lambda: self.tree.endings()["one"] > 1, "further attempts", 60)
        self.assertIn("one does not start: sh: no permit", service.log.read_text(encoding="utf-8"))
        permit.touch()
        processes.wait_until(lambda: processes.is_running(service.process) and "sleep" in pathlib.Path(
            f"/proc/{processes.pid_of(service.process)}/cmdline").read_text(encoding="utf-8"), "its start", 60)

    def test_a_command_that_is_needed_and_hangs(self):
        service = supervision.Service("one", ("true",), self.directory / "one.process", self.directory / "one.log",
                                      needed=(("sleep", "1000"),))
        with unittest.mock.patch.object(supervision, "_BEFORE_SECONDS", 0.1), self.assertRaisesRegex(
                PenstockError, "one does not start: sleep does not end"):
            supervision.start_once(service)
        self.assertFalse(service.process.exists())

    def test_a_command_before_the_start_that_hangs(self):
        service = supervision.Service("one", ("true",), self.directory / "one.process", self.directory / "one.log",
                                      before=(("sleep", "1000"), ("touch", self.directory / "went-on")))
        with unittest.mock.patch.object(supervision, "_BEFORE_SECONDS", 0.1):
            supervision.make_ready(service)
        self.assertTrue((self.directory / "went-on").exists())

    def test_a_program_that_is_not_there(self):
        service = self.service("one", "/no/such/program")
        with contextlib.suppress(PenstockError), unittest.mock.patch.object(supervision, "_PATIENCE_SECONDS", 0.5):
            self.tree.keep(service)  # Its process is seen, or not, in the moment that it is there.
        processes.wait_until(lambda: self.tree.endings()["one"] > 0, "its end", 60)
        self.assertIn("/no/such/program: No such file", service.log.read_text(encoding="utf-8"))


def _held(pid):
    """How many processes a program holds by descriptors."""
    held = 0
    for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):  # It was closed this moment.
            held += "pidfd" in str(path.readlink())
    return held


if __name__ == "__main__":
    unittest.main()
