# SPDX-License-Identifier: Apache-2.0
"""The commands that ask and change a controller over RESTCONF, from any machine; docs/command-line.md."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Callable, Sequence

from penstock_base import failures, texts
from penstock_client.errors import Refused, Unreachable, WrongUsage

from . import documents_cli, history_cli, objects_cli, questions_cli
from .arguments import PROGRAM, Parser

NAMES = frozenset((*questions_cli.NAMES, *history_cli.NAMES, *objects_cli.NAMES, *documents_cli.NAMES))

_CODES: dict[type[Exception], int] = {WrongUsage: 2, Unreachable: 3, Refused: 5}
_INTERRUPTED = 130

Run = Callable[[argparse.Namespace], int]
Command = Callable[..., argparse.ArgumentParser]


def main(arguments: Sequence[str]) -> int:
    """Runs one of these commands and returns the exit code."""
    parser = Parser(prog=PROGRAM)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name: str, run: Run, text: str, description: str | None = None) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=description or text[0].upper() + text[1:] + ".")
        added.set_defaults(run=run)
        return added
    add(command)
    options = parser.parse_args(arguments)
    return failures.exit_code(lambda: int(options.run(options)))


def add(command: Command) -> None:
    """Adds them. command: makes a command of its name, function and text."""
    def remote(name: str, run: Run, *words: str) -> argparse.ArgumentParser:
        added = command(name, _explained(run), *words)
        where = added.add_argument_group("the controller, by default that of the environment, of the profile or of "
                                         "this machine")
        where.add_argument("--controller", action="append", default=[], metavar="URL",
                           help="as https://192.0.2.1:8181; may be repeated for the members of a cluster")
        where.add_argument("--user", metavar="NAME", help="account")
        where.add_argument("--password-file", type=pathlib.Path, metavar="FILE",
                           help="its first line is the password; no other user may read it")
        where.add_argument("--ca", type=pathlib.Path, metavar="FILE",
                           help="certificate of the authority; default those that this machine trusts")
        added.add_argument("--json", action="store_true", help="print JSON")
        return added
    questions_cli.add(remote)
    history_cli.add(remote)
    objects_cli.add(remote)
    documents_cli.add(remote)


def _explained(run: Run) -> Run:
    """The command, with an exit code of its own for each way in which a request ends badly."""
    def explained(options: argparse.Namespace) -> int:
        try:
            return run(options)
        except tuple(_CODES) as error:
            print(f"penstock: {texts.plain_lines(str(error))}", file=sys.stderr)
            return _CODES[type(error)]
        except KeyboardInterrupt:
            print("\npenstock: interrupted; a change that was sent may have been made", file=sys.stderr)
            return _INTERRUPTED
    return explained
