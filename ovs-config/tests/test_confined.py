# SPDX-License-Identifier: Apache-2.0
"""A confined program, with no node around it. Needs root."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

import pytest

from penstock_base import namespaces
from penstock_node import user_ids
from penstock_node.confined import Confinement

pytestmark = pytest.mark.hostile

_USER = 0x7002FFF0
_DELETE_ELSEWHERE = """
import socket, struct, sys
pid, index = map(int, sys.argv[1:])
link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
def ask(kind, body):
    link.send(struct.pack("=IHHII", 16 + len(body), kind, 5, 1, 0) + body)
    return struct.unpack_from("=i", link.recv(4096), 16)[0]
def number(kind, value):
    return struct.pack("=HHI", 8, kind, value)
named = ask(88, bytes(4) + number(1, 7) + number(2, pid))  # RTM_NEWNSID with NETNSA_NSID and NETNSA_PID
deleted = ask(17, struct.pack("=BBHiII", 0, 0, 0, index, 0, 0) + number(46, 7))  # RTM_DELLINK, IFLA_TARGET_NETNSID
print("refused" if deleted else "done", named, deleted)
"""
"""Deletes a device of another process's network namespace."""
_TAKE_HUGE_PAGES = """
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
def attempt(take):
    try:
        return take()
    except OSError as error:
        return os.strerror(error.errno)
def shared():
    number = libc.shmget(0, 2 << 20, 0o1000 | 0o4000 | 0o600)
    if number < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    libc.shmctl(number, 0, None)
# None of them touches a page.
print(attempt(lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000) and None))
print(attempt(lambda: os.close(os.memfd_create("pages", os.MFD_HUGETLB))))
print(attempt(shared))
print(attempt(lambda: os.close(os.memfd_create("memory"))))
"""
"""Asks for huge pages in all ways, then for ordinary memory."""


class ConfinedTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.own = self.directory / "own"
        self.own.mkdir(mode=0o700)
        os.chown(self.own, _USER, _USER)

    def run_confined(self, *command, **fields):
        rights = Confinement(**({"uid": _USER, "writable": ((self.own, "/run/there"),)} | fields))
        done = subprocess.run([*rights.words, *command], capture_output=True, text=True, check=False,
                              env=dict(os.environ) | {"SECRET": "secret", "OVS_RUNDIR": "/run/there"})
        return done.stdout + done.stderr

    def test_it_writes_to_its_directory_alone(self):
        self.run_confined("sh", "-c", "echo said > /run/there/file")
        self.assertEqual((self.own / "file").read_text(), "said\n")
        for path in ("/file", "/usr/file", "/etc/cron.d/file", "/dev/file", "/proc/sys/kernel/core_pattern",
                     "/sys/file", self.directory / "file"):
            with self.subTest(path):
                self.assertRegex(self.run_confined("sh", "-c", f"echo said > {path}"),
                                 "Permission denied|Read-only file system|nonexistent")
        self.assertEqual(self.run_confined("ls", "/"), "bin\ndev\netc\nlib\nlib64\nproc\nrun\nsbin\nsys\ntmp\nusr\n")

    def test_it_has_no_rights_and_sees_no_others(self):
        said = self.run_confined("sh", "-c", "cat /proc/self/status; env; ls /proc")
        self.assertEqual([line.split()[1] for line in said.splitlines() if line.startswith("Cap")], ["0" * 16] * 5)
        self.assertIn(f"Uid:\t{_USER}\t", said)
        self.assertIn("NoNewPrivs:\t1", said)
        self.assertNotIn("SECRET", said)
        self.assertIn("OVS_RUNDIR=/run/there", said)
        self.assertNotIn("\n1\n", said, "process 1")

    def test_calls_that_lead_elsewhere_are_refused(self):
        for command in ("ln -s /etc /run/there/link", "ln /run/there/link /run/there/other", "unshare --user true",
                        "mount -t tmpfs none /run/there"):
            with self.subTest(command):
                self.assertRegex(self.run_confined(*command.split()), "not permitted|superuser|failed to access")
        self.assertFalse((self.own / "link").is_symlink())

    def test_kept_capabilities_and_readable_files(self):
        (self.directory / "told").write_text("told")
        said = self.run_confined("sh", "-c", f"cat {self.directory}/told; grep CapEff /proc/self/status",
                                 readable=(str(self.directory / "told"),), capabilities=("net_admin",))
        self.assertEqual(said, f"toldCapEff:\t{1 << 12:016x}\n")

    def test_huge_pages_are_of_those_that_need_them(self):
        attempt = ("/usr/bin/python3", "-c", _TAKE_HUGE_PAGES)
        self.assertEqual(self.run_confined(*attempt).splitlines(), 3 * ["Operation not permitted"] + ["None"])
        said = self.run_confined(*attempt, huge_pages=True).splitlines()
        self.assertEqual(said[1], "None")
        self.assertNotIn("Operation not permitted", [said[0], said[3]])

    def test_a_right_over_networks_ends_at_its_own(self):
        own, other = f"pst{os.getpid()}-own", f"pst{os.getpid()}-other"
        self.addCleanup(namespaces.delete, own)
        self.addCleanup(namespaces.delete, other)
        namespaces.create(own, _USER)
        namespaces.create(other)
        victim = subprocess.Popen(["nsenter", f"--net=/run/netns/{other}", "sleep", "100"])
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        namespaces.add_veth("there0", other, "there1", other)
        index = json.loads(namespaces.execute(other, "ip", "-j", "link", "show", "there0"))[0]["ifindex"]

        def attempt(*command):
            return self.run_confined(*command, namespace=own, capabilities=("net_admin",), devices=("net/tun",))
        self.assertEqual(attempt("sh", "-c", "ip tuntap add dev own0 mode tap && ip link set own0 up && echo done"),
                         "done\n")
        self.assertIn("not permitted", attempt("ip", "link", "add", "near0", "type", "veth", "peer", "name", "far0",
                                               "netns", str(victim.pid)))
        self.assertIn("refused", attempt("/usr/bin/python3", "-c", _DELETE_ELSEWHERE, str(victim.pid), str(index)))
        self.assertTrue(namespaces.link_exists("there0", other))
        self.assertFalse(namespaces.link_exists("far0", other))
        said = attempt("sh", "-c", "cat /proc/self/status; unshare --user true")
        self.assertEqual([line.split()[1] for line in said.splitlines() if line.startswith("Cap")],
                         [f"{1 << 12:016x}"] * 5)
        self.assertIn(f"Uid:\t{_USER}\t{_USER}\t{_USER}\t{_USER}\n", said)
        self.assertIn("NoNewPrivs:\t1", said)
        self.assertIn("Seccomp:\t2", said)
        self.assertIn("unshare failed", said)

    def test_root_without_capabilities_reaches_nothing_more(self):
        said = self.run_confined("sh", "-c", "echo said > /proc/sys/kernel/core_pattern; ls /proc/1/root", uid=0,
                                 hides=False)
        self.assertRegex(said, "Read-only file system(?s:.*)Permission denied")


class UserIdsTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        patched = unittest.mock.patch.dict(os.environ, {"PENSTOCK_LOCK_DIR": str(self.directory / "locks")})
        patched.start()
        self.addCleanup(patched.stop)

    def owner(self, name):
        (self.directory / name).mkdir(exist_ok=True)
        return str(self.directory / name)

    def test_each_has_a_user_of_its_own_until_it_gives_it_back(self):
        first, second = user_ids.take(self.owner("a")), user_ids.take(self.owner("b"))
        self.assertNotEqual(first, second)
        self.assertEqual(user_ids.take(self.owner("a")), first)
        user_ids.give_back(self.owner("a"))
        self.assertEqual(user_ids.take(self.owner("c")), first)
        (self.directory / "b").rmdir()
        self.assertEqual(user_ids.take(self.owner("d")), second, "b has gone without a word")
        self.assertGreater(first, user_ids.resolver(65535))


if __name__ == "__main__":
    unittest.main()
