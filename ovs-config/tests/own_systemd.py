# SPDX-License-Identifier: Apache-2.0
"""A systemd of its own for tests of units: the real program, as the first process of a process namespace, with no other
units than those of the test. Nothing of the machine's own systemd, if it has one, is touched."""

import pathlib
import subprocess
import tempfile

import control_groups

# Units that others name; all do nothing. Those of the machine are not read: by its default dependencies a unit would
# have systemd remove all files below /tmp, among other things.
_TARGETS = ("basic", "multi-user", "network", "rescue", "shutdown", "sysinit", "test", "umount")
_BOOT = """\
exec unshare --pid --mount --ipc --cgroup --fork --kill-child /bin/sh -ec '
    mount --make-rprivate /
    mount -t proc proc /proc
    mount --rbind /run /run  # systemd mounts another one where none is mounted.
    mount -t tmpfs tmpfs /run/systemd
    # systemd makes this one read-only, for all that have mounted it.
    [ "$(stat -f -c %T /sys/fs/cgroup)" != tmpfs ] || mount -t tmpfs tmpfs /sys/fs/cgroup
    mount --make-rshared /
    export container=other SYSTEMD_UNIT_PATH={units}
    exec /lib/systemd/systemd --system --unit=test.target --log-target=console --show-status=no \
        --default-standard-output=inherit'
"""


class Systemd:
    """Runs from its making until `close`. network: name of the network namespace to be in."""

    def __init__(self, network):
        self._directory = tempfile.TemporaryDirectory(prefix="ps-", dir="/tmp")
        self.units = pathlib.Path(self._directory.name)
        self.log = self.units / "log"
        for name in _TARGETS:
            (self.units / f"{name}.target").write_text("[Unit]\nDefaultDependencies=no\n", encoding="ascii")
        pathlib.Path("/run/systemd").mkdir(exist_ok=True)
        self._group = self.units.name
        boot = control_groups.join(self._group) + _BOOT.format(units=self.units)
        with self.log.open("wb") as output:
            self._starter = subprocess.Popen(
                # Not by `ip netns exec`, which hides the control groups.
                ["nsenter", f"--net=/run/netns/{network}", "/bin/sh", "-ec", boot], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output)
        try:
            self._pid = self._first()
            self.until(lambda: self.ctl("is-active", "test.target") == "active", "systemd")
        except BaseException:
            self.close()
            raise

    def _first(self):
        """The process id of systemd, from outside. The shell that starts it has other children before."""
        children = pathlib.Path(f"/proc/{self._starter.pid}/task/{self._starter.pid}/children")
        found = []

        def is_there():
            if self._starter.poll() is not None:
                raise AssertionError(f"systemd has ended\n{self.log.read_text(errors='replace')}")
            found[:] = [int(pid) for pid in children.read_text().split() if _name(pid) == "systemd"]
            return found
        self.until(is_there, "its first process")
        return found[0]

    def until(self, condition, what, seconds=180):
        """Waits for something."""
        control_groups.until(condition, what, seconds, lambda: self.log.read_text(errors="replace"))

    def run(self, *words):
        """Runs a program in its namespaces; returns the exit code and all it printed."""
        done = subprocess.run(["nsenter", "--target", str(self._pid), "--mount", "--pid", "--net", "--ipc",
                               *map(str, words)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def ctl(self, *words):
        """What systemctl says."""
        return self.run("systemctl", *words)[1].strip()

    def start(self, unit):
        """Starts a unit; returns when it is started."""
        code, said = self.run("systemctl", "start", unit)
        if code:
            said += self.ctl("status", "--no-pager", unit)
            raise AssertionError(f"{said}\n{self.log.read_text(errors='replace')}")

    def show(self, unit, fact):
        """A property of a unit."""
        return self.ctl("show", "--value", f"--property={fact}", unit)

    def processes(self):
        """{process id as it is outside: command line} of all in it but the first."""
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (path / "ns" / "pid").readlink() == pathlib.Path(f"/proc/{self._pid}/ns/pid").readlink():
                    found[int(path.name)] = (path / "cmdline").read_text(errors="replace").replace("\0", " ")
            except OSError:
                continue
        found.pop(self._pid, None)
        return found

    def close(self):
        """Ends it with all that runs in it."""
        self._starter.kill()
        self._starter.wait()
        control_groups.end(self._group)
        self._directory.cleanup()


def _name(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None  # It has ended.
