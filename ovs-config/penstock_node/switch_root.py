# SPDX-License-Identifier: Apache-2.0
"""The Open vSwitch that a node runs unless its profile has another: of Debian testing, with DPDK and all its drivers.

Debian 12 and 13 have versions with which fragments and FTP dialogues of one tenant reach another, or end the switch.
The packages are unpacked by mmdebstrap, not installed, and apt checks their signatures. Each version has a directory of
its own, which gets its name when it is whole; nodes that run one keep it while another one is made.
"""

import contextlib
import dataclasses
import gzip
import json
import os
import pathlib
import re
import shutil
import tempfile
import time
from collections.abc import Iterator

from penstock_base import exclusive, files
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.steps import say, step

from . import switch_program

SUITE = "testing"
"""Of Debian."""
SERIES = "4.0"
"""Of Open vSwitch: what the tests run with."""
_PACKAGE = "openvswitch-switch-dpdk"
_PACKAGES = (_PACKAGE, "librte-meta-bus", "librte-meta-mempool", "librte-meta-net")
_KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_FACTS = "penstock-switch.json"
_UNFINISHED = "new-"
"""Begin of the name of a directory that is being made."""
_EXPIRED = re.compile(r"Release file for \S+ is expired \(invalid since ([^)]*)\)")
_BY_HTTP = re.compile("Acquire::https?::")
_ALONE = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "--pid", "--fork",
          "--kill-child", "--mount-proc")
"""In front of a command that ends, with all its processes and mounts, when this process does."""
_FETCH_SECONDS = 1800
_END_SECONDS = 60
"""A killed process frees its memory and closes its files first."""
_POLL_SECONDS = 0.05


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
    return sorted(path for path in directory().glob("*") if path not in made and not path.name.startswith(_UNFINISHED))


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


def make(mirror: str | None = None, keyring: pathlib.Path = _KEYRING) -> SwitchRoot:
    """Makes one of the packages that Debian's archive has now, unless it is there. Raises PenstockError.

    mirror: of Debian's archive, by default that of the machine. keyring: of those who sign it.

    Waits for another process that makes one. Whatever ends this one, half a directory is never taken for one.
    """
    with exclusive.alone("switch-root", "the unpacking of Open vSwitch", wait=True):
        place = directory()
        with files.explained(place):
            place.mkdir(parents=True, exist_ok=True)
            place.chmod(0o755)
            _remove_unfinished(place)
        with step(f"Open vSwitch {SERIES} with DPDK of Debian {SUITE}, unpacked in {place}") as line, \
                _workplace(place) as work:
            _unpack(work / "root", mirror or _mirror(), keyring)
            made = _look(work / "root")
            line.note = f"Open vSwitch {made.open_vswitch}, DPDK {made.dpdk}"
            target = place / made.package.replace(":", "%3a")
            if _read(target / _FACTS) is None:
                shutil.rmtree(target, ignore_errors=True)
                facts = dataclasses.asdict(made) | {"directory": str(target)}
                files.replace(work / "root" / _FACTS, json.dumps(facts, indent=1))
                os.sync()  # A directory that has its name is whole, also after a loss of power.
                (work / "root").rename(target)
                files.sync_folder(place)
            return dataclasses.replace(made, directory=target)


def _remove_unfinished(place: pathlib.Path) -> None:
    """Removes what a process has left that was killed. Its mmdebstrap ends with it, but writes until it has ended."""
    deadline = time.monotonic() + _END_SECONDS
    while unfinished := list(place.glob(f"{_UNFINISHED}*")):
        for path in unfinished:
            shutil.rmtree(path, ignore_errors=True)
        if time.monotonic() > deadline:
            raise PenstockError(f"{unfinished[0]} is of an earlier fetch and cannot be removed: remove it by hand")
        time.sleep(_POLL_SECONDS)


@contextlib.contextmanager
def _workplace(place: pathlib.Path) -> Iterator[pathlib.Path]:
    with files.explained(place):
        work = pathlib.Path(tempfile.mkdtemp(dir=place, prefix=_UNFINISHED))
    try:
        work.chmod(0o755)
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _unpack(root: pathlib.Path, mirror: str, keyring: pathlib.Path) -> None:
    # How this machine's own apt reaches the archive: proxies, for example. C.UTF-8: what apt says is read.
    options = [f"--aptopt={line}" for line in run("apt-config", "dump").splitlines() if _BY_HTTP.match(line)]
    command = (*_ALONE, "env", "LC_ALL=C.UTF-8", "mmdebstrap", "--variant=extract", f"--include={','.join(_PACKAGES)}",
               f"--keyring={keyring}", '--aptopt=Acquire::Retries "5"', *options)
    try:
        run(*command, SUITE, root, mirror, timeout_seconds=_FETCH_SECONDS)
    except PenstockError as error:
        expired = _EXPIRED.search(str(error))
        if expired is None:
            raise _Unfetched(error) from None
        # Its signature is right all the same.
        say(f"warning: the Release file of Debian {SUITE} at {mirror} is past its date for {expired[1]}: the mirror is "
            "late, or this machine's clock is wrong; security fixes may be missing")
        shutil.rmtree(root, ignore_errors=True)
        try:
            run(*command, '--aptopt=Acquire::Check-Valid-Until "false"', SUITE, root, mirror,
                timeout_seconds=_FETCH_SECONDS)
        except PenstockError as second:
            raise _Unfetched(second) from None


class _Unfetched(PenstockError):
    """mmdebstrap could not do it."""

    def __init__(self, error: PenstockError) -> None:
        said = [line for line in str(error).splitlines() if line.startswith("E: ")]
        super().__init__(f"Open vSwitch of Debian {SUITE} cannot be fetched: {said[0] if said else error}")


def _mirror() -> str:
    """That from which this machine has its own Debian."""
    def known() -> str | None:
        for line in run("apt-get", "indextargets", "--format", "$(ORIGIN) $(COMPONENT) $(REPO_URI)",
                        "Created-By: Packages").splitlines():
            origin, component, mirror = line.split(" ", 2)
            if (origin, component) == ("Debian", "main") and "security" not in mirror:
                return mirror
        return None
    mirror = known()
    if mirror is None:
        run("apt-get", "update", timeout_seconds=_FETCH_SECONDS)  # It names those alone whose lists it has.
        mirror = known()
    if mirror is None:
        raise PenstockError("apt-get knows no archive of Debian, from which Open vSwitch could be fetched: name one "
                            "with ovs-config switch --fetch --mirror")
    return mirror


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
