# SPDX-License-Identifier: Apache-2.0
"""Where things are: in the source tree, and on the machine."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROFILE = ROOT / "ovs-config" / "profiles" / "sample.yaml"
SAMPLE = ROOT / "service-chains" / "examples" / "sample"
ASSEMBLY = ROOT / "karaf" / "target" / "assembly"
BUILD_STAMP = ROOT / "karaf" / "target" / "penstock-build.sha256"
TEST_REPORTS = ROOT / "target" / "test-reports"
"""JUnit XML of all languages, of the last `test`."""
PYTHON = "/usr/bin/python3"
PACKAGE_FOLDERS = ("karaf", "ovs-config", "service-chains", "it/bench")
"""Those with packages of Python."""
PYTHON_SUITES = ("ovs-config", "service-chains", "karaf", "docs", "it/bench")


def is_source_tree() -> bool:
    """Whether these programs are those of a source tree, which can be built. Else packages have installed them."""
    return (ROOT / "pom.xml").is_file()


def python_path(*folders: str) -> str:
    """PYTHONPATH with the packages of some folders, of all by default."""
    return ":".join(str(ROOT / folder) for folder in folders or PACKAGE_FOLDERS)


def run_directory() -> pathlib.Path:
    """What lives as long as `up` does: nodes, functions, the sample's customers. $PENSTOCK_RUN_DIR or /run/penstock."""
    return pathlib.Path(os.environ.get("PENSTOCK_RUN_DIR") or "/run/penstock")


def state_directory() -> pathlib.Path:
    """What outlives a reboot: the controller's stored configuration and its password. $PENSTOCK_STATE_DIR."""
    return pathlib.Path(os.environ.get("PENSTOCK_STATE_DIR") or "/var/lib/penstock")


def controller_directory(number: int = 1) -> pathlib.Path:
    """Run directory of the controller, or of one of several, numbered from 1."""
    return state_directory() / ("controller" if number == 1 else f"controller-{number}")


def controller_directories() -> list[pathlib.Path]:
    """Those of all controllers that have been started on this machine."""
    return sorted(path for path in state_directory().glob("controller*")
                  if path.name == "controller" or path.name.startswith("controller-"))


def nat_journal(number: int = 1) -> pathlib.Path:
    """The journal of public addresses of a controller, numbered as its directory."""
    return controller_directory(number) / "nat-journal"


def audit_log() -> pathlib.Path:
    """The log of who has changed what."""
    return controller_directory() / "audit-log"


def distribution() -> pathlib.Path:
    """The controller's programs: those of the packages, or a copy, because each build replaces those of the tree."""
    installed = ROOT / "karaf" / "distribution"
    return installed if installed.is_dir() else state_directory() / "distribution"


def log_directory() -> pathlib.Path:
    """Logs of the launcher itself: packages, builds, tests. They stay, for whoever asks why it failed."""
    return pathlib.Path(os.environ.get("PENSTOCK_LOG_DIR") or "/var/log/penstock")


def lint_directory() -> pathlib.Path:
    """The programs of `lint` that are not Debian's. $PENSTOCK_CACHE_DIR/lint or /var/cache/penstock/lint."""
    return pathlib.Path(os.environ.get("PENSTOCK_CACHE_DIR") or "/var/cache/penstock") / "lint"


def lab_directory() -> pathlib.Path:
    """Files of the sample's customers and transit network."""
    return run_directory() / "lab"


def java_home() -> pathlib.Path | None:
    """Home of Debian's Java 17, or None: other versions do not run the controller."""
    found = sorted(pathlib.Path("/usr/lib/jvm").glob("java-17-openjdk-*/bin/javac"))
    return found[0].parent.parent if found else None
