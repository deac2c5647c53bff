# SPDX-License-Identifier: Apache-2.0
"""The commands for whole documents: export, import, diff, validate."""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Callable, Sequence

from penstock_base import files
from penstock_base.texts import plain
from penstock_client import Client, Problem, Refused, comparison, documents, template
from penstock_client.errors import WrongUsage

from . import remote

Add = Callable[..., argparse.ArgumentParser]

NAMES = ("export", "import", "diff", "validate")
_NOT_RIGHT = 4


def add(command: Add) -> None:
    """Adds them. command: makes a command of its name, function and text."""
    out = command("export", _export, "write all of the configuration as a JSON document, which import reads")
    out.add_argument("file", nargs="?", type=pathlib.Path, metavar="FILE", help="default standard output")
    reading = {
        "import": command("import", _import, "store a document, or a table of many entries, in one request: all of it "
                          "or nothing"),
        "diff": command("diff", _diff, "show how a document differs from the stored configuration"),
        "validate": command("validate", _validate, "have the controller check a document without storing it")}
    for added in reading.values():
        added.add_argument("file", type=pathlib.Path, metavar="FILE", help="document in JSON or YAML, or a table in "
                           "CSV; - for a document from standard input")
        added.add_argument("--template", type=pathlib.Path, metavar="FILE", help="document with {column} in its texts, "
                           "which each row of the table fills")
    reading["import"].add_argument("--dry-run", action="store_true", help="show the difference and have it checked, "
                                   "and store nothing")


def _export(options: argparse.Namespace) -> int:
    text = json.dumps(remote.client(options).export(), indent=2) + "\n"
    if options.file is None:
        print(text, end="")
        return 0
    try:
        files.replace(options.file, text)
    except OSError as error:
        raise WrongUsage(f"{options.file}: cannot be written: {error.strerror}") from None
    return 0


def _units(options: argparse.Namespace) -> list[documents.Unit]:
    if options.template:
        return template.units(options.file, options.template)
    if options.file.suffix == ".csv":
        raise WrongUsage(f"{options.file}: a table needs --template FILE")
    return documents.units(documents.read(options.file))


def _import(options: argparse.Namespace) -> int:
    units = _units(options)
    client = remote.client(options)
    if options.dry_run:
        problems = _checked(client, units)
        _print_difference(options, client, units)
        return _told(problems) if problems else 0
    try:
        client.apply([unit.edit() for unit in units])
    except Refused as error:
        raise Refused(comparison.with_origins(error.problems, units), error.status) from None
    print(json.dumps({"stored": [unit.where for unit in units]}) if options.json else f"stored: {len(units)}")
    return 0


def _diff(options: argparse.Namespace) -> int:
    units = _units(options)
    return _NOT_RIGHT if _print_difference(options, remote.client(options), units) else 0


def _print_difference(options: argparse.Namespace, client: Client, units: Sequence[documents.Unit]) -> bool:
    changed = comparison.differences(client, units)
    if options.json:
        print(json.dumps({unit.where: lines for unit, lines in changed}, indent=2))
    else:
        for unit, lines in changed:
            print("\n".join([f"{unit.where}:", *(f"  {plain(line)}" for line in lines)]))
    return bool(changed)


def _validate(options: argparse.Namespace) -> int:
    units = _units(options)
    problems = _checked(remote.client(options), units)
    if options.json:
        print(json.dumps([{"message": problem.message, "path": problem.path} for problem in problems], indent=2))
        return _NOT_RIGHT if problems else 0
    if not problems:
        print(f"valid: {len(units)}")
        return 0
    return _told(problems)


def _checked(client: Client, units: Sequence[documents.Unit]) -> list[Problem]:
    return comparison.with_origins(client.validate([unit.edit() for unit in units]), units)


def _told(problems: Sequence[Problem]) -> int:
    for problem in problems:
        print(f"penstock: {plain(problem.message)}", file=sys.stderr)
    return _NOT_RIGHT
