# SPDX-License-Identifier: Apache-2.0
"""The Open vSwitch that a node runs unless its profile has another: of Debian testing, with DPDK and all its drivers.

Debian 12 and 13 have versions with which fragments and FTP dialogues of one tenant reach another, or end the switch.
The packages are unpacked by mmdebstrap, not installed, and apt checks their signatures. Each version has a directory of
its own, which gets its name when it is whole; nodes that run one keep it while another one is made.
"""

import dataclasses
import gzip
import json
import os
import pathlib
import re
import shutil

from penstock_base import exclusive, files
from penstock_base.errors import PenstockError
from penstock_base.steps import step

from . import debian_archive, switch_program

SUITE = "testing"
"""Of Debian."""
SERIES = "4.0"
"""Of Open vSwitch: what the tests run with."""
_PACKAGE = "openvswitch-switch-dpdk"
_PACKAGES = (_PACKAGE, "librte-meta-bus", "librte-meta-mempool", "librte-meta-net")
_FACTS = "penstock-switch.json"


@dataclasses.dataclass(frozen=True)
class SwitchRoot:
    """A directory that was made. open_vswitch, dpdk: what the program says of itself; package: Debian's version."""
    directory: pathlib.Path
    package: str
    open_vswitch: str
    dpdk: str


def directory() -> pathlib.Path:
    """Where they are, a directory for each version of Debian's package: $PENSTOCK_SWITCH_DIR."""
    return pathlib.Path(os.environ.get("PENSTOCK_SWITCH_DIR") or "/var/lib/penstock-switch")


def all_made() -> list[SwitchRoot]:
    """Those that were made, the newest first."""
    made = [root for path in directory().glob("*/" + _FACTS) if (root := _read(path)) is not None]
    return sorted(made, key=lambda root: _order(root.package), reverse=True)


def ignored() -> list[pathlib.Path]:
    """What is there and is none of them: half a copy, or a directory with another name than that of its version."""
    made = {root.directory for root in all_made()}
    return sorted(path for path in directory().glob("*")
                  if path not in made and not path.name.startswith(debian_archive.UNFINISHED))


ABSENT_CODE = 3
"""Exit code of ovs-config for Absent. The unit of a node is not started again after it."""


class Absent(PenstockError):
    """None is there, and none may be fetched."""

    def __init__(self) -> None:
        super().__init__(f"no Open vSwitch in {directory()}: fetch it with ovs-config switch --fetch, and start the "
                         "node again")


def ensure(fetch: bool = True) -> SwitchRoot:
    """The newest of those that were made, or one made now. Raises PenstockError, and Absent if it may not be made."""
    made = next(iter(all_made()), None)
    if made is None and not fetch:
        raise Absent
    return made or make()


def make(mirror: str | None = None, keyring: pathlib.Path = debian_archive.KEYRING) -> SwitchRoot:
    """Makes one of the packages that Debian's archive has now, unless it is there. Raises PenstockError.

    mirror: of Debian's archive, by default that of the machine. keyring: of those who sign it.

    Waits for another process that makes one. Whatever ends this one, half a directory is never taken for one.
    """
    with exclusive.alone("switch-root", "the unpacking of Open vSwitch", wait=True):
        place = directory()
        debian_archive.prepare(place)
        with step(f"Open vSwitch {SERIES} with DPDK of Debian {SUITE}, unpacked in {place}") as line, \
                debian_archive.workplace(place) as work:
            debian_archive.unpack(work / "root", SUITE, _PACKAGES, "Open vSwitch", mirror, keyring)
            made = _look(work / "root")
            line.note = f"Open vSwitch {made.open_vswitch}, DPDK {made.dpdk}"
            target = place / made.package.replace(":", "%3a")
            if _read(target / _FACTS) is None:
                shutil.rmtree(target, ignore_errors=True)
                facts = dataclasses.asdict(made) | {"directory": str(target)}
                files.replace(work / "root" / _FACTS, json.dumps(facts, indent=1))
                debian_archive.name(work / "root", target)
            return dataclasses.replace(made, directory=target)


def _look(root: pathlib.Path) -> SwitchRoot:
    """What a directory has, by its program. Raises PenstockError where that is not what the tests run with."""
    problem = switch_program.problem(root)
    if problem:
        raise PenstockError(f"Open vSwitch of Debian {SUITE} is not what it was: {problem}")
    open_vswitch, dpdk = switch_program.version(root)
    if not f"{open_vswitch}.".startswith(f"{SERIES}."):
        raise PenstockError(f"Debian {SUITE} has Open vSwitch {open_vswitch}; this version of Penstock runs {SERIES}: "
                            "copy the directory of a machine that has it, or name one in the profile's switch-root")
    changes = root / "usr/share/doc" / _PACKAGE / "changelog.Debian.gz"
    with gzip.open(changes, "rt", encoding="utf-8") as text:
        package = re.match(r"\S+ \(([^)]+)\)", text.readline())
    if package is None:
        raise PenstockError(f"{changes} does not begin with the version of a package")
    return SwitchRoot(root, package[1], open_vswitch, dpdk)


def _read(path: pathlib.Path) -> SwitchRoot | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if pathlib.Path(content["directory"]).name != path.parent.name:
            return None  # A copy that is being made has another name until it is whole.
        return SwitchRoot(path.parent, content["package"], content["open_vswitch"], content["dpdk"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _order(package: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]+", package)]
