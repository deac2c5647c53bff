# SPDX-License-Identifier: Apache-2.0
"""A machine of its own for tests that do what a new user does: `./penstock up` in a clean clone, and `down`.

Needs root, all that `up` needs, and a built distribution, which the clone is given. It runs beside anything: in
network, mount and process namespaces of its own, with directories of its own. So whatever is left in them is ours.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from penstock_base import places
from penstock_base.places import ROOT
from penstock_controller import build
from penstock_functions.instance_files import InstanceFiles
from penstock_node.hugepages import HugePages

_NODE = "edge1"
_UP_SECONDS = 900
_SECONDS = 300
"""Of one command: limits for a machine that is busy, not what is expected. A boot that hangs is ended after 90 s."""
_END_SECONDS = 60
"""From the request to end until a command of the machine is killed."""

# The first process of a process namespace inherits all whose parents have ended: bash waits for them.
# Mounts of other tests below /tmp would end with these, in the middle of ours.
_HOLDER = """
findmnt -rn -o TARGET | grep ^/tmp/ | sort -r | while read -r place; do umount --lazy "$place"; done
mount -t tmpfs tmpfs /tmp
mkdir -p /run/netns
while mountpoint -q /run/netns; do umount --recursive --lazy /run/netns; done
mount -t tmpfs tmpfs /run/netns
mount --make-shared /run/netns
ip link set lo up
umask 077
mkdir -p /run/penstock-locks
touch /run/penstock-locks/launcher.running
mount --bind "$1" /run/penstock-locks/launcher.running
umask 022
echo ready
while :; do sleep 3600 & wait $!; done
"""


class Machine:
    """A machine for one user: only that user's processes, network namespaces, mounts and temporary files."""

    def __init__(self, directory):
        self.directory = directory
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")} | {
            f"PENSTOCK_{name}_DIR": str(directory / name.lower()) for name in ("RUN", "STATE", "LOG")}
        # The `up` of another machine of the computer is not in the way of this one. Other locks are the computer's:
        # huge pages, for example.
        launcher = directory / "launcher.running"
        launcher.touch(mode=0o600)
        self._holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation",
             "private", "bash", "-c", _HOLDER, "bash", launcher], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        if self._holder.stdout.readline().strip() != "ready":
            raise AssertionError("no namespaces can be made; is this root?")
        children = pathlib.Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children")
        self._first = children.read_text(encoding="ascii").split()[0]

    def close(self):
        """Ends all processes in it."""
        self._holder.kill()
        self._holder.wait()
        self._holder.stdout.close()

    def words(self, *command, cwd=None):
        """The words that run a command in it."""
        inside = ["nsenter", f"--target={self._first}", "--net", "--mount", "--pid", "--wdns=/", "env", "-C",
                  cwd or self.directory]
        return [str(word) for word in (*inside, *command)]

    def run(self, *command, seconds=_SECONDS, cwd=None):
        """Runs a command as the user. Returns what came of it, with all it printed in one text, in order.

        After `seconds` it is ended, with what it has started, and its exit code is 124. If nsenter alone were ended, it
        would go on, with its locks.
        """
        limited = ("timeout", f"--kill-after={_END_SECONDS}", str(seconds), *command)
        return subprocess.run(self.words(*limited, cwd=cwd), env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=seconds + 2 * _END_SECONDS, check=False)

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
            "control groups": control_groups_below(self.directory),
            "huge pages": pages_added_below(self.directory),
            "files": sorted(str(path) for name in ("run", "state") for path in (self.directory / name).glob("*")),
        }


def control_groups_below(directory):
    """Control groups of functions whose files are below a directory: other edges of the machine have some, too."""
    found = pathlib.Path("/sys/fs/cgroup").glob(f"**/psf-{_NODE}-*")
    return [str(path) for path in found if path.name == InstanceFiles(
        path.name.removeprefix(f"psf-{_NODE}-").rpartition("-")[0], _NODE, directory / "run").control_group_name]


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


class UpCase(unittest.TestCase):
    """A test in a clean clone on a machine of its own."""

    maxDiff = None

    def setUp(self):
        if not build.is_current(build.fingerprint()):
            self.fail("the distribution is not built of these sources: ./penstock test does it first")
        self.addCleanup(os.umask, os.umask(0o022))  # Whatever that of the caller is.
        directory = pathlib.Path(tempfile.mkdtemp(prefix="psu-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, directory)
        directory.chmod(0o755)  # The users of the controller and of Prometheus find their files below.
        self.clone = directory / "clone"
        clean_clone(self.clone)
        self.machine = Machine(directory)
        self.addCleanup(self.machine.close)

    def penstock(self, *arguments, seconds=_UP_SECONDS):
        """The output of a command of the launcher that has to succeed."""
        return self.machine.output(self.clone / "penstock", *arguments, seconds=seconds, cwd=self.clone)

    @contextlib.contextmanager
    def undone(self):
        """`down` after the body, even when it fails: huge pages are the computer's. The first failure is told."""
        try:
            yield
        except BaseException as failure:
            try:
                self.penstock("down")
            except (AssertionError, subprocess.TimeoutExpired) as second:
                failure.add_note(f"and then {second}")
            raise
        self.penstock("down")
