# SPDX-License-Identifier: Apache-2.0
"""Runs a program with the least rights: a user of its own, a file system of its own, few system calls (docs/adr/0044).

`Confinement.words` are put before a command. They run this file as a program, which makes the mount namespace, loads
the filter of system calls, and becomes the command by way of setpriv. The process id stays the same all the way.
"""

import ctypes
import dataclasses
import errno
import fcntl
import json
import os
import pathlib
import resource
import struct
import sys
import typing

from penstock_base import processes

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/ssl/openssl.cnf")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_NEWNS, _NEWUSER, _NEWNET = 0x00020000, 0x10000000, 0x40000000
_OWNER_OF_NAMESPACE = 0xb701  # NS_GET_USERNS, ioctl_ns(2)
_CAPABILITIES = {"net_admin": 12, "net_raw": 13}
_LAST_CAPABILITY, _CAPABILITY_VERSION = 63, 0x20080522  # linux/capability.h
_DROP_BOUNDING, _NO_NEW_PRIVILEGES, _AMBIENT, _RAISE = 24, 38, 47, 2  # prctl(2)
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DETACH = 2
_QUIET = _NOSUID | _NODEV | _NOEXEC
_OLD = pathlib.Path("/old")
_HUGEPAGES = (("mmap", 3, 0x40000), ("memfd_create", 1, 4), ("shmget", 2, 0o4000))
"""Calls that take huge pages, the place of their flags, and MAP_HUGETLB, MFD_HUGETLB, SHM_HUGETLB."""
_NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
_REFUSED = (
    # Links would lead root, who connects to sockets and removes files here, elsewhere.
    "symlink", "symlinkat", "link", "linkat",
    "mount", "umount2", "pivot_root", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "mount_setattr", "unshare", "setns", "ptrace", "process_vm_readv", "process_vm_writev", "kexec_load",
    "kexec_file_load", "init_module", "finit_module", "delete_module", "bpf", "perf_event_open", "userfaultfd",
    "add_key", "request_key", "keyctl", "open_by_handle_at", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "swapon", "swapoff", "reboot", "acct", "quotactl", "syslog")


@dataclasses.dataclass(frozen=True)
class Confinement:
    """What a program may do.

    uid:          its user and group; both need no name
    writable:     pairs of a directory and the path at which the program sees it, with the right to write
    readable:     files and directories that it sees at their own paths, read only
    devices:      names below /dev, beside the harmless ones, that it may open
    capabilities: names, as setpriv has them; those of a user that has a network namespace count there alone
    groups:       further groups
    namespace:    name of the network namespace to run in; None for that of the caller
    joins:        files cgroup.procs of the control groups that it joins
    nice:         its precedence, as of processes.take_place; None for that of the caller
    hides:        whether the processes of other users are invisible to it
    umask:        of its files
    huge_pages:   whether it may take huge pages, for which Linux asks no right: those of the switch are among them
    It also sees the system's programs and libraries, and nothing else of the machine.
    """
    uid: int
    writable: tuple[tuple[pathlib.Path, pathlib.Path], ...] = ()
    readable: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()
    namespace: str | None = None
    joins: tuple[str, ...] = ()
    nice: int | None = None
    hides: bool = True
    huge_pages: bool = False
    umask: int = 0o027

    @property
    def words(self) -> list[str]:
        """The words before the command. Who runs them needs CAP_SYS_ADMIN and what the fields name."""
        text = json.dumps(dataclasses.asdict(self), default=str, separators=(",", ":"))
        home = pathlib.Path(__file__).resolve().parents[1]
        return ["env", f"PYTHONPATH={home}", "/usr/bin/python3", "-B", "-m", "penstock_node.confined", text]


def main() -> None:
    """Takes away rights and becomes the command of the arguments."""
    confinement = Confinement(**json.loads(sys.argv[1]))
    os.umask(0o022)
    joined = [os.open(path, os.O_WRONLY | os.O_CLOEXEC) for path in confinement.joins]  # Hidden from here on.
    root = _Root(confinement)
    owner = root.enter_network()
    root.make()
    os.chdir("/")
    os.umask(confinement.umask if confinement.uid else 0o022)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Of the environment only what is meant for it: it may hold the secrets of who has started this.
    environment = {key: value for key, value in os.environ.items() if key.startswith(("OVS_", "PENSTOCK_"))}
    environment |= {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
    calls = _calls(confinement.huge_pages)
    # Last: where polling threads of the switch have the core, all of the above would take seconds.
    processes.join(joined)
    if confinement.nice is not None:
        processes.take_place(confinement.nice)
    if owner is None:
        calls.load()
        os.execve("/usr/bin/setpriv", _rights(confinement) + sys.argv[2:], environment)
    _become_owner(confinement, owner)
    calls.load()
    os.execvpe(sys.argv[2], sys.argv[2:], environment)


def _rights(confinement: Confinement) -> list[str]:
    """setpriv with its options."""
    kept = ",".join(["-all", *(f"+{name}" for name in confinement.capabilities)])
    groups = (f"--groups={','.join(map(str, confinement.groups))}" if confinement.groups else "--clear-groups")
    uid = confinement.uid
    user = [f"--reuid={uid}", f"--regid={uid}", f"--inh-caps={kept}", f"--ambient-caps={kept}"] if uid else [
        "--inh-caps=-all"]
    return ["setpriv", *user, groups, f"--bounding-set={kept}", "--no-new-privs"]


def _become_owner(confinement: Confinement, owner: int) -> None:
    """Becomes the user, in the user namespace to which its network belongs, with its capabilities there alone."""
    libc = ctypes.CDLL(None, use_errno=True)
    uid, wanted = confinement.uid, {_CAPABILITIES[name] for name in confinement.capabilities}
    bits = sum(1 << number for number in wanted)

    def check(result: int, what: str) -> None:
        if result:
            raise SystemExit(f"{what}: {os.strerror(ctypes.get_errno())}")
    check(libc.setns(owner, _NEWUSER), "the user namespace")
    os.setgroups(confinement.groups)
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    for number in range(_LAST_CAPABILITY + 1):
        if number not in wanted:
            libc.prctl(_DROP_BOUNDING, number, 0, 0, 0)
    check(libc.capset(struct.pack("=Ii", _CAPABILITY_VERSION, 0), struct.pack("=6I", bits, bits, bits, 0, 0, 0)),
          "capabilities")
    for number in wanted:
        check(libc.prctl(_AMBIENT, _RAISE, number, 0, 0), "ambient capabilities")
    check(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")


def _calls(huge_pages: bool) -> typing.Any:
    import seccomp  # noqa: PLC0415  (only the program needs it)
    refused = seccomp.ERRNO(errno.EPERM)
    calls = seccomp.SyscallFilter(defaction=seccomp.ALLOW)
    for name in _REFUSED:
        if seccomp.resolve_syscall(seccomp.Arch(), name) >= 0:
            calls.add_rule(refused, name)
    for flag in _NAMESPACES:
        calls.add_rule(refused, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    for name, place, flag in () if huge_pages else _HUGEPAGES:
        calls.add_rule(refused, name, seccomp.Arg(place, seccomp.MASKED_EQ, flag, flag))
    # Its flags are in memory, where no filter can look; the C library takes clone instead.
    calls.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    return calls


class _Root:
    """The file system of the program: a new one in memory, into which the parts are mounted."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        # Before the root is another one, where a link to an absolute path would lead elsewhere.
        self._real = {str(path): os.path.realpath(str(path)) for path in (
            *confinement.readable, *_SETTINGS, *(source for source, _ in confinement.writable))}
        self._libc = ctypes.CDLL(None, use_errno=True)

    def enter_network(self) -> int | None:
        """Changes to the network namespace. Returns the user namespace that a user's capabilities need, if any."""
        if not self._confinement.namespace:
            return None
        with open(f"/run/netns/{self._confinement.namespace}", encoding="ascii") as file:
            self._check(self._libc.setns(file.fileno(), _NEWNET), "the network namespace")
            # Those of root are in the initial one.
            needed = self._confinement.uid and self._confinement.capabilities
            return fcntl.ioctl(file.fileno(), _OWNER_OF_NAMESPACE) if needed else None

    def make(self) -> None:
        """Makes it and leaves the former one, in a mount namespace of this process."""
        self._check(self._libc.unshare(_NEWNS), "a mount namespace")
        self._mount("none", "/", None, _REC | _PRIVATE)
        # The former /tmp is found again below /old, since the new root only passes through its place.
        self._mount("penstock", "/tmp", "tmpfs", _NOSUID, "mode=755,size=1m")  # noqa: S108
        pathlib.Path("/tmp/old").mkdir(mode=0o700)  # noqa: S108
        self._check(self._libc.pivot_root(b"/tmp", b"/tmp/old"), "pivot_root")
        os.chdir("/")
        for path in _SYSTEM:
            self._system(path)
        pathlib.Path("/tmp").mkdir()  # noqa: S108
        self._mount("penstock", "/tmp", "tmpfs", _QUIET, "mode=1777,size=4m")  # noqa: S108
        for path in (*_SETTINGS, *self._confinement.readable):
            if (_OLD / self._real[str(path)][1:]).exists():
                self._bind(path, path, _RDONLY | _NOSUID | _NODEV)
        self._devices()
        pathlib.Path("/proc").mkdir()
        self._mount("proc", "/proc", "proc", _QUIET, "hidepid=2" if self._confinement.hides else None)
        # Their files ask for user 0, or for its right to write any file, not for a capability of their own.
        for name in ("sys", "sysrq-trigger", "acpi", "bus", "fs", "irq", "mtrr", "scsi"):
            if pathlib.Path(f"/proc/{name}").exists():
                self._mount(f"/proc/{name}", f"/proc/{name}", None, _BIND)
                self._mount("none", f"/proc/{name}", None, _REMOUNT | _BIND | _QUIET | _RDONLY)
        pathlib.Path("/sys").mkdir()
        self._mount("sysfs", "/sys", "sysfs", _QUIET | _RDONLY)
        for source, target in self._confinement.writable:
            self._bind(source, target, _QUIET)
        self._check(self._libc.umount2(b"/old", _DETACH), "leaving the former root")
        pathlib.Path("/old").rmdir()
        self._mount("none", "/", None, _REMOUNT | _BIND | _RDONLY | _NOSUID)

    def _system(self, path: str) -> None:
        former = _OLD / path[1:]
        if former.is_symlink():
            pathlib.Path(path).symlink_to(os.readlink(former))
        elif former.is_dir():
            self._bind(path, path, _RDONLY | _NOSUID | _NODEV)

    def _devices(self) -> None:
        pathlib.Path("/dev").mkdir(mode=0o755)
        for name in (*_DEVICES, *self._confinement.devices):
            path = pathlib.Path("/dev", name)
            path.parent.mkdir(exist_ok=True)
            own = name in self._confinement.devices
            former = (_OLD / "dev" / name).stat()
            try:
                os.mknod(path, former.st_mode, former.st_rdev)
                pathlib.Path(path).chmod(0o600 if own else 0o666)
                if own:
                    os.chown(path, self._confinement.uid, self._confinement.uid)
            except PermissionError:  # In a container that may not make devices.
                path.touch()
                self._mount(str(_OLD / "dev" / name), str(path), None, _BIND)

    def _bind(self, source: object, target: object, flags: int) -> None:
        former = _OLD / self._real.get(str(source), str(source))[1:]
        place = pathlib.Path(str(target))
        place.parent.mkdir(parents=True, exist_ok=True)
        if former.is_dir():
            place.mkdir(exist_ok=True)
        elif not place.exists():
            place.touch()
        self._mount(str(former), str(place), None, _BIND)
        self._mount("none", str(place), None, _REMOUNT | _BIND | flags)

    def _mount(self, source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
        encoded = [text and text.encode() for text in (source, target, kind)]
        self._check(self._libc.mount(*encoded, flags, options and options.encode()), f"mount of {target}")

    @staticmethod
    def _check(result: int, what: str) -> None:
        if result:
            number = ctypes.get_errno()
            raise SystemExit(f"{what}: {os.strerror(number)}; functions need a machine, or a container, in which "
                             "root has CAP_SYS_ADMIN")


if __name__ == "__main__":
    main()
