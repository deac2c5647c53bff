# SPDX-License-Identifier: Apache-2.0
"""A confined program that runs beside the agent of a node, supervised like it, if the profile asks for it."""

import pathlib
from collections.abc import Collection, Sequence

from penstock_base import processes

from . import supervision, switch_rights
from .confined import Confinement

HOME = pathlib.Path(__file__).resolve().parent.parent
"""Of the packages of the node."""


def keep(directory: pathlib.Path, name: str, module: str, arguments: Sequence[object], cores: Collection[int],
         readable: Collection[str] = ()) -> bool:
    """Makes a Python module run as a service, again if its arguments changed. Returns True if anything was done.

    directory: of the node. cores: where it may run, empty for all. readable: further files and directories.
    """
    # User 0, because the sockets of the database are root's, with the group of the switch, and without any of root's
    # rights.
    rights = Confinement(0, readable=(str(HOME), str(directory), *readable), hides=False,
                         groups=(switch_rights.group(directory),))
    tree = supervision.Tree(directory)
    service = supervision.Service(
        name, ("env", f"PYTHONPATH={HOME}",
               *(["taskset", "--cpu-list", ",".join(map(str, sorted(cores)))] if cores else []),
               *rights.words, "env", f"PYTHONPATH={HOME}", "/usr/bin/python3", "-B", "-m", module,
               *map(str, arguments)),
        process_of(directory, name), directory / f"{name}.log")
    if processes.is_running(service.process) and tree.command(name) == [str(word) for word in service.command]:
        return False
    tree.remove(name, service.process)
    tree.keep(service)
    return True


def stop(directory: pathlib.Path, name: str) -> bool:
    """Ends the program. Returns True if it was there."""
    tree = supervision.Tree(directory)
    if name not in tree.services():
        return False
    tree.remove(name, process_of(directory, name))
    return True


def process_of(directory: pathlib.Path, name: str) -> pathlib.Path:
    """The file that tells which process it is."""
    return directory / f"{name}.process"
