# SPDX-License-Identifier: Apache-2.0
"""./penstock down: takes away all that `up` made, whatever state it is in."""

import contextlib
import json
import pathlib
import shutil

from penstock_base import places
from penstock_base.commands import run as command
from penstock_base.errors import PenstockError
from penstock_base.places import ROOT
from penstock_functions import agent_process, guest_image, instance
from penstock_node import node, node_status

from . import changes, control, lab, members, metrics
from .progress import Steps

_LOOK = "run './penstock down' again; if it fails again the text names the process or device that stays"
_PREFIXES = ("psl-",)


def run(keep: bool = False, purge: bool = False) -> None:
    """Stops and removes everything.

    keep: the controller's stored configuration and password stay for the next `up`.
    purge: what the build made, the launcher's logs, the guests of form vm and the programs of `lint` go too.
    """
    directory = places.run_directory()
    steps = Steps(total=6 if purge else 5)
    with steps.step("network functions", _LOOK) as note:
        for entry in node_status.status(directory):  # Else they would start what is stopped here.
            agent_process.stop(entry["name"], directory)
        functions = instance.status(directory)
        for entry in functions:
            instance.stop(entry["name"], entry["node"], directory)
        note.text = f"{len(functions)} stopped"
    with steps.step("nodes", _LOOK) as note:
        names = [entry["name"] for entry in node_status.status(directory)]
        for name in names:
            node.down(name, directory)
        note.text = f"{len(names)} stopped"
    with steps.step("controller", _LOOK) as note:
        note.text = "stopped" if control.stop() else "was not running"
        control.release_addresses()
        metrics.server().stop()
    with steps.step("sample hosts and cables", _LOOK) as note:
        note.text = "removed" if lab.remove() else "none there"
    with steps.step("files", _LOOK) as note:
        shutil.rmtree(directory, ignore_errors=True)
        if keep:
            note.text = f"{places.state_directory()} stays"
        else:
            _remove_state()
        _check(directory)
    if purge:
        with steps.step("build, logs, guest images", _LOOK):
            for target in _targets(ROOT):
                shutil.rmtree(target, ignore_errors=True)
            shutil.rmtree(places.log_directory(), ignore_errors=True)
            shutil.rmtree(guest_image.cache_directory(), ignore_errors=True)
            shutil.rmtree(places.lint_directory(), ignore_errors=True)


def _remove_state() -> None:
    """Only what is ours: the directory may have been chosen by the user."""
    metrics.server().remove()
    for ours in (*map(places.controller_directory, members.present()), places.distribution(),
                 *changes.leftovers()):
        shutil.rmtree(ours, ignore_errors=True)
    with contextlib.suppress(OSError):
        places.state_directory().rmdir()


def _targets(root: pathlib.Path) -> list[pathlib.Path]:
    """Maven's output directories: those beside a pom.xml."""
    return sorted(pom.parent / "target" for pom in pathlib.Path(root).rglob("pom.xml")
                  if "target" not in pom.relative_to(root).parts)


def _check(directory: pathlib.Path) -> None:
    """Nothing may be left that we know how to find."""
    listed = [entry["name"] for entry in json.loads(command("ip", "-j", "netns", "list") or "[]")]
    left = [f"namespace {name}" for name in listed if name.startswith(_PREFIXES)]
    left += [str(directory)] if directory.exists() else []
    if left:
        raise PenstockError(f"still there: {', '.join(left)}")
