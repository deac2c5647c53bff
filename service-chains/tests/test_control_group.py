# SPDX-License-Identifier: Apache-2.0
"""Control groups of this machine, of whichever version. test_control_group_guest.py runs this where it is version 2."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import types
import unittest

from penstock_base import processes
from penstock_base.errors import PenstockError
from penstock_functions import control_group

_NAME = f"pst-{os.getpid()}"
_FORKS = """
import os, signal, sys
children = 0
try:
    while children < 100:
        if not os.fork():
            signal.pause()
        children += 1
except BlockingIOError:
    pass
print(children, flush=True)
signal.pause()
"""


def entry(form="container", core=0, scheduling="low"):
    """What of a catalogue function matters here."""
    return types.SimpleNamespace(form=form, core=core, scheduling=scheduling, memory_mb=64, rules=None)


def join(group):
    """As a function does before its program is loaded."""
    processes.join([os.open(path, os.O_WRONLY) for path in control_group.files(group)])


class ControlGroupTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.process = self.directory / "function.process"

    def group(self, scheduling="low", **changes):
        """A group that is removed at the end."""
        group = control_group.plan(_NAME, entry(scheduling=scheduling)) | changes
        self.assertNotIn("missing", group)
        self.addCleanup(control_group.remove, group)
        control_group.make(group, scheduling)
        return group

    def start(self, group, *args):
        pid = processes.start(args, self.process, self.directory / "log",
                              preexec=lambda: join(group))
        self.addCleanup(processes.stop, self.process)
        return pid

    def limits(self, group):
        names = ({"memory": "memory.limit_in_bytes", "pids": "pids.max", "cpuset": "cpuset.cpus"}
                 if group["version"] == 1 else {"memory": "memory.max", "pids": "pids.max", "cpuset": "cpuset.cpus"})
        return {controller: pathlib.Path(group["directories"][controller], name).read_text("ascii").strip()
                for controller, name in names.items()}

    def check_share(self, group, name, value):
        """What the group is told of the processor, where groups share that: with version 2 and its controller cpu."""
        path = pathlib.Path(group["directories"]["cpuset"], name)
        self.assertEqual(path.exists(), group["version"] == 2 and
                         "cpu" in (path.parent.parent / "cgroup.subtree_control").read_text("ascii").split())
        if path.exists():
            self.assertEqual(path.read_text("ascii").strip(), value)

    def assert_gone(self, group):
        self.assertEqual([path for path in group["directories"].values() if pathlib.Path(path).exists()], [])

    def test_process_and_limits(self):
        group = self.group()
        pid = self.start(group, "sleep", "1000")
        own = pathlib.Path(f"/proc/{pid}/cgroup").read_text("ascii").splitlines()
        for controller in group["directories"]:
            names = "" if group["version"] == 2 else controller
            line = next(line for line in own if names in line.split(":")[1].split(","))
            self.assertTrue(line.endswith(f"/{_NAME}"), own)
        self.assertEqual(self.limits(group), {"memory": str(512 << 20), "pids": "256", "cpuset": "0"})
        self.assertEqual(os.sched_getaffinity(pid), {0})
        self.check_share(group, "cpu.weight.nice", "10")
        processes.stop(self.process)
        control_group.remove(group)
        self.assert_gone(group)
        control_group.remove(group)

    def test_idle_and_guest(self):
        """What is idle is not bound to its core, and keeps off those that its starter kept off."""
        own = sorted(os.sched_getaffinity(0))
        self.addCleanup(os.sched_setaffinity, 0, own)
        os.sched_setaffinity(0, own[-1:])
        group = self.group("idle")
        self.assertIsNone(group["core"])
        self.check_share(group, "cpu.idle", "1")
        self.assertEqual(os.sched_getaffinity(self.start(group, "sleep", "1000")), {own[-1]})
        guest = control_group.plan(_NAME, entry("vm", core=None))
        self.assertEqual((guest["memory-mb"], guest["hugepage-mb"]), (64 + 512, 0))

    def test_huge_pages(self):
        """Where the controller is, as in the guest; test_hugepage_limits.py mounts it where it is not."""
        directory = pathlib.Path(self.group()["directories"].get("hugetlb", self.directory))
        self.assertIn({path.read_text("ascii").strip() for path in directory.glob("hugetlb.2MB.*max")},
                      (set(), {str(66 << 20)}))
        self.assertIn({path.read_text("ascii").strip() for path in directory.glob("hugetlb.1GB.*max")}, (set(), {"0"}))

    def test_too_many_processes(self):
        group = self.group(threads=20)
        self.start(group, sys.executable, "-c", _FORKS)
        log = self.directory / "log"
        processes.wait_until(lambda: log.read_text("ascii").endswith("\n"), "the last fork", 120, self.process, log)
        self.assertEqual(int(log.read_text("ascii")), 19)
        subprocess.run(["true"], check=True)
        children = pathlib.Path(group["directories"]["pids"], "cgroup.procs").read_text("ascii").split()
        self.assertEqual(len(children), 20)
        # Nobody has told them to end, and they are not all children of ours.
        control_group.remove(group)
        self.assert_gone(group)
        processes.wait_until(lambda: not processes.is_running(self.process), "their end", 60)

    def test_too_much_memory(self):
        group = self.group(**{"memory-mb": 64})
        take = "data = b'x' * (%d << 20); print(len(data) >> 20)"
        for megabytes, code in ((16, 0), (256, -signal.SIGKILL)):
            with self.subTest(megabytes):
                done = subprocess.run([sys.executable, "-c", take % megabytes], stdout=subprocess.PIPE, check=False,
                                      preexec_fn=lambda: join(group))
                self.assertEqual(done.returncode, code)

    def test_leftovers(self):
        """A group that a crash has left is replaced; one with processes belongs to somebody."""
        group = self.group()
        control_group.make(group, "low")
        self.start(group, "sleep", "1000")
        with self.assertRaisesRegex(PenstockError, f"^control group .*{_NAME}: Device or resource busy"):
            control_group.make(group, "low")
        self.assertTrue(processes.is_running(self.process))

    def test_what_cannot_join_does_not_run(self):
        group = self.group()
        control_group.remove(group)
        with self.assertRaisesRegex(PenstockError, "^sleep could not be given its place"):
            self.start(group, "sleep", "1000")
        self.assertFalse(self.process.exists())


class MachinesTest(unittest.TestCase):
    """Other machines than this one, as /proc shows them, with directories for their control groups."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.top = pathlib.Path(directory.name)
        self.groups = self.top / "cgroup"
        self.groups.mkdir()

    def plan(self, mounts, own=""):
        proc = self.top / "proc"
        proc.mkdir(exist_ok=True)
        (proc / "mountinfo").write_text("".join(f"{line}\n" for line in mounts), encoding="ascii")
        (proc / "cgroup").write_text(own, encoding="ascii")
        return control_group.plan("psf-n-f", entry(), proc)

    def unified(self, controllers):
        (self.groups / "cgroup.controllers").write_text(controllers, encoding="ascii")
        (self.groups / "cgroup.subtree_control").touch()
        return f"30 23 0:26 / {self.groups} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"

    def first(self, controllers, root):
        for controller in controllers:
            (self.groups / controller).mkdir()
        return [f"3{number} 31 0:3{number} {root} {self.groups / controller} rw - cgroup cgroup rw,{controller}"
                for number, controller in enumerate(controllers)]

    def test_version_2(self):
        group = self.plan([self.unified("cpuset cpu io memory hugetlb pids")], "0::/user.slice\n")
        self.assertEqual((group["version"], set(group["directories"].values())), (2, {f"{self.groups}/psf-n-f"}))
        self.assertEqual((self.groups / "cgroup.subtree_control").read_text("ascii"),
                         "+memory +pids +cpuset +hugetlb")

    def test_version_2_without_the_controllers(self):
        group = self.plan([self.unified("hugetlb")], "0::/\n")
        self.assertEqual(group, {"missing": "this machine has no controller memory, pids, cpuset mounted"})

    def test_version_1_in_a_container(self):
        """The mount shows the container's part alone; a group below it is bounded as the container is."""
        mounts = self.first(("memory", "pids", "cpuset"), "/docker/7")
        group = self.plan(mounts, "3:memory:/docker/7/job\n2:pids:/docker/7\n1:cpuset:/\n")
        self.assertIn("memory/job", group["missing"])
        (self.groups / "memory" / "job").mkdir()
        group = self.plan(mounts, "3:memory:/docker/7/job\n2:pids:/docker/7\n1:cpuset:/\n")
        self.assertEqual((group["version"], group["directories"]), (1, {
            name: f"{self.groups}/{path}/psf-n-f" for name, path in (
                ("memory", "memory/job"), ("pids", "pids"), ("cpuset", "cpuset"))}))

    def test_huge_pages_without_their_controller(self):
        group = self.plan([self.unified("cpuset memory pids")], "0::/\n")
        self.assertEqual(set(group["directories"]), {"memory", "pids", "cpuset"})

    def test_huge_pages_of_each_size(self):
        for version, names in ((1, ("limit_in_bytes", "rsvd.limit_in_bytes")), (2, ("max", "rsvd.max"))):
            for amount, allowed in ((64 << 20, 66 << 20), (63 << 20, 66 << 20), (0, 0)):
                for size in ("2MB", "1GB"):
                    for name in names:
                        (self.groups / f"hugetlb.{size}.{name}").write_text("")
                control_group._limit_hugepages(self.groups, version == 1, amount)
                for name in names:
                    with self.subTest(name, amount=amount):
                        self.assertEqual(int((self.groups / f"hugetlb.2MB.{name}").read_text("ascii")), allowed)
                        self.assertEqual(int((self.groups / f"hugetlb.1GB.{name}").read_text("ascii")), 0)

    def test_nothing_to_write_to(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", self.groups], check=True)
        self.addCleanup(subprocess.run, ["umount", self.groups], check=True)
        mounts = [f"3{number} 31 0:3{number} / {self.groups} ro - cgroup cgroup rw,{name}"
                  for number, name in enumerate(("memory", "pids", "cpuset"))]
        group = self.plan(mounts, "1:memory,pids,cpuset:/\n")
        self.assertEqual(group, {"missing": f"{self.groups} cannot be written to"})
        for without in (group, {}):
            control_group.make(without, "idle")
            self.assertEqual(control_group.files(without), [])
            control_group.remove(without)


if __name__ == "__main__":
    unittest.main()
