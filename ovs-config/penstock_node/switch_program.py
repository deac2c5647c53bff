# SPDX-License-Identifier: Apache-2.0
"""Which Open vSwitch a node runs: that of another Debian in a directory (`switch-root`), or that of the machine.

The process of the other one runs in the machine's own file system, with the loader and the libraries of the directory.
"""

import pathlib
import re
import shutil
import stat

from penstock_base.commands import run
from penstock_base.errors import PenstockError

MACHINE = pathlib.Path("/")
"""The root of the machine's own Open vSwitch."""
_WITH_DPDK = "usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
_WITHOUT_DPDK = "usr/lib/openvswitch-switch/ovs-vswitchd"
_LOADERS = ("lib64/ld-linux-x86-64.so.2", "usr/lib64/ld-linux-x86-64.so.2", "usr/lib/ld-linux-aarch64.so.1",
            "lib/ld-linux-aarch64.so.1")
"""Below usr alone in a directory with nothing but packages: Debian's base makes the links."""
_SCHEMA = "usr/share/openvswitch/vswitch.ovsschema"
_LIBRARIES = "usr/lib/*-linux-gnu"
_DRIVERS = "dpdk/pmds-*"
_VERSION = re.compile(r"Open vSwitch\) ([0-9.]+).*?DPDK ([0-9.]+)", re.DOTALL)


def words(alias: pathlib.Path, root: pathlib.Path = MACHINE) -> list[object]:
    """The words that start the switch.

    alias: a path whose last part is ovs-vswitchd, by which the tools of Open vSwitch, and ps, find the process; it is
           made here, and leads to what the kernel starts
    root:  directory of the Debian whose Open vSwitch it is
    """
    alias.unlink(missing_ok=True)
    if root == MACHINE:
        alias.symlink_to(_own_program())
        return [alias]
    loader = _loader(root)
    if loader is None:
        raise PenstockError(f"{root} has no loader")
    alias.symlink_to(loader)
    return _by_loader(root, _WITH_DPDK, alias, alias)


def words_without_dpdk(root: pathlib.Path) -> list[object]:
    """The words that start the switch without DPDK, which is smaller and needs no huge pages."""
    return [MACHINE / _WITHOUT_DPDK] if root == MACHINE else _by_loader(root, _WITHOUT_DPDK)


def words_of(program: str, root: pathlib.Path = MACHINE) -> list[object]:
    """The words that start another program, by its path below the root."""
    return [root / program] if root == MACHINE else _by_loader(root, program, name=pathlib.Path(program).name)


def _by_loader(root: pathlib.Path, program: str, loader: pathlib.Path | None = None,
               name: object = "ovs-vswitchd") -> list[object]:
    return [loader or _loader(root), "--argv0", name, "--library-path", _library(root), root / program]


def version(root: pathlib.Path = MACHINE) -> tuple[str, str]:
    """What the program says of itself: the versions of Open vSwitch and of DPDK. Raises PenstockError."""
    command = [_own_program()] if root == MACHINE else _by_loader(root, _WITH_DPDK)
    said = run(*command, "--version")
    found = _VERSION.search(said)
    if found is None:
        raise PenstockError(f"{command[-1]} does not say its versions: {said.strip()}")
    return found[1], found[2]


def version_without_dpdk(root: pathlib.Path) -> str:
    """The version of Open vSwitch of the program without DPDK. Raises PenstockError."""
    return version_in(run(*words_without_dpdk(root), "--version"))


def version_in(text: str) -> str:
    """The version of Open vSwitch in what its program says. Raises PenstockError."""
    found = re.search(r"\(Open vSwitch\) (\S+)", text)
    if found is None:
        raise PenstockError(f"the switch does not say its version: {text.strip()}")
    return found[1]


def schema(root: pathlib.Path = MACHINE) -> pathlib.Path:
    """That of the switch's database."""
    return root / _SCHEMA


def arguments(root: pathlib.Path = MACHINE) -> str:
    """Arguments for DPDK with a leading space, by which it finds its drivers there; "" for the machine's own."""
    return "" if root == MACHINE else f" -d {_drivers(root)}"


def problem(root: pathlib.Path) -> str | None:
    """What a directory lacks as a switch-root, or None."""
    if root == MACHINE:
        return None
    for what, found in (("loader", _loader(root)), ("libraries", _library(root)), ("DPDK drivers", _drivers(root))):
        if found is None:
            return f"{root} has no {what}"
    for file in (_WITH_DPDK, _SCHEMA):
        if not (root / file).exists():
            return f"{root} has no {file}"
    return None


def exposure(root: pathlib.Path) -> str | None:
    """Why DPDK takes no drivers from a directory (verify_perms, lib/eal/common/eal_common_options.c, 25.11), or
    None."""
    place = (_drivers(root) or root).resolve()
    written = next((path for path in (place, *place.parents) if path.stat().st_mode & stat.S_IWOTH), None)
    return f"all users may write to {written}, and DPDK takes no drivers from there" if written else None


def _own_program() -> str:
    program = str(MACHINE / _WITH_DPDK) if (MACHINE / _WITH_DPDK).exists() else "ovs-vswitchd"
    return shutil.which(program) or program


def _loader(root: pathlib.Path) -> pathlib.Path | None:
    return next((path for loader in _LOADERS if (path := pathlib.Path(root, loader)).exists()), None)


def _library(root: pathlib.Path) -> pathlib.Path | None:
    return next(iter(sorted(pathlib.Path(root).glob(_LIBRARIES))), None)


def _drivers(root: pathlib.Path) -> pathlib.Path | None:
    library = _library(root)
    return library and next(iter(sorted(library.glob(_DRIVERS))), None)
