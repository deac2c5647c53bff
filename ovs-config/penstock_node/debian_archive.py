# SPDX-License-Identifier: Apache-2.0
"""Packages of any suite of Debian, unpacked into a directory by mmdebstrap and not installed. apt checks signatures.

A directory gets its name when it is whole: `prepare` its place, unpack in a `workplace`, then `name` it. One process at
a time does so in a place.
"""

import contextlib
import os
import pathlib
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence

from penstock_base import files
from penstock_base.commands import run
from penstock_base.errors import PenstockError
from penstock_base.steps import say

UNFINISHED = "new-"
"""Begin of the name of a directory that is being made."""
KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_EXPIRED = re.compile(r"Release file for \S+ is expired \(invalid since ([^)]*)\)")
_BY_HTTP = re.compile("Acquire::https?::")
_ALONE = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--propagation", "private", "--pid", "--fork",
          "--kill-child", "--mount-proc")
"""In front of a command that ends, with all its processes and mounts, when this process does."""
_FETCH_SECONDS = 1800
_END_SECONDS = 60
"""A killed process frees its memory and closes its files first."""
_POLL_SECONDS = 0.05


def prepare(place: pathlib.Path) -> None:
    """Makes a place for directories, and removes what a process has left there that was killed. Raises PenstockError.

    The mmdebstrap of that process ends with it, but writes until it has ended."""
    with files.explained(place):
        place.mkdir(parents=True, exist_ok=True)
        place.chmod(0o755)
    deadline = time.monotonic() + _END_SECONDS
    while unfinished := list(place.glob(f"{UNFINISHED}*")):
        for path in unfinished:
            shutil.rmtree(path, ignore_errors=True)
        if time.monotonic() > deadline:
            raise PenstockError(f"{unfinished[0]} is of an earlier fetch and cannot be removed: remove it by hand")
        time.sleep(_POLL_SECONDS)


@contextlib.contextmanager
def workplace(place: pathlib.Path) -> Iterator[pathlib.Path]:
    """A directory in the place, which is removed after the body."""
    with files.explained(place):
        work = pathlib.Path(tempfile.mkdtemp(dir=place, prefix=UNFINISHED))
    try:
        work.chmod(0o755)
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def name(root: pathlib.Path, target: pathlib.Path) -> None:
    """Gives a whole directory its name, so that it is whole also after a loss of power."""
    os.sync()
    root.rename(target)
    files.sync_folder(target.parent)


def unpack(root: pathlib.Path, suite: str, packages: Sequence[str], what: str, mirror: str | None = None,
           keyring: pathlib.Path = KEYRING) -> None:
    """Unpacks packages of a suite and all that they need into the directory `root`. Raises PenstockError.

    what: the program that the packages are of, for errors. mirror: of Debian's archive, by default that of the machine.
    keyring: of those who sign it. An archive that is past its date is taken, with a warning. After an error `root` may
    be there in part.
    """
    mirror = mirror or _mirror(what)
    # How this machine's own apt reaches the archive: proxies, for example. C.UTF-8: what apt says is read.
    options = [f"--aptopt={line}" for line in run("apt-config", "dump").splitlines() if _BY_HTTP.match(line)]
    command = (*_ALONE, "env", "LC_ALL=C.UTF-8", "mmdebstrap", "--variant=extract", f"--include={','.join(packages)}",
               f"--keyring={keyring}", '--aptopt=Acquire::Retries "5"', *options)
    try:
        run(*command, suite, root, mirror, timeout_seconds=_FETCH_SECONDS)
    except PenstockError as error:
        expired = _EXPIRED.search(str(error))
        if expired is None:
            raise _Unfetched(what, suite, error) from None
        # Its signature is right all the same.
        say(f"warning: the Release file of Debian {suite} at {mirror} is past its date for {expired[1]}: the mirror is "
            "late, or this machine's clock is wrong; security fixes may be missing")
        shutil.rmtree(root, ignore_errors=True)
        try:
            run(*command, '--aptopt=Acquire::Check-Valid-Until "false"', suite, root, mirror,
                timeout_seconds=_FETCH_SECONDS)
        except PenstockError as second:
            raise _Unfetched(what, suite, second) from None


class _Unfetched(PenstockError):
    """mmdebstrap could not do it."""

    def __init__(self, what: str, suite: str, error: PenstockError) -> None:
        said = [line for line in str(error).splitlines() if line.startswith("E: ")]
        super().__init__(f"{what} of Debian {suite} cannot be fetched: {said[0] if said else error}")


def _mirror(what: str) -> str:
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
        raise PenstockError(f"apt-get knows no archive of Debian, from which {what} could be fetched: add one to the "
                            "sources of apt (ovs-config switch --fetch also takes --mirror)")
    return mirror
