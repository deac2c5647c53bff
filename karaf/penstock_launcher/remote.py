# SPDX-License-Identifier: Apache-2.0
"""The controller that a command asks, and how answers are shown."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import sys
import time
import typing
from collections.abc import Callable

from penstock_client import Client, Unreachable, target
from penstock_client.errors import WrongUsage

from . import tables
from .arguments import NOT_RUNNING

_WIDTH = 120


def client(options: argparse.Namespace) -> Client:
    """A client of the controller that the options, the environment or the profile name, else of this machine's."""
    given = target.Given(options.controller, options.user, options.password_file, options.ca)
    return Client.of(target.find(given, _local))


def every_member(options: argparse.Namespace) -> Client:
    """The same for questions to all members of a cluster; on the machine of one of them, its settings name them."""
    given = target.Given(options.controller, options.user, options.password_file, options.ca)

    def local() -> target.Target:
        found = _local()
        from . import running  # noqa: PLC0415  (as there)
        urls, ca = running.members()
        return dataclasses.replace(found, urls=urls, ca=ca)
    return Client.of(target.find(given, local))


def _local() -> target.Target:
    if os.geteuid() != 0:
        raise WrongUsage("no controller is named: use --controller, $PENSTOCK_CONTROLLER or the profile "
                            f"{target.profile_path(os.environ)}; the controller of this machine needs root: use sudo")
    from . import running  # noqa: PLC0415  (another controller needs nothing of this machine)
    if not running.is_running():
        raise Unreachable(NOT_RUNNING)
    found = running.controller()
    return target.Target((found.restconf_url,), found.user, found.password)


def watched(command: argparse.ArgumentParser) -> None:
    """Adds the option of a command that shows the same again and again."""
    command.add_argument("--watch", type=_pause, metavar="SECONDS", help="print it again and again, until Ctrl-C")


def _pause(text: str) -> float:
    try:
        pause = float(text)
    except ValueError:
        pause = 0.0
    if not 0.2 <= pause <= 3600:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number in 0.2..3600")
    return pause


Answer = typing.TypeVar("Answer")


def shown(options: argparse.Namespace, ask: Callable[[], Answer], render: Callable[[Answer], str]) -> Answer:
    """Prints an answer and returns it. Where it is watched each further answer is printed on a clear screen, and Ctrl-C
    is the end that is meant."""
    pause = getattr(options, "watch", None)
    try:
        while True:
            answer = ask()
            text = json.dumps(answer, indent=2) if options.json else render(answer)
            print(f"\x1b[2J\x1b[H{text}" if pause and sys.stdout.isatty() else text, flush=True)
            if not pause:
                return answer
            time.sleep(pause)
    except KeyboardInterrupt:
        if pause:
            raise SystemExit(0) from None
        raise


def width() -> int:
    """Characters in a line of the terminal."""
    return shutil.get_terminal_size((_WIDTH, 24)).columns


def fitted(text: str) -> str:
    """A table as the terminal has room for it; whole where a program reads it."""
    return tables.fitted(text, width()) if sys.stdout.isatty() else text
