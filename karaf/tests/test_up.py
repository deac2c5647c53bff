# SPDX-License-Identifier: Apache-2.0
"""What a new user does: `./penstock up` in a clean clone, every command of the documents, `./penstock down`.

Needs root, all that `up` needs, and a built distribution, which the clone is given. It runs beside anything: in
network, mount and process namespaces of its own, with directories of its own. So whatever is left in them is ours.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import pytest

from penstock_base import places
from penstock_base.places import ROOT
from penstock_controller import build
from penstock_node.hugepages import HugePages

pytestmark = pytest.mark.up

_UP_SECONDS = 400
"""Of one command. A boot that hangs is ended after 90 s."""
_DOCUMENTS_SECONDS = 900
_BACK_SECONDS = 120

# The first process of a process namespace inherits all whose parents have ended: bash waits for them.
_HOLDER = """
mount -t tmpfs tmpfs /tmp
mkdir -p /run/netns
while mountpoint -q /run/netns; do umount --recursive --lazy /run/netns; done
mount -t tmpfs tmpfs /run/netns
mount --make-shared /run/netns
ip link set lo up
echo ready
while :; do sleep 3600 & wait $!; done
"""


class Machine:
    """A machine for one user: only that user's processes, network namespaces, mounts and temporary files."""

    def __init__(self, directory):
        self.directory = directory
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")} | {
            f"PENSTOCK_{name}_DIR": str(directory / name.lower()) for name in ("RUN", "STATE", "LOG")}
        self._holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation",
             "private", "bash", "-c", _HOLDER], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self._holder.stdout.readline().strip() != "ready":
            raise AssertionError("no namespaces can be made; is this root?")
        children = pathlib.Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children")
        self._first = children.read_text(encoding="ascii").split()[0]

    def close(self):
        """Ends all processes in it."""
        self._holder.kill()
        self._holder.wait()
        self._holder.stdout.close()

    def run(self, *command, seconds=60, cwd=None):
        """Runs a command as the user. Returns what came of it, with all it printed in one text, in order."""
        inside = ["nsenter", f"--target={self._first}", "--net", "--mount", "--pid", "--wdns=/", "env", "-C",
                  cwd or self.directory]
        return subprocess.run([str(word) for word in (*inside, *command)], env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=seconds, check=False)

    def output(self, *command, **options):
        """What a command prints that has to succeed."""
        done = self.run(*command, **options)
        if done.returncode:
            raise AssertionError(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-6000:]}")
        return done.stdout

    def processes(self):
        """Process ids and command lines, but for the holder's and the one that asks."""
        lines = self.output("ps", "-e", "-o", "pid=,args=").splitlines()
        return sorted(line.strip() for line in lines if not any(word in line for word in (
            "ps -e -o", "sleep 3600", "mount -t tmpfs", "<defunct>")))

    def traces(self):
        """What a run could leave behind, by kind."""
        return {
            "processes": self.processes(),
            "namespaces": self.output("ip", "netns", "list").splitlines(),
            "devices": self.output("ip", "-o", "-br", "link").splitlines(),
            "addresses": self.output("ip", "-o", "address").splitlines(),
            "mounts": self.output("findmnt", "-rn", "-o", "TARGET").splitlines(),
            # Each Java makes a directory for its counters, and leaves it for the next one.
            "temporary files": sorted(self.output("ls", "-A", "-I", "hsperfdata_*", "/tmp").splitlines()),
            "shared memory": [name for name in self.output("ls", "-A", "/dev/shm").split() if "penstock" in name],
            "control groups": [str(path) for path in pathlib.Path("/sys/fs/cgroup").glob("**/*penstock*edge1*")],
            "huge pages": pages_added_below(self.directory),
            "files": sorted(str(path) for name in ("run", "state") for path in (self.directory / name).glob("*")),
        }


def pages_added_below(directory):
    """Owners of huge pages in the ledger of the machine whose files are below a directory."""
    return [owner for owner in HugePages().owners() if str(directory) in owner]


def clean_clone(target):
    """The files of the tree as they are now, without what builds made, but with the distribution."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    ours = target / places.ASSEMBLY.relative_to(ROOT)
    ours.parent.mkdir(parents=True)
    shutil.copytree(places.ASSEMBLY, ours, symlinks=True)
    shutil.copy(places.BUILD_STAMP, target / places.BUILD_STAMP.relative_to(ROOT))


class UserTest(unittest.TestCase):
    """One test: each step needs what the one before has left."""

    maxDiff = None

    def setUp(self):
        if not build.is_current(build.fingerprint()):
            self.fail("the distribution is not built of these sources: ./penstock test does it first")
        directory = pathlib.Path(tempfile.mkdtemp(prefix="psu-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, directory)
        directory.chmod(0o755)  # The controller's user finds its files below.
        self.clone = directory / "clone"
        clean_clone(self.clone)
        self.machine = Machine(directory)
        self.addCleanup(self.machine.close)

    def penstock(self, *arguments, seconds=_UP_SECONDS):
        return self.machine.output(self.clone / "penstock", *arguments, seconds=seconds, cwd=self.clone)

    def switch_state(self):
        """What a second `up` must not change: processes, and when the youngest flow came."""
        return [line for line in self.machine.processes()
                if any(word in line for word in ("ovs-vswitchd", "ovsdb-server", "org.apache.karaf", "testpmd"))]

    def test_up_documents_down(self):
        before = self.machine.traces()
        self.assertEqual(before["processes"], [])
        with self.undone():
            self.assertIn("Penstock is up (", self.penstock("up"))
            self.sees_that_it_works()
            self.sees_that_a_second_up_changes_nothing()
            self.sees_that_it_comes_back()
            self.follows_the_documents()
        self.assertEqual(self.machine.traces(), before)
        self.assertEqual(self.machine.run(self.clone / "penstock", "status", "--json").returncode, 3)
        # Nothing is taken away twice, and that is no error.
        self.penstock("down")
        self.assertEqual(self.machine.traces(), before)

    @contextlib.contextmanager
    def undone(self):
        """`down` after the body, even when it fails: huge pages are the machine's."""
        try:
            yield
        finally:
            self.penstock("down")

    def sees_that_it_works(self):
        state = json.loads(self.penstock("status", "--json"))
        self.assertEqual([(node["name"], node["connected"]) for node in state["nodes"]], [("edge1", True)])
        flows = state["nodes"][0]["flows"]
        self.assertGreater(flows["planned"], 0)
        self.assertEqual(flows, {"planned": flows["planned"], "installed": flows["planned"], "missing": 0, "excess": 0,
                                 "wrong": 0})
        self.assertEqual([(tenant["name"], tenant["state"]) for tenant in state["tenants"]],
                         [("blue", "active"), ("green", "active"), ("red", "active")])
        # What `up` has printed as the first thing to try.
        self.assertIn(" 0% packet loss", self.machine.output(
            "ip", "netns", "exec", "psl-red", "ping", "-c", "3", "-i", "0.2", "198.51.100.10"))

    def sees_that_a_second_up_changes_nothing(self):
        before = self.switch_state()
        self.assertEqual(len(before), len(set(before)))
        self.assertGreaterEqual(len(before), 4)
        host = self.clone / "docs" / "examples" / "host"
        self.machine.output(host, "add", "visitor", "400", "10.40.0.10/24", "10.40.0.1")
        self.assertIn("Penstock is up already; nothing changed", self.penstock("up"))
        self.assertEqual(self.switch_state(), before)
        database = f"--db=unix:{self.machine.directory}/run/edge1/db.sock"
        trunks = self.machine.output("ovs-vsctl", database, "get", "Port", "cust", "trunks")
        self.assertIn("400", trunks, "the VLAN of a host that was added")
        self.machine.output(host, "remove", "visitor")

    def sees_that_it_comes_back(self):
        """All processes are killed, and another time stopped: no person has to do anything."""
        for signal in ("KILL", "STOP"):
            before = self.pids()
            self.machine.output("kill", f"-{signal}", *before.values())
            deadline = time.monotonic() + _BACK_SECONDS
            while signal == "KILL" and set(self.pids().values()) & set(before.values()):
                self.assertLess(time.monotonic(), deadline, self.pids())
                time.sleep(0.5)
            while True:
                try:
                    self.sees_that_it_works()
                    break
                except AssertionError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(1)
            if signal == "STOP":
                self.assertEqual(self.pids(), before)
        self.assertIn("Penstock is up already; nothing changed", self.penstock("up"))

    def pids(self):
        """Process ids of what is supervised, but for the watches, by name."""
        files = {"controller": ".controller/controller", **{name: f"edge1/{name}" for name in (
            "ovsdb-server", "ovs-vswitchd", "agent", "functions-agent")}}
        return {name: (self.machine.directory / "run" / f"{path}.process").read_text(encoding="ascii").split()[0]
                for name, path in files.items()}

    def follows_the_documents(self):
        ran = self.machine.output(self.clone / "docs" / "run-docs", "--against-running", seconds=_DOCUMENTS_SECONDS,
                                  cwd=self.clone)
        with_blocks = [str(path.relative_to(self.clone)) for path in (
            *self.clone.glob("*.md"), *self.clone.glob("docs/*.md"), *self.clone.glob("*/README.md"))
            if "```sh test=" in path.read_text(encoding="utf-8")]
        self.assertGreater(len(with_blocks), 10)
        for document in with_blocks:
            self.assertRegex(ran, rf"(?m)^{document}: [1-9][0-9]* blocks$")
        # They leave the network as they found it.
        self.sees_that_it_works()


if __name__ == "__main__":
    unittest.main()
