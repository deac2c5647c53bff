# SPDX-License-Identifier: Apache-2.0
"""A Debian 12 with systemd, for tests of packages: its root is a layer over one that stays in a cache, its network is
its own, and its huge pages are in the ledger of this machine. Needs root, and apt-get for the first time."""

import atexit
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import control_groups
from penstock_base import exclusive, locks
from penstock_base.commands import run

_CACHE = pathlib.Path(os.environ.get("PENSTOCK_CACHE_DIR") or "/var/cache/penstock") / "debian"
_TOOLS = ("apt", "bash-completion", "curl", "dbus", "ethtool", "iproute2", "iputils-ping", "procps", "systemd",
          "systemd-sysv")
"""What a server has beside Debian's smallest system, for us to look into it."""
_BOOT = """\
exec systemd-nspawn --quiet --register=no --keep-unit --directory={root} --boot \
    --private-network --capability=all --system-call-filter='@memlock @resources keyctl add_key bpf perf_event_open' \
    --bind=/dev/net/tun --bind={locks} {binds}
"""


def base(packages, others=()):
    """The root that machines are layers of, with what these packages need, and others, in apt's cache. Made once."""
    needs = sorted({name for package in packages for name in _depends(package)} | set(others))
    name = hashlib.sha256(repr((_TOOLS, needs)).encode()).hexdigest()[:16]
    root = _CACHE / name
    with exclusive.alone("debian", "the base of test machines", wait=True):
        if not root.exists():
            partial = _CACHE / f".{name}"
            shutil.rmtree(partial, ignore_errors=True)
            _CACHE.mkdir(parents=True, exist_ok=True)
            fetch = f"apt-get install --yes --download-only --no-install-recommends {' '.join(needs)}"
            run("mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(_TOOLS)}", "--skip=cleanup/apt",
                f"--customize-hook=chroot \"$1\" {fetch}", "bookworm", partial, timeout_seconds=900)
            partial.rename(root)
    return root


def _depends(package):
    """Names of the other packages that one needs."""
    for alternatives in run("dpkg-deb", "--field", package, "Depends").split(","):
        name = re.split(r"[ :|(]", alternatives.strip())[0]
        if not name.startswith("penstock"):
            yield name


class Machine:
    """Runs from its making until `close`.

    root:  its root is a layer over that; that of `base`, or of `close`
    shown: folders of this machine, by their paths there
    """

    def __init__(self, root, shown):
        self._directory = pathlib.Path(tempfile.mkdtemp(prefix="psd-", dir="/var/tmp"))
        self.root, self.log = self._directory / "root", self._directory / "log"
        self._below = root
        self._upper, work = self._directory / "upper", self._directory / "work"
        for path in (self.root, self._upper, work):
            path.mkdir()
        run("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={root},upperdir={self._upper},workdir={work}",
            self.root)
        self._group = self._directory.name
        boot = control_groups.join(self._group) + _BOOT.format(
            root=self.root, locks=locks.lock_directory(),
            binds=" ".join(f"--bind-ro={path}:{there}" for there, path in shown.items()))
        with self.log.open("wb") as output:
            self._starter = subprocess.Popen(
                ["/bin/sh", "-ec", boot], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=dict(os.environ) | {"SYSTEMD_NSPAWN_API_VFS_WRITABLE": "yes"})
        self._pid = None
        atexit.register(self.close)  # Also after an interrupt.
        try:
            self.until(self._booted, "its systemd", 360)
        except BaseException:
            self.close()
            raise

    def _booted(self):
        if self._starter.poll() is not None:
            raise AssertionError(f"it has ended\n{self.log.read_text(errors='replace')}")
        children = pathlib.Path(f"/proc/{self._starter.pid}/task/{self._starter.pid}/children").read_text().split()
        if not children:
            return False
        self._pid = int(children[0])
        return self.run("systemctl", "is-system-running")[1].strip() in {"running", "degraded"}

    @property
    def pid(self):
        """Of its first process, in the numbers of this machine: a cable into its network is plugged by it."""
        return self._pid

    def until(self, condition, what, seconds=180):
        """Waits for something; returns it."""
        return control_groups.until(condition, what, seconds, lambda: self.log.read_text(errors="replace"))

    def words(self, *words):
        """The command line, here, of a program there."""
        return ["nsenter", f"--target={self._pid}", "--all", "--wdns=/root", "env", "-i", "LANG=C.UTF-8", "HOME=/root",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", *map(str, words)]

    def run(self, *words, text=None):
        """Runs a program; returns the exit code and all it printed."""
        done = subprocess.run(self.words(*words), input=text, stdin=None if text else subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def ok(self, *words, text=None):
        """Runs a program that has to succeed; returns what it printed."""
        code, said = self.run(*words, text=text)
        if code:
            journal = self.run("journalctl", "--no-pager", "--output=cat", "--lines=60")[1]
            raise AssertionError(f"{words}: exit code {code}\n{said}\nThe end of its journal:\n{journal}")
        return said

    def close(self, kept=None):
        """Ends it with all that runs in it, and removes its files. kept: a path, on the file system of /var/tmp, for
        what it has changed; the root that is returned has that, for further machines."""
        atexit.unregister(self.close)
        self._starter.kill()
        self._starter.wait()
        control_groups.end(self._group)
        run("umount", self.root)
        if kept:
            self._upper.rename(kept)
        shutil.rmtree(self._directory)
        return f"{kept}:{self._below}" if kept else None
