# SPDX-License-Identifier: Apache-2.0
"""The guest of form vm: Debian's kernel for virtual machines, and an initramfs of BusyBox, nft and the rules, if any.

Built from Debian's packages when it is first needed. They are unpacked, not installed: installing a kernel would make
it one of this machine. Packages and images stay in /var/cache/penstock/guest ($PENSTOCK_CACHE_DIR/guest), and may be
removed when all functions of form vm are stopped or attached.
"""

import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Mapping

from penstock_base import locks
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.steps import step

KERNEL = "linux-image-cloud-amd64"
"""The package that depends on the newest kernel for virtual machines."""
SHELL = "busybox-static"

File = tuple[int, bytes]
"""Permissions and content."""

_INIT = pathlib.Path(__file__).resolve().parent.parent / "guest" / "init"
_MODULES = ("virtio_pci", "virtio_net", "br_netfilter")
# Whatever rules may need: the kernel loads them by name when they are used.
_MODULES_FOR_RULES = ("nf_*", "nft_*")
# Rules call protocols and ports by name.
_NAMES = ("/etc/protocols", "/etc/services")
_FOLDERS = ("bin", "dev", "etc", "proc", "sbin", "sys", "usr", "usr/bin", "usr/sbin")


@dataclasses.dataclass(frozen=True)
class Image:
    """What QEMU boots: paths that every user of this machine can read."""
    kernel: pathlib.Path
    initramfs: pathlib.Path


class _NotFound(PenstockError):
    """apt-get does not know a package, or cannot fetch it."""


def cache_directory() -> pathlib.Path:
    """Where packages and images stay."""
    return pathlib.Path(os.environ.get("PENSTOCK_CACHE_DIR") or "/var/cache/penstock") / "guest"


def build(rules: str | None) -> Image:
    """The image with the rules, a text of nftables, None for none: that of the cache, or one made now.

    Raises PenstockError.
    """
    with locks.held("guest-image"):
        try:
            return _image(rules)
        except _NotFound:
            pass  # The lists of apt-get are missing, or older than what the archive still has.
        try:
            run("apt-get", "update", timeout_seconds=300)
            return _image(rules)
        except PenstockError as error:
            raise PenstockError(f"form: vm needs a guest, made of Debian's {KERNEL} and {SHELL}: see that apt-get "
                                f"works (the network, /etc/apt/sources.list): {error}") from None


def _image(rules: str | None) -> Image:
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    cache.chmod(0o755)
    packages = _newest()
    files = _filter_program() | {"init": (0o755, _INIT.read_bytes())}
    if rules is not None:
        files["etc/rules.nft"] = (0o644, rules.encode("utf-8"))
    target = cache / _key(packages, files)
    if not target.exists():
        with step(f"guest image of {', '.join(map(' '.join, packages.items()))}"), \
                tempfile.TemporaryDirectory(dir=cache, prefix="new-") as work:
            paths = [_package(cache, pathlib.Path(work), *package) for package in packages.items()]
            _build(pathlib.Path(work), paths, files, target)
    return Image(target / "vmlinuz", target / "initramfs")


def _key(packages: Mapping[str, str], files: Mapping[str, File]) -> str:
    """A name for all that goes into an image."""
    content = hashlib.sha256(pathlib.Path(__file__).read_bytes())
    for text in (*map(" ".join, sorted(packages.items())), *sorted(files)):
        content.update(text.encode() + b"\0")
        content.update(hashlib.sha256(files.get(text, (0, b""))[1]).digest())
    return content.hexdigest()[:16]


def _build(work: pathlib.Path, packages: Iterable[pathlib.Path], files: Mapping[str, File],
           target: pathlib.Path) -> None:
    root, made = work / "root", work / "image"
    for package in packages:
        run("dpkg-deb", "--extract", package, root)
    made.mkdir()
    made.chmod(0o755)
    whole = {**files, "bin/busybox": (0o755, (root / "bin/busybox").read_bytes()), **_modules(root, work / "modules")}
    (made / "initramfs").write_bytes(archive(whole, links={"sbin/modprobe": "/bin/busybox"}))
    shutil.copyfile(next((root / "boot").glob("vmlinuz-*")), made / "vmlinuz")
    for path in made.iterdir():
        path.chmod(0o644)
    made.rename(target)


def _modules(root: pathlib.Path, small: pathlib.Path) -> dict[str, File]:
    """The kernel modules that are needed, and those they need, with the index that modprobe reads."""
    source = next((root / "lib/modules").iterdir())
    known = {path.stem.replace("-", "_"): path for path in source.rglob("*.ko")}
    wanted = [*_MODULES, *(path.stem for pattern in _MODULES_FOR_RULES
                           for path in (source / "kernel/net").rglob(f"{pattern}.ko"))]
    target = small / "lib/modules" / source.name
    target.mkdir(parents=True)
    done = set()
    while wanted:
        name = wanted.pop().replace("-", "_")
        if name in done:
            continue
        if name not in known:
            raise PenstockError(f"guest image: kernel {source.name} has no module {name}")
        done.add(name)
        copy = target / known[name].relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(known[name], copy)
        needed = re.search(rb"\0depends=([^\0]*)\0", copy.read_bytes())
        wanted += filter(None, needed[1].decode("ascii").split(",")) if needed else ()
    run(root / "bin/busybox", "depmod", "-b", small, source.name)
    return {str(path.relative_to(small)): (0o644, path.read_bytes()) for path in target.rglob("*") if path.is_file()}


def _filter_program() -> dict[str, File]:
    """nft of this machine, its libraries, and the names that it knows, as files of the archive."""
    program = shutil.which("nft")
    if not program:
        raise PenstockError("form: vm needs the program nft: apt-get install nftables")
    libraries = re.findall(r"(/\S+) \(0x", run("ldd", program))
    paths = (program, *libraries, *filter(os.path.exists, _NAMES))
    return {path.lstrip("/"): (0o755, pathlib.Path(path).read_bytes()) for path in paths}


def archive(files: Mapping[str, File], links: Mapping[str, str]) -> bytes:
    """A cpio archive ("newc", as the kernel's initramfs wants it): the same bytes for the same content.

    files: (permissions, content) by path. links: target by path. Directories are made as the paths need them.
    """
    folders = {str(parent) for path in (*files, *links) for parent in pathlib.PurePath(path).parents} - {"."}
    entries = [(path, stat.S_IFDIR | 0o755, b"") for path in sorted(folders | set(_FOLDERS))]
    entries += [(path, stat.S_IFREG | mode, content) for path, (mode, content) in sorted(files.items())]
    entries += [(path, stat.S_IFLNK | 0o777, to.encode()) for path, to in sorted(links.items())]
    parts = [_entry(number, *entry) for number, entry in enumerate(entries, 1)]
    return b"".join([*parts, _entry(0, "TRAILER!!!", 0, b"")])


def _entry(number: int, path: str, mode: int, content: bytes) -> bytes:
    name = path.encode() + b"\0"
    # Inode, mode, owner, group, links, time, size, four device numbers, length of the name, checksum.
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
    return _padded(head) + _padded(content)


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 4)


def _newest() -> dict[str, str]:
    """Versions of the packages as apt-get would install them now, by name: the kernel and the shell."""
    kernel = re.search(r"^Depends: (linux-image-\S+)", _show(KERNEL), re.MULTILINE)
    said = _show(kernel[1], SHELL) if kernel else ""
    found = dict(re.findall(r"^Package: (\S+)\n(?:.+\n)*?Version: (\S+)$", said, re.MULTILINE))
    if len(found) != 2:
        raise _NotFound(f"apt-get knows no kernel that {KERNEL} depends on")
    return found


def _show(*names: str) -> str:
    try:
        return run("apt-cache", "show", "--no-all-versions", *names)
    except PenstockError as error:
        raise _NotFound(str(error)) from None


def _package(cache: pathlib.Path, work: pathlib.Path, name: str, version: str) -> pathlib.Path:
    """Path of the package in the cache, where it is downloaded to first."""
    target = cache / f"{name}_{version.replace(':', '%3a')}.deb"
    if not target.exists():
        try:
            run("env", f"--chdir={work}", "apt-get", "-o", "Acquire::Retries=5", "download", f"{name}={version}",
                timeout_seconds=600)
        except PenstockError as error:
            raise _NotFound(str(error)) from None
        next(work.glob(f"{name}_*.deb")).rename(target)
    return target
