# SPDX-License-Identifier: Apache-2.0
"""./penstock package: Debian packages of the tree, and the client as a Python package (wheel.py).

`debian/` says what is in the Debian packages; here is what is generated for it.

debhelper works in a copy, target/packages/penstock, which has what Maven has built and what is made of other sources:
the version and the changelog of the Maven version, units of the programs that print them, manual pages of help texts.
"""

import email.utils
import os
import pathlib
import shutil
import time

from penstock_base import packages, places
from penstock_base.commands import run as command
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_base.steps import step
from penstock_base.version import of_tree
from penstock_controller import build, systemd
from penstock_node import unit

from . import manual, wheel
from .control import SYSTEM_USER

DIRECTORY = ROOT / "target" / "packages"
"""Where the packages are put."""
_FOLDERS = ("debian", "karaf", "ovs-config", "service-chains")
_FILES = ("CHANGELOG.md", "LICENSE", "docs/openapi.json")
PROGRAMS = ("karaf/penstock", "karaf/penstock-controller", "ovs-config/ovs-config", "service-chains/functions",
             "service-chains/nat64")
"""Those with a manual page and completion."""
_STATE = pathlib.Path("/var/lib/penstock/controller")
_BIN = pathlib.Path("/usr/bin")
_ETC = pathlib.Path("/etc/penstock")
_BUILD_SECONDS = 600


def run(revision: int = 0, directory: pathlib.Path = DIRECTORY) -> list[pathlib.Path]:
    """Builds the Debian packages of the tree as it is, and returns their files.

    revision: makes the version a higher one
    """
    packages.install(packages.PACKAGE)
    build.ensure()
    moment = _moment()
    version = debian_version(of_tree(), moment, revision)
    tree = directory / "penstock"
    shutil.rmtree(directory, ignore_errors=True)
    with step(f"packages of version {version}"):
        _copy(tree)
        _generate(tree, version, moment)
        log = places.log_directory() / "package.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        try:
            log.write_text(command(
                "env", "-C", tree, "dpkg-buildpackage", "--build=binary", "--no-sign", timeout_seconds=_BUILD_SECONDS,
                environment=os.environ | {"SOURCE_DATE_EPOCH": str(moment), "DEB_BUILD_OPTIONS": "nocheck"}))
        except PenstockError as error:
            log.write_text(str(error), encoding="utf-8")
            raise PenstockError(f"dpkg-buildpackage failed: {str(error)[-2000:]}\nfull log: {log}") from None
        shutil.rmtree(tree)
    return sorted(directory.glob("*.deb"))


def client(revision: int = 0, directory: pathlib.Path = DIRECTORY) -> pathlib.Path:
    """Builds the Python package of the client in the place of an older one, and returns its file."""
    return wheel.run(_moment(), revision, directory)


def debian_version(maven: str, moment: int, revision: int = 0) -> str:
    """The version of packages. A snapshot comes before its release, and after snapshots of older commits.

    moment: of the commit, in seconds since 1970; revision: a further build of the same commit.
    """
    released = maven.removesuffix("-SNAPSHOT")
    snapshot = time.strftime("~snapshot%Y%m%d%H%M%S", time.gmtime(moment)) if released != maven else ""
    return f"{released}{snapshot}" + (f"+{revision}" if revision else "")


def _moment() -> int:
    """That of the last commit, or now where the tree has no history."""
    try:
        return int(command("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    except (PenstockError, ValueError):
        return int(time.time())


def _copy(tree: pathlib.Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "target", "tests", "src")
    for name in _FOLDERS:
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=ignored)
    (tree / "docs").mkdir()
    for name in _FILES:
        shutil.copy2(ROOT / name, tree / name)
    distribution = tree / "karaf" / "distribution"
    shutil.copytree(places.ASSEMBLY, distribution, symlinks=True)
    for other in (distribution / "bin").glob("*.bat"):
        other.unlink()
    shutil.rmtree(distribution / "bin" / "contrib")  # Services of other systems.


def _generate(tree: pathlib.Path, version: str, moment: int) -> None:
    generated = {
        "generated/VERSION": version + "\n",
        "debian/changelog": f"penstock ({version}) bookworm; urgency=medium\n\n"
                            f"  * Version {of_tree()}: see CHANGELOG.md in penstock-common.\n\n"
                            f" -- {_maintainer(tree)}  {email.utils.formatdate(moment)}\n",
        "debian/penstock-controller.service": systemd.unit(
            _STATE, SYSTEM_USER, ["--run-dir", str(_STATE), "run", "--settings", str(_ETC / "controller.yaml")],
            _BIN / "penstock-controller"),
        "debian/penstock-node@.service": unit.template(_BIN / "ovs-config", _ETC / "nodes",
                                                       pathlib.Path("/run/penstock"))}
    for name, text in generated.items():
        path = tree / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for folder in ("man", "completions"):
        (tree / "generated" / folder).mkdir()
    date = time.strftime("%Y-%m-%d", time.gmtime(moment))
    shutil.copy2(tree / "generated" / "VERSION", tree / "VERSION")  # The programs look for it there.
    for program in (tree / name for name in PROGRAMS):
        (tree / "generated" / "man" / f"{program.name}.8").write_text(manual.page(program, version, date),
                                                                      encoding="utf-8")
        shutil.copy2(tree / "debian" / "completion.bash", tree / "generated" / "completions" / program.name)


def _maintainer(tree: pathlib.Path) -> str:
    lines = (tree / "debian" / "control").read_text(encoding="utf-8").splitlines()
    return next(line.removeprefix("Maintainer: ") for line in lines if line.startswith("Maintainer: "))
