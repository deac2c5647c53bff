# SPDX-License-Identifier: Apache-2.0
"""Which Open vSwitch a node runs: that of the machine, or that of another Debian in a directory (`switch-root`).

The process of the other one runs in the machine's own file system, with the loader and the libraries of the directory.
"""

import pathlib
import shutil

_WITH_DPDK = "usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
_LOADERS = ("lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1")
_LIBRARIES = "usr/lib/*-linux-gnu"
_DRIVERS = "dpdk/pmds-*"


def words(alias: pathlib.Path, root: pathlib.Path | None = None) -> list[object]:
    """The words that start the switch.

    alias: a path whose last part is ovs-vswitchd, by which the tools of Open vSwitch find the process; it is made here
    root:  directory of the other Debian, None for the machine's own
    """
    alias.unlink(missing_ok=True)
    if root is not None:
        return [_loader(root), "--argv0", alias, "--library-path", _library(root), pathlib.Path(root, _WITH_DPDK)]
    own = pathlib.Path("/", _WITH_DPDK)
    program = str(own) if own.exists() else "ovs-vswitchd"
    alias.symlink_to(shutil.which(program) or program)
    return [alias]


def arguments(root: pathlib.Path | None = None) -> str:
    """Arguments for DPDK with a leading space, by which it finds its drivers there; "" for the machine's own."""
    return "" if root is None else f" -d {_drivers(root)}"


def problem(root: pathlib.Path) -> str | None:
    """What a directory lacks as a switch-root, or None."""
    for what, found in (("loader", _loader(root)), ("libraries", _library(root)), ("DPDK drivers", _drivers(root))):
        if found is None:
            return f"{root} has no {what}"
    return None if pathlib.Path(root, _WITH_DPDK).exists() else f"{root} has no {_WITH_DPDK}"


def _loader(root: pathlib.Path) -> pathlib.Path | None:
    return next((path for loader in _LOADERS if (path := pathlib.Path(root, loader)).exists()), None)


def _library(root: pathlib.Path) -> pathlib.Path | None:
    return next(iter(sorted(pathlib.Path(root).glob(_LIBRARIES))), None)


def _drivers(root: pathlib.Path) -> pathlib.Path | None:
    library = _library(root)
    return library and next(iter(sorted(library.glob(_DRIVERS))), None)
