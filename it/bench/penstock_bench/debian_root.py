# SPDX-License-Identifier: Apache-2.0
"""Programs of another Debian than this machine's: each root is a directory, unpacked and not installed.

A program of it runs in the file system of this machine, with the loader and the libraries of its own Debian.
"""

import dataclasses
import hashlib
import os
import pathlib

from penstock_base import exclusive
from penstock_base.errors import PenstockError
from penstock_base.steps import step
from penstock_node import debian_archive

DIRECTORY = pathlib.Path(os.environ.get("PENSTOCK_CACHE_DIR") or "/var/cache/penstock") / "bench"


@dataclasses.dataclass(frozen=True)
class DebianRoot:
    """Packages of a suite of Debian, with what they need. They are those that the suite had when they were fetched."""
    suite: str
    packages: tuple[str, ...]

    @property
    def directory(self) -> pathlib.Path:
        """Where it is, or will be."""
        digest = hashlib.sha256(" ".join(self.packages).encode()).hexdigest()[:8]
        return DIRECTORY / f"{self.suite}-{digest}"

    def existing(self) -> pathlib.Path:
        """Its directory. Raises PenstockError where there is none."""
        if not self.directory.exists():
            raise PenstockError(f"{self.directory} is missing: ./penstock bench switches fetches it, and so does "
                                "./penstock test --all")
        return self.directory

    def ensure(self) -> pathlib.Path:
        """Fetches it unless it is there. Returns its directory. Raises PenstockError."""
        with exclusive.alone("bench-root", "the unpacking of programs of another Debian", wait=True):
            if not self.directory.exists():
                debian_archive.prepare(DIRECTORY)
                with step(f"{self.packages[0]} of Debian {self.suite}, unpacked in {self.directory}"), \
                        debian_archive.workplace(DIRECTORY) as work:
                    debian_archive.unpack(work / "root", self.suite, self.packages, self.packages[0])
                    debian_archive.name(work / "root", self.directory)
        return self.directory
