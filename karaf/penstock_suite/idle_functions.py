# SPDX-License-Identifier: Apache-2.0
"""Functions of the gate sleep while no packets come: testpmd polls, and its instances took a fifth of both cores.

The program stays that of Debian. A plugin (sleep_when_idle.c) is in DPDK's directory of drivers, where the environment
abstraction layer loads whatever is there: a run of the gate sees it there, and nothing else does. The deep suite and
the benchmark run without it.
"""

from __future__ import annotations

import pathlib
import tempfile

from penstock_base.commands import run
from penstock_base.errors import PenstockError

_SOURCE = pathlib.Path(__file__).with_name("sleep_when_idle.c")
_USR = pathlib.Path("/usr")
_DRIVERS = "lib/*/dpdk/pmds-*"
_FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")


def sleep() -> None:
    """Has all instances of testpmd that start from now on in this mount namespace sleep. Raises PenstockError.

    The namespace has to be that of a sandbox: the mount stays.
    """
    try:
        drivers, = _USR.glob(_DRIVERS)
    except ValueError:
        raise PenstockError(f"{_USR / _DRIVERS} is not one directory: is another DPDK installed too?") from None
    layer = pathlib.Path(tempfile.mkdtemp(prefix="penstock-layer-"))
    plugins = layer / drivers.relative_to(_USR)
    plugins.mkdir(parents=True)
    for directory in (layer, *(layer / part for part in plugins.relative_to(layer).parents), plugins):
        directory.chmod(0o755)  # Those of /usr have the rights of these.
    flags = run("pkg-config", "--cflags", "libdpdk").split()
    run("cc", *_FLAGS, *flags, "-o", plugins / "librte_sleep_when_idle.so", _SOURCE, "-lrte_ethdev")
    # Over all of /usr: a confined function gets that mount and none below it.
    run("mount", "-t", "overlay", "-o", f"ro,lowerdir={layer}:{_USR}", "overlay", _USR)
