# SPDX-License-Identifier: Apache-2.0
"""The client of RESTCONF as a Python package, for machines without Penstock: a wheel, which pip installs.

It is built in a copy of penstock_client, with the modules of penstock_base that the client imports, by Debian's
setuptools and without a network.
"""

import os
import pathlib
import shutil
import tempfile
import time

from penstock_base import packages, places
from penstock_base.commands import run as command
from penstock_base.places import ROOT
from penstock_base.steps import step
from penstock_base.version import of_tree

_CLIENT = pathlib.Path("karaf", "penstock_client")
_BASE = pathlib.Path("ovs-config", "penstock_base")
BASE_MODULES = ("__init__.py", "errors.py", "restconf.py", "texts.py", "py.typed")
"""What the client needs of penstock_base."""
_BUILD_SECONDS = 120


def run(moment: int, revision: int, directory: pathlib.Path) -> pathlib.Path:
    """Builds the wheel into a directory, and returns its file.

    moment: of the commit, in seconds since 1970; revision: of a further build of the same commit
    """
    packages.install(packages.WHEEL)
    version = python_version(of_tree(), moment, revision)
    directory.mkdir(parents=True, exist_ok=True)
    for older in directory.glob("penstock_client-*.whl"):
        older.unlink()
    with step(f"Python package of version {version}"), tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        shutil.copytree(ROOT / _CLIENT, tree / "penstock_client", ignore=shutil.ignore_patterns("__pycache__"))
        (tree / "penstock_client" / "pyproject.toml").rename(tree / "pyproject.toml")
        (tree / "penstock_base").mkdir()
        for module in BASE_MODULES:
            shutil.copy2(ROOT / _BASE / module, tree / "penstock_base")
        shutil.copy2(ROOT / "LICENSE", tree)
        (tree / "VERSION").write_text(f"{version}\n", encoding="ascii")
        command(places.PYTHON, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation",
                "--disable-pip-version-check", "--wheel-dir", directory, tree, timeout_seconds=_BUILD_SECONDS,
                environment=os.environ | {"SOURCE_DATE_EPOCH": str(moment), "PIP_ROOT_USER_ACTION": "ignore"})
    return next(directory.glob(f"penstock_client-{version}-*.whl"))


def python_version(maven: str, moment: int, revision: int = 0) -> str:
    """The version by the rules of Python (PEP 440). A snapshot comes before its release, and after older ones."""
    released = maven.removesuffix("-SNAPSHOT")
    snapshot = time.strftime(".dev%Y%m%d%H%M%S", time.gmtime(moment)) if released != maven else ""
    return f"{released}{snapshot}" + (f"+{revision}" if revision else "")
