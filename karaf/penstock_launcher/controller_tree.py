# SPDX-License-Identifier: Apache-2.0
"""Keeps the controller of `./penstock` running: a supervision tree with the controller and its watch.

The tree is in a directory of root's: the controller's own directory is its user's.
"""

import dataclasses
import json
import pathlib
import shutil
import sys

import penstock_controller
from penstock_base import locks, places
from penstock_controller import Controller, Settings
from penstock_node import supervision, watch

_NAME = "controller"
_START_SECONDS = 180
"""A boot takes 15 to 40 seconds on two idle cores."""
_SILENT_SECONDS = 60
_INTERVAL_SECONDS = 10
_PATH = places.python_path("karaf", "ovs-config", "service-chains")


class Keeper:
    """What penstock_controller.Controller has its process started and stopped by; number: of the controller."""

    def __init__(self, number: int = 1) -> None:
        self._number = number
        name = places.controller_directory(number).name
        self._directory = places.run_directory().absolute() / f".{name}"
        self._tree = supervision.Tree(self._directory)

    def start(self, settings: Settings) -> None:
        """Has the controller run with these settings, and run again when it ends. Returns when its process begins."""
        self._directory.mkdir(parents=True, exist_ok=True)
        locks.write_json(self._directory / "settings.json", dataclasses.asdict(settings))
        # The watch first: an interrupted start must not leave a controller that runs without it.
        for name in (watch.NAME, _NAME):
            self._tree.keep(supervision.Service(
                name, ("env", f"PYTHONPATH={_PATH}", places.PYTHON, "-B", "-m", __name__, name, str(self._number)),
                self._process(name), self._directory / f"{name}.log"))

    def stop(self, patience: float) -> None:
        """Ends the controller for good, by force after `patience` seconds, and its watch before it."""
        for name in (watch.NAME, _NAME):
            self._tree.remove(name, self._process(name), patience)
        shutil.rmtree(self._directory, ignore_errors=True)

    def ensure(self) -> bool:
        """Starts the root of the tree again if it has ended. Returns True if it had."""
        return self._tree.ensure()

    def endings(self) -> dict[str, int]:
        """How often controller and watch have ended by themselves, by name."""
        return self._tree.endings()

    def settings(self) -> Settings:
        """Those of the last start."""
        return penstock_controller.Settings.from_json(json.loads(
            (self._directory / "settings.json").read_text(encoding="utf-8")))

    def watch(self, controller: Controller) -> None:
        """Watches until the process ends."""
        _Watch(self._directory, controller).serve()

    def _process(self, name: str) -> pathlib.Path:
        return self._directory / f"{name}.process"


class _Watch(watch.Watch):
    """The watch over the controller."""

    def __init__(self, directory: pathlib.Path, controller: Controller) -> None:
        super().__init__(directory)
        self._controller = controller

    def question(self, name: str) -> watch.Question:  # noqa: ARG002  (there is one)
        """RESTCONF answers, or the engine says why it cannot work: that is no hang."""
        return watch.Question(lambda pid: self._works(), _START_SECONDS, _SILENT_SECONDS,  # noqa: ARG005
                              _INTERVAL_SECONDS, self._controller.save_thread_dump)

    def _works(self) -> bool:
        answer = self._controller.ask()
        # A member without a majority of the others answers no request for data, and does not hang.
        return answer.done["web" if self._controller.settings.members else "restconf"] or answer.failed


def main() -> None:
    """Becomes a controller, or its watch."""
    from . import control  # noqa: PLC0415  (it needs this module)
    name, number = sys.argv[1], int(sys.argv[2])
    if name == _NAME:
        control.controller(number).become(Keeper(number).settings())
    else:
        Keeper(number).watch(control.controller(number))


if __name__ == "__main__":
    main()
