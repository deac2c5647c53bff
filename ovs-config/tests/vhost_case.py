# SPDX-License-Identifier: Apache-2.0
"""Instances with memory beside a process that maps what a switch would, for tests without a switch. A real switch and a
real attack are in test_hostile_peer.py of service-chains."""

import json
import mmap
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from penstock_base import processes
from penstock_node import user_ids, user_processes
from penstock_node.peers import Peers

LENGTH = 64 << 10
USERS = 0x71000000 + os.getpid() % 100000 * 64
# Maps each file of its arguments, says so, and reads what comes: then the first byte of each file.
_SWITCH = """
import mmap, os, sys
maps = []
for line in sys.stdin:
    word, *paths = line.split()
    if word == "touch":
        for each in maps:
            each[0]
    if word == "unmap":
        maps.clear()
    for path in paths:
        file = os.open(path, os.O_RDWR)
        maps.append(mmap.mmap(file, os.fstat(file).st_size))
        os.close(file)
    print("done", flush=True)
"""


class Switch:
    """A process that maps files as the switch does."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, "-c", _SWITCH], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.pid = self.process.pid

    def do(self, word, *paths):
        print(word, *paths, file=self.process.stdin, flush=True)
        return self.process.stdout.readline()

    def end(self, number=signal.SIGKILL):
        """Ends it by a signal, as if it had died of it."""
        self.process.send_signal(number)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        return number


class VhostCase(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.addCleanup(directory.cleanup)
        place = pathlib.Path(directory.name)
        # Users of its own: all processes of one are killed, and another test may have one of the same number.
        for patch in (mock.patch.dict(os.environ, PENSTOCK_LOCK_DIR=str(place / "locks")),
                      mock.patch.multiple(user_ids, _FIRST=USERS, _LAST=USERS + 63)):
            patch.start()
            self.addCleanup(patch.stop)
        self.node = place / "edge"
        self.vhost = self.node / "vhost"
        self.vhost.mkdir(parents=True)
        self.log = self.node / "ovs-vswitchd.log"
        self.log.touch()
        self.switches, self.memories = [], {}
        self.addCleanup(lambda: [switch.end() for switch in self.switches if switch.process.poll() is None])
        self.switch()

    def switch(self):
        """The next process."""
        self.current = Switch()
        self.switches.append(self.current)
        return self.current

    def memory(self, uid):
        """Memory that belongs to a user; returns a path that leads to it."""
        descriptor = os.memfd_create("memory")
        self.addCleanup(os.close, descriptor)
        os.write(descriptor, b"x" * LENGTH)
        os.fchown(descriptor, uid, uid)
        return pathlib.Path(f"/proc/{os.getpid()}/fd/{descriptor}")

    def instance(self, name, runs=False):
        """An instance with memory; returns the path to it."""
        directory = self.node / "functions" / name
        own = directory / "own"
        own.mkdir(parents=True)
        (directory / "state.json").write_text(json.dumps({"function": "forwarder", "form": "container",
                                                          "vhost_user_directory": str(self.vhost)}))
        uid = user_ids.take(str(directory.absolute()))
        memory = self.memory(uid)
        self.memories[name] = memory
        Peers(self.node).join(name)
        if runs:
            child = subprocess.Popen(["setpriv", f"--reuid={uid}", "--clear-groups", "sh", "-c",
                                      "sleep 60 & exec sleep 60"])
            self.addCleanup(child.wait)
            self.addCleanup(Peers(self.node).kill, name)
            processes.record(child.pid, directory / "testpmd.process")
            processes.wait_until(lambda: len(user_processes.find({uid})) == 2, "its processes", 60)
        return memory

    def links(self):
        return sorted(path.name for path in self.vhost.iterdir())

    def says(self, name, text="read message VHOST_USER_SET_MEM_TABLE"):
        with self.log.open("a") as log:
            log.write(f"2026-01-01T00:00:00.000Z|00100|dpdk|INFO|VHOST_CONFIG: ({self.vhost}/{name}-in.sock) {text}\n")


def refill(memory, length):
    os.truncate(memory, length)
    with memory.open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        content.write(b"x" * length)
