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


def python_path(*folders: str) -> str:
    """PYTHONPATH with the packages of some folders, of all by default."""
    return ":".join(str(ROOT / folder) for folder in folders or PACKAGE_FOLDERS)


def run_directory() -> pathlib.Path:
    """What lives as long as `up` does: nodes, functions, the sample's customers. $PENSTOCK_RUN_DIR or /run/penstock."""
    return pathlib.Path(os.environ.get("PENSTOCK_RUN_DIR") or "/run/penstock")


def state_directory() -> pathlib.Path:
    """What outlives a reboot: the controller's stored configuration and its password. $PENSTOCK_STATE_DIR."""
    return pathlib.Path(os.environ.get("PENSTOCK_STATE_DIR") or "/var/lib/penstock")


def controller_directory() -> pathlib.Path:
    """Run directory of the controller."""
    return state_directory() / "controller"


def nat_journal() -> pathlib.Path:
    """The journal of public addresses."""
    return controller_directory() / "nat-journal"


def distribution() -> pathlib.Path:
    """The controller's programs: a copy, because every build makes the one in the source tree anew."""
    return state_directory() / "distribution"


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
